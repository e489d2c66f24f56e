"""Formulas of derived constants: found on the members at hand, kept as data for the host."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

Numbers = Mapping[str, tuple[int, ...]]
Column = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Formula:
    """`operation` applied to operands: names of constants, numbers, or formulas."""

    operation: str
    operands: tuple[Formula | str | int, ...]

    def value(self, constants: Mapping[str, int]) -> int:
        """What it comes to. Raises: KeyError for a constant that is not given."""
        return OPERATIONS[self.operation].compute(*(_value(operand, constants) for operand in self.operands))

    @property
    def name(self) -> str:
        """A name for the constant that it gives: `A_TIMES_B`."""
        first, second = (operand.name if isinstance(operand, Formula) else str(operand) for operand in self.operands)
        return f"{first}_{OPERATIONS[self.operation].word}_{second}"

    def __str__(self) -> str:
        texts = [f"({operand})" if isinstance(operand, Formula) else str(operand) for operand in self.operands]
        return OPERATIONS[self.operation].text.format(*texts)


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of formulas: how it is computed, written, and spelled in a name."""

    compute: Callable[[int, int], int]
    text: str
    word: str


def _quotient(a: int, b: int) -> int:
    return a // b if b else -1


def _exact(a: int, b: int) -> int:
    """The quotient where it is exact, else a number that no tile has."""
    return a // b if b and a % b == 0 else -(1 << 40)


OPERATIONS = {
    "mul": Operation(lambda a, b: a * b, "{} * {}", "TIMES"),
    "div": Operation(_exact, "{} / {}", "OVER"),
    "cdiv": Operation(lambda a, b: -(-a // b) if b else -1, "cdiv({}, {})", "CDIV"),
    "floordiv": Operation(_quotient, "{} // {}", "FLOORDIV"),
    "mod": Operation(lambda a, b: a % b if b else -1, "{} % {}", "MOD"),
    "add": Operation(lambda a, b: a + b, "{} + {}", "PLUS"),
    "sub": Operation(lambda a, b: a - b, "{} - {}", "MINUS"),
    "min": Operation(min, "min({}, {})", "MIN"),
    "max": Operation(max, "max({}, {})", "MAX"),
    "pow2": Operation(lambda a, b: max(1, 1 << max(a - b, 0).bit_length()), "next_power_of_2({} - {} + 1)", "POW2"),
}
"""`pow2` with 1: the smallest power of two that is not less than the first operand."""
SIMPLE = ("mul", "div", "cdiv", "floordiv", "mod", "add", "sub", "min", "max")


def _value(operand: Formula | str | int, constants: Mapping[str, int]) -> int:
    if isinstance(operand, Formula):
        return operand.value(constants)
    return operand if isinstance(operand, int) else constants[operand]


def find_formula(values: Mapping[int, int], constants: Numbers) -> Formula | None:
    """The simplest formula over the constants that gives these values; None without one.

    A formula with a number of its own must hold for at least three different values, one of them not used to find
    the number; so must a formula of two steps.
    """
    columns = {name: tuple(column[member] for member in values) for name, column in constants.items()}
    varying = {name: column for name, column in columns.items() if len(set(column)) > 1}
    wanted = tuple(values.values())
    candidates = _pairs(columns)
    for formula, column in candidates:
        if column == wanted:
            return formula
    if len(set(wanted)) < 3:
        return _with_number(varying, wanted, least=2, only=("mul", "div"))
    return _with_number(varying, wanted, least=3, only=SIMPLE) or _two_steps(candidates, columns, wanted)


def _pairs(columns: Numbers) -> list[tuple[Formula, Column]]:
    return [
        (formula, column)
        for first in columns
        for second in columns
        if first != second
        for formula, column in _applied(first, columns[first], second, columns[second])
    ]


def _applied(
    first: Formula | str, left: Column, second: Formula | str | int, right: Column
) -> Iterator[tuple[Formula, Column]]:
    for operation in SIMPLE:
        compute = OPERATIONS[operation].compute
        yield Formula(operation, (first, second)), tuple(compute(a, b) for a, b in zip(left, right, strict=True))


def _with_number(columns: Numbers, wanted: Column, least: int, only: tuple[str, ...]) -> Formula | None:
    """One constant and a small number."""
    for name, column in columns.items():
        if len(set(column)) < least:
            continue
        ceiling = tuple(OPERATIONS["pow2"].compute(a, 1) for a in column)
        if ceiling == wanted:
            return Formula("pow2", (name, 1))
        for number in _numbers(column[0], wanted[0]):
            for operation in only:
                compute = OPERATIONS[operation].compute
                if all(compute(a, number) == b for a, b in zip(column, wanted, strict=True)):
                    return Formula(operation, (name, number))
    return None


def _numbers(given: int, wanted: int) -> list[int]:
    """The numbers that lead from one value to another by some operation, and small powers of two."""
    found = {wanted - given, given - wanted, *(1 << k for k in range(1, 12))}
    if given and wanted:
        found |= {wanted // given, given // wanted}
    return sorted((number for number in found if number > 1 or number == 1), key=abs)


def _two_steps(candidates: list[tuple[Formula, Column]], columns: Numbers, wanted: Column) -> Formula | None:
    for inner, column in candidates:
        if inner.operation not in ("mul", "div", "cdiv") or len(set(column)) < 3:
            continue
        for name in columns:
            for formula, outcome in _applied(inner, column, name, columns[name]):
                if outcome == wanted and formula.operation in ("mul", "div", "cdiv", "add", "sub"):
                    return formula
    return None
