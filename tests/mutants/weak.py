"""Checks that are blind to something, to see that the score of mutants tells."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ferrotile.check import kernel as kernel_module
from ferrotile.check import loops as loops_module
from ferrotile.check.kernel import Kernel, Node
from ferrotile.check.tokens import NOTHING, Order
from ferrotile.ir import OpRow
from ferrotile.ir.enums import ComparisonPredicate, Signedness

Blind = Callable[[pytest.MonkeyPatch], None]


def attribute(*names: str, instead: object = None) -> Blind:
    """Blind to attributes of these names: each looks like one value."""
    see = Kernel._attributes

    def half(self: Kernel, node: Node, row: OpRow) -> None:
        see(self, node, row)
        node.attributes = tuple((name, instead if name in names else value) for name, value in node.attributes)

    return lambda patch: patch.setattr(Kernel, "_attributes", half)


def padding(patch: pytest.MonkeyPatch) -> None:
    """Blind to what loads put where an array has no elements."""
    see = Kernel._attributes

    def half(self: Kernel, node: Node, row: OpRow) -> None:
        see(self, node, row)
        node.padding = None

    patch.setattr(Kernel, "_attributes", half)


def masks(patch: pytest.MonkeyPatch) -> None:
    """Blind to the masks of loads and stores."""
    see = Kernel._operands

    def half(self: Kernel, node: Node, row: OpRow) -> None:
        see(self, node, row)
        sizes = dict(node.slots)
        if not sizes.get("mask"):
            return
        at = sum(size for name, size in node.slots[: list(sizes).index("mask")] if name != "token")
        node.operands = node.operands[:at] + node.operands[at + 1 :]
        node.slots = tuple((name, 0 if name == "mask" else size) for name, size in node.slots)

    patch.setattr(Kernel, "_operands", half)


def tokens(patch: pytest.MonkeyPatch) -> None:
    """Blind to the order of memory operations."""
    patch.setattr(Order, "latest", lambda self, atoms: NOTHING)


def hints(patch: pytest.MonkeyPatch) -> None:
    """Blind to optimization hints."""
    patch.setattr(kernel_module, "resolve_hints", lambda hints, target: ())


def trusting_loops(patch: pytest.MonkeyPatch) -> None:
    """Takes every carried value to keep its first value."""
    patch.setattr(loops_module._Loop, "_take_back", lambda self: False)


def careless_loops(patch: pytest.MonkeyPatch) -> None:
    """Tells results of loops by how they start, not by how they go on."""
    patch.setattr(loops_module._Loop, "_slice", lambda self, roots: frozenset())


WEAK: dict[str, tuple[Blind, str]] = {
    "padding": (padding, "padding"),
    "masks": (masks, "drop mask"),
    "token edges": (tokens, "token edge"),
    "hints": (hints, "hint"),
    "rounding": (attribute("rounding", "rounding_mode"), "rounding"),
    "flush to zero": (attribute("flush_to_zero"), "flush to zero"),
    "predicates": (attribute("comparison_predicate", instead=ComparisonPredicate.EQUAL), "predicate"),
    "signedness": (attribute("signedness", instead=Signedness.Signed), "signedness"),
    "identities": (attribute("identities"), "identity"),
    "axes": (attribute("dim"), "reduced axis"),
    "memory ordering": (attribute("memory_ordering_semantics"), "memory ordering"),
    "trusting loops": (trusting_loops, "carried value lost"),
    "careless loops": (careless_loops, "operation"),
}
"""Each with the kind of mutation that it does not see."""
