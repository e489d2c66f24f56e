"""Facts that a launch must have, read from their sentences: `grid.y == 1`, `x.shape[1] <= 4096`.

`array(2)` is the array of that number in the parameter map. cutile states its own checks in its own words; `extent` is
of what the host lends, which is the whole array.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from ferrotile.core import Unsupported
from ferrotile.host.declaration import ArrayFacts, Facts, Relation, ScalarFacts, Slot

_ONE = Slot("One", "")
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
    sentences: tuple[str, ...], facts: Mapping[str, Facts], arrays: Sequence[str] = ()
) -> tuple[Relation, ...]:
    """The claims that a launch must check; `arrays`: the arguments that are arrays, by number.

    Raises: FT609 for a sentence that is none of these.
    """
    asked = [_in_our_words(sentence) for sentence in sentences if not _SHARED.fullmatch(sentence)]
    found = [_relation(_named(sentence, arrays), facts) for sentence in asked]
    return tuple({(one.terms, one.claim, one.divisor): one for one in found}.values())


def _named(sentence: str, arrays: Sequence[str]) -> str:
    """With the names of arguments for the numbers of arrays."""
    known = {str(number): name for number, name in enumerate(arrays)}
    return re.sub(r"\barray\((\d+)\)", lambda found: known.get(found[1], found[0]), sentence)


def _in_our_words(sentence: str) -> str:
    for pattern, said in _AS_CUTILE_SAYS:
        if (found := pattern.fullmatch(sentence)) is not None:
            return said(found)
    return sentence


class _Strange(Exception):
    """The sentence is no linear claim; never leaves this module."""


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


def _sum(tree: ast.expr, facts: Mapping[str, Facts]) -> Counter[Slot]:
    match tree:
        case ast.Constant(value=int(value)):
            return Counter({_ONE: value})
        case ast.BinOp(left, ast.Add(), right):
            return _plus(_sum(left, facts), _sum(right, facts))
        case ast.BinOp(left, ast.Sub(), right):
            return _minus(_sum(left, facts), _sum(right, facts))
        case ast.BinOp(ast.Constant(value=int(times)), ast.Mult(), right):
            return Counter({atom: times * count for atom, count in _sum(right, facts).items()})
    return Counter({_atom(tree, facts): 1})


def _atom(tree: ast.expr, facts: Mapping[str, Facts]) -> Slot:
    match tree:
        case ast.Attribute(ast.Name("grid"), axis) if axis in ("x", "y", "z"):
            return Slot("Grid", "", _AXES.index(axis))
        case ast.Name(name) if isinstance(facts.get(name), ScalarFacts):
            return Slot("Scalar", name)
        case ast.Subscript(ast.Attribute(ast.Name(name), part), ast.Constant(value=int(axis))):
            array = facts.get(name)
            if isinstance(array, ArrayFacts) and part in ("shape", "stride") and axis < len(array.axes):
                return Slot("Extent" if part == "shape" else "Stride", name, axis)
    raise _Strange


def _is_number(tree: ast.expr, value: int) -> bool:
    return isinstance(tree, ast.Constant) and tree.value == value


def _plus(left: Counter[Slot], right: Counter[Slot]) -> Counter[Slot]:
    both = Counter(left)
    both.update(right)
    return both


def _minus(left: Counter[Slot], right: Counter[Slot]) -> Counter[Slot]:
    both = Counter(left)
    both.subtract(right)
    return both


def _terms(sum_: Counter[Slot]) -> tuple[tuple[int, Slot], ...]:
    return tuple((times, atom) for atom, times in sum_.items() if times)
