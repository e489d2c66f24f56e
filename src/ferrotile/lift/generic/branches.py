"""What a block of a merged kernel is written as: statements of all members, and chains of `if` for the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ferrotile.lift.generic.bind import Merged, Use
from ferrotile.lift.generic.merge import Members, Node, walk
from ferrotile.lift.generic.tokens import Kind


@dataclass(frozen=True, slots=True)
class Branch:
    """What some members do; the chain's choices follow from it."""

    members: Members
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Chain:
    """An `if` with a branch for every member of its block; `choices` are the variables that it gives."""

    branches: tuple[Branch, ...]
    choices: tuple[Node, ...]


def items(merged: Merged, nodes: Sequence[Node], whole: Members) -> Iterator[Node | Chain]:
    """The statements of a block and the chains between them."""
    run: list[Node] = []
    choices: list[Node] = []
    for node in nodes:
        if not node.members & whole:
            continue
        if node.choices is not None and node.members >= whole:
            choices.append(node)
            continue
        is_whole = node.members >= whole
        if choices or (run and is_whole):
            yield from _chains(merged, run, choices, whole)
            run, choices = [], []
        if is_whole:
            yield node
        else:
            run.append(node)
    if run or choices:
        yield from _chains(merged, run, choices, whole)


def _chains(merged: Merged, run: list[Node], choices: list[Node], whole: Members) -> Iterator[Chain]:
    atoms = _branches(run, choices, whole)
    sets = list(dict.fromkeys(node.members & whole for node in run))
    overlap = any(one & other for k, one in enumerate(sets) for other in sets[k + 1 :])
    if choices or not overlap or _is_entangled(merged, run):
        yield Chain(tuple(atoms), tuple(choices))
        return
    rest = run
    while rest:
        first = rest[0].members & whole
        count = next((k for k, node in enumerate(rest) if node.members & whole != first), len(rest))
        yield Chain(tuple(_branches(rest[:count], [], whole)), ())
        rest = rest[count:]


def _branches(run: list[Node], choices: list[Node], whole: Members) -> list[Branch]:
    """Members that do the same and get the same values are of one branch."""
    groups: dict[tuple[object, ...], set[int]] = {}
    for member in sorted(whole):
        done = tuple(member in node.members for node in run)
        given = tuple(id(node.choices.get(member)) for node in [*run, *choices] if node.choices is not None)
        groups.setdefault((done, given), set()).add(member)
    return [
        Branch(frozenset(members), tuple(node for node in run if next(iter(members)) in node.members))
        for members in groups.values()
    ]


def _is_entangled(merged: Merged, run: list[Node]) -> bool:
    """Whether a node of the run reads what a node of other members defines."""
    homes = {id(inner): node for node in run for inner in walk([node])}
    for node in walk(run):
        for number, piece in enumerate(node.pieces):
            if not isinstance(piece, dict):
                continue
            for index, token in enumerate(next(iter(piece.values()))):
                if token.kind is not Kind.USE:
                    continue
                for definition in Use(node, number, index).targets(merged).values():
                    home = homes.get(id(definition.node)) if definition.node is not None else None
                    if home is not None and home.members != homes[id(node)].members:
                        return True
    return False
