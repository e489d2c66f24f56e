"""Formulas of machine values, kept in a form in which equal sums of products with constants are the same tree.

A formula is an int (a constant) or a tuple: ("sum", width, constant, ((atom, factor), ...)), or an operation
(name, width, operand, ...). Two formulas are equal only if they are the same tree, so equality here is proof.
"""

from __future__ import annotations

from typing import Any

Formula = Any
"""An int or a nested tuple; see above."""
SHIFTS = ("shl", "sal", "shr", "sar")


_NEGATED = {"ne": "e", "ae": "b", "a": "be", "ge": "l", "g": "le", "ns": "s"}


class CannotRun(Exception):
    """An instruction, an address or a number of steps beyond the small machine."""


def operate(mnemonic: str, width: int, values: list[Formula]) -> Formula:
    if mnemonic in ("inc", "dec"):
        return added(width, values[0], 1 if mnemonic == "inc" else -1)
    if mnemonic == "neg":
        return scaled(width, values[0], -1)
    if mnemonic == "not":
        return added(width, scaled(width, values[0], -1), -1)
    if len(values) != 2:
        raise CannotRun(f"instruction `{mnemonic}`")
    left, right = values
    if mnemonic in ("add", "sub"):
        return added(width, left, right if mnemonic == "add" else scaled(width, right, -1))
    if mnemonic == "and":
        return conjunction(left, right, width)
    if mnemonic == "xor" and left == right:
        return 0
    if mnemonic == "imul":
        return product(width, left, right)
    if mnemonic in ("shl", "sal") and isinstance(right, int):
        return scaled(width, left, 1 << (right & (63 if width == 64 else 31)))
    return plain(mnemonic, width, left, right)


def plain(mnemonic: str, width: int, left: Formula, right: Formula) -> Formula:
    shift = right & (63 if width == 64 else 31) if isinstance(right, int) else None
    if isinstance(left, int) and isinstance(right, int) and shift is not None:
        folded = {"or": left | right, "xor": left ^ right, "shr": left >> shift, "sar": signed(left, width) >> shift}
        if mnemonic in folded:
            return folded[mnemonic] & mask(width)
    if mnemonic in ("or", "xor"):
        return left if right == 0 else right if left == 0 else (mnemonic, width, *sorted((left, right), key=repr))
    if mnemonic in ("shr", "sar", "shl"):
        return left if shift == 0 else (mnemonic, width, left, right)
    raise CannotRun(f"instruction `{mnemonic}`")


def product(width: int, left: Formula, right: Formula) -> Formula:
    if isinstance(right, int):
        return scaled(width, left, right)
    if isinstance(left, int):
        return scaled(width, right, left)
    return ("mul", width, *sorted((left, right), key=repr))


def conjunction(left: Formula, right: Formula, width: int) -> Formula:
    if isinstance(left, int) and isinstance(right, int):
        return left & right
    if left == right or right == mask(width):
        return left
    if left == mask(width):
        return right
    return 0 if 0 in (left, right) else ("and", width, *sorted((left, right), key=repr))


def terms_of(width: int, value: Formula) -> tuple[int, tuple[tuple[Formula, int], ...]]:
    if isinstance(value, int):
        return value & mask(width), ()
    if value[0] == "sum" and value[1] == width:
        return value[2], value[3]
    return 0, ((value, 1),)


def added(width: int, left: Formula, right: Formula) -> Formula:
    (a, left_terms), (b, right_terms) = terms_of(width, left), terms_of(width, right)
    factors: dict[Formula, int] = dict(left_terms)
    for atom, factor in right_terms:
        factors[atom] = (factors.get(atom, 0) + factor) & mask(width)
    return made_sum(width, (a + b) & mask(width), factors)


def scaled(width: int, value: Formula, factor: int) -> Formula:
    constant, terms = terms_of(width, value)
    return made_sum(width, constant * factor & mask(width), {atom: f * factor & mask(width) for atom, f in terms})


def made_sum(width: int, constant: int, factors: dict[Formula, int]) -> Formula:
    terms = tuple(sorted(((atom, factor) for atom, factor in factors.items() if factor), key=repr))
    if not terms:
        return constant
    return terms[0][0] if constant == 0 and len(terms) == 1 and terms[0][1] == 1 else ("sum", width, constant, terms)


def cut(value: Formula, width: int) -> Formula:
    """The low bits of a 64-bit formula."""
    if width == 64:
        return value
    if isinstance(value, int):
        return value & mask(width)
    if value[0] in ("zero-extended", "inserted") and value[2] == width:
        return value[-1]
    return ("cut", width, value)


def zero_extended(value: Formula, width: int, to: int) -> Formula:
    if isinstance(value, int):
        return value
    return value if width == to else ("zero-extended", to, width, value)


def sign_extended(value: Formula, width: int, to: int) -> Formula:
    if isinstance(value, int):
        return signed(value, width) & mask(to)
    return value if width == to else ("sign-extended", to, width, value)


def inserted(old: Formula, value: Formula, width: int) -> Formula:
    """A 64-bit formula whose low bits were replaced."""
    if isinstance(old, int):
        high = old & ~mask(width)
        if isinstance(value, int):
            return high | value
        return zero_extended(value, width, 64) if high == 0 else ("or", 64, high, zero_extended(value, width, 64))
    return ("inserted", 64, width, old, value)


def mask(width: int) -> int:
    return (1 << width) - 1


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def first_difference(a: Formula, b: Formula) -> tuple[str, str] | None:
    """The first store, condition or result in which two meanings differ, as short text."""
    if a[0] != b[0]:
        return a[0], b[0]
    if a[0] == "if":
        if a[1] != b[1]:
            return f"if {shown(a[1])}", f"if {shown(b[1])}"
        return first_difference(a[2], b[2]) or first_difference(a[3], b[3])
    if a[1] != b[1]:
        return f"return {shown(a[1])}", f"return {shown(b[1])}"
    ours, theirs = ({(name, size): value for name, size, value in leaf[2]} for leaf in (a, b))
    for key in sorted({*ours, *theirs}):
        if ours.get(key) != theirs.get(key):
            return f"{key[0]} = {shown(ours.get(key))}", f"{key[0]} = {shown(theirs.get(key))}"
    return None


def shown(value: Formula) -> str:
    """A formula as text."""
    if value is None or isinstance(value, (bool, int)):
        return "nothing" if value is None else str(value) if isinstance(value, bool) else f"{value:#x}"
    if value[0] in ("argument", "initial"):
        return value[2]
    if value[0] == "sum":
        parts = [
            f"{shown(atom)}" if factor == 1 else f"{signed(factor, value[1])}*{shown(atom)}"
            for atom, factor in value[3]
        ]
        constant = [str(signed(value[2], value[1]))] if value[2] else []
        return "(" + " + ".join(parts + constant) + ")"
    if value[0] in ("zero-extended", "sign-extended"):
        return shown(value[-1])
    keeps_word = value[0] in ("not", "is")
    operands = value[1:] if keeps_word else value[2:]
    return f"{value[0]}({', '.join(part if isinstance(part, str) else shown(part) for part in operands)})"


def condition_of(suffix: str, flags: tuple[str, int, Formula, Formula] | None) -> Formula:
    """The truth of a condition code: a bool, or a formula; negated codes are written with `not`."""
    suffix = {"z": "e", "nz": "ne", "c": "b", "nc": "ae", "nb": "ae", "na": "be"}.get(suffix, suffix)
    if suffix in _NEGATED:
        inner = condition_of(_NEGATED[suffix], flags)
        return (not inner) if isinstance(inner, (bool, int)) else inner[1] if inner[0] == "not" else ("not", inner)
    if (
        flags is None
        or (flags[0] == "result" and suffix not in ("e", "s"))
        or suffix not in ("e", "b", "be", "l", "le", "s")
    ):
        raise CannotRun(f"condition `{suffix}`")
    kind, width, left, right = flags
    if suffix == "s":
        left, right, suffix = (added(width, left, scaled(width, right, -1)) if kind == "compare" else left), 0, "l"
    if isinstance(left, int) and isinstance(right, int):
        is_signed = suffix in ("l", "le")
        a, b = (signed(left, width), signed(right, width)) if is_signed else (left, right)
        return {"e": a == b, "b": a < b, "be": a <= b, "l": a < b, "le": a <= b}[suffix]
    return ("is", suffix, width, left, right)


def decided(condition: Formula, known: dict[Formula, bool]) -> Formula:
    """A condition, or what an earlier branch on this path made of it."""
    if isinstance(condition, (bool, int)):
        return condition
    if condition[0] == "not":
        return not known[condition[1]] if condition[1] in known else condition
    return known.get(condition, condition)
