"""Conditions over generics that tell members apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ferrotile.lift.generic.merge import Members
from ferrotile.lift.generic.values import Generics


def find_condition(generics: Generics, members: Members, among: Members) -> str | None:
    """A Rust condition on one generic that holds for `members` and for none else of `among`."""
    return next((text for text, holding in _conditions(generics) if holding & among == members), None)


def condition(generics: Generics, members: Members, among: Members, stem: str) -> str:
    """A Rust condition that holds for `members` and for none else of `among`; at need with a flag of our own."""
    text = find_condition(generics, members, among)
    if text is not None:
        name = text.split()[0]
        if name in generics.constants:
            generics.constant(name)
        return text
    flag = generics.flag(members) or generics.new_flag(members, stem)
    return flag.name


def _conditions(generics: Generics) -> Iterator[tuple[str, Members]]:
    """Conditions on one generic, the plainest first."""
    for name, column in generics.constants.items():
        if all(isinstance(value, bool) for value in column):
            yield name, _where(column, True)
    for generic in generics.made:
        if isinstance(generic.values[0], bool):
            yield generic.name, _where(generic.values, True)
    columns: dict[str, tuple[int, ...]] = dict(generics.constant_numbers())
    columns |= {
        g.name: _numbers(g.values)
        for g in generics.made
        if g.kind in ("derived", "extent", "given") and _numbers(g.values)
    }
    for operator in ("==", "!="):
        for name, column in columns.items():
            for value in sorted(set(column)):
                equal = _where(column, value)
                yield f"{name} {operator} {value}", equal if operator == "==" else generics.whole - equal
    for name, column in columns.items():
        for value in sorted(set(column)):
            yield f"{name} > {value}", frozenset(m for m, number in enumerate(column) if number > value)


def _numbers(values: tuple[object, ...]) -> tuple[int, ...]:
    return tuple(v for v in values if isinstance(v, int) and not isinstance(v, bool))


def _where(column: tuple[object, ...], value: object) -> Members:
    return frozenset(member for member, found in enumerate(column) if _same(found, value))


def explain(members: Members, among: Members, facts: Mapping[str, tuple[object, ...]]) -> str | None:
    """What tells `members` from the rest of `among`, as one comparison or two joined by `and`; None without one."""
    single = list(_comparisons(among, facts))
    for text, holding in single:
        if holding == members:
            return text
    for index, (text, holding) in enumerate(single):
        if not members <= holding:
            continue
        for other, also in single[index + 1 :]:
            if holding & also == members:
                return f"{text} and {other}"
    return None


def _comparisons(among: Members, facts: Mapping[str, tuple[object, ...]]) -> Iterator[tuple[str, Members]]:
    for name, column in facts.items():
        values = sorted({column[member] for member in among}, key=repr)
        equal = {value: frozenset(m for m in among if _same(column[m], value)) for value in values}
        for value in values:
            yield f"{name} == {value}", equal[value]
        for value in values:
            yield f"{name} != {value}", among - equal[value]
        numbers = [v for m in among if isinstance(v := column[m], int | float) and not isinstance(v, bool)]
        if len(numbers) == len(among):
            for value in sorted(set(numbers))[:-1]:
                yield f"{name} > {value}", frozenset(m for m in among if column[m] > value)  # type: ignore[operator]


def _same(one: object, other: object) -> bool:
    """Equality that tells `True` from 1."""
    return one == other and type(one) is type(other)
