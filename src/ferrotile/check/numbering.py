"""The value graph of one kernel: every live value gets a number, and equal numbers mean equal values.

A pure operation is numbered by what it is and by the numbers of its operands, so its place, its repetition and its
name do not matter. Effects keep their ties: see `tokens` for order, `control` for branches, `loops` for loops.
Non-goals: nothing is compared here; `compare` and `difference` do that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from ferrotile.check import normal
from ferrotile.check.control import Frame, Outcome, branch
from ferrotile.check.depend import Dependence
from ferrotile.check.exits import always_leaves
from ferrotile.check.facts import parameter_facts
from ferrotile.check.kernel import Block, Exhausted, Interner, Kernel, Kind, Node
from ferrotile.check.loops import loop
from ferrotile.check.tokens import NOTHING, Atoms, Order
from ferrotile.ir.enums import MemoryOrderingSemantics

GRID = {"get_tile_block_id": 0, "get_num_tile_blocks": 1}
"""What the operations on the grid give for an axis with one block."""
MAX_VISITS = 400_000
"""How many nodes may be numbered, repeated visits of loop bodies counted, before the answer is UNPROVED."""


class Numbering:
    """Numbers the live values of one kernel.

    `relaxed` leaves memory order and load padding out of the numbers; `refine` then compares them by themselves.
    `by_position` tells carried values that start alike by their position, not by how they go on: where something
    differs inside a loop, more of the rest stays equal. `dropped` are arguments of loops that nothing reads in the end.
    `single` are axes along which the grid is assumed to have one block.
    """

    def __init__(
        self,
        kernel: Kernel,
        interner: Interner,
        roles: tuple[Hashable, ...],
        *,
        relaxed: bool,
        by_position: bool = False,
        dropped: frozenset[int] = frozenset(),
        single: frozenset[int] = frozenset(),
    ) -> None:
        self.kernel = kernel
        self.interner = interner
        self.intern = interner.intern
        self.relaxed = relaxed
        self.by_position = by_position
        self.dropped = dropped
        self.single = single
        self.roles = roles
        self.ids: list[int] = [-1] * len(kernel.types)
        self.before: dict[int, Atoms] = {}
        self.atoms: dict[int, int] = {}
        self.carried_tokens: dict[int, dict[int, tuple[Atoms, ...]]] = {}
        self.carried: dict[int, dict[int, int]] = {}
        self.changing: dict[int, set[int]] = {}
        self.loops: dict[int, int] = {}
        self.widened: dict[tuple[int, str], tuple[int, bool]] = {}
        """By the number of a widened value and the element it had: the number it had, and whether its sign was kept."""
        self.dependence = Dependence(interner)
        self.laws = kernel.laws
        self.order = Order(interner, kernel.laws)
        self.body_depth = 0
        self.scope: tuple[Hashable, ...] = ()
        self.visits = 0
        facts = parameter_facts(kernel, roles)
        for value, role in zip(kernel.body.arguments, roles, strict=True):
            key = ("parameter", role, kernel.type_ids[value], facts.get(role, frozenset()))
            self.ids[value] = self.intern(key)
        self.outcome = self.block(kernel.body, Frame())
        self.root = self.intern(("kernel", kernel.hints, self.outcome.digest))

    def unread(self) -> frozenset[int]:
        """Carried values, by their arguments, on which no effect depends although some live operation names them."""
        read = self.dependence.read_by_loop(self.root)
        found = set(self.dropped)
        for node in self.kernel.nodes:
            given = self.carried.get(node.position, {})
            owners = (self.loops.get(node.position, -1), self.atoms.get(node.position, -1))
            known = read.get(owners[0], set()) | read.get(owners[1], set())
            first = 1 if node.name == "for" else 0
            arguments = (node.blocks[0].arguments[first + k] for k, leaf in given.items() if leaf not in known)
            found.update(argument for argument in arguments if not self.kernel.is_token(argument))
        return frozenset(found)

    def block(self, block: Block, frame: Frame) -> Outcome:
        """Number one block."""
        segments: list[Atoms] = []
        current: set[int] = set()
        seen: Counter[int] = Counter()
        events = writes = False
        ends = "yield"
        for node in block.nodes:
            if not node.live and node.kind is not Kind.END:
                continue
            self.visits += 1
            if self.visits > MAX_VISITS:
                raise Exhausted(f"more than {MAX_VISITS} visits of operations")
            if node.kind is Kind.EVENT:
                current.add(self._event(node, seen))
                events = True
                writes = writes or not is_weak_read(node)
            elif node.kind is Kind.CONTROL:
                found = branch(self, node, frame) if node.name == "if" else loop(self, node)
                events = events or found.has_events
                writes = writes or found.has_writes
                if found.key is not None:
                    current.add(self._occurrence(node, found.key, seen))
                found.finish(self.atoms.get(node.position))
                if node.exits:
                    segments.append(frozenset(current))
                    current = set()
                if always_leaves(node):
                    self.laws.add("never-reached")
                    ends = "never"
                    break
            elif node.kind is Kind.END:
                ends = self._end(node, frame)
            else:
                self.value(node)
        segments.append(frozenset(current))
        return Outcome((*segments, ends), ends, events, writes)

    def numbers(self, values: tuple[int, ...]) -> tuple[int, ...]:
        """The numbers of some values."""
        ids = self.ids
        return tuple([ids[value] for value in values])

    def give(self, node: Node, number: int) -> None:
        """Number the results of a node that is itself numbered."""
        if len(node.results) == 1:
            self.ids[node.results[0]] = number
        else:
            for k, value in enumerate(node.results):
                self.ids[value] = self.intern(("result", number, k))

    def give_token(self, value: int, atoms: Atoms) -> None:
        """Number a token value."""
        self.ids[value] = self.order.number(atoms)

    def value(self, node: Node) -> None:
        """Number the results of an operation without effects."""
        special = normal.SPECIAL.get(node.name)
        if special is not None:
            number = special(self, node)
            if number is not None:
                self.ids[node.results[0]] = number
                return
        if node.kind is Kind.BODY:
            self.give(node, self._body(node))
        elif node.name in GRID:
            self._grid(node)
        else:
            self.give(node, self.intern((node.signature, *self.numbers(node.operands))))

    def _grid(self, node: Node) -> None:
        """Block ids and grid sizes; those of an axis with one block are numbers."""
        self.give(node, self.intern((node.signature,)))
        for axis in self.single:
            key = self.intern(("constant", "i32", GRID[node.name].to_bytes(4, "little")))
            self.ids[node.results[axis]] = self.intern(("splat", key, None, ()))

    def _body(self, node: Node) -> int:
        """A reduction or scan: its body is numbered with its own arguments, wherever it stands."""
        block = node.blocks[0]
        for k, argument in enumerate(block.arguments):
            self.ids[argument] = self.intern(("body", self.body_depth, k, self.kernel.type_ids[argument]))
        self.body_depth += 1
        outcome = self.block(block, Frame())
        self.body_depth -= 1
        yielded = self.numbers(block.end.operands) if block.end is not None else ()
        return self.intern(("fold", node.signature, self.numbers(node.operands), yielded, outcome.digest))

    def _event(self, node: Node, seen: Counter[int]) -> int:
        before = NOTHING
        if node.token >= 0:
            before = self.order.latest(self.order.atoms(self.ids[node.token]))
        loose = (None, None) if self.relaxed else (before, node.padding)
        key = self.intern(("event", node.signature, loose, self.numbers(node.operands)))
        atom = self._occurrence(node, key, seen)
        self.before[node.position] = before
        self.order.add(atom, before)
        # Without order in the key, equal reads need not give equal values.
        number = key if is_weak_read(node) and not self.relaxed else atom
        for k, value in enumerate(node.results):
            if self.kernel.is_token(value):
                self.give_token(value, frozenset((atom,)))
            else:
                self.ids[value] = self.intern(("result", number, k))
        return atom

    def _occurrence(self, node: Node, key: int, seen: Counter[int]) -> int:
        """Events with one key are told apart by their number in the block, and by the scope of the block."""
        atom = self.intern(("occurrence", self.scope, key, seen[key]))
        seen[key] += 1
        self.atoms[node.position] = atom
        return atom

    def _end(self, node: Node, frame: Frame) -> str:
        if node.name == "continue":
            frame.sites.append(self.numbers(node.operands))
        elif node.name == "break":
            frame.breaks.append(self.numbers(node.operands))
        return node.name


def is_weak_read(node: Node) -> bool:
    """Whether an event reads memory that nobody writes meanwhile, so that equal reads give equal values."""
    return node.is_read and ("memory_ordering_semantics", MemoryOrderingSemantics.WEAK) in node.attributes
