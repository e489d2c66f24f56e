"""From what the user typed to the operators of a batch, each with an input of its own."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

import ferrotile
from ferrotile import capture
from ferrotile.core import InputError, store
from ferrotile.workflow.inputs import SUFFIX
from ferrotile.workflow.operators.records import BatchRequest, Checkout, Operator, Plan
from ferrotile.workflow.operators.worktree import commit_of
from ferrotile.workflow.run.artifacts import read, write
from ferrotile.workflow.run.drive import request_of

BATCH, PLAN, OPERATORS = "batch.json", "plan.json", "operators"
ALL = "all"


def batch_request(inputs: Sequence[str], chosen: str, target: str, options: Mapping[str, object]) -> BatchRequest:
    """The request of a batch; `chosen` is `all` or names with commas. Raises: FT111, FT840."""
    request_of("", target, {})
    names = None if chosen == ALL else tuple(name.strip() for name in chosen.split(",") if name.strip())
    if names == ():
        raise InputError("FT840", "`--ops` names no operator; `all` takes every one")
    fields = {"id": uuid.uuid4().hex, "chosen": names, "target": target, "ferrotile": ferrotile.__version__}
    return BatchRequest.model_validate({"inputs": tuple(map(_absolute, inputs)), **fields, **options})


def checkout_of(folder: Path, fields: Mapping[str, object]) -> Checkout:
    """The checkout that accepted operators go to, each branch from the commit it stands at. Raises: FT001, FT841."""
    top, base = commit_of(folder)
    made = {"folder": str(top), "base": base, **fields}
    into = Path(str(made["into"]))
    if into.is_absolute() or ".." in into.parts or "{op}" not in into.parts[-1]:
        raise InputError("FT841", f"`{into}` is no folder of a checkout whose name holds `{{op}}`")
    return Checkout.model_validate(made)


def settled(out: Path, request: BatchRequest) -> BatchRequest:
    """Write the request, or take the one that is there if it asks for the same. Raises: FT810, FT811."""
    path = out / BATCH
    if path.exists():
        there = read(path, BatchRequest)
        again = request.model_copy(update={"id": there.id})
        if there.checkout and again.checkout:
            # The branch that was checked out may have moved on since; every branch of a batch begins at one commit.
            checkout = again.checkout.model_copy(update={"base": there.checkout.base})
            again = again.model_copy(update={"checkout": checkout})
        if there != again:
            name = next(name for name in BatchRequest.model_fields if getattr(there, name) != getattr(again, name))
            raise InputError("FT810", f"`{out}` holds another batch: `{name}` is `{getattr(there, name)}` there")
        return there
    strange = [one.name for one in out.iterdir() if one.name != ".lock"]
    if strange:
        raise InputError("FT810", f"`{out}` is no batch, and not empty: it holds `{sorted(strange)[0]}`")
    write(path, request)
    return request


def planned(out: Path, request: BatchRequest) -> Plan:
    """The operators of a batch; made once, then read. Raises: FT116, FT801, FT811, FT840."""
    path = out / PLAN
    if path.exists():
        return read(path, Plan)
    found: dict[str, str] = {}
    for text in request.inputs:
        for name, source in _operators(text, out).items():
            if name in found:
                raise InputError("FT840", f"two inputs hold an operator `{name}`")
            found[name] = source
    names = request.chosen or tuple(found)
    meant = (*names, *(key.partition(":")[0] for key in request.agents if ":" in key))
    if unknown := [name for name in meant if name not in found]:
        raise InputError("FT840", f"there is no operator `{unknown[0]}`; there are {', '.join(sorted(found))}")
    plan = Plan(operators=tuple(Operator(name=name, input=found[name]) for name in dict.fromkeys(names)))
    write(path, plan)
    return plan


def _operators(text: str, out: Path) -> dict[str, str]:
    """Inputs by operator. Raises: FT116, FT801."""
    head, separator, kernel = text.partition("::")
    path = Path(head)
    if separator or not path.is_dir():
        if not path.is_file():
            raise InputError("FT801", f"`{text}` does not exist")
        return {_name(kernel or path.name.removesuffix(SUFFIX).removesuffix(".py")): text}
    if capture.is_capture(path):
        return _of_capture(path, out)
    if any(path.glob(f"*{SUFFIX}")):
        return {_name(path.name): text}
    if specified := capture.discover(path):
        return {_name(file.stem): str(file) for file in dict.fromkeys(Path(file) for file, _, _ in specified)}
    below = [one for one in sorted(path.iterdir()) if one.is_dir() and not one.name.startswith(".")]
    found = {name: source for one in below if _is_input(one) for name, source in _operators(str(one), out).items()}
    if not found:
        raise InputError("FT801", f"`{text}` holds no operator: no capture, no `{SUFFIX}`, no kernel with a spec file")
    return found


def _is_input(folder: Path) -> bool:
    return capture.is_capture(folder) or any(folder.glob(f"*{SUFFIX}")) or bool(capture.discover(folder))


def _of_capture(folder: Path, out: Path) -> dict[str, str]:
    """A capture for each operator that the program named; what runs under no name belongs to its module."""
    index = capture.read_index(folder)
    rows = (*index.exported, *(one for one in index.unexported if one.via == "launch"))
    named: dict[str, str] = {}
    for name in dict.fromkeys(name for row in rows for name in _names(row)):
        exported = tuple(row for row in index.exported if name in _names(row))
        unexported = tuple(row for row in index.unexported if name in _names(row))
        part = index.model_copy(update={"exported": exported, "unexported": unexported})
        files = {one.file: (folder / one.file).read_bytes() for one in exported}
        place = folder_of(out, _name(name)) / "input"
        store.replace_folder(place, {capture.INDEX: part.to_text().encode(), **files})
        named[_name(name)] = str(place)
    return named


def _names(row: capture.Exported | capture.Unexported) -> tuple[str, ...]:
    return row.operators or (row.module.rpartition(".")[2],)


def folder_of(out: Path, name: str) -> Path:
    """The folder of an operator."""
    return out / OPERATORS / name


def _name(text: str) -> str:
    """A name that a folder and a branch may have.

    Example:
        >>> _name("a/b::c d")
        'a_b_c_d'
    """
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", text).lstrip(".-") or "operator"


def _absolute(text: str) -> str:
    head, separator, kernel = text.partition("::")
    return f"{Path(head).resolve()}{separator}{kernel}"
