"""Expressions that compute element by element, and matrix products: Python text with a type and a shape."""

from __future__ import annotations

from fuzzing.forms import converts, tile, value
from fuzzing.kinds import (
    ALL,
    BF16,
    BOOL,
    E4M3,
    E5M2,
    F16,
    F32,
    F64,
    FLOATS,
    I8,
    I32,
    INTS,
    NARROW,
    TF32,
    U8,
    Kind,
    mixes,
    promoted,
)  # fmt: skip
from fuzzing.scope import LANES, Scope, Shape, lanes


def narrower(scope: Scope, shape: Shape) -> Shape:
    """A shape that broadcasts to `shape`."""
    way = scope.upto(5)
    if way < 3 or not shape:
        return shape
    if way == 3:
        return shape[scope.upto(len(shape)) :]
    axis = scope.upto(len(shape) - 1)
    return (*shape[:axis], 1, *shape[axis + 1 :])


def operand(scope: Scope, kind: Kind, shape: Shape, *, loose: bool = True) -> str:
    """The other operand: of the same shape or one that broadcasts, of a lower type, or (`loose`) a number."""
    way = scope.upto(9)
    if way < 3 and loose:
        return value(scope, kind)
    if way == 9 and kind.group in ("int", "float"):
        lower = [other for other in ALL if other != kind and mixes(other, kind) and promoted(other, kind) == kind]
        return tile(scope, scope.pick(lower), narrower(scope, shape)) if lower else value(scope, kind)
    return tile(scope, kind, narrower(scope, shape))


def binary(scope: Scope, kind: Kind, shape: Shape) -> str:
    """Operators between two of the same type."""
    left = tile(scope, kind, shape)
    sign = scope.pick("+ - * & | ^".split() if kind.group == "int" else "+ - * /".split())
    right = operand(scope, kind, shape)
    if kind.group == "int" and sign in "&|^" and not _is_number(right):
        right = tile(scope, kind, narrower(scope, shape))
    return f"({left} {sign} {right})" if not scope.one_in(8) or sign == "/" else f"({right} {sign} {left})"


def _is_number(text: str) -> bool:
    return text.lstrip("-").isdigit()


def product_sum(scope: Scope, kind: Kind, shape: Shape) -> str:
    """What the front end fuses: a product plus or minus something."""
    product = f"{tile(scope, kind, shape)} * {operand(scope, kind, shape)}"
    other = operand(scope, kind, shape)
    return scope.pick([f"({product} + {other})", f"({product} - {other})", f"({other} - {product})"])


def divided(scope: Scope, kind: Kind, shape: Shape) -> str:
    """Division and shifts of integers; divisors are not zero, amounts are inside the width, but for a few."""
    left = tile(scope, kind, shape)
    signs = ["//", "%", "<<", ">>", "cdiv"] if kind.signed else ["%", "<<", ">>", "cdiv", "%", "<<", ">>"]
    sign = scope.pick(signs)
    if sign in ("<<", ">>"):
        amount = scope.pick([str(1 + scope.upto(kind.bits - 2)), f"({tile(scope, kind, shape)} & {kind.bits - 1})"])
        return f"({left} {sign} {amount})"
    divisor = scope.pick([str(2 + scope.upto(9)), f"({tile(scope, kind, narrower(scope, shape))} | 1)"])
    return f"ct.cdiv({left}, {divisor})" if sign == "cdiv" else f"({left} {sign} {divisor})"


def extreme(scope: Scope, kind: Kind, shape: Shape) -> str:
    """Minimum and maximum."""
    name = scope.pick(["ct.maximum", "ct.minimum", "max", "min"])
    return f"{name}({tile(scope, kind, shape)}, {operand(scope, kind, shape)})"


def unary(scope: Scope, kind: Kind, shape: Shape) -> str:
    """One operand."""
    inner = tile(scope, kind, shape)
    if kind.group == "float":
        names = "-{} abs({}) ct.sqrt({}) ct.floor({}) ct.ceil({}) ct.exp({}) ct.exp2({}) ct.rsqrt({}) ct.log({}) \
            ct.log2({}) ct.sin({}) ct.cos({}) ct.tanh({}) ct.negative({}) ct.tan({}) ct.sinh({}) ct.cosh({})".split()
        return f"({scope.pick(names).format(inner)})"
    names = ["-{}", "~{}", "abs({})", "ct.bitwise_not({})"] if kind.signed else ["~{}", "-{}"]
    return f"({scope.pick(names).format(inner)})"


def rounded(scope: Scope, kind: Kind, shape: Shape) -> str:
    """Float operations with a rounding mode, flushing, or an accuracy."""
    left, right = tile(scope, kind, shape), tile(scope, kind, shape)
    mode = f"rounding_mode=ct.RoundingMode.{scope.pick(['RZ', 'RM', 'RP', 'RN'])}"
    flush = ", flush_to_zero=True" if kind == F32 and scope.one_in(2) else ""
    forms = [f"ct.{scope.pick(['add', 'sub', 'mul'])}({left}, {right}, {mode}{flush})", f"ct.truediv({left}, {right})"]
    if kind == F32:
        approx = f"rounding_mode=ct.RoundingMode.{scope.pick(['APPROX', 'FULL'])}"
        forms += [f"ct.truediv({left}, {right}, {approx}{flush})", f"ct.exp2({left}, flush_to_zero=True)"]
        forms += [f"ct.sqrt({left}, {mode})", f"ct.maximum({left}, {right}, flush_to_zero=True)"]
    forms += [f"ct.minimum({left}, {right}, propagate_nan=True)", f"({left} ** {2 + scope.upto(2)})"]
    forms += [f"ct.atan2({left}, {right})", f"({left} % {right})", f"({left} // {right})", f"({left} ** {right})"]
    return scope.pick(forms)


def choice(scope: Scope, kind: Kind, shape: Shape) -> str:
    """`ct.where`; of scalars also a conditional expression."""
    a, b = tile(scope, kind, shape), tile(scope, kind, narrower(scope, shape))
    if not shape and scope.one_in(2):
        return f"({a} if {tile(scope, BOOL, ())} else {tile(scope, kind, ())})"
    return f"ct.where({tile(scope, BOOL, narrower(scope, shape))}, {a}, {b})"


def converted(scope: Scope, kind: Kind, shape: Shape) -> str | None:
    """From another type."""
    source = scope.pick([other for other in ALL if converts(other, kind)])
    inner = tile(scope, source, shape)
    return f"ct.astype({inner}, {kind})" if scope.one_in(4) else f"{inner}.astype({kind})"


def same_bits(scope: Scope, kind: Kind, shape: Shape) -> str | None:
    """`ct.bitcast`."""
    others = [other for other in (*INTS, *FLOATS) if other.bits == kind.bits and other != kind and kind != BOOL]
    return f"ct.bitcast({tile(scope, scope.pick(others), shape)}, {kind})" if others and kind not in NARROW else None


def compared(scope: Scope, kind: Kind, shape: Shape) -> str:
    """A comparison."""
    other = scope.pick([*INTS, *FLOATS])
    sign = scope.pick("< <= > >= == !=".split())
    if other.is_float and scope.one_in(6):
        return f"ct.isnan({tile(scope, other, shape)})"
    return f"({tile(scope, other, shape)} {sign} {operand(scope, other, shape)})"


def logical(scope: Scope, kind: Kind, shape: Shape) -> str:
    """Connectives of truth values: operators on tiles, words on scalars too."""
    a = tile(scope, BOOL, shape)
    if not shape and scope.one_in(2):
        b = tile(scope, BOOL, ())
        return scope.pick([f"({a} and {b})", f"({a} or {b})", f"(not {a})"])
    b = tile(scope, BOOL, narrower(scope, shape))
    # `~` of a constant scalar is true all the same: P7 of FOUND.md.
    inverse = f"(~{a})" if shape else f"(not {a})"
    return scope.pick([f"({a} & {b})", f"({a} | {b})", f"({a} ^ {b})", inverse])


def called(scope: Scope, kind: Kind, shape: Shape) -> str | None:
    """A call of a helper."""
    fitting = [helper for helper in scope.helpers if (helper.kind, helper.shape) == (kind, shape)]
    if not fitting or scope.in_helper:
        return None
    helper = scope.pick(fitting)
    return f"{helper.text}({', '.join(tile(scope, *parameter) for parameter in helper.parameters)})"


MMA = {
    F32: ((F16, F16), (BF16, BF16), (F32, F32), (TF32, TF32), (E4M3, E4M3), (E5M2, E5M2)),
    F16: ((F16, F16), (E4M3, E4M3)), F64: ((F64, F64),), I32: ((I8, I8), (U8, U8), (I8, U8), (U8, I8)),
}  # fmt: skip


def product(scope: Scope, kind: Kind, shape: Shape) -> str | None:
    """A matrix product."""
    if len(shape) < 2 or kind not in MMA:
        return None
    left, right = scope.pick(MMA[kind])
    inner, (*batch, rows, columns) = 1 << (1 + scope.upto(3)), shape
    if lanes(shape) * inner > 16 * LANES:
        return None
    a, b = tile(scope, left, (*batch, rows, inner)), tile(scope, right, (*batch, inner, columns))
    if left == right == kind and scope.one_in(3):
        return f"({a} @ {b})"
    return f"ct.mma({a}, {b}, {tile(scope, kind, shape)})"
