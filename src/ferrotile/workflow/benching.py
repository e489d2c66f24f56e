"""From a capture and its translations to a pack that device times are measured from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ferrotile import bundle
from ferrotile.bench.device.pack import Argument, Array, Pair, pack
from ferrotile.capture import index as captured
from ferrotile.core import FerrotileError, InputError, VerdictKind

ELEMENTS = {
    "bool": "bool",
    "bfloat16": "bf16",
    "tfloat32": "tf32",
    "float8_e4m3fn": "f8e4m3fn",
    "float8_e5m2": "f8e5m2",
    **{f"float{bits}": f"f{bits}" for bits in (16, 32, 64)},
    **{f"int{bits}": f"i{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"u{bits}" for bits in (8, 16, 32, 64)},
}
"""Dtypes as a capture names them -> element types."""
MOST_ELEMENTS = 1 << 29
"""Elements of a launch's arrays together: two sets of them must fit into the GPU's memory."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A pack: where, how many pairs, for which target, and what was left out with the reason."""

    folder: Path
    target: str
    pairs: int
    left_out: tuple[str, ...]


def bench_pack(recording: Path, bundles: Path, folder: Path, *, as_bytecode: bool) -> Packed:
    """Pack every proved translation of a capture with the largest of its recorded launches.

    Raises: FT116 for a wrong capture, FT710 when nothing can be packed.
    """
    found = captured.read_index(recording)
    left_out = [f"{one.symbol or one.kernel}: {one.code}: {one.message}" for one in found.unexported]
    pairs = list(_pairs(found, bundles, left_out))
    plan, refused = pack(folder, pairs, found.target, bundle.versions(), as_bytecode=as_bytecode)
    left_out += refused
    if not plan.pairs:
        raise InputError(
            "FT710", f"nothing of `{recording}` can be packed: {left_out[0] if left_out else 'it is empty'}"
        )
    return Packed(folder, found.target, len(plan.pairs), tuple(left_out))


def _pairs(found: captured.Index, bundles: Path, left_out: list[str]) -> Iterator[Pair]:
    for one in found.exported:
        try:
            yield _pair(one, bundles / one.name)
        except FerrotileError as error:
            left_out.append(f"{one.name}: {error.message}")


def _pair(one: captured.Exported, folder: Path) -> Pair:
    proof = bundle.read(folder)
    if proof.verdict not in (VerdictKind.EQUAL, VerdictKind.REFINES) or proof.parameters is None:
        raise InputError("FT602", f"its translation is {proof.verdict}")
    fitting = [launch for launch in one.launches if captured.element_count(launch) <= MOST_ELEMENTS]
    if not fitting:
        raise InputError("FT710", f"every launch has more than {MOST_ELEMENTS} elements")
    launch = max(fitting, key=captured.element_count)
    sides = [(folder / name).read_bytes() for name in ("reference.tileirbc", "lowered.tileirbc")]
    machine = "skipped" if proof.sass is None else str(proof.sass.kind)
    arguments = tuple(_passed(launch.arguments))
    return Pair(one.name, one.kernel, sides[0], sides[1], proof.parameters, launch.grid, arguments, machine)


def smallest_launch(recording: Path, name: str) -> tuple[tuple[int, ...], tuple[Argument, ...]]:
    """Grid and arguments, without constants, of the smallest recorded launch of a specialization.

    Raises: FT116 for a wrong capture; FT710 it has no such specialization, or nothing is made for an argument.
    """
    found = [one for one in captured.read_index(recording).exported if one.name == name]
    if not found or not found[0].launches:
        raise InputError("FT710", f"`{recording}` has no launch of `{name}`")
    launch = min(found[0].launches, key=captured.element_count)
    return launch.grid, tuple(_passed(launch.arguments))


def _passed(arguments: tuple[captured.Argument, ...]) -> Iterator[Argument]:
    """What is passed at launch: tuples are spread out, constants are gone."""
    for value in arguments:
        if isinstance(value, captured.ArrayArgument):
            yield _array(value)
        elif isinstance(value, captured.ManyArgument) and value.kind == "tuple":
            yield from _passed(value.items)
        elif isinstance(value, captured.ManyArgument):
            yield tuple(_array(item) for item in value.items if isinstance(item, captured.ArrayArgument))
        elif value.kind == "scalar":
            yield _number(value.value)


def _array(value: captured.ArrayArgument) -> Array:
    if value.dtype not in ELEMENTS:
        raise InputError("FT710", f"an array has the dtype `{value.dtype}`, which nothing is made for")
    return Array(ELEMENTS[value.dtype], value.shape, value.strides, value.offset)


def _number(value: bool | int | float | str | None) -> int | float:
    """A number, also one that JSON lacks."""
    if value is None:
        raise InputError("FT710", "a scalar has no value")
    return float(value) if isinstance(value, str) else value
