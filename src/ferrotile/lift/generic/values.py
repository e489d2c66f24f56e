"""Generic parameters: one for each way in which numbers and element types differ over the members."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ferrotile.lift.generic.formulas import Formula, find_formula
from ferrotile.lift.generic.merge import Members

LEAST_UNMARKED = 8
"""A smaller number is not taken for a parameter of the same value."""
Value = int | bool | str


@dataclass(frozen=True, slots=True)
class Generic:
    """A generic parameter of the entry and what it is for each member.

    `kind`: `const` of a Python `Constant` parameter, `element`, `derived` with a formula over constants, `extent` of
    an array that some members know, or `given`: a number that each specialization brings.
    """

    name: str
    kind: str
    values: tuple[Value, ...]
    formula: Formula | None = None

    @property
    def declaration(self) -> str:
        """How it stands in the entry's angle brackets."""
        if self.kind == "element":
            return f"{self.name}: ElementType"
        return f"const {self.name}: {'bool' if isinstance(self.values[0], bool) else 'i32'}"

    def argument(self, member: int) -> str:
        """A member's generic argument as Rust spells it."""
        value = self.values[member]
        return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(slots=True)
class Generics:
    """The generic parameters of one kernel; a parameter is kept when the text uses it.

    `constants`: the Python parameters by name, a value for each member; `elements`: names for vectors of element
    types, of the array parameters in order; `extents`: names for extents of array parameters.
    """

    count: int
    constants: Mapping[str, tuple[object, ...]]
    taken: set[str] = field(default_factory=set)
    made: list[Generic] = field(default_factory=list)
    items: dict[str, int] = field(default_factory=dict)
    """Python parameters that are one number for all members and that some number of the text came from."""
    lengths: list[str] = field(default_factory=list)
    """Names of generics that are a length of some tile."""
    common: set[int] = field(default_factory=set)
    """Lengths of tiles that are one number for all members."""

    @property
    def whole(self) -> Members:
        """All members."""
        return frozenset(range(self.count))

    def number(self, values: Mapping[int, int], name: str = "", kind: str = "given") -> Generic | None:
        """The generic that has these values, where they differ; None where all are one."""
        if len(set(values.values())) == 1:
            return None
        for constant, column in self.constants.items():
            if is_flag_or_number(column) and _agrees(column, values):
                return self._constant(constant)
        for generic in self.made:
            if (
                generic.kind != "element"
                and not isinstance(generic.values[0], bool)
                and _agrees(generic.values, values)
            ):
                return generic
        return self._derived(values, name, kind)

    def length(self, values: Mapping[int, int]) -> Generic | None:
        """The generic for a length that only some members have, and all of these the same; None without one.

        To rustc `N` is not 64, also in a branch that is taken for 64 only, and what branches give has one type.
        """
        if len(values) == self.count or not self.common.isdisjoint(values.values()):
            return None
        return next((g for g in self.made if g.name in self.lengths and _agrees(g.values, values)), None)

    def narrow(self, values: Mapping[int, str]) -> Generic | None:
        """The element type parameter for a type that only some members have, and all of these the same.

        None for one that kernels compute in: what is converted to it has it whatever the arrays are of.
        """
        if len(values) == self.count or not {"f32", "f64", "i32", "bool"}.isdisjoint(values.values()):
            return None
        return next((g for g in self.made if g.kind == "element" and _agrees(g.values, values)), None)

    def item(self, marks: Collection[str], value: int) -> str | None:
        """The Python parameter that a number of all members is: the one that it is marked with, else the only one.

        `marks`: the parameters that it came from, of each member; empty ones are not known.
        """
        named = {mark for mark in marks if mark}
        fixed = [name for name, column in self.constant_numbers() if set(column) == {value}]
        if len(named) == 1 and (name := named.pop()) in fixed:
            self.items.setdefault(name, value)
            return name
        only = fixed[0] if len(fixed) == 1 and not named and value >= LEAST_UNMARKED else None
        return only if only in self.items else None

    def flag(self, members: Members) -> Generic | None:
        """The boolean parameter that is true for exactly these members, if there is one."""
        for constant, column in self.constants.items():
            if all(isinstance(value, bool) for value in column) and self._true(column) == members:
                return self._constant(constant)
        return next((g for g in self.made if isinstance(g.values[0], bool) and self._true(g.values) == members), None)

    def new_flag(self, members: Members, name: str) -> Generic:
        """A boolean parameter of our own, true for these members."""
        values = tuple(member in members for member in range(self.count))
        return self._add(Generic(self._free(name), "given", values))

    def constant_numbers(self) -> Iterable[tuple[str, tuple[int, ...]]]:
        """The Python parameters that are whole numbers for all members."""
        for name, column in self.constants.items():
            if all(isinstance(value, int) and not isinstance(value, bool) for value in column):
                yield name, tuple(int(value) for value in column)  # type: ignore[call-overload]

    def differing(self) -> list[str]:
        """The Python parameters that members have different flags or whole numbers for.

        They stay parameters where nothing depends on them: the kernel takes what the Python kernel takes. Where there
        are numbers or flags of our own, these may follow from them.
        """
        columns = self.constants.items()
        return [
            name
            for name, column in columns
            if len(set(column)) > 1 and len(types := set(map(type, column))) == 1 and types <= {int, bool}
        ]

    def constant(self, name: str) -> Generic:
        """The generic of a Python parameter."""
        return self._constant(name)

    def element(self, values: Mapping[int, str], name: str = "Element") -> Generic | None:
        """The element type parameter that has these values, where they differ; None where all are one."""
        if len(set(values.values())) == 1:
            return None
        for generic in self.made:
            if generic.kind == "element" and _agrees(generic.values, values):
                return generic
        filled = tuple(values.get(member, next(iter(values.values()))) for member in range(self.count))
        return self._add(Generic(self._free(name), "element", filled))

    def _true(self, column: tuple[object, ...]) -> Members:
        return frozenset(member for member, value in enumerate(column) if value is True)

    def _constant(self, name: str) -> Generic:
        known = next((generic for generic in self.made if generic.name == name and generic.kind == "const"), None)
        return known or self._add(Generic(name, "const", tuple(self.constants[name])))  # type: ignore[arg-type]

    def _derived(self, values: Mapping[int, int], name: str, kind: str) -> Generic:
        numbers = dict(self.constant_numbers())
        formula = find_formula(values, numbers) if kind == "given" else None
        if formula is not None:
            filled = tuple(
                values[m] if m in values else formula.value({k: column[m] for k, column in numbers.items()})
                for m in range(self.count)
            )
            return self._add(Generic(self._free(formula.name), "derived", filled, formula))
        first = next(iter(values.values()))
        filled = tuple(values.get(member, first) for member in range(self.count))
        return self._add(Generic(self._free(name or "N"), kind, filled))

    def _add(self, generic: Generic) -> Generic:
        self.taken.add(generic.name)
        self.made.append(generic)
        return generic

    def _free(self, stem: str) -> str:
        name, number = stem, 2
        while name in self.taken or name in self.constants:
            name, number = f"{stem}_{number}", number + 1
        return name


def is_flag_or_number(column: tuple[object, ...]) -> bool:
    """Whether a Python parameter can be a number generic."""
    return all(isinstance(value, int) and not isinstance(value, bool) for value in column)


def _agrees(column: tuple[object, ...], values: Mapping[int, object]) -> bool:
    return all(column[member] == value for member, value in values.items())


_RANK_0 = re.compile(r"tile_of \( (-?\d[\d.e+-]*)f32 \)")
COMMON = frozenset({0.0, 0.5, 1.0, 2.0})
"""Numbers that are a parameter's value by chance as often as not."""


def with_named_floats(lines: Sequence[str], constants: Mapping[str, tuple[object, ...]]) -> tuple[list[str], list[str]]:
    """The lines with the names of parameters that are one f32 for all members, and the declarations of these."""
    fixed = {name: column[0] for name, column in constants.items() if len(set(column)) == 1}
    floats = {name: np.float32(value) for name, value in fixed.items() if isinstance(value, float)}
    items: dict[str, str] = {}

    def name(found: re.Match[str]) -> str:
        value = np.float32(found[1])
        fitting = [name for name, number in floats.items() if number == value]
        if len(fitting) != 1 or float(value) in COMMON:
            return found[0]
        items[fitting[0]] = f"const {fitting[0]}: f32 = {found[1]};"
        return f"tile_of ( {fitting[0]} )"

    return [line if line.startswith("//") else _RANK_0.sub(name, line) for line in lines], list(items.values())
