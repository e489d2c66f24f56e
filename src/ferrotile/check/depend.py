"""What the numbers of a value graph are made of, and which of a loop's carried values they depend on.

A loop binds the carried values, the index and the events of its depth: what stands for the loop as a whole, or for
one of its results, depends on none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from ferrotile.check.kernel import Interner

Key = tuple[Any, ...]
Slice = frozenset[tuple[int, tuple[int, ...]]]
"""Carried values of a loop that go on by way of each other: the number of each, and what each `continue` passes on."""


def parts(key: Key) -> Iterable[int]:
    """The numbers that a key is made of. Raises: KeyError for a kind of key that has no row in `PARTS`."""
    return key[1:] if isinstance(key[0], int) else PARTS[key[0]](key)


def atoms_of(digest: Iterable[Any]) -> Iterator[int]:
    """The events of a block, from what the graph keeps of the block."""
    return chain.from_iterable(segment for segment in digest if isinstance(segment, frozenset))


def _nothing(key: Key) -> tuple[int, ...]:
    return ()


def _first(key: Key) -> tuple[int, ...]:
    return (key[1],)


def _event(key: Key) -> Iterator[int]:
    *_, (before, _), operands = key
    return chain(before or (), operands)


def _occurrence(key: Key) -> Iterator[int]:
    return chain((item[0] for item in key[1] if isinstance(item, tuple)), (key[2],))


def _if(key: Key) -> Iterator[int]:
    return chain((key[2],), *map(atoms_of, key[3:]))


def _if_value(key: Key) -> Iterator[int]:
    return (number for number in key[1:] if number is not None)


def _if_token(key: Key) -> Iterator[int]:
    return chain(_if_value(key[:3]), key[3], key[4])


def _fold(key: Key) -> Iterator[int]:
    *_, operands, yielded, digest = key
    return chain(operands, yielded, atoms_of(digest))


def _loop(key: Key) -> Iterator[int]:
    *_, bounds, passed, digest = key
    return chain(bounds, _passed(passed), atoms_of(digest))


def _after(key: Key) -> Iterator[int]:
    *_, owner, given, passed = key
    return chain((owner,), given, _passed(passed))


def _passed(passed: Slice) -> Iterator[int]:
    return chain.from_iterable((leaf, *given) for leaf, given in passed)


PARTS: dict[str, Callable[[Key], Iterable[int]]] = {
    "parameter": _nothing,
    "constant": _nothing,
    "unreachable": _nothing,
    "body": _nothing,
    "index": _nothing,
    "dropped": _nothing,
    "carried": lambda key: (key[3],),
    "result": _first,
    "splat": _first,
    "reshape": _first,
    "broadcast": _first,
    "facts": _first,
    "order": lambda key: key[1],
    "exti": lambda key: (key[3],),
    "event": _event,
    "occurrence": _occurrence,
    "if": _if,
    "if-value": _if_value,
    "if-token": _if_token,
    "kernel": lambda key: atoms_of(key[2]),
    "fold": _fold,
    "for": _loop,
    "loop": _loop,
    "after": _after,
}
"""By the first item of a key: the numbers in it."""


class Dependence:
    """Says on which carried values numbers depend. Each number is made of smaller ones."""

    def __init__(self, interner: Interner) -> None:
        self.interner = interner
        self.depths: list[int] = []

    def is_within(self, number: int, depth: int) -> bool:
        """Whether a number may be another one in each iteration of the loop at a depth."""
        for key in self.interner.keys[len(self.depths) : number + 1]:
            self.depths.append(self._depths(key))
        return bool(self.depths[number] >> depth & 1)

    def _depths(self, key: Key) -> int:
        """The depths of the loops that a number depends on, as bits."""
        found = 0
        for number in parts(key):
            found |= self.depths[number]
        match key[0]:
            case "carried" | "index" | "dropped":
                found |= 1 << key[1]
            case "occurrence":
                for item in key[1]:
                    found |= 1 << item if isinstance(item, int) else 0
            case "for" | "loop" | "after":
                found &= (1 << key[1]) - 1
        return found

    def carried(self, roots: Iterable[int], depth: int) -> set[int]:
        """The carried values, of the loop at a depth, that some numbers depend on."""
        found: set[int] = set()
        seen: set[int] = set()
        todo = list(roots)
        while todo:
            number = todo.pop()
            if number in seen or not self.is_within(number, depth):
                continue
            seen.add(number)
            key = self.interner.keys[number]
            if key[0] == "carried" and key[1] == depth:
                found.add(number)
            else:
                todo.extend(parts(key))
        return found

    def read_by_loop(self, root: int) -> dict[int, set[int]]:
        """For each loop, or the event that it is, the carried values that a number depends on in the end."""
        found: dict[int, set[int]] = {}
        seen: set[int] = set()
        todo = [root]
        while todo:
            number = todo.pop()
            if number in seen:
                continue
            seen.add(number)
            key = self.interner.keys[number]
            if key[0] in ("for", "loop"):
                found.setdefault(number, set()).update(leaf for leaf, _ in key[-2])
            elif key[0] == "after":
                found.setdefault(key[2], set()).update(leaf for leaf, _ in key[-1])
            todo.extend(parts(key))
        return found
