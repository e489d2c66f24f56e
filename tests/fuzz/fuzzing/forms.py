"""The grammar's engine: for a type and a shape, draw one of the forms that can give it, or a leaf."""

from __future__ import annotations

from collections.abc import Callable

from fuzzing.kinds import BOOL, F32, FLOATS, INTS, NARROW, TF32, Kind
from fuzzing.scope import Scope, Shape

Form = Callable[[Scope, Kind, Shape], str | None]
FORMS: dict[str, tuple[Form, ...]] = {}
"""Forms by group of types, and `leaf`: those that need nothing else. `author` fills it; the forms use `tile`."""

NESTING = 3
"""How deep forms stand inside each other."""

FLOAT_NUMBERS = ("1.0", "2.0", "0.5", "0.0", "-1.0", "3.0", "-0.25", "0.1", "1e-3", "100.0", "-0.0")


def tile(scope: Scope, kind: Kind, shape: Shape) -> str:
    """An expression with this type and shape."""
    scope.budget -= 1
    if scope.budget > 0 and scope.nesting < NESTING and not scope.one_in(4):
        scope.nesting += 1
        found = scope.pick(FORMS[kind.group])(scope, kind, shape)
        scope.nesting -= 1
        if found is not None:
            return found
    return leaf(scope, kind, shape)


def leaf(scope: Scope, kind: Kind, shape: Shape) -> str:
    """A variable, something loaded, or a constant tile."""
    names = scope.known(kind, shape)[:4]
    if names and not scope.one_in(6):
        return scope.pick(names).text
    if scope.one_in(3):
        return constant(scope, kind, shape)
    if not scope.in_helper and scope.one_in(2):
        found = scope.pick(FORMS["leaf"])(scope, kind, shape)
        if found is not None:
            return found
    others = [name for name in scope.known(None, shape)[:6] if converts(name.kind, kind)]
    if others:
        return f"{scope.pick(others).text}.astype({kind})"
    return constant(scope, kind, shape)


def constant(scope: Scope, kind: Kind, shape: Shape) -> str:
    """`ct.full`, `ct.zeros`, `ct.arange` and the like."""
    if len(shape) == 1 and kind in (*INTS, F32) and shape[0] > 1 and scope.one_in(2):
        steps = scope.pick(["", "", f", start={scope.upto(5)}", f", start={scope.upto(3)}, step={1 + scope.upto(2)}"])
        return f"ct.arange({scope.number(shape[0])}, dtype={kind}{steps})"
    if kind == TF32 and not scope.one_in(8):
        # Most go another way: constants of this type are a failure that is known.
        return f"{constant(scope, F32, shape)}.astype({kind})"
    form = scope.pick(["ct.full", "ct.zeros", "ct.ones"])
    if form != "ct.full":
        return f"{form}({scope.tuple(shape)}, {kind})"
    return f"ct.full({scope.tuple(shape)}, {value(scope, kind)}, {kind})"


def value(scope: Scope, kind: Kind) -> str:
    """A number that fits a type."""
    if kind == BOOL:
        return scope.pick(["True", "False"])
    if kind.is_float:
        return scope.pick(FLOAT_NUMBERS[: 7 if kind in NARROW else None])
    low, high = (-(1 << kind.bits - 1), (1 << kind.bits - 1) - 1) if kind.signed else (0, (1 << kind.bits) - 1)
    return str(scope.pick([1, 2, 0, 3, 5, 7, 100, high, low, max(low, -1), max(low, -3), high // 2 + 1, high // 3]))


def converts(source: Kind, kind: Kind) -> bool:
    """Whether `astype` is meant between these: what cuda.tile or the language leaves undefined is left out."""
    if source == kind:
        return False
    if kind in NARROW or source in NARROW:
        return {source, kind} & set(FLOATS) != set()
    return not (kind == BOOL and source.is_float)
