"""Every legal form of a row whose operands and results are tiles: element types, attribute values, tile or number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import cast

from surround import Surround
from xdsl.ir import Block

from ferrotile import ir
from ferrotile.ir.enums import RoundingMode
from ferrotile.ir.rules import Parts
from ferrotile.ir.samples import attributes_of, types_of
from ferrotile.ir.spec import Kind, OpRow
from ferrotile.ir.types import FLOATS, INTEGERS, PointerType, ScalarType, TileIrType, TileType

NEWER = ("f8E5M3FNU",)
"""Elements that need a newer target than sm_100."""

Kinds = Mapping[str, tuple[TileIrType, ...]]
Element = ScalarType | PointerType


@dataclass(frozen=True)
class Variant:
    """One form of an operation."""

    row: OpRow
    kinds: Kinds
    attributes: Mapping[str, object]

    def __str__(self) -> str:
        types = " ".join(str(kind) for group in self.kinds.values() for kind in group)
        words = (f"{key}={getattr(value, 'name', value)}" for key, value in self.attributes.items())
        return " ".join([self.row.name, types, *words])

    def add_to(self, kernel: Surround) -> None:
        """Put the operation into a kernel."""
        names = {slot.name for slot in self.row.operands}
        results = [kind for slot in self.row.results for kind in self.kinds.get(slot.name, ())]
        operands = {name: kinds for name, kinds in self.kinds.items() if name in names}
        kernel.around(self.row.name, operands, self.attributes, results)

    @property
    def is_legal(self) -> bool:
        """Whether the rules of the row hold."""
        operands = [kind for slot in self.row.operands for kind in self.kinds.get(slot.name, ())]
        block = Block(arg_types=operands)
        groups, rest = {}, list(block.args)
        for slot in self.row.operands:
            size = len(self.kinds.get(slot.name, ()))
            groups[slot.name], rest = rest[:size], rest[size:]
        results = [kind for slot in self.row.results for kind in self.kinds.get(slot.name, ())]
        parts = Parts(ir.make(self.row.name, groups, self.attributes, results))
        return not any(rule.check(parts) for rule in self.row.rules) and compiles(self)

    def element(self, name: str) -> str:
        """The element type of a part."""
        kind = self.kinds[name][0]
        return kind.element.name if isinstance(kind, TileType) and isinstance(kind.element, ScalarType) else ""


def compiles(variant: Variant) -> bool:
    """What tileiras 13.5.37 demands besides the rules of the row (seen in its messages)."""
    tiles = [kind for group in variant.kinds.values() for kind in group if isinstance(kind, TileType)]
    if any(tile.element == ScalarType("f4E2M1FN") and not tile.shape for tile in tiles):
        return False  # "F4E2M1FN tiles must have an even number of elements"
    match variant.row.name:
        case "fpowi":
            return variant.element("exponent") != "i64"
        case "ftof":
            return variant.attributes["rounding_mode"] in _roundings(variant.element("from"), variant.element("to"))
        case "mmaf_scaled":
            return variant.element("lhs").startswith("f8") and variant.element("lhs_scale") == "f8E8M0FNU"
    return True


def _roundings(source: str, target: str) -> Sequence[RoundingMode]:
    if target == "f8E8M0FNU":
        return R.ZERO, R.POSITIVE_INF
    if target.startswith(("f8", "f4")):
        return (R.NEAREST_EVEN,)
    if (source, target) == ("f64", "f32"):
        return DIRECTED
    if (source, target) == ("f32", "tf32"):
        return R.NEAREST_EVEN, R.ZERO, R.NEAREST_AWAY
    return (*DIRECTED, R.NEAREST_AWAY) if _is_wider(source, target) else (R.NEAREST_EVEN, R.ZERO)


def _is_wider(source: str, target: str) -> bool:
    digits, exponent = zip(FORMATS[source], FORMATS[target], strict=True)
    return digits[0] <= digits[1] and exponent[0] <= exponent[1]


R = RoundingMode
DIRECTED = (R.NEAREST_EVEN, R.ZERO, R.NEGATIVE_INF, R.POSITIVE_INF)
FORMATS = {
    "f64": (52, 11), "f32": (23, 8), "tf32": (10, 8), "f16": (10, 5), "bf16": (7, 8), "f8E5M2": (2, 5),
    "f8E4M3FN": (3, 4), "f8E8M0FNU": (0, 9), "f4E2M1FN": (1, 2),
}  # fmt: skip
"""Bits of fraction and of exponent; the exponents of f8E8M0FNU reach one further than those of f32."""


def variants(row: OpRow) -> Iterator[Variant]:
    """Every legal form of a row."""
    for kinds in _typed(row):
        for attributes in _attributed(row):
            variant = Variant(row, kinds, attributes)
            if variant.is_legal:
                yield variant


def _typed(row: OpRow) -> Iterator[Kinds]:
    kinds = types_of(row)
    tiles = [cast(TileType, kind) for group in kinds.values() for kind in group]
    elements = list(dict.fromkeys(tile.element for tile in tiles))
    shapes = {tile.shape for tile in tiles}
    for chosen in product(*(_choices(element) for element in elements)):
        new = dict(zip(elements, chosen, strict=True))
        for is_number in (False, True) if len(shapes) == 1 else (False,):
            yield {
                name: tuple(
                    TileType(new[tile.element], () if is_number else tile.shape)
                    for tile in cast(tuple[TileType], group)
                )
                for name, group in kinds.items()
            }


def _choices(element: Element) -> list[Element]:
    if isinstance(element, PointerType):
        return [element]
    return [ScalarType(name) for name in (*INTEGERS, *FLOATS) if name not in NEWER]


def _attributed(row: OpRow) -> Iterator[dict[str, object]]:
    default = attributes_of(row)
    choices: list[list[object]] = []
    for item in row.attributes:
        if item.enum is not None:
            choices.append(list(item.enum))
        elif item.kind in (Kind.UNIT, Kind.BOOL):
            choices.append([False, True])
        else:
            choices.append([default[item.name]])
    for values in product(*choices):
        yield dict(zip(default, values, strict=True))
