"""Names for what control flow carries: loop variables, carried values, and the results of `if` and loops.

cuTile Python carries the variables that a body assigns, in alphabetical order, without those that nobody needs. So
the names of a list of carried values are a rising sequence out of the assigned names: each value's own name is
evidence, and the order decides between them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from functools import lru_cache

from xdsl.ir import Operation, SSAValue

from ferrotile import ir
from ferrotile.ir.types import TokenType
from ferrotile.lift.source.binding import Binding, Bindings, Scope, blocks_of, climb, scope_of, value_results
from ferrotile.lift.source.calls import call_spot
from ferrotile.lift.source.locate import Site, Sites
from ferrotile.lift.source.rising import rising_names
from ferrotile.lift.source.syntax import Function, child_statements

YIELDED, ENTERED, ALIASED = 6, 4, 3
"""Weight of evidence: the value at the end of the body, the value that goes in, a plain copy `a = b` of a name."""


def bind_control_flow(operations: Sequence[Operation], sites: Sites, bindings: Bindings) -> None:
    """Add names for block arguments and results of `for`, `loop` and `if`, inner operations first."""
    for op in reversed(operations):
        site = sites.of_op.get(op)
        statement = site.statement if site else None
        if site is None or statement is None:
            continue
        scope = scope_of(statement, site.place)
        match op.name.rpartition(".")[2], statement.node:
            case "for", ast.For() as node:
                _bind_induction(op, node, bindings, scope)
                _bind_loop(op, node, bindings, scope)
            case "loop", ast.While() as node:
                _bind_loop(op, node, bindings, scope)
            case "loop", ast.FunctionDef():
                _bind_early_return(op, site, sites, bindings)
            case "if", ast.If() as node:
                _bind_if(op, node, bindings, scope)


def _bind_induction(op: Operation, node: ast.For, bindings: Bindings, scope: Scope) -> None:
    arguments = blocks_of(op)[0].args
    if arguments and isinstance(node.target, ast.Name) and node.target.id.strip("_"):
        bindings.add(arguments[0], Binding(node.target.id, scope))


def _bind_loop(op: Operation, node: ast.For | ast.While, bindings: Bindings, scope: Scope) -> None:
    """A carried value's argument, result, and the value that goes in share one variable."""
    body = blocks_of(op)[0]
    initial = ir.operands(op, "initValues")
    arguments = body.args[len(body.args) - len(initial) :]
    ends = _operands_of(body.last_op, len(initial))
    slots = [index for index, value in enumerate(initial) if not isinstance(value.type, TokenType)]
    candidates = stored_before(node, scope.function)
    copies = copied_names(node)
    evidence: list[dict[str, int]] = []
    for index in slots:
        weights: dict[str, int] = {}
        _weigh(weights, bindings.names(ends[index], scope) if ends else (), YIELDED, copies)
        _weigh(weights, bindings.names(initial[index], scope), ENTERED, copies)
        evidence.append(weights)
    names = rising_names(evidence, candidates)
    results = list(op.results)
    for index, name in zip(slots, names, strict=True):
        if name is None:
            continue
        bindings.add(arguments[index], Binding(name, scope))
        if len(results) == len(initial):
            bindings.add(results[index], Binding(name, scope))


def _bind_early_return(op: Operation, site: Site, sites: Sites, bindings: Bindings) -> None:
    """A helper with a `return` inside an `if` is a loop that runs once: its results are what the call gives."""
    called = call_spot(site, sites)
    values = value_results(op)
    targets = list(climb(*called, sites)) if called is not None else []
    if len(targets) == len(values):
        for value, target in zip(values, targets, strict=True):
            bindings.add(value, target)


def _bind_if(op: Operation, node: ast.If, bindings: Bindings, scope: Scope) -> None:
    results = list(op.results)
    copies = copied_names(node)
    evidence: list[dict[str, int]] = [{} for _ in results]
    for block in blocks_of(op):
        last = block.last_op
        if last is None or not last.name.endswith("yield"):
            continue
        for weights, value in zip(evidence, _operands_of(last, len(results)), strict=False):
            _weigh(weights, bindings.names(value, scope), YIELDED, copies)
    slots = [index for index, result in enumerate(results) if result in value_results(op)]
    names = rising_names([evidence[index] for index in slots], stored_names(node))
    for index, name in zip(slots, names, strict=True):
        if name is not None:
            bindings.add(results[index], Binding(name, scope))


def _operands_of(terminator: Operation | None, count: int) -> Sequence[SSAValue]:
    """The values that a terminator hands on, when there are as many as expected."""
    if terminator is None or len(terminator.operands) != count:
        return ()
    return terminator.operands


def _weigh(weights: dict[str, int], names: Iterable[str], weight: int, copies: dict[str, set[str]]) -> None:
    for name in names:
        weights[name] = weights.get(name, 0) + weight
        for copy in copies.get(name, ()):
            weights[copy] = weights.get(copy, 0) + ALIASED


@lru_cache(maxsize=4096)
def stored_names(node: ast.AST) -> frozenset[str]:
    """The names that a statement assigns, nested functions left out."""
    names: set[str] = set()
    pending: list[ast.AST] = [node]
    while pending:
        here = pending.pop()
        if isinstance(here, ast.Name) and isinstance(here.ctx, ast.Store):
            names.add(here.id)
        pending.extend(child for child in ast.iter_child_nodes(here) if not isinstance(child, Function))
    return frozenset(names)


@lru_cache(maxsize=4096)
def stored_before(node: ast.stmt, function: Function | None) -> frozenset[str]:
    """The names that a loop assigns and that something before the loop assigns too."""
    if not isinstance(function, ast.FunctionDef):
        return stored_names(node)
    arguments = function.args
    before = {argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    pending: list[ast.stmt] = list(function.body)
    while pending:
        statement = pending.pop()
        if statement.lineno > node.lineno or statement is node:
            continue
        children = child_statements(statement)
        pending.extend(children)
        before |= stored_names(statement) if not children else _stored_by_header(statement)
    return stored_names(node) & before


def _stored_by_header(statement: ast.stmt) -> frozenset[str]:
    match statement:
        case ast.For(target=target):
            return stored_names(target)
        case ast.With(items=items):
            return frozenset().union(*(stored_names(item) for item in items))
    return frozenset()


@lru_cache(maxsize=4096)
def copied_names(node: ast.AST) -> dict[str, set[str]]:
    """The plain copies inside a statement: source name -> the names that take its value (`m = m_new`)."""
    copies: dict[str, set[str]] = {}
    for inner in ast.walk(node):
        if not isinstance(inner, ast.Assign) or len(inner.targets) != 1:
            continue
        for target, value in _pairs(inner.targets[0], inner.value):
            if isinstance(target, ast.Name) and isinstance(value, ast.Name):
                copies.setdefault(value.id, set()).add(target.id)
    return copies


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]
