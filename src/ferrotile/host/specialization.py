"""From one translation to what its machine code needs of a call: by the entry's symbol, and by what it assumes.

A symbol of cuTile Python spells the arguments; without one, the parameter map says which parameters make an array.
What the lowered program assumes of its parameters counts besides: it is what was compiled.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ferrotile import ir
from ferrotile.core import Role, Unsupported
from ferrotile.host.assumed import Assumed, assumptions
from ferrotile.host.declaration import (
    ArrayFacts,
    AxisFacts,
    ConstantFacts,
    Facts,
    ScalarFacts,
    Slot,
    Translated,
    Variant,
)
from ferrotile.host.relations import relations_of
from ferrotile.host.writes import written_parameters
from ferrotile.ir.types import PointerType, TileType
from ferrotile.lift.source import (
    ArrayParameter,
    ConstantParameter,
    ParameterName,
    ScalarParameter,
    SourceFinder,
    annotate,
)

MOST_GROUPS = 32
"""Bits of the set on the Rust side."""


def specialization(translated: Translated, finder: SourceFinder | None = None) -> Variant:
    """What a translation needs of a call.

    Raises: FT603 an argument has no form in C; FT609 a fact of the launch cannot be checked; FT2xx bytecode.
    """
    (reference,) = ir.decode(translated.reference).entries
    (lowered,) = ir.decode(translated.lowered).entries
    annotations = annotate(reference, finder)
    types = [argument.type for argument in reference.regions[0].block.args]
    if annotations.parameters:
        facts = {parameter.rust: facts_of(parameter, translated.name) for parameter in annotations.parameters}
        parts = [part for parameter in annotations.parameters for part in _parts(parameter)]
    else:
        facts, parts = _by_map(translated.parameters.reference, types)
    written = {parts[index].argument for index in written_parameters(reference)}
    slot_of = dict(zip(translated.parameters.reference, parts, strict=True))
    slots = tuple(slot_of[role] for role in translated.parameters.lowered)
    for entry, sides in ((reference, parts), (lowered, slots)):
        for slot, assumed in zip(sides, assumptions(entry, sides), strict=True):
            facts[slot.argument] = _with(facts[slot.argument], slot, assumed)
    return Variant(
        translated.name, annotations.kernel, translated.target, str(ir.attribute(lowered, "sym_name")),
        translated.cubin,
        {name: _marked(fact, name in written) for name, fact in facts.items()}, slots,
        relations_of(translated.facts, facts, _by_number(slot_of, "pointer"), _by_number(slot_of, "scalar")),
        translated.lowered if translated.is_compiled_late else None,
    )  # fmt: skip


def _by_number(slot_of: Mapping[Role, Slot], kind: str) -> list[str]:
    """The arguments that are arrays, or scalars, by their number in the parameter map."""
    of_kind = {role: slot.argument for role, slot in slot_of.items() if role.kind == kind}
    found = {role.array if kind == "pointer" else role.index: name for role, name in of_kind.items()}
    return [found.get(number, "") for number in range(len(found))]


def facts_of(parameter: ParameterName, label: str) -> Facts:
    """What the symbol says of one argument. Raises: FT603 it has no form in C."""
    match parameter.symbol:
        case ArrayParameter() as array:
            axes = tuple(
                AxisFacts(extent, along, stride, apart, 0 if least is None else least)
                for extent, along, stride, apart, least in zip(
                    array.static_shape, array.shape_divisor, array.static_stride,
                    array.stride_divisor, array.stride_lower_bound, strict=True,
                )
            )  # fmt: skip
            if any(group >= MOST_GROUPS for group in array.alias_groups):
                raise Unsupported("FT603", f"`{label}` has more than {MOST_GROUPS} groups of arrays that may overlap")
            groups = sum(1 << group for group in array.alias_groups)
            return ArrayFacts(
                array.dtype, axes, array.base_divisor, array.index_dtype, False, groups, array.overlaps_itself
            )
        case ScalarParameter(dtype):
            return ScalarFacts(dtype)
        case ConstantParameter(value) if value is None or isinstance(value, bool | int | float | str):
            return ConstantFacts(value)
        case ConstantParameter(tuple() as names):  # of a dtype, or of a member of an enum
            return ConstantFacts(".".join(map(str, names)))
        case other:
            kind = type(other).__name__.removesuffix("Parameter").lower()
            raise Unsupported("FT603", f"parameter `{parameter.rust}` of `{label}` is a {kind}, which has no form in C")


def _parts(parameter: ParameterName) -> Iterator[Slot]:
    """The entry parameters of one argument, in their order."""
    symbol = parameter.symbol
    if isinstance(symbol, ArrayParameter):
        yield Slot("Pointer", parameter.rust)
        yield from (Slot("Extent", parameter.rust, axis) for axis in range(symbol.rank))
        yield from (Slot("Stride", parameter.rust, axis) for axis in range(symbol.rank))
    elif isinstance(symbol, ScalarParameter):
        yield Slot("Scalar", parameter.rust)


def _by_map(roles: Sequence[Role], types: Sequence[object]) -> tuple[dict[str, Facts], list[Slot]]:
    """Arguments of a kernel without a symbol: the arrays of the map, and every other parameter by itself."""
    facts: dict[str, Facts] = {}
    slots: list[Slot] = []
    kinds = {"pointer": "Pointer", "shape": "Extent", "stride": "Stride"}
    for role, type_ in zip(roles, types, strict=True):
        assert isinstance(type_, TileType)
        if role.kind == "scalar":
            name = f"n{role.index}"
            element = type_.element
            facts[name] = ScalarFacts("u64" if isinstance(element, PointerType) else element.name)
            slots.append(Slot("Scalar", name))
            continue
        name = f"x{role.array}"
        if isinstance(type_.element, PointerType):
            rank = sum(other.array == role.array and other.kind == "shape" for other in roles)
            facts[name] = ArrayFacts(type_.element.pointee.name, (AxisFacts(),) * rank)
        slots.append(Slot(kinds[role.kind], name, role.axis))
    return facts, slots


def _with(facts: Facts, slot: Slot, assumed: Assumed) -> Facts:
    """The facts, and what the program assumes of one part of the argument."""
    if isinstance(facts, ScalarFacts):
        divisor = math.lcm(facts.divisor, assumed.divisor)
        return replace(facts, divisor=divisor, is_not_negative=facts.is_not_negative or assumed.is_not_negative)
    assert isinstance(facts, ArrayFacts)
    if slot.axis is None:
        return replace(facts, align=math.lcm(facts.align, assumed.divisor))
    axis = facts.axes[slot.axis]
    if slot.part == "Extent":
        extent = axis.extent if assumed.value is None else assumed.value
        axis = replace(axis, extent=extent, extent_divisor=math.lcm(axis.extent_divisor, assumed.divisor))
    else:
        stride = axis.stride if assumed.value is None else assumed.value
        axis = replace(axis, stride=stride, stride_divisor=math.lcm(axis.stride_divisor, assumed.divisor))
    return replace(facts, axes=(*facts.axes[: slot.axis], axis, *facts.axes[slot.axis + 1 :]))


def _marked(facts: Facts, is_written: bool) -> Facts:
    return replace(facts, is_written=is_written) if isinstance(facts, ArrayFacts) else facts
