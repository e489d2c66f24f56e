"""Values that the front end computes before a loop although their statement stands in it."""

from __future__ import annotations

import ast

from xdsl.ir import Operation, SSAValue

from ferrotile.core import Place
from ferrotile.lift.source.binding import Binding, Bindings
from ferrotile.lift.source.locate import Site, Sites
from ferrotile.lift.source.syntax import Function

LoopKey = tuple[ast.stmt, Place | None]


def hoisted_starts(bindings: Bindings, sites: Sites) -> set[SSAValue]:
    """The hoisted values whose variable gets another value inside the loop: they start each round, and stay.

    `qk = zeros(..); qk = mma(q, k, qk)` in a loop: the zeros live through all rounds beside every `qk`.
    """
    loops = _loops(sites)
    within: set[Binding] = set()
    hoisted: dict[SSAValue, Binding] = {}
    for value, known in bindings.of_value.items():
        op = value.owner
        site = sites.of_op.get(op) if isinstance(op, Operation) else None
        around = _loop_around(site, loops) if site is not None else None
        if not isinstance(op, Operation) or around is None:
            continue
        if _is_inside(op, around):
            within.add(known[0])
        else:
            hoisted[value] = known[0]
    return {value for value, binding in hoisted.items() if binding in within}


def _loops(sites: Sites) -> dict[LoopKey, set[Operation]]:
    """The loop operations of each Python loop: two where a loop was split."""
    loops: dict[LoopKey, set[Operation]] = {}
    for op, site in sites.of_op.items():
        if op.name.endswith((".for", ".loop")) and site.statement is not None:
            node = site.statement.node
            assert isinstance(node, ast.stmt)
            loops.setdefault((node, site.place.caller), set()).add(op)
    return loops


def _loop_around(site: Site, loops: dict[LoopKey, set[Operation]]) -> set[Operation] | None:
    """The operations of the innermost run-time loop of the same function whose body a site stands in."""
    inner = site.spots[0].node
    for around in site.spots[0].ancestors():
        node = around.node
        if isinstance(node, Function):
            return None
        if isinstance(node, (ast.For, ast.While)) and inner in node.body:
            found = loops.get((node, site.place.caller))
            if found is not None:
                return found
        inner = node
    return None


def _is_inside(op: Operation, loops: set[Operation]) -> bool:
    parent = op.parent_op()
    while parent is not None and parent not in loops:
        parent = parent.parent_op()
    return parent is not None
