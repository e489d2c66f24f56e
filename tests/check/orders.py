"""All small programs of stores that tokens order, and what comes after what in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from builder import Builder

from ferrotile import ir


@dataclass(frozen=True)
class Order:
    """For each store, the earlier ones whose tokens it takes, and whether a new token is joined to them."""

    after: tuple[tuple[int, ...], ...]
    has_new: bool

    def module(self) -> ir.Module:
        """The program: the store number `i` writes `i`."""
        k = Builder()
        (target,) = k.parameters("ptr<i32>")
        view = k.partition(k.array(target, [k.constant("i32", len(self.after))], [1]), [1])
        tokens = []
        for number, earlier in enumerate(self.after):
            taken = [tokens[other] for other in earlier] + ([k.token()] if self.has_new else [])
            token = k.join(*taken) if len(taken) > 1 else taken[0] if taken else None
            tokens.append(k.store(k.constant("1xi32", number), view, [k.constant("i32", number)], token))
        return k.module()


def orders(count: int) -> Iterator[Order]:
    """Every way in which some stores name earlier ones."""
    subsets = [[tuple(k for k in range(n) if bits >> k & 1) for bits in range(1 << n)] for n in range(count)]
    for after, has_new in product(product(*subsets), (False, True)):
        yield Order(after, has_new)


def closure(order: Order) -> frozenset[tuple[int, int]]:
    """Which store comes after which."""
    pairs = {(earlier, later) for later, named in enumerate(order.after) for earlier in named}
    for middle in range(len(order.after)):
        pairs |= {(a, d) for a, b in pairs if b == middle for c, d in pairs if c == middle}
    return frozenset(pairs)
