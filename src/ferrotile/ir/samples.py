"""The example of each row as a real module: what tests encode, and what documentation shows."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import cast

from xdsl.ir import Block, Operation, Region, SSAValue

from ferrotile.ir.access import wrap
from ferrotile.ir.dialect import make
from ferrotile.ir.enums import PaddingValue, PointerAttribute, RoundingMode
from ferrotile.ir.module import Module
from ferrotile.ir.ops import BY_NAME
from ferrotile.ir.spec import FIRST, REQUIRED, Arity, Example, FalsePer, Field, Kind, OpRow, Version
from ferrotile.ir.types import (
    GatherScatterViewType,
    PartitionViewType,
    PointerType,
    ScalarType,
    StridedViewType,
    TensorViewType,
    TileIrType,
    TileType,
    TokenType,
)

ARRAY = TensorViewType(ScalarType("f32"), (None, 64), (None, 1))
FABRIC = TensorViewType(ScalarType("f32"), (None, 64), (None, 1), PointerAttribute.Multicast)
WORDS: dict[str, TileIrType] = {
    "token": TokenType(),
    "multicast": PartitionViewType((4, 8), FABRIC, (0, 1), None),
    "tensor": ARRAY,
    "partition": PartitionViewType((4, 8), ARRAY, (0, 1), PaddingValue.Zero),
    "unpadded": PartitionViewType((4, 8), ARRAY, (0, 1), None),
    "gather": GatherScatterViewType((4, 8), ARRAY, 0, None),
    "strided": StridedViewType((4, 8), (2, 8), ARRAY, (1, 0), None),
}
"""Names of types in examples; any other word is a tile, such as `4x8xf32`, `i32` or `4xptr<f32>`."""


def type_of(word: str) -> TileIrType:
    """The type that a word of an example stands for.

    Example:
        >>> str(type_of("4x8xf32"))
        'tile<4x8xf32>'
    """
    if word in WORDS:
        return WORDS[word]
    *extents, element = word.split("x") if "ptr<" not in word else [*word.split("ptr<")[0].split("x")[:-1], word]
    if "ptr<" in element:
        pointee = element.split("ptr<")[1].rstrip(">")
        return TileType(PointerType(ScalarType(pointee)), tuple(map(int, extents)))
    return TileType(ScalarType(element), tuple(map(int, extents)))


def types_of(row: OpRow) -> dict[str, tuple[TileIrType, ...]]:
    """The types of every operand and result name in the example of a row."""
    found: dict[str, tuple[TileIrType, ...]] = {}
    sample = cast(Example, row.example)
    many = {slot.name for slot in (*row.operands, *row.results) if slot.arity is Arity.MANY}
    for group in filter(None, map(str.strip, sample.types.split(";"))):
        names, words = group.split(":")
        kinds = tuple(map(type_of, words.split()))
        for name in names.split():
            found[name] = kinds if name in many else kinds[:1]
    return found


def attributes_of(row: OpRow) -> dict[str, object]:
    """The attributes of the example of a row, filled up with defaults."""
    given = dict(cast(Example, row.example).attributes)
    indices = len(types_of(row).get("index", ()))
    return {item.name: given[item.name] if item.name in given else _plain(item, indices) for item in row.attributes}


def _plain(item: Field, indices: int) -> object:
    if isinstance(item.default, FalsePer):
        return (False,) * indices
    if item.default is not REQUIRED:
        return item.default
    if item.optional:
        return None
    if item.enum:
        return next(iter(cast(type[Enum], item.enum)))
    values = {Kind.UNIT: False, Kind.BOOL: False, Kind.INT: 0, Kind.STR: "text", Kind.ARRAY: (), Kind.BOOLS: ()}
    return values[item.kind]


class Scene:
    """A kernel body under construction, with a producer for a value of any type."""

    def __init__(self) -> None:
        self.ops: list[Operation] = []

    def add(self, op: Operation) -> Operation:
        """Append an operation."""
        self.ops.append(op)
        return op

    def value(self, kind: TileIrType) -> SSAValue:
        """A value of this type, made from constants."""
        match kind:
            case TokenType():
                op = make("make_token", results=[kind])
            case TileType(PointerType()):
                number = self.value(TileType(ScalarType("i64"), kind.shape))
                op = make("int_to_ptr", {"source": number}, results=[kind])
            case TileType(ScalarType() as element):
                data = bytes(max(element.constant_bits // 8, 1))
                op = make("constant", attributes={"value": data}, results=[kind])
            case TensorViewType():
                op = self._tensor(kind)
            case _:
                op = self._view(cast(PartitionViewType, kind))
        return self.add(op).results[0]

    def _tensor(self, kind: TensorViewType) -> Operation:
        index = TileType(ScalarType("i32"), ())
        unknown = {
            "dynamicShape": [self.value(index) for extent in kind.shape if extent is None],
            "dynamicStrides": [self.value(index) for stride in kind.strides if stride is None],
        }
        base = self.value(TileType(PointerType(kind.element, kind.attribute), ()))
        return make("make_tensor_view", {"base": base, **unknown}, results=[kind])

    def _view(self, kind: PartitionViewType) -> Operation:
        name = kind.name.removeprefix("cuda_tile.")
        return make(f"make_{name}", {"tensor_view": self.value(kind.tensor_view)}, results=[kind])


def operation(row: OpRow, scene: Scene, version: Version = FIRST) -> Operation:
    """The example of a row, added to a scene; what the version does not have is left out."""
    kinds = types_of(row)
    values = {
        slot.name: [scene.value(kind) for kind in kinds.get(slot.name, ())]
        for slot in row.operands
        if slot.since <= version
    }
    results = [kind for slot in row.results if slot.since <= version for kind in kinds.get(slot.name, ())]
    regions = _BODIES[row.name](kinds) if row.name in _BODIES else []
    op = make(row.name, values, attributes_of(row), results, regions)
    return op if row.terminator else scene.add(op)


def sample(row: OpRow, version: Version) -> Module:
    """A module that holds the example of a row, at a bytecode version."""
    scene = Scene()
    globals_: list[Operation] = []
    if row.name in ("get_global", "global"):
        item = operation(BY_NAME["global"], Scene())
        item.attributes["type"] = wrap(TileType(ScalarType("f32"), (4,)))
        globals_.append(item)
    if row.name not in ("module", "entry", "global", "return"):
        holder = BY_NAME[_HOLDERS.get(row.name, row.name)]
        operation(holder, scene, version)
    scene.add(make("return"))
    entry = make("entry", attributes=attributes_of(BY_NAME["entry"]), regions=[Region(Block(scene.ops))])
    body = Region(Block([*globals_, entry]))
    op = make("module", attributes=attributes_of(BY_NAME["module"]), regions=[body])
    return Module(version, op, preview=row.preview)


Kinds = dict[str, tuple[TileIrType, ...]]


def _end(name: str, values: list[SSAValue]) -> Operation:
    return make(name, {"operands": values})


def _for_body(kinds: Kinds) -> list[Region]:
    block = Block(arg_types=[*kinds["lowerBound"], *kinds["initValues"]])
    block.add_op(_end("continue", list(block.args[1:])))
    return [Region(block)]


def _loop_body(kinds: Kinds) -> list[Region]:
    block = Block(arg_types=kinds["initValues"])
    block.add_op(_end("break", list(block.args)))
    return [Region(block)]


def _if_body(kinds: Kinds) -> list[Region]:
    regions: list[Region] = []
    for _ in range(2):
        scene = Scene()
        scene.add(_end("yield", [scene.value(kind) for kind in kinds["results"]]))
        regions.append(Region(Block(scene.ops)))
    return regions


def _fold_body(kinds: Kinds) -> list[Region]:
    scalar = TileType(cast(TileType, kinds["operands"][0]).element, ())
    block = Block(arg_types=[scalar, scalar])
    attributes = {"rounding_mode": RoundingMode.NEAREST_EVEN, "flush_to_zero": False}
    values = {"lhs": block.args[0], "rhs": block.args[1]}
    total = make("addf", values, attributes, [scalar])
    block.add_ops([total, _end("yield", [total.results[0]])])
    return [Region(block)]


def _empty_body(kinds: Kinds) -> list[Region]:
    return [Region(Block([make("return")]))]


_BODIES: dict[str, Callable[[Kinds], list[Region]]] = {
    "for": _for_body,
    "loop": _loop_body,
    "if": _if_body,
    "reduce": _fold_body,
    "scan": _fold_body,
    "entry": _empty_body,
    "module": lambda kinds: [Region(Block())],
}
_HOLDERS = {"break": "loop", "continue": "for", "yield": "if"}
"""The operations that the examples of terminators stand in."""
