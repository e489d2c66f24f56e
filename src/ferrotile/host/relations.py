"""Facts that a proof assumes of a launch, read from their sentences: `grid.y == 1`, `x.shape[1] <= 4096`."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Mapping

from ferrotile.core import Unsupported
from ferrotile.host.declaration import ArrayFacts, Facts, Relation, ScalarFacts, Slot

_ONE = Slot("One", "")
_SHARED = re.compile(r"all lowered parameters for .* are given the same value")
"""Holds for every launch of ours: a parameter is packed by its role, and one role has one value."""


def relations_of(sentences: tuple[str, ...], facts: Mapping[str, Facts]) -> tuple[Relation, ...]:
    """The claims that a launch must check. Raises: FT609 for a sentence that is none of these."""
    return tuple(_relation(sentence, facts) for sentence in sentences if not _SHARED.fullmatch(sentence))


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
            return Slot("Grid", "", "xyz".index(axis))
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
