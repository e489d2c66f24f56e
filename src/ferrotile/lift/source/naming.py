"""From Python names to the Rust names of values: spelled for Rust, and distinct where Python's were."""

from __future__ import annotations

import ast
import re

from xdsl.ir import Block, Operation, SSAValue

from ferrotile.lift.source.binding import Binding, Bindings, Scope, scope_of
from ferrotile.lift.source.calls import passed_name
from ferrotile.lift.source.hoisted import hoisted_starts
from ferrotile.lift.source.locate import Sites
from ferrotile.lift.source.parameters import ParameterName
from ferrotile.lift.source.spelling import function_name, suffixed, variable_name


def argument_names(entry: Block, parameters: tuple[ParameterName, ...]) -> dict[SSAValue, str]:
    """Names for the values of the entry's parameters; the table of a list is a number first, then this pointer."""
    return {
        entry.args[index]: re.sub("_table$", "_base", name)
        for parameter in parameters
        for index, name in zip(parameter.entry_range, parameter.entry_names, strict=True)
    }


def spell_names(bindings: Bindings, sites: Sites, parameters: tuple[ParameterName, ...]) -> dict[SSAValue, str]:
    """The Rust name of every value that has a Python name.

    Two Python names that Rust spells alike (`K` and `k`) get `k` and `k_tile`; a helper's local that has the name of
    something else in the kernel gets the helper's name before it. A value that was moved out of a loop in which its
    variable changes is the variable's start: `qk_init`.
    """
    speller = _Speller(bindings, sites, parameters)
    starts = hoisted_starts(bindings, sites)
    return {
        value: suffixed(speller.name(known[0]), "init") if value in starts else speller.name(known[0])
        for value, known in bindings.of_value.items()
    }


def extend_through_assumptions(operations: list[Operation], names: dict[SSAValue, str]) -> None:
    """An assumed value has the name of the value that it is."""
    for op in operations:
        if op.name.endswith(".assume") and op.operands and op.operands[0] in names:
            names.setdefault(op.results[0], names[op.operands[0]])


class _Speller:
    """Gives each Python name of each function one Rust name."""

    def __init__(self, bindings: Bindings, sites: Sites, parameters: tuple[ParameterName, ...]) -> None:
        self.sites = sites
        self.parameters = {parameter.python: parameter.rust for parameter in parameters if not parameter.is_constant}
        self.spelled: dict[tuple[str, str], str] = {}
        self.owners: dict[str, set[tuple[str, str]]] = {rust: {("", name)} for name, rust in self.parameters.items()}
        self.near: dict[Scope, bool] = {}
        self.inside: dict[str, set[str]] = {}
        self.site_of = {scope_of(site.spots[0], place): site for place, site in sites.by_place.items()}
        known = [names[0] for names in bindings.of_value.values()]
        for scope in {binding.scope for binding in known}:
            self.inside.setdefault(self.function(scope), set()).update(_functions_around(scope))
        for binding in sorted(known, key=lambda binding: binding.scope.depth):
            self.name(binding)

    def name(self, binding: Binding) -> str:
        """The Rust name of a binding; one Python name of one function always gives the same."""
        key = ("" if self._is_passed_on(binding) else self.function(binding.scope), binding.name)
        if key not in self.spelled:
            self.spelled[key] = self._new_name(key)
        return self.spelled[key]

    def _new_name(self, key: tuple[str, str]) -> str:
        function, python = key
        plain = variable_name(python)
        if not function and python in self.parameters:
            return self.parameters[python]
        second = variable_name(f"{function_name(function)}_{plain}") if function else suffixed(plain, "tile")
        for choice in (plain, second, *(suffixed(plain, str(number)) for number in range(2, 100))):
            if not any(self._clash(key, owner) for owner in self.owners.get(choice, ())):
                self.owners.setdefault(choice, set()).add(key)
                return choice
        return plain

    def _clash(self, key: tuple[str, str], owner: tuple[str, str]) -> bool:
        """Whether both names can be alive at once: not in two helpers of which neither is inlined into the other."""
        if key == owner:
            return False
        one, other = key[0], owner[0]
        if one == other or not one or not other:
            return True
        return other in self.inside.get(one, ()) or one in self.inside.get(other, ())

    def _is_passed_on(self, binding: Binding) -> bool:
        """Whether a helper's parameter is the kernel's variable of the same name (`acc` updated by `step(acc)`)."""
        site = self.site_of.get(binding.scope)
        if site is None or binding.scope.caller is None:
            return False
        return passed_name(binding.name, site, self.sites) == binding.name

    def function(self, scope: Scope) -> str:
        """The function that a scope's names belong to; empty for the kernel."""
        return "" if self.is_kernel(scope) else getattr(scope.function, "name", "closure")

    def is_kernel(self, scope: Scope) -> bool:
        """Whether a scope is the kernel's own body, or that of a helper whose bare call is a whole statement of it."""
        if scope not in self.near:
            self.near[scope] = scope.caller is None or self._is_bare_call(scope)
        return self.near[scope]

    def _is_bare_call(self, scope: Scope) -> bool:
        caller = self.sites.at(scope.caller)
        if caller is None or caller.expression is None or caller.expression.parent is None:
            return False
        if not isinstance(caller.expression.parent.node, (ast.Expr, ast.Return)):
            return False
        return self.is_kernel(Scope(caller.spots[0].function, caller.place.caller))


def _functions_around(scope: Scope) -> set[str]:
    return {place.function.rpartition(".")[2] for place in scope.caller.chain()} if scope.caller else set()
