"""One kernel as check reads it: numbered values, light nodes, blocks; made from a decoded module, once.

Non-goals: nothing is judged or rewritten here; attributes that cannot change meaning are only spelled one way.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any

from xdsl.ir import Block as IrBlock
from xdsl.ir import Operation, SSAValue

from ferrotile import ir
from ferrotile.core import Place
from ferrotile.ir import Effect, OpRow
from ferrotile.ir.enums import MemoryOrderingSemantics
from ferrotile.ir.types import GatherScatterViewType, PartitionViewType, StridedViewType, TokenType

MAX_NESTING = 100
"""Regions nested deeper than this are not compared (UNPROVED)."""

VIEWS = (PartitionViewType, GatherScatterViewType, StridedViewType)
CONTROL = ("for", "loop", "if")
ENDS = ("yield", "continue", "break", "return")


class Exhausted(Exception):
    """The budget of the comparison is used up; the reason is the text."""


class Kind(Enum):
    """How the value graph treats a node."""

    PURE = auto()
    EVENT = auto()
    TOKENS = auto()
    ASSUME = auto()
    BODY = auto()
    CONTROL = auto()
    END = auto()


class Interner:
    """Gives equal keys the same number; shared by both sides, so equal numbers mean equal values."""

    def __init__(self) -> None:
        self.numbers: dict[Hashable, int] = {}
        self.keys: list[Any] = []

    def intern(self, key: Hashable) -> int:
        """The number of a key."""
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.keys)
            self.keys.append(key)
        return number


@dataclass(slots=True, eq=False)
class Node:
    """One operation. `operands` are value numbers in the order of the row, without the token."""

    op: Operation
    name: str
    kind: Kind
    position: int
    parent: Node | None
    attributes: tuple[tuple[str, Any], ...] = ()
    hints: tuple[tuple[str, Any], ...] = ()
    slots: tuple[tuple[str, int], ...] = ()
    operands: tuple[int, ...] = ()
    token: int = -1
    results: tuple[int, ...] = ()
    blocks: tuple[Block, ...] = ()
    signature: int = -1
    padding: object = None
    is_read: bool = False
    exits: bool = False
    live: bool = False
    sites: list[Node] = field(default_factory=list["Node"])
    breaks: list[Node] = field(default_factory=list["Node"])

    @property
    def place(self) -> Place | None:
        """Where the operation came from."""
        return ir.place(self.op)


@dataclass(slots=True, eq=False)
class Block:
    """The one block of a region."""

    arguments: tuple[int, ...]
    nodes: list[Node] = field(default_factory=list[Node])

    @property
    def end(self) -> Node | None:
        """The terminator, if there is one."""
        return self.nodes[-1] if self.nodes and self.nodes[-1].kind is Kind.END else None

    def all_nodes(self) -> list[Node]:
        """Its nodes and those in them, by position."""
        inner = (node for own in self.nodes for block in own.blocks for node in block.all_nodes())
        return sorted([*self.nodes, *inner], key=lambda node: node.position)


@dataclass(slots=True, eq=False)
class Definition:
    """Where a value comes from: result `index` of a node, or argument `index` of a node's block."""

    node: Node | None
    index: int
    is_argument: bool


class Kernel:
    """The numbered values and the blocks of one entry."""

    def __init__(self, entry: Operation, symbols: Interner, target: str, names: dict[str, Hashable]) -> None:
        self.entry = entry
        self.symbols = symbols
        self.target = target
        self.global_contents = names
        self.types: list[Any] = []
        self.type_ids: list[int] = []
        self.definitions: list[Definition] = []
        self.nodes: list[Node] = []
        self.live_values: set[int] = set()
        self.laws: set[str] = set()
        self._numbers: dict[SSAValue, int] = {}
        self._type_ids: dict[int, int] = {}
        self.hints = resolve_hints(ir.attribute(entry, "optimization_hints"), target)
        self.body = self._block(entry.regions[0].block, None, 0)

    def is_token(self, value: int) -> bool:
        """Whether a value is a token."""
        return isinstance(self.types[value], TokenType)

    def walk(self) -> Iterator[Node]:
        """All nodes in program order."""
        return iter(self.nodes)

    def _value(self, value: SSAValue, node: Node | None, index: int, is_argument: bool) -> int:
        number = len(self.types)
        self._numbers[value] = number
        kind = value.type
        self.types.append(kind)
        known = self._type_ids.get(id(kind))
        if known is None:
            known = self._type_ids[id(kind)] = self.symbols.intern(without_padding(kind))
        self.type_ids.append(known)
        self.definitions.append(Definition(node, index, is_argument))
        return number

    def _block(self, source: IrBlock, owner: Node | None, depth: int) -> Block:
        if depth > MAX_NESTING:
            raise Exhausted(f"regions are nested deeper than {MAX_NESTING}")
        arguments = tuple(self._value(value, owner, k, True) for k, value in enumerate(source.args))
        block = Block(arguments)
        for op in source.ops:
            block.nodes.append(self._node(op, owner, depth))
        return block

    def _node(self, op: Operation, owner: Node | None, depth: int) -> Node:
        row = ir.row(op)
        node = Node(op, row.name, kind_of(row), len(self.nodes), owner, is_read=row.effect is Effect.READ)
        self.nodes.append(node)
        self._operands(node, row)
        self._attributes(node, row)
        node.blocks = tuple(self._block(region.block, node, depth + 1) for region in op.regions)
        node.results = tuple(self._value(value, node, k, False) for k, value in enumerate(op.results))
        types = tuple(self.type_ids[v] for v in node.results if not self.is_token(v))
        slots = tuple(size for name, size in node.slots if name != "token")
        node.signature = self.symbols.intern((node.name, node.attributes, node.hints, types, slots))
        return node

    def _operands(self, node: Node, row: OpRow) -> None:
        flat: list[int] = []
        slots: list[tuple[str, int]] = []
        for slot in row.operands:
            values = [self._numbers[value] for value in ir.operands(node.op, slot.name)]
            slots.append((slot.name, len(values)))
            if slot.name != "token":
                flat.extend(values)
            elif values:
                node.token = values[0]
        node.operands, node.slots = tuple(flat), tuple(slots)

    def _attributes(self, node: Node, row: OpRow) -> None:
        found: dict[str, Any] = {item.name: ir.attribute(node.op, item.name) for item in row.attributes}
        if "optimization_hints" in found:
            node.hints = resolve_hints(found.pop("optimization_hints"), self.target)
        weak = found.get("memory_ordering_semantics") is MemoryOrderingSemantics.WEAK
        if weak and found.get("memory_scope") is not None:
            found["memory_scope"] = None
            self.laws.add("weak-scope")
        if "inbounds" in found and not any(found["inbounds"]):
            found["inbounds"] = ()
        if node.name == "get_global":
            found["name"] = self.global_contents.get(found["name"], found["name"])
        if node.is_read and node.slots and node.slots[0][0] == "view":
            node.padding = getattr(self.types[node.operands[0]], "padding", None)
        node.attributes = tuple(found.items())


def kind_of(row: OpRow) -> Kind:
    """How the value graph treats an operation; whatever is not known to be pure is an event."""
    if row.name in CONTROL:
        return Kind.CONTROL
    if row.name in ENDS:
        return Kind.END
    if row.name in ("make_token", "join_tokens"):
        return Kind.TOKENS
    if row.name == "assume":
        return Kind.ASSUME
    if row.effect is Effect.PURE:
        return Kind.BODY if row.regions else Kind.PURE
    return Kind.EVENT


def resolve_hints(hints: Any, target: str) -> tuple[tuple[str, Any], ...]:
    """The hints that hold for a target: those of `default`, overruled by those of the target itself."""
    groups = dict(hints or ())
    found = dict(groups.get("default", ()))
    found.update(groups.get(target, ()))
    return tuple(sorted(found.items()))


def without_padding(kind: Any) -> Any:
    """A type with the padding left out: padding belongs to the loads that go through a view."""
    return replace(kind, padding=None) if isinstance(kind, VIEWS) else kind
