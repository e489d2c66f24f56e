"""Which named constant a number of the IR came from: a `Constant` parameter, or a constant of the module."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from xdsl.ir import Operation

from ferrotile.lift.source.binding import Scope
from ferrotile.lift.source.calls import argument_of, call_spot
from ferrotile.lift.source.locate import Site, Sites
from ferrotile.lift.source.parameters import ParameterName
from ferrotile.lift.source.spelling import constant_name
from ferrotile.lift.source.splat import Number, splat_value
from ferrotile.lift.source.symbol import ConstantParameter
from ferrotile.lift.source.syntax import Syntax, evaluate

_MOST_CALLS = 32


@dataclass(frozen=True, slots=True)
class NamedConstant:
    """A constant with a name: its value, and whether a `Constant` parameter or the module gives it."""

    rust: str
    python: str
    value: Number
    is_parameter: bool


@dataclass(slots=True)
class Constants:
    """The named constants that a kernel uses, by the operation whose number came from one."""

    of_op: dict[Operation, NamedConstant] = field(default_factory=dict)
    extents: dict[Operation, dict[int, NamedConstant]] = field(default_factory=dict)
    numbers: dict[Operation, tuple[tuple[int, str], ...]] = field(default_factory=dict)
    """Whole numbers of `Constant` parameters in the expression at an operation's place, in its order."""

    def extent(self, op: Operation, size: int) -> NamedConstant | None:
        """The constant that gave a tile extent of this size at the operation's place."""
        return self.extents.get(op, {}).get(size)


def find_constants(sites: Sites, parameters: tuple[ParameterName, ...]) -> Constants:
    """Name numbers by the names that stand in the expression at the operation's place and have that value."""
    lookup = _Lookup(sites, parameters)
    constants = Constants()
    for op, site in sites.of_op.items():
        named = lookup.at(site)
        constants.numbers[op] = named.parameters
        if op.name.endswith(".constant"):
            value = splat_value(op)
            found = None if value is None else _named_at(value, op, sites, lookup)
            if found is not None:
                constants.of_op[op] = found
        elif named.sizes:
            constants.extents[op] = named.sizes
    return constants


def _named_at(value: Number, op: Operation, sites: Sites, lookup: _Lookup) -> NamedConstant | None:
    """The name at the constant's own place, or at the places of what uses it (hoisted constants stand at the `def`)."""
    found = lookup.at(sites.of_op[op]).exactly(value)
    if found is not None:
        return found
    users = {id(site): site for use in op.results[0].uses if (site := sites.of_op.get(use.operation)) is not None}
    names = {name.python: name for site in users.values() if (name := lookup.at(site).exactly(value)) is not None}
    return next(iter(names.values())) if len(names) == 1 else None


@dataclass(slots=True)
class _Named:
    """The named numbers and the literals of one expression."""

    names: list[NamedConstant] = field(default_factory=list)
    literals: set[Number] = field(default_factory=set)
    sizes: dict[int, NamedConstant] = field(default_factory=dict)

    @property
    def parameters(self) -> tuple[tuple[int, str], ...]:
        """The whole numbers that `Constant` parameters gave, in the order of the expression."""
        given = [one for one in self.names if one.is_parameter and type(one.value) is int]
        return tuple((int(one.value), one.rust) for one in given)

    def exactly(self, value: Number) -> NamedConstant | None:
        """The one name with this value, unless the expression also spells it as a literal."""
        if value in self.literals:
            return None
        equal = {named.python: named for named in self.names if same_number(named.value, value)}
        return next(iter(equal.values())) if len(equal) == 1 else None


def same_number(exact: Number, stored: Number) -> bool:
    """Whether a Python number is the one stored in a tile (f32 or smaller keep fewer digits)."""
    if isinstance(exact, bool) or isinstance(stored, int) or isinstance(exact, int):
        return exact == stored
    return exact == stored or abs(exact - stored) <= 1e-7 * abs(exact)


class _Lookup:
    """Numbers of names, per scope: constant parameters, arguments of inlined helpers, constants of the module."""

    def __init__(self, sites: Sites, parameters: tuple[ParameterName, ...]) -> None:
        self.sites = sites
        self.parameters = {
            parameter.python: NamedConstant(parameter.rust, parameter.python, parameter.symbol.value, True)
            for parameter in parameters
            if isinstance(parameter.symbol, ConstantParameter)
            and isinstance(parameter.symbol.value, (int, float))
            and parameter.python
        }
        self.known: dict[int, _Named] = {}
        self.scopes: dict[tuple[Scope, str], NamedConstant | None] = {}

    def at(self, site: Site) -> _Named:
        """The named numbers in the expression, or the statement's header, at a site."""
        if id(site) not in self.known:
            self.known[id(site)] = self._read(site)
        return self.known[id(site)]

    def _read(self, site: Site) -> _Named:
        named = _Named()
        for root in _roots(site):
            for node in ast.walk(root):
                if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
                    named.literals.add(node.value)
                elif isinstance(node, ast.Name) and (found := self.value(node.id, site)) is not None:
                    named.names.append(found)
        for found in named.names:
            if isinstance(found.value, int) and found.value > 1:
                named.sizes.setdefault(found.value, found)
        return named

    def value(self, name: str, site: Site) -> NamedConstant | None:
        """The number that a name stands for at a site."""
        for _ in range(_MOST_CALLS):
            function = site.spots[0].function
            if site.place.caller is None and name in self.parameters:
                return self.parameters[name]
            called = call_spot(site, self.sites)
            argument = argument_of(name, function, called[0].node) if called else None
            if called is None or argument is None:
                return _of_module(name, site.syntax)
            if not isinstance(argument, ast.Name):
                number = evaluate(argument, dict(site.syntax.module_numbers))
                return None if number is None else NamedConstant(constant_name(name), name, number, False)
            name, site = argument.id, called[1]
        return None


def _of_module(name: str, syntax: Syntax) -> NamedConstant | None:
    number = syntax.module_numbers.get(name)
    return None if number is None else NamedConstant(constant_name(name), name, number, False)


def _roots(site: Site) -> Iterable[ast.AST]:
    statement = site.statement.node if site.statement else None
    match statement:
        case ast.FunctionDef():
            return ()
        case ast.For(iter=header) | ast.While(test=header) | ast.If(test=header):
            return (header,)
        case ast.AugAssign(value=value):
            return (value,)
    return (site.expression.node,) if site.expression else ()
