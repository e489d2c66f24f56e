"""How inlined helpers are called: the call that a place came through, and what it passes for a parameter."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ferrotile.lift.source.fit import called_name
from ferrotile.lift.source.locate import Site, Sites
from ferrotile.lift.source.syntax import Function, Spot, Syntax

_MOST_CALLS = 32


def call_spot(site: Site, sites: Sites) -> tuple[Spot, Site] | None:
    """The call that inlined the function of a site, and the site of that call."""
    caller = sites.at(site.place.caller)
    if caller is None:
        return None
    calls = [spot for spot in caller.spots if isinstance(spot.node, ast.Call)]
    name = site.place.function.rpartition(".")[2]
    named = [spot for spot in calls if calls_function(spot.node, name, caller.syntax)]
    chosen = (named or calls)[:1]
    return (chosen[0], caller) if chosen else None


def calls_function(node: ast.AST, name: str, syntax: Syntax) -> bool:
    """Whether a node is a call of the function of that name."""
    return isinstance(node, ast.Call) and called_name(node, syntax) == name


def passed_name(name: str, site: Site, sites: Sites) -> str | None:
    """The kernel's parameter that a helper's parameter of this name is, when calls pass it on by name."""
    for _ in range(_MOST_CALLS):
        called = call_spot(site, sites)
        if called is None:
            return name if site.place.caller is None else None
        argument = argument_of(name, site.spots[0].function, called[0].node)
        if not isinstance(argument, ast.Name):
            return None
        name, site = argument.id, called[1]
    return None


def argument_of(name: str, function: Function | None, call: ast.AST) -> ast.expr | None:
    """The expression that a call passes for a parameter of the function, its default included."""
    if not isinstance(function, ast.FunctionDef) or not isinstance(call, ast.Call):
        return None
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    if name in names and names.index(name) < len(call.args):
        argument = call.args[names.index(name)]
        return None if isinstance(argument, ast.Starred) else argument
    return next((default for other, default in _defaults(function) if other == name), None)


def _defaults(function: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    positional = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    yield from zip(reversed(positional), reversed(function.args.defaults), strict=False)
    for argument, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
        if default is not None:
            yield argument.arg, default
