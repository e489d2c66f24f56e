"""Which Python name a value has: the target of the assignment whose right side is the expression it came from."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from xdsl.ir import Block, Operation, SSAValue

from ferrotile.core import Place
from ferrotile.ir.types import TokenType
from ferrotile.lift.source.calls import call_spot
from ferrotile.lift.source.fit import ARITHMETIC, KNOWN, called_name, emitting_nodes, node_fits, tags
from ferrotile.lift.source.locate import Site, Sites
from ferrotile.lift.source.syntax import Function, Spot

TRANSPARENT = frozenset(
    """
    astype reshape broadcast_to expand_dims transpose permute item view float16 float32 float64 bfloat16 int8 int16
    int32 int64 uint8 uint16 uint32 uint64 bool_ bool int float min max
    """.split()
)
"""Functions that may emit nothing, so that the value of an argument is also the value of the call."""

_MOST_STEPS = 64
"""Bound on the climb from an expression to its assignment: nested parentheses, tuples and returns."""


@dataclass(frozen=True, slots=True)
class Scope:
    """One inlined instance of a function: the function's node, and where it was called (None: the kernel)."""

    function: Function | None
    caller: Place | None

    @property
    def depth(self) -> int:
        """How many inlined calls lie between the kernel and this scope."""
        return 0 if self.caller is None else len(self.caller.chain())


@dataclass(frozen=True, slots=True)
class Binding:
    """A Python name, and the scope in which it is bound."""

    name: str
    scope: Scope


@dataclass(slots=True)
class Bindings:
    """The names of values, outermost scope first where a value has several."""

    of_value: dict[SSAValue, list[Binding]] = field(default_factory=dict)

    def add(self, value: SSAValue, binding: Binding) -> None:
        """Note a name; a name in a scope nearer to the kernel goes first, else the first noted stays first."""
        known = self.of_value.setdefault(value, [])
        if binding in known:
            return
        position = next(
            (index for index, other in enumerate(known) if other.scope.depth > binding.scope.depth), len(known)
        )
        known.insert(position, binding)

    def names(self, value: SSAValue, scope: Scope) -> set[str]:
        """The names that a value has in one scope."""
        return {binding.name for binding in self.of_value.get(value, ()) if binding.scope == scope}


def bind_expressions(sites: Sites) -> Bindings:
    """Names for the values of assigned expressions, from the groups of operations that share a place.

    Of an operation with a result per axis (`bid(1)` is one of three) the name is for the one that is used.
    """
    bindings = Bindings()
    for place, group in sites.groups.items():
        site = sites.by_place[place]
        found = list(_targets(site, sites))
        if not found:
            continue
        for op in _results_of(group, site):
            values = value_results(op)
            if len(found) == 1 and len(values) > 1:
                values = [value for value in values if any(True for _ in value.uses)][:1]
            for value, binding in zip(values, found, strict=False):
                bindings.add(value, binding)
    return bindings


def value_results(op: Operation) -> list[SSAValue]:
    """The results of an operation that are no tokens."""
    return [result for result in op.results if not isinstance(result.type, TokenType)]


def _results_of(group: list[Operation], site: Site) -> Iterator[Operation]:
    """The operations whose value is the value of the whole expression: no other of the place uses it.

    Loops that were split or unrolled repeat a place, so there can be several. The rounds of an unrolled loop may use
    one another (`x = x * y`); then each round ends with as many operations of the kind as the expression has nodes.
    """
    plain = [op for op in group if not _is_setup(op)]
    members = set(plain)
    sinks = [op for op in plain if value_results(op) and not inside(op, members) and not _used_by(op, members)]
    if not sinks or not _makes_value(sinks[-1], site):
        return
    last = sinks[-1]
    if _is_unrolled(site):
        alike = [op for op in plain if op.name == last.name and not inside(op, members)]
        nodes = emitting_nodes(last.name.rpartition(".")[2], site.spots, site.syntax)
        yield from alike[nodes - 1 :: nodes] if nodes else sinks[-1:]
    else:
        yield from (op for op in sinks if op.name == last.name and op.results[0].type == last.results[0].type)


def _makes_value(op: Operation, site: Site) -> bool:
    """Whether an operation can give the value of an arithmetic expression, and not only prepare its operands.

    Of a product that was fused into a later sum only the widened operands are left at its place.
    """
    augmented = (spot.node for spot in site.spots if isinstance(spot.node, ast.AugAssign))
    node = next(augmented, site.expression.node if site.expression else None)
    mnemonic = op.name.rpartition(".")[2]
    if node is None or mnemonic == "constant" or ARITHMETIC.isdisjoint(tags(node, site.syntax)):
        return True
    return mnemonic in KNOWN and node_fits(KNOWN[mnemonic], node, site.syntax)


def _is_unrolled(site: Site) -> bool:
    """Whether a site stands in a loop that the front end unrolls."""
    around = (spot.node for spot in site.spots[0].ancestors())
    return any(
        isinstance(node, ast.For)
        and isinstance(node.iter, ast.Call)
        and called_name(node.iter, site.syntax) == "static_iter"
        for node in around
    )


def _is_setup(op: Operation) -> bool:
    """Operations that a place has beside its value: views, loops, and what is assumed of the value."""
    return op.name.rpartition(".")[2] in ("make_partition_view", "make_tensor_view", "for", "loop", "assume")


def inside(op: Operation, members: set[Operation]) -> bool:
    """Whether an operation is in a region of one of these operations."""
    parent = op.parent_op()
    while parent is not None:
        if parent in members:
            return True
        parent = parent.parent_op()
    return False


def _used_by(op: Operation, members: set[Operation]) -> bool:
    return any(use.operation in members for result in value_results(op) for use in result.uses)


def _targets(site: Site, sites: Sites) -> Iterator[Binding]:
    """The names that the expression at a site is assigned to: several for a tuple target."""
    augmented = next((spot for spot in site.spots if isinstance(spot.node, ast.AugAssign)), None)
    if augmented is not None and isinstance(augmented.node, ast.AugAssign):
        if isinstance(augmented.node.target, ast.Name):
            yield Binding(augmented.node.target.id, scope_of(augmented, site.place))
        return
    if site.expression is not None:
        yield from climb(site.expression, site, sites)


def climb(spot: Spot, site: Site, sites: Sites) -> Iterator[Binding]:
    """Go from an expression to the assignment that takes its value, through tuples, returns and no-op calls."""
    path: list[int] = []
    for _ in range(_MOST_STEPS):
        parent = spot.parent
        if parent is None:
            return
        if isinstance(parent.node, ast.Return):
            called = call_spot(site, sites)
            if called is None:
                return
            spot, site = called
            continue
        if isinstance(parent.node, (ast.Tuple, ast.List)):
            path.append(parent.node.elts.index(spot.node))  # type: ignore[arg-type]
        elif not _passes_value(parent, spot, site, sites):
            yield from _assigned(parent, spot, path, scope_of(parent, site.place))
            return
        spot = parent


def _passes_value(parent: Spot, spot: Spot, site: Site, sites: Sites) -> bool:
    """Whether the parent's value can be the spot's value, because the parent emitted nothing."""
    if isinstance(parent.node, (ast.Starred, ast.IfExp)):
        return spot.node is not getattr(parent.node, "test", None)
    if isinstance(parent.node, ast.Attribute):
        return isinstance(parent.parent.node, ast.Call) if parent.parent else False
    if not isinstance(parent.node, ast.Call) or called_name(parent.node, site.syntax) not in TRANSPARENT:
        return False
    if parent.node.args[:1] != [spot.node] and parent.node.func is not spot.node:
        return False
    position = Place(
        site.place.file, parent.node.lineno, parent.node.col_offset, site.place.function, site.place.caller
    )
    return position == site.place or position not in sites.groups


def _assigned(parent: Spot, spot: Spot, path: list[int], scope: Scope) -> Iterator[Binding]:
    """The targets of an assignment whose value is the spot; `path` leads to an element of a tuple."""
    match parent.node:
        case ast.Assign(targets=[target], value=value) if value is spot.node:
            yield from _names(target, path, scope)
        case ast.AnnAssign(target=target, value=value) if value is spot.node:
            yield from _names(target, path, scope)
        case ast.Assign(targets=targets, value=value) if value is spot.node:
            yield from _names(targets[-1], path, scope)


def _names(target: ast.expr, path: list[int], scope: Scope) -> Iterator[Binding]:
    for index in reversed(path):
        if not isinstance(target, (ast.Tuple, ast.List)) or index >= len(target.elts):
            return
        target = target.elts[index]
    elements = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    for element in elements:
        if isinstance(element, ast.Name):
            yield Binding(element.id, scope)
        else:
            return


def scope_of(spot: Spot, place: Place) -> Scope:
    """The scope of a node: its function, and the call that inlined it."""
    return Scope(spot.function, place.caller)


def bind_returns(operations: Sequence[Operation], sites: Sites, bindings: Bindings) -> None:
    """`x = helper(y)` where the helper ends in `return r`: the last value named `r` in that call is `x`."""
    ends = _end_positions(operations)
    by_name: dict[Binding, list[SSAValue]] = {}
    for value, known in bindings.of_value.items():
        for binding in known:
            by_name.setdefault(binding, []).append(value)
    inlined = {scope_of(site.spots[0], place): site for place, site in sites.by_place.items() if place.caller}
    for scope, site in sorted(inlined.items(), key=lambda item: -item[0].depth):
        returned = returned_names(scope.function)
        called = call_spot(site, sites)
        if not returned or called is None:
            continue
        targets = list(climb(*called, sites))
        for name, target in zip(returned, targets, strict=False):
            values = by_name.get(Binding(name, scope), ()) if name and len(targets) == len(returned) else ()
            if values:
                last = max(values, key=lambda value: ends.get(value.owner, -1))
                bindings.add(last, target)
                by_name.setdefault(target, []).append(last)


def _end_positions(operations: Sequence[Operation]) -> dict[object, int]:
    """When the results of each operation exist: after everything inside it."""
    ends: dict[object, int] = {}
    for position, op in enumerate(operations):
        here: Operation | None = op
        while here is not None:
            ends[here] = position
            here = here.parent_op()
    return ends


@lru_cache(maxsize=4096)
def returned_names(function: Function | None) -> tuple[str | None, ...]:
    """The plain names that a function's only `return` gives back; None for an element that is no name."""
    if not isinstance(function, ast.FunctionDef):
        return ()
    returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
    if len(returns) != 1 or returns[0].value is None:
        return ()
    value = returns[0].value
    elements = value.elts if isinstance(value, ast.Tuple) else [value]
    return tuple(element.id if isinstance(element, ast.Name) else None for element in elements)


def blocks_of(op: Operation) -> list[Block]:
    """The blocks of an operation's regions, in order."""
    return [region.block for region in op.regions]
