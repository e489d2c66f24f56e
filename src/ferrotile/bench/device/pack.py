"""Make a pack: the machine code of pairs and their launches, for a machine with a GPU that has nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

from ferrotile import ir
from ferrotile.bench.device.images import BYTECODE, MACHINE_CODE
from ferrotile.bench.device.plan import FILE, ArrayPlan, PairPlan, Parameter, Plan, SidePlan
from ferrotile.bundle.inputs import numpy_dtype
from ferrotile.core import InputError, ParameterMap, Role, Unsupported, store, tools
from ferrotile.ir.types import ScalarType, TileType


@dataclass(frozen=True, slots=True)
class Array:
    """An array argument of a launch. Units: strides in elements, `offset` in bytes."""

    element: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0


Argument = Array | tuple[Array, ...] | bool | int | float
"""What the host passes: an array, a list of arrays, a number."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A proved pair with one of its launches; `arguments` without the constants. `machine`: how their code compared."""

    name: str
    kernel: str
    reference: bytes
    lowered: bytes
    parameters: ParameterMap
    grid: Sequence[int]
    arguments: Sequence[Argument]
    machine: str = "skipped"


def pack(
    folder: Path, pairs: Iterable[Pair], target: str, versions: dict[str, str | None], *, as_bytecode: bool = False
) -> tuple[Plan, list[str]]:
    """Write both sides of every pair into `folder`, then the plan; also the pairs left out, with the reason.

    As machine code, or as bytecode that the other machine compiles before it measures.
    Raises: FT3xx when a tool is missing.
    """
    image = _bytecode if as_bytecode else _machine_code
    plans: list[PairPlan] = []
    left_out: list[str] = []
    for pair in pairs:
        try:
            plans.append(_planned(pair, partial(image, folder, target)))
        except (InputError, Unsupported) as error:
            left_out.append(f"{pair.name}: {error.message}")
    plan = Plan(target=target, versions=versions, pairs=tuple(plans))
    store.write_text(folder / FILE, plan.model_dump_json(exclude_defaults=False) + "\n")
    return plan, left_out


def _planned(pair: Pair, image: Callable[[bytes], str]) -> PairPlan:
    arguments = _Arguments(pair.arguments)
    sides = [
        _side(data, roles, arguments, image(data))
        for data, roles in ((pair.reference, pair.parameters.reference), (pair.lowered, pair.parameters.lowered))
    ]
    x, y, z = (*pair.grid, 1, 1)[:3]
    return PairPlan(
        name=pair.name, kernel=pair.kernel, grid=(x, y, z), arrays=tuple(map(_array_plan, arguments.arrays)),
        reference=sides[0], ours=sides[1], machine=pair.machine,
    )  # fmt: skip


class _Arguments:
    """The arguments as parameter maps number them: arrays, and scalars, of which a list of arrays takes two."""

    def __init__(self, arguments: Sequence[Argument]) -> None:
        self.arrays: list[Array] = []
        self.scalars: list[int | float | tuple[int, ...]] = []
        lists: list[tuple[Array, ...]] = []
        for value in arguments:
            if isinstance(value, Array):
                self.arrays.append(value)
            elif isinstance(value, tuple):
                self.scalars += [(len(lists),), len(value)]
                lists.append(value)
            else:
                self.scalars.append(value)
        starts: list[int] = []
        for items in lists:
            starts.append(len(self.arrays))
            self.arrays += items
        # A table is named by the arrays that it lists, which come behind all others.
        self.tables = [tuple(range(start, start + len(items))) for start, items in zip(starts, lists, strict=True)]

    def parameter(self, role: Role, kind: TileType) -> Parameter:
        """One entry parameter. Raises: FT710."""
        if role.kind == "pointer":
            return Parameter(kind="pointer", array=role.array or 0)
        if role.kind == "scalar":
            value = self.scalars[role.index or 0]
            if isinstance(value, tuple):
                members = self.tables[value[0]]
                rows = tuple((*self.arrays[k].shape, *self.arrays[k].strides) for k in members)
                return Parameter(kind="table", arrays=members, rows=rows)
            return Parameter(kind="number", type=_number_type(kind), value=value)
        array, axis = self.arrays[role.array or 0], role.axis or 0
        value = (array.shape if role.kind == "shape" else array.strides)[axis]
        return Parameter(kind="number", type=_number_type(kind), value=value)


def _number_type(kind: TileType) -> str:
    if not isinstance(kind.element, ScalarType):
        raise Unsupported("FT710", f"a number is passed for a parameter of type `{kind}`")
    return kind.element.name


def _side(data: bytes, roles: Sequence[Role], arguments: _Arguments, image: str) -> SidePlan:
    (entry,) = ir.decode(data).entries
    kinds = [cast(TileType, value.type) for value in entry.regions[0].block.args]
    return SidePlan(
        image=image,
        entry=str(ir.attribute(entry, "sym_name")),
        parameters=tuple(arguments.parameter(role, kind) for role, kind in zip(roles, kinds, strict=True)),
    )


def _machine_code(folder: Path, target: str, data: bytes) -> str:
    """Write a program's machine code. Raises: FT710 when tileiras refuses it."""
    assembled = tools.assemble(data, target)
    if assembled.cubin is None:
        raise Unsupported("FT710", f"tileiras does not compile it for {target}: {assembled.refusal}")
    return _kept(folder, assembled.cubin, MACHINE_CODE)


def _bytecode(folder: Path, target: str, data: bytes) -> str:
    return _kept(folder, data, BYTECODE)


def _kept(folder: Path, data: bytes, suffix: str) -> str:
    name = f"{hashlib.sha256(data).hexdigest()[:20]}{suffix}"
    store.write_bytes(folder / name, data)
    return name


def _array_plan(array: Array) -> ArrayPlan:
    count = sum((extent - 1) * stride for extent, stride in zip(array.shape, array.strides, strict=True)) + 1
    if 0 in array.shape:
        count = 0
    return ArrayPlan(element=array.element, size=count * numpy_dtype(array.element).itemsize, offset=array.offset % 256)
