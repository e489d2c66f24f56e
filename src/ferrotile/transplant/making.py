"""Make a case of a bundle: machine code of both programs, a launch, and an oracle. Needs tileiras, and no GPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import numpy as np

from ferrotile import bundle, ir, lift, lower
from ferrotile.backend import word
from ferrotile.core import InputError, Role, Unsupported, store, tools
from ferrotile.ir.formats import Array as Numbers
from ferrotile.ir.types import TileType
from ferrotile.lift.source import annotate
from ferrotile.transplant.arguments import Asked, Laid, arguments_of
from ferrotile.transplant.case import FILE, Case, CaseArray, Program
from ferrotile.transplant.oracle import Right, oracle_of

DTYPES = {
    bundle.numpy_dtype(name): name
    for name in (
        "bool", "f16", "bf16", "f32", "f64", "f8e4m3fn", "f8e5m2", "f8e8m0fnu",
        "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64",
    )
}  # fmt: skip
"""NumPy's types -> as a kernel's symbol names them."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What to launch with, and what is right."""

    asked: Asked = field(default_factory=Asked)
    right: Right = field(default_factory=Right)
    source_map: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Ours:
    """Our program as bytecode, the facts that it needs of a launch, and what is to be said of it."""

    bytecode: bytes
    facts: tuple[str, ...]
    notes: tuple[str, ...] = ()


def make_case(folder: Path, out: Path, setting: Setting) -> Case:
    """Write the case of the bundle in `folder` to `out`; its verdict does not matter. An edited kernel.rs is lowered.

    Raises: FT61x no bundle; FT641 nothing can be launched; FT4xx the Rust does not compile; FT605 tileiras refuses;
    FT806, FT710, FT116 what is given does not fit; FT001 tileiras is missing.
    """
    proof = bundle.read(folder)
    if proof.parameters is None or proof.specialization is None:
        raise InputError("FT641", f"`{folder}` has one program only: `{proof.kernel}` is {proof.verdict}")
    reference, ours = _bytes(folder / "reference.tileirbc"), _ours(folder, proof)
    module = ir.decode(reference)
    annotations = annotate(module.entries[0], lift.SourceFinder(list(setting.source_map)))
    arguments = arguments_of(folder.name, annotations, setting.asked)
    oracle = oracle_of(module, arguments, setting.right)
    files = {name: _bytes(folder / name) for name in ("kernel.rs", bundle.PROOF)}
    x, y, z = (*oracle.grid, 1, 1)[:3]
    case = Case(
        name=folder.name, kernel=proof.kernel, target=proof.target, grid=(x, y, z),
        symbol=str(ir.attribute(module.entries[0], "sym_name")), arguments=arguments.places,
        arrays=tuple(
            _array(files, number, *pair) for number, pair in enumerate(zip(arguments.arrays, oracle.after, strict=True))
        ),
        reference=_program(files, "reference", _Ours(reference, ()), proof.parameters.reference, proof.target),
        ours=_program(files, "ours", ours, proof.parameters.lowered, proof.target),
        oracle=oracle.by, tolerances=dict(oracle.tolerances), notes=(*ours.notes, *filter(None, [oracle.note])),
        versions=bundle.versions(),
    )  # fmt: skip
    for name, data in files.items():
        store.write_bytes(out / name, data)
    store.write_text(out / FILE, case.model_dump_json(indent=1) + "\n")
    return case


def _ours(folder: Path, proof: bundle.Proof) -> _Ours:
    """What kernel.rs says now, proved or not; a lowered program that was put there by hand is taken as it is."""
    text, lowered = _bytes(folder / "kernel.rs"), _bytes(folder / "lowered.tileirbc")
    if bundle.digest(lowered) != proof.sha256["lowered.tileirbc"]:
        facts = (*proof.assumptions, *proof.launch_checks)
        return _Ours(lowered, facts, ("`lowered.tileirbc` is not the file that was proved; it is what runs",))
    if bundle.digest(text) == proof.sha256["kernel.rs"]:
        return _Ours(lowered, (*proof.assumptions, *proof.launch_checks))
    rust = text.decode(errors="replace")
    version = lower.version_for(ir.decode(_bytes(folder / "reference.tileirbc")).version)
    made = bundle.launched(rust, lower.lower(proof.rust_source(rust), proof.target, version), proof.parameters)
    note = "`kernel.rs` was edited since it was proved; what it says now is what runs"
    return _Ours(made.bytecode, (*proof.assumptions, *made.launch_checks), (note,))


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        raise InputError("FT613", f"`{path}` is missing") from None


def _array(files: dict[str, bytes], number: int, array: Laid, after: Numbers | None) -> CaseArray:
    """One array, its bytes among the files. Raises: FT641 an array that cannot be passed."""
    data = array.data
    if data.dtype not in DTYPES or any(stride < 0 for stride in data.strides):
        raise InputError("FT641", f"`{array.name}` is {data.dtype}{list(data.shape)} with strides {list(data.strides)}")
    before = f"array-{number}.before"
    files[before] = whole = bundle.span_bytes(data)
    left = None
    if after is not None and data.size and (right := _with(whole, data, after)) != whole:
        left = f"array-{number}.after"
        files[left] = right
    strides = tuple(stride // data.itemsize for stride in data.strides)
    return CaseArray(
        name=array.name, dtype=DTYPES[data.dtype], shape=data.shape, strides=strides, offset=array.offset,
        before=before, after=left,
    )  # fmt: skip


def _with(whole: bytes, data: Numbers, after: Numbers) -> bytes:
    """The same bytes with other numbers in the elements; what lies between rows stays."""
    kind = f"u{data.itemsize}"
    numbers = np.frombuffer(whole, kind).copy()
    np.lib.stride_tricks.as_strided(numbers, data.shape, data.strides)[...] = np.ascontiguousarray(after).view(kind)
    return numbers.tobytes()


def _program(files: dict[str, bytes], name: str, given: _Ours, roles: Sequence[Role], target: str) -> Program:
    """One side as machine code. Raises: FT605 tileiras refuses it; FT609 a parameter cannot be passed; FT641."""
    assembled = tools.assemble(given.bytecode, target)
    if assembled.cubin is None:
        raise Unsupported("FT605", f"tileiras does not compile `{name}` for {target}: {assembled.refusal}")
    (entry,) = ir.decode(given.bytecode).entries
    kinds = [cast(TileType, value.type) for value in entry.regions[0].block.args]
    if len(kinds) != len(roles):
        raise InputError("FT641", f"`{name}` has {len(kinds)} parameters, and the map in proof.json {len(roles)}")
    files[f"{name}.cubin"] = assembled.cubin
    words = tuple(word(role, kind) for role, kind in zip(roles, kinds, strict=True))
    symbol = str(ir.attribute(entry, "sym_name"))
    return Program(image=f"{name}.cubin", entry=symbol, words=words, facts=given.facts)
