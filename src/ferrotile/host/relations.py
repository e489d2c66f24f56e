"""Facts that a launch must have, read from their sentences: `grid.y == 1`, `grid.x <= ceil(x.shape[1] / 128) * n`.

`array(2)` is the array of that number in the parameter map, `scalar(0)` such a scalar. cutile states its own checks in
its own words; `extent` is of what the host lends, which is the whole array.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from ferrotile.core import Unsupported
from ferrotile.host.declaration import ArrayFacts, Factor, Facts, Relation, ScalarFacts, Slot

_ONE: tuple[Factor, ...] = ()
_AXES = "xyz"
_SHARED = re.compile(r"all lowered parameters for .* are given the same value")
"""Holds for every launch of ours: a parameter is packed by its role, and one role has one value."""


def _tiles_fit(found: re.Match[str]) -> str:
    tile, grid, shape = int(found[4]), f"grid.{_AXES[int(found[1])]}", f"{found[2]}.shape[{found[3]}]"
    return f"{grid} <= {shape}" if tile == 1 else f"{tile} * {grid} <= {shape} + {tile - 1}"


_AS_CUTILE_SAYS = (
    (re.compile(r"`num_tile_blocks\(([0-2])\) <= ceil\(extent\((\w+), (\d+)\)/(\d+)\)`( at .*)?"), _tiles_fit),
    (re.compile(r"`partition access on axis (\d+) of `(\w+)` requires a non-empty extent`( at .*)?"),
     lambda found: f"{found[2]}.shape[{found[1]}] > 0"),
)  # fmt: skip


def relations_of(
    sentences: tuple[str, ...], facts: Mapping[str, Facts], arrays: Sequence[str] = (), scalars: Sequence[str] = ()
) -> tuple[Relation, ...]:
    """The claims that a launch must check; `arrays`, `scalars`: the arguments that are these, by number.

    Raises: FT609 for a sentence that is none of these, or is of numbers that a kernel may read as negative ones.
    """
    asked = [_in_our_words(sentence) for sentence in sentences if not _SHARED.fullmatch(sentence)]
    found = [_relation(_named(sentence, arrays, scalars), facts) for sentence in asked]
    return tuple({(one.terms, one.claim, one.divisor): one for one in found}.values())


def _named(sentence: str, arrays: Sequence[str], scalars: Sequence[str]) -> str:
    """With the names of arguments for the numbers of arrays and scalars."""
    known = {f"array({number})": name for number, name in enumerate(arrays)}
    known |= {f"scalar({number})": name for number, name in enumerate(scalars)}
    return re.sub(r"\b(?:array|scalar)\(\d+\)", lambda found: known.get(found[0], found[0]), sentence)


def _in_our_words(sentence: str) -> str:
    for pattern, said in _AS_CUTILE_SAYS:
        if (found := pattern.fullmatch(sentence)) is not None:
            return said(found)
    return sentence


_SIGNED = ("i8", "i16", "i32", "i64")
"""Types of numbers that are to a kernel what they are to its caller: Tile IR reads those without a sign as signed."""
_MOST_TIMES = 2**63 - 1
"""As the checks of a library hold it."""

Sum = Counter[tuple[Factor, ...]]
"""Products of factors in the order of their names, and how many times each counts."""


class _Strange(Exception):
    """The sentence is no claim on sums of products; never leaves this module."""


def _relation(sentence: str, facts: Mapping[str, Facts]) -> Relation:
    try:
        tree = ast.parse(sentence, mode="eval").body
        if not isinstance(tree, ast.Compare) or len(tree.ops) != 1:
            raise _Strange
        return _compared(sentence, tree, facts)
    except (_Strange, SyntaxError):
        raise Unsupported("FT609", f"a launch must see to `{sentence}`, which no check is made of") from None


def _compared(sentence: str, tree: ast.Compare, facts: Mapping[str, Facts]) -> Relation:
    right, left, op = tree.comparators[0], tree.left, tree.ops[0]
    if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod):
        divisor = left.right
        if not (isinstance(op, ast.Eq) and _is_number(right, 0) and isinstance(divisor, ast.Constant)):
            raise _Strange
        if not isinstance(divisor.value, int) or divisor.value < 1:
            raise _Strange
        return Relation(sentence, _terms(_sum(left.left, facts)), "DivisibleBy", divisor.value)
    low, high = _sum(left, facts), _sum(right, facts)
    one = Counter({_ONE: 1})
    match op:
        case ast.Eq():
            return Relation(sentence, _terms(_minus(low, high)), "Zero")
        case ast.NotEq():
            return Relation(sentence, _terms(_minus(low, high)), "NotZero")
        case ast.Lt():
            return Relation(sentence, _terms(_minus(high, low)), "Positive")
        case ast.LtE():
            return Relation(sentence, _terms(_plus(_minus(high, low), one)), "Positive")
        case ast.Gt():
            return Relation(sentence, _terms(_minus(low, high)), "Positive")
        case ast.GtE():
            return Relation(sentence, _terms(_plus(_minus(low, high), one)), "Positive")
    raise _Strange


def _sum(tree: ast.expr, facts: Mapping[str, Facts]) -> Sum:
    match tree:
        case ast.Constant(value=int(value)):
            return Counter({_ONE: value})
        case ast.BinOp(left, ast.Add(), right):
            return _plus(_sum(left, facts), _sum(right, facts))
        case ast.BinOp(left, ast.Sub(), right):
            return _minus(_sum(left, facts), _sum(right, facts))
        case ast.BinOp(left, ast.Mult(), right):
            return _product(_sum(left, facts), _sum(right, facts))
        case ast.Call(ast.Name("ceil"), [ast.BinOp(whole, ast.Div(), ast.Constant(value=int(size)))]) if size > 0:
            return Counter({(Factor(_atom(whole, facts), size),): 1})
    return Counter({(Factor(_atom(tree, facts)),): 1})


def _atom(tree: ast.expr, facts: Mapping[str, Facts]) -> Slot:
    match tree:
        case ast.Attribute(ast.Name("grid"), axis) if axis in ("x", "y", "z"):
            return Slot("Grid", "", _AXES.index(axis))
        case ast.Subscript(ast.Attribute(ast.Name() | ast.Call() as named, part), ast.Constant(value=int(axis))):
            array = facts.get(name := ast.unparse(named))
            is_known = isinstance(array, ArrayFacts) and array.index in _SIGNED and axis < len(array.axes)
            if is_known and part in ("shape", "stride"):
                return Slot("Extent" if part == "shape" else "Stride", name, axis)
        case ast.Name() | ast.Call():
            scalar = facts.get(name := ast.unparse(tree))
            if isinstance(scalar, ScalarFacts) and scalar.type in _SIGNED:
                return Slot("Scalar", name)
    raise _Strange


def _is_number(tree: ast.expr, value: int) -> bool:
    return isinstance(tree, ast.Constant) and tree.value == value


def _product(left: Sum, right: Sum) -> Sum:
    both: Sum = Counter()
    for first, times in left.items():
        for second, more in right.items():
            both[tuple(sorted((*first, *second), key=repr))] += times * more
    return both


def _plus(left: Sum, right: Sum) -> Sum:
    both = Counter(left)
    both.update(right)
    return both


def _minus(left: Sum, right: Sum) -> Sum:
    both = Counter(left)
    both.subtract(right)
    return both


def _terms(sum_: Sum) -> tuple[tuple[int, tuple[Factor, ...]], ...]:
    if any(abs(times) > _MOST_TIMES for times in sum_.values()):
        raise _Strange
    return tuple((times, factors) for factors, times in sum_.items() if times)
