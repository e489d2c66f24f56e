"""What a mutation is, and the table of all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.ir import Operation

Mutate = Callable[[Operation], bool]
"""Changes an operation and says so; leaves it alone if the mutation does not apply."""


@dataclass(frozen=True)
class Mutation:
    """One kind of mutation, and which kinds of difference check may call it.

    `around`: it shows where operands of the operation are made, or its results used.
    """

    name: str
    mutate: Mutate
    kinds: tuple[str, ...]
    around: bool = False


MUTATIONS: list[Mutation] = []


def mutation(name: str, *kinds: str, around: bool = False) -> Callable[[Mutate], Mutate]:
    """Enter a mutation into the table."""

    def enter(mutate: Mutate) -> Mutate:
        MUTATIONS.append(Mutation(name, mutate, kinds, around))
        return mutate

    return enter


def is_a(op: Operation, *names: str) -> bool:
    """Whether an operation has one of these names."""
    return op.name.removeprefix("cuda_tile.") in names


def attribute(op: Operation, name: str) -> object:
    """An attribute, or `None` if the operation does not have it."""
    value = op.properties.get(name)
    return value.data if value is not None else None
