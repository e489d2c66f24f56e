"""From the rows that recorded processes left to the index of a capture."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ferrotile.capture.index import Exported, Index, Launch, PlaceRecord, Unexported, element_count
from ferrotile.core import EnvironmentFault

SUFFIX = ".tileirbc"
MOST_LAUNCHES = 4
"""Of different launches of one specialization so many are kept."""


@dataclass
class _Kernel:
    """One specialization, as all processes saw it."""

    row: dict[str, Any]
    launches: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Rows:
    """What all processes of a command recorded. `cuda_tile`: its version, if it was imported."""

    folder: Path
    process_count: int
    launch_count: int
    cuda_tile: str | None
    is_pretended: bool
    has_placeholders: bool
    kernels: tuple[_Kernel, ...]

    def index(self, command: tuple[str, ...], exit_code: int, target: str, tune: str) -> tuple[Index, dict[str, bytes]]:
        """The index, and the bytecode by file name. Raises: FT115."""
        exported: list[Exported] = []
        files: dict[str, bytes] = {}
        try:
            for kernel, name in _with_names([one for one in self.kernels if "bytecode" in one.row]):
                files[name + SUFFIX] = (self.folder / f"{kernel.row['bytecode']}{SUFFIX}").read_bytes()
                exported.append(_exported(kernel, name))
            unexported = [_unexported(one) for one in self.kernels if "refusal" in one.row]
            index = Index(
                command=command,
                exit_code=exit_code,
                target=target,
                tune=tune,  # type: ignore[arg-type]
                cuda_tile=self.cuda_tile or "",
                is_pretended=self.is_pretended,
                has_placeholders=self.has_placeholders,
                exported=tuple(exported),
                unexported=tuple(sorted(unexported, key=lambda one: (one.module, one.kernel, one.symbol or ""))),
            )
        except (ValidationError, KeyError, TypeError, OSError) as error:
            raise _unreadable(error) from None
        return index, files


def collect(folder: Path) -> Rows:
    """Read the rows of all processes, without a line that one died in the middle of. Raises: FT115."""
    kernels: dict[object, _Kernel] = {}
    by_number: dict[str, _Kernel] = {}
    other: dict[str, list[dict[str, Any]]] = {"process": [], "tile": [], "placeholder": [], "launch": []}
    try:
        for row in _read(folder):
            if row["row"] == "specialization":
                by_number[row["number"]] = kernels.setdefault(_identity(row), _Kernel(row))
            else:
                other[row["row"]].append(row)
        for row in other["launch"]:
            by_number[row["specialization"]].launches.append(row)
    except (ValueError, KeyError, TypeError) as error:
        raise _unreadable(error) from None
    tile = other["tile"]
    return Rows(
        folder,
        len(other["process"]),
        len(other["launch"]),
        tile[0]["version"] if tile else None,
        any(row["is_pretended"] for row in tile),
        bool(other["placeholder"]),
        tuple(kernels.values()),
    )


def _read(folder: Path) -> Iterable[dict[str, Any]]:
    for path in sorted(folder.glob("*.rows")):
        for line in path.read_bytes().splitlines(keepends=True):
            if line.endswith(b"\n"):
                yield json.loads(line)


def _identity(row: dict[str, Any]) -> object:
    """Two rows are of one specialization if the program, its names and its hints are the same."""
    made = row.get("bytecode") or json.dumps(row["refusal"])
    return row["module"], row["kernel"], row["symbol"], json.dumps(row["hints"]), made


def _with_names(kernels: list[_Kernel]) -> list[tuple[_Kernel, str]]:
    """Names in the order of the names: module, kernel and a digest, and a number where that is not enough."""
    named: dict[str, _Kernel] = {}
    for kernel in sorted(kernels, key=lambda one: (_name(one.row), one.row["bytecode"])):
        name = _name(kernel.row)
        number = 2
        while name in named:
            name, number = f"{_name(kernel.row)}.{number}", number + 1
        named[name] = kernel
    return [(kernel, name) for name, kernel in named.items()]


def _name(row: dict[str, Any]) -> str:
    """`softmax.softmax_kernel.2388524ecc46`: the digest is of what tells specializations apart, not of paths."""
    identity = [row["module"], row["kernel"], row["symbol"], row["hints"]]
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:12]
    module = Path(row["file"]).stem
    kernel = re.sub(r"[^A-Za-z0-9_]+", "-", row["kernel"].rpartition(".")[2]).strip("_-") or "kernel"
    return f"{kernel}.{digest}" if module == kernel else f"{module}.{kernel}.{digest}"


def _facts(kernel: _Kernel) -> dict[str, Any]:
    """What the records of exported and refused specializations share."""
    row = kernel.row
    by_launch: dict[str, Launch] = {}
    for one in kernel.launches:
        launch = Launch(grid=one["grid"], arguments=one["arguments"], place=_host_place(one["from"]))
        by_launch.setdefault(json.dumps([one["grid"], one["arguments"]]), launch)
    launches = sorted(by_launch.values(), key=lambda one: (element_count(one), one.grid, one.model_dump_json()))
    return {
        **{name: row[name] for name in ("module", "kernel", "symbol", "hints", "parameters", "line")},
        "source": row["file"],
        "via": "launch" if any(one["via"] == "launch" for one in kernel.launches) else "tune",
        "operators": _texts(one["operator"] for one in kernel.launches),
        "tests": _texts(one["test"] for one in kernel.launches),
        "launches": tuple(launches[:MOST_LAUNCHES]),
        "launch_count": len(launches),
    }


def _exported(kernel: _Kernel, name: str) -> Exported:
    return Exported(name=name, file=name + SUFFIX, sha256=kernel.row["bytecode"], **_facts(kernel))


def _unexported(kernel: _Kernel) -> Unexported:
    refusal = kernel.row["refusal"]
    at_kernel = [kernel.row["file"], kernel.row["line"], 0, kernel.row["kernel"], None]
    text = refusal["message"]
    return Unexported(
        code="FT109" if refusal["is_breakdown"] else "FT104",
        message=(text[:1].lower() + text[1:]).rstrip(".:"),
        place=_place(refusal["place"] or at_kernel),  # type: ignore[arg-type]
        **_facts(kernel),
    )


def _place(row: Any) -> PlaceRecord | None:
    if row is None:
        return None
    file, line, column, function, caller = row
    return PlaceRecord(file=file, line=line, column=column, function=function, caller=_place(caller))


def _host_place(row: Any) -> str:
    return "" if row is None else f"{row[0]}:{row[1]} ({row[2]})"


def _texts(values: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(sorted({value for value in values if value}))


def _unreadable(error: Exception) -> EnvironmentFault:
    return EnvironmentFault("FT115", f"the recorder left rows that cannot be read: {type(error).__name__}: {error}")
