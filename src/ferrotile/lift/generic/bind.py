"""Variables of a merged kernel: every use means one definition, in every member, wherever it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ferrotile.lift.generic.merge import Definition, Members, Node, Tokens, fill, walk
from ferrotile.lift.generic.tokens import Kind, Token
from ferrotile.lift.generic.tree import Kernel


class CannotUnify(Exception):
    """The members have no common text; never leaves this package. The argument says why."""


@dataclass(eq=False, slots=True)
class Merged:
    """A merged kernel: its parameters, its body, and what each member's numbered definitions are.

    A member stands for all specializations of one structure: `groups` has their numbers. `kernels` are theirs, by
    number; their tokens are those of the member but for numbers, element types and names. `gathers`: statements that
    read extents move to the choice that needs them, rather than being done by all.
    """

    members: Members
    parameters: Tokens
    body: list[Node]
    table: dict[tuple[int, int], Definition] = field(default_factory=dict)
    groups: list[list[int]] = field(default_factory=list)
    kernels: list[Kernel] = field(default_factory=list)
    gathers: bool = False
    fresh: int = 1_000_000

    def spread(self, members: Members) -> Members:
        """All specializations of some structures."""
        return frozenset(k for member in members for k in self.groups[member])

    def texts(self, piece: Tokens, index: int) -> dict[int, str]:
        """What stands at a place that may become a generic, for each specialization that has it."""
        return {
            k: self.kernels[k].texts[tokens[index].target]
            for member, tokens in piece.items()
            if tokens[index].target >= 0
            for k in self.groups[member]
        }

    def new_target(self, member: int, definition: Definition) -> int:
        """A number by which a member's tokens can mean a definition."""
        self.fresh += 1
        self.table[member, self.fresh] = definition
        return self.fresh


@dataclass(frozen=True, slots=True)
class Use:
    """A place where a variable is read or assigned."""

    node: Node
    piece: int
    index: int

    @property
    def tokens(self) -> Tokens:
        """The piece it stands in."""
        found = self.node.pieces[self.piece]
        assert isinstance(found, dict)
        return found

    def targets(self, merged: Merged) -> dict[int, Definition]:
        """What it means in each member."""
        return {member: merged.table[member, tokens[self.index].target] for member, tokens in self.tokens.items()}

    def aim(self, merged: Merged, member: int, definition: Definition) -> None:
        """Let it mean another definition in one member."""
        tokens = self.tokens[member]
        tokens[self.index] = Token(definition.name, Kind.USE, merged.new_target(member, definition))


def define_all(merged: Merged) -> None:
    """Fill the table: one definition for the place where all members define a variable."""
    for index, token in enumerate(next(iter(merged.parameters.values()))):
        if token.kind is Kind.DEFINITION:
            redefine(merged, Definition(None, token.text, index), merged.parameters, index)
    for node in walk(merged.body):
        for index, token in enumerate(node.sample):
            if token.kind is Kind.DEFINITION:
                names = [
                    merged.kernels[k].names[tokens[index].target]
                    for m, tokens in node.head.items()
                    for k in merged.groups[m]
                ]
                is_mutable = index > 0 and node.sample[index - 1].text == "mut"
                redefine(merged, Definition(node, _common_name(names), index, is_mutable), node.head, index)


def redefine(merged: Merged, definition: Definition, tokens: Tokens, index: int) -> None:
    """Let the tokens at `index` define this."""
    for member, words in tokens.items():
        merged.table[member, words[index].target] = definition


_ELEMENT_SUFFIX = re.compile(r"_(f16|bf16|f32|f64|f8\w+|[iu](8|16|32|64))(?=_\d+$|$)")


def _common_name(names: list[str]) -> str:
    """The name that all have, else one without the element type that only some have."""
    if len(set(names)) == 1:
        return names[0]
    bare = [_ELEMENT_SUFFIX.sub("", name) for name in names]
    if len(set(bare)) == 1 and any(name == bare[0] for name in names):
        return bare[0]
    return f"{bare[0]}_cast" if len(set(bare)) == 1 else names[0]


def uses(merged: Merged) -> Iterator[Use]:
    """All uses in the order of the text."""
    for node in walk(merged.body):
        for number, piece in enumerate(node.pieces):
            if isinstance(piece, dict):
                sample = next(iter(piece.values()))
                yield from (Use(node, number, i) for i, token in enumerate(sample) if token.kind is Kind.USE)


def type_range(tokens: list[Token]) -> range:
    """Where the type of `let x: T = ..` stands; empty without one."""
    words = [token.text for token in tokens]
    if words[0] != "let" or ":" not in words or "=" not in words or words.index("=") < words.index(":"):
        return range(0)
    return range(words.index(":") + 1, words.index("="))


def add_conversions(merged: Merged) -> None:
    """Let members whose value already has the wanted element type go through the conversion that others need.

    Before: half reads `y` from `let y: Tile<f32, ..> = x`, f32 reads `x`. After: both read `y`; for f32 it is `x`.
    """
    for use in list(uses(merged)):
        targets = use.targets(merged)
        for definition in dict.fromkeys(targets.values()):
            sources = _converted(merged, definition)
            for member, target in targets.items():
                if target in sources and target is not definition and _convert(merged, definition, target, member):
                    use.aim(merged, member, definition)


def _converted(merged: Merged, definition: Definition) -> set[Definition]:
    """What a definition converts, in one member or another, if it is a conversion of a variable and nothing else."""
    node = definition.node
    if node is None or not node.converts or node.sample[-2].kind is not Kind.USE or node.sample[-3].text != "=":
        return set()
    return set(Use(node, 0, len(node.sample) - 2).targets(merged).values())


def _convert(merged: Merged, definition: Definition, source: Definition, member: int) -> bool:
    """Give the conversion to a member that lacks it; False where it has another meaning."""
    node, origin = definition.node, source.node
    assert node is not None
    if member in node.members:
        return member not in node.converts
    if origin is None or member not in origin.head or not origin.is_plain:
        return False
    types = type_range(origin.head[member])
    own = type_range(node.sample)
    if len(types) != len(own) or not len(types):
        return False
    tokens = list(node.sample)
    tokens[own.start : own.stop] = origin.head[member][types.start : types.stop]
    tokens[definition.index] = Token(definition.name, Kind.DEFINITION, merged.new_target(member, definition))
    tokens[-2] = Token(source.name, Kind.USE, merged.new_target(member, source))
    fill(node, member, tokens)
    return True
