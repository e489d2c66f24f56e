"""The xDSL classes, one made from each row, and how to build an operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute, Operation, OpTraits, Region, SSAValue
from xdsl.traits import IsTerminator

from ferrotile.ir.access import SEGMENTS, TileOperation, segments_of, wrap
from ferrotile.ir.ops import TABLE
from ferrotile.ir.spec import OpRow


def _class_of(row: OpRow) -> type[TileOperation]:
    words = row.name.replace("$", "_").split("_")
    name = "".join(word.capitalize() for word in words) + "Op"
    traits = OpTraits(lambda: (IsTerminator(),) if row.terminator else ())
    members = {"name": row.full_name, "row": row, "traits": traits, "__module__": __name__}
    return type(name, (TileOperation,), members)


CLASSES: dict[str, type[TileOperation]] = {row.name: _class_of(row) for row in TABLE}
"""The xDSL class of each operation, by its name without the dialect."""


def make(
    name: str,
    values: Mapping[str, SSAValue | Sequence[SSAValue] | None] | None = None,
    attributes: Mapping[str, object] | None = None,
    results: Sequence[Attribute] = (),
    regions: Sequence[Region] = (),
) -> Operation:
    """Build an operation from its parts by name; an absent optional part is left out.

    Example:
        >>> from ferrotile.ir.types import TokenType
        >>> make("make_token", results=[TokenType()]).name
        'cuda_tile.make_token'
    """
    kind = CLASSES[name]
    spec = kind.row
    values, attributes = values or {}, attributes or {}
    groups = [_group(values.get(slot.name)) for slot in spec.operands]
    unknown = (set(values) - {slot.name for slot in spec.operands}) | (set(attributes) - set(spec.field))
    assert not unknown, f"`{name}` has no {sorted(unknown)}"
    properties: dict[str, Attribute] = {key: wrap(value) for key, value in attributes.items() if value is not None}
    if spec.has_segments:
        properties[SEGMENTS] = segments_of(tuple(len(group) for group in groups))
    flat = [value for group in groups for value in group]
    return kind.create(operands=flat, result_types=results, properties=properties, regions=regions)


def _group(value: SSAValue | Sequence[SSAValue] | None) -> tuple[SSAValue, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, SSAValue) else tuple(value)
