"""The launch grid of a kernel as a formula over what the host knows, fitted to recorded launches.

Candidates come in steps, the plainest first: an extent, a quotient rounded up, products of those, then one of those or
so many blocks a multiprocessor, whichever is less. The first step in which a candidate gives every recorded grid
decides; if several do, which one is meant is not known, and there is no rule. Extents that are equal in every launch
count as one, and so do numbers; the rule says so: a host must check that they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, combinations_with_replacement

AXES = "xyz"
MOST_FACTORS = 48
"""Of more, products of three are not tried."""
WAVES = (1, 2, 3, 4, 5, 6, 8, 12, 16, 32)
"""Blocks a multiprocessor that persistent kernels are launched with."""
LITERALS = tuple(1 << power for power in range(1, 13))
"""Divisors that may stand in the host code itself."""


@dataclass(frozen=True, slots=True)
class Observed:
    """One recorded launch: extents by array, integers by argument, the grid; `multiprocessors`: None if not known."""

    extents: Mapping[str, tuple[int, ...]]
    numbers: Mapping[str, int]
    grid: tuple[int, int, int]
    multiprocessors: int | None = None


@dataclass(frozen=True, slots=True)
class Number:
    """A number that stands in the host code."""

    value: int

    def of(self, launch: Observed) -> int:
        """The number."""
        return self.value

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Extent:
    """An extent of an array."""

    array: str
    axis: int

    def of(self, launch: Observed) -> int:
        """The extent in a launch."""
        return launch.extents[self.array][self.axis]

    def __str__(self) -> str:
        return f"{self.array}.shape[{self.axis}]"


@dataclass(frozen=True, slots=True)
class Given:
    """An integer argument, a constant or not."""

    name: str

    def of(self, launch: Observed) -> int:
        """The argument in a launch."""
        return launch.numbers[self.name]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Multiprocessors:
    """How many multiprocessors the device has."""

    def of(self, launch: Observed) -> int:
        """Of the device that was launched on."""
        return launch.multiprocessors or 0

    def __str__(self) -> str:
        return "multiprocessors"


@dataclass(frozen=True, slots=True)
class Ceiling:
    """A quotient, rounded up."""

    number: Formula
    divisor: Formula

    def of(self, launch: Observed) -> int:
        """The quotient in a launch; a divisor below 1 counts as 1, as on the Rust side."""
        return -(-self.number.of(launch) // max(self.divisor.of(launch), 1))

    def __str__(self) -> str:
        return f"cdiv({self.number}, {self.divisor})"


@dataclass(frozen=True, slots=True)
class Product:
    """Factors."""

    factors: tuple[Formula, ...]

    def of(self, launch: Observed) -> int:
        """The product in a launch."""
        value = 1
        for factor in self.factors:
            value *= factor.of(launch)
        return value

    def __str__(self) -> str:
        return " * ".join(map(str, self.factors))


@dataclass(frozen=True, slots=True)
class Least:
    """The smaller of two."""

    left: Formula
    right: Formula

    def of(self, launch: Observed) -> int:
        """The smaller one in a launch."""
        return min(self.left.of(launch), self.right.of(launch))

    def __str__(self) -> str:
        return f"min({self.left}, {self.right})"


Atom = Extent | Given
Formula = Number | Extent | Given | Multiprocessors | Ceiling | Product | Least


@dataclass(frozen=True, slots=True)
class GridRule:
    """A formula for each axis of the grid, and the extents that it takes for one. `launches`: how many bear it out."""

    axes: tuple[Formula, Formula, Formula]
    equal: tuple[tuple[Atom, Atom], ...] = ()
    launches: int = 0

    def holds(self, launch: Observed) -> bool:
        """Whether the rule gives the grid of a launch."""
        same = all(left.of(launch) == right.of(launch) for left, right in self.equal)
        return same and tuple(axis.of(launch) for axis in self.axes) == launch.grid

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.axes))})"


@dataclass(frozen=True, slots=True)
class NoRule:
    """Why there is no rule."""

    why: str


def fit(launches: Sequence[Observed]) -> GridRule | NoRule:
    """The rule that gives the grid of every launch, or why none is known."""
    if not launches:
        return NoRule("no launch was recorded")
    layouts = {tuple((name, len(shape)) for name, shape in launch.extents.items()) for launch in launches}
    names = {frozenset(launch.numbers) for launch in launches}
    if len(layouts) > 1 or len(names) > 1:
        return NoRule("arrays have other ranks in some launches, or other arguments are given")
    terms = _Terms(tuple(launches))
    found: list[Formula] = []
    for axis in range(3):
        wanted = tuple(launch.grid[axis] for launch in launches)
        if max(wanted) > 1 and len({str((launch.extents, launch.numbers)) for launch in launches}) < 2:
            return NoRule(f"one launch says too little of the grid's {AXES[axis]}, which is {wanted[0]}")
        candidates = _first_fitting(terms, wanted)
        if len(candidates) != 1:
            return NoRule(_why(AXES[axis], wanted, candidates))
        found.append(candidates[0])
    rule = GridRule((found[0], found[1], found[2]), terms.equal_in(found), len(launches))
    assert all(rule.holds(launch) for launch in launches)
    return rule


def _why(axis: str, wanted: tuple[int, ...], candidates: Sequence[Formula]) -> str:
    if not candidates:
        return f"no formula gives the grid's {axis} of {len(wanted)} launches: {_short(sorted(set(wanted)))}"
    told = _short([f"`{one}`" for one in candidates])
    return f"{len(candidates)} formulas give the grid's {axis} of {len(wanted)} launches equally well: {told}"


def _short(items: Sequence[object]) -> str:
    return ", ".join(map(str, items[:4])) + (", ..." if len(items) > 4 else "")


Values = tuple[int, ...]
Row = tuple[Formula, Values]


@dataclass(frozen=True)
class _Terms:
    """What formulas are made of, each with its values in all launches."""

    launches: tuple[Observed, ...]
    classes: dict[Atom, tuple[Atom, ...]] = field(init=False)
    """The extents and numbers that are told apart by some launch, each with those that never are."""

    def __post_init__(self) -> None:
        first, by_values = self.launches[0], dict[tuple[type, Values], list[Atom]]()
        extents = (Extent(name, axis) for name, shape in first.extents.items() for axis in range(len(shape)))
        for atom in [*extents, *map(Given, first.numbers)]:
            by_values.setdefault((type(atom), self.values(atom)), []).append(atom)
        object.__setattr__(self, "classes", {same[0]: tuple(same) for same in by_values.values()})

    def values(self, formula: Formula) -> Values:
        return tuple(formula.of(launch) for launch in self.launches)

    def rows(self, formulas: Iterable[Formula]) -> list[Row]:
        return [(formula, self.values(formula)) for formula in formulas]

    def numbers(self) -> list[Row]:
        return self.rows(atom for atom in self.classes if isinstance(atom, Given))

    def sizes(self) -> list[Row]:
        return self.rows(atom for atom in self.classes if isinstance(atom, Extent))

    def quotients(self) -> list[Row]:
        divisors = [(divisor, values) for divisor, values in self.numbers() if min(values) > 1]
        return self.rows(
            Ceiling(number, divisor)
            for number, _ in self.sizes() + self.numbers()
            for divisor, _ in divisors
            if number != divisor
        )

    def literal_quotients(self) -> list[Row]:
        return self.rows(Ceiling(number, Number(literal)) for number, _ in self.sizes() for literal in LITERALS)

    def factors(self) -> list[Row]:
        return [row for row in self.sizes() + self.numbers() + self.quotients() if max(row[1]) > 1]

    def waves(self) -> list[Row]:
        if any(launch.multiprocessors is None for launch in self.launches):
            return []
        one = Multiprocessors()
        return self.rows(one if count == 1 else Product((Number(count), one)) for count in WAVES)

    def equal_in(self, axes: Sequence[Formula]) -> tuple[tuple[Atom, Atom], ...]:
        """The atoms that stand for several in the formulas, each with the others."""
        used = {atom: None for axis in axes for atom in _atoms(axis)}
        return tuple((atom, other) for atom in used for other in self.classes[atom][1:])


def _atoms(formula: Formula) -> Iterator[Atom]:
    match formula:
        case Extent() | Given():
            yield formula
        case Ceiling(left, right) | Least(left, right):
            yield from _atoms(left)
            yield from _atoms(right)
        case Product(factors):
            for factor in factors:
                yield from _atoms(factor)


def _first_fitting(terms: _Terms, wanted: Values) -> list[Formula]:
    """The candidates of the first step in which one gives what is wanted."""
    for step in _steps(terms, wanted):
        if found := [formula for formula, values in step if values == wanted]:
            return found
    return []


def _steps(terms: _Terms, wanted: Values) -> Iterator[Iterable[Row]]:
    yield terms.rows([Number(1)])
    yield [*terms.sizes(), *terms.numbers(), *terms.waves()]
    yield terms.quotients()
    yield terms.literal_quotients()
    dividing = [row for row in terms.factors() if all(w % v == 0 for w, v in zip(wanted, row[1], strict=True) if v)]
    yield _products(dividing, 2)
    if len(dividing) <= MOST_FACTORS:
        yield _products(dividing, 3)
    yield from _limited(terms, wanted)
    yield terms.rows([Number(wanted[0])])


def _limited(terms: _Terms, wanted: Values) -> Iterator[Iterable[Row]]:
    """The smaller of a formula and so many blocks a multiprocessor; the formula at work in some launch, too."""
    single = [*terms.sizes(), *terms.numbers(), *terms.quotients()]
    factors = terms.factors()
    for step in (single, terms.literal_quotients(), _products(factors, 2), _few_products(factors)):
        yield _least(step, terms.waves(), wanted)


def _few_products(factors: Sequence[Row]) -> Iterable[Row]:
    return _products(factors, 3) if len(factors) <= MOST_FACTORS else ()


def _least(step: Iterable[Row], waves: Sequence[Row], wanted: Values) -> Iterator[Row]:
    for formula, values in step:
        for limit, most in waves:
            both = tuple(map(min, values, most))
            if both == wanted and both != most and both != values:
                yield Least(formula, limit), both


def _products(factors: Sequence[Row], count: int) -> Iterator[Row]:
    choose = combinations_with_replacement if count == 2 else combinations
    for chosen in choose(factors, count):
        product = [1] * len(chosen[0][1])
        for _, values in chosen:
            product = [whole * value for whole, value in zip(product, values, strict=True)]
        yield Product(tuple(formula for formula, _ in chosen)), tuple(product)
