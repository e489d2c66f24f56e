"""Specializations of one kernel become one function: they agree on its arguments, and no two answer the same calls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ferrotile.core import InputError, Unsupported
from ferrotile.host.declaration import Argument, ArrayFacts, ConstantFacts, Facts, Kernel, Passed, ScalarFacts, Variant

MOST_ARGUMENTS = 64
MOST_PARAMETERS = 256
"""Limits of the Rust side, `launch.rs`."""


def kernels_of(variants: Iterable[Variant]) -> tuple[Kernel, ...]:
    """One kernel for each name, by name.

    Raises: FT603 an argument has no form in C; FT604 specializations of one kernel do not go together.
    """
    by_name: dict[str, list[Variant]] = {}
    for variant in variants:
        by_name.setdefault(variant.kernel, []).append(variant)
    return tuple(_kernel(name, found) for name, found in sorted(by_name.items()))


def _kernel(name: str, variants: Sequence[Variant]) -> Kernel:
    first = variants[0]
    for variant in variants:
        if list(variant.facts) != list(first.facts):
            raise _apart(first, variant, "take other parameters")
        if len(variant.facts) > MOST_ARGUMENTS or len(variant.slots) > MOST_PARAMETERS:
            raise Unsupported("FT603", f"`{variant.label}` has more than {MOST_ARGUMENTS} arguments")
    _require_distinct(variants)
    arguments = [_argument(argument, variants) for argument in first.facts]
    arguments.sort(key=lambda argument: argument.passed is not Passed.TENSOR)
    special_first = sorted(variants, key=lambda variant: (-variant.weight, variant.label, variant.capability))
    return Kernel(name, tuple(arguments), tuple(special_first))


def _require_distinct(variants: Sequence[Variant]) -> None:
    for index, variant in enumerate(variants):
        for other in variants[:index]:
            if variant.capability == other.capability and variant.answers_like(other):
                raise _apart(other, variant, "answer the same calls, so which one to launch would be a guess")


def _argument(name: str, variants: Sequence[Variant]) -> Argument:
    found = [variant.facts[name] for variant in variants]
    passed = {_passed(name, fact, variant) for fact, variant in zip(found, variants, strict=True)}
    is_constant = all(isinstance(fact, ConstantFacts) for fact in found)
    if passed <= {Passed.I64, Passed.BOOL} and is_constant and len(passed) == 2:
        passed = {Passed.I64}
    if len(passed) == 1:
        return Argument(name, passed.pop(), is_constant)
    other = next(v for v, fact in zip(variants, found, strict=True) if _passed(name, fact, v) is not Passed.TENSOR)
    raise _apart(variants[0] if other is not variants[0] else variants[-1], other, f"take `{name}` as other kinds")


def _passed(name: str, fact: Facts, variant: Variant) -> Passed:
    match fact:
        case ArrayFacts() | ConstantFacts(None):
            return Passed.TENSOR
        case ConstantFacts(bool()):
            return Passed.BOOL
        case ConstantFacts(float()):
            return Passed.F64
        case ConstantFacts(str()):
            return Passed.TEXT
        case ConstantFacts(int(value)) if -(1 << 63) <= value < 1 << 63:
            return Passed.I64
        case ScalarFacts(type_) if type_ in list(Passed):
            return Passed(type_)
    raise Unsupported("FT603", f"parameter `{name}` of `{variant.label}` has no form in C")


def _apart(one: Variant, other: Variant, why: str) -> InputError:
    return InputError("FT604", f"`{one.label}` and `{other.label}` are both `{one.kernel}`, but {why}")
