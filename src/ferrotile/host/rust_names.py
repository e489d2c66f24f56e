"""Arguments of an exported function as a Rust caller sees them."""

from __future__ import annotations

from ferrotile.host.declaration import Argument, ArrayFacts, ConstantFacts, Kernel

_TAKEN = frozenset(
    """stream grid words multiprocessors as async await box break const continue crate dyn else enum extern false fn
    for if impl in let loop match mod move mut pub ref return self static struct super trait true type unsafe use where
    while call launch launch_on blocks ceiling word require_equal""".split()
)


def rust_parameter(name: str) -> str:
    """The name of an argument: its own, unless Rust or the function has taken it."""
    return f"{name}_" if name in _TAKEN else name


def is_written(argument: Argument, kernel: Kernel) -> bool:
    """Whether some specialization writes to an array."""
    facts = (variant.facts[argument.name] for variant in kernel.variants)
    return any(isinstance(fact, ArrayFacts) and fact.is_written for fact in facts)


def is_optional(argument: Argument, kernel: Kernel) -> bool:
    """Whether some specialization was compiled for no array there."""
    return any(variant.facts[argument.name] == ConstantFacts(None) for variant in kernel.variants)
