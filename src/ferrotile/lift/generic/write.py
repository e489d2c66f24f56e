"""A merged kernel as Rust text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ferrotile.lift.generic.bind import CannotUnify, Merged, Use
from ferrotile.lift.generic.branches import Branch, Chain, items
from ferrotile.lift.generic.guards import condition, explain, find_condition
from ferrotile.lift.generic.merge import Definition, Members, Node, Tokens, walk
from ferrotile.lift.generic.tokens import Kind, Token, value_of
from ferrotile.lift.generic.values import Generics


class _Shadowed(Exception):
    """A name means another variable than it should; the argument is the one that hides it."""


@dataclass(slots=True)
class Writer:
    """Writes a body; names are made distinct where one would hide another that is still read."""

    merged: Merged
    generics: Generics
    facts: Mapping[str, tuple[object, ...]]
    scopes: list[dict[str, Definition]] = field(default_factory=list)
    chosen: dict[Definition, Definition] = field(default_factory=dict)
    """What a choice among variables is in the branch that is being written."""

    def body(self) -> list[str]:
        """The lines of the entry's body. Raises: CannotUnify."""
        for _ in range(1000):
            parameters = [d for d in self.merged.table.values() if d.node is None]
            self.scopes, self.chosen = [{definition.name: definition for definition in parameters}], {}
            try:
                return self._block(self.merged.body, self.merged.members)
            except _Shadowed as error:
                self._rename(error.args[0])
        raise CannotUnify("the variables cannot be named apart")

    def _rename(self, definition: Definition) -> None:
        taken = {other.name for other in self.merged.table.values()}
        stem, number = definition.name, 2
        while f"{stem}_{number}" in taken:
            number += 1
        definition.name = f"{stem}_{number}"

    def _block(self, nodes: Sequence[Node], whole: Members) -> list[str]:
        self.scopes.append({})
        lines = self._lines(nodes, whole)
        self.scopes.pop()
        return lines

    def _lines(self, nodes: Sequence[Node], whole: Members) -> list[str]:
        lines: list[str] = []
        for item in items(self.merged, nodes, whole):
            lines += self._chain(item, whole) if isinstance(item, Chain) else self._statement(item, whole)
        return lines

    def _statement(self, node: Node, whole: Members) -> list[str]:
        lines = [line for line, members in node.comments.items() if members & whole]
        words: list[str] = []
        for number, piece in enumerate(node.pieces):
            if isinstance(piece, dict):
                words.append(self._piece(node, number, piece))
                continue
            self.scopes.append({})
            if number == 1 and node.sample[0].text == "for":
                self._define(node)
            lines.append(" ".join(words))
            words = []
            lines += self._lines(piece, node.members & whole)
            self.scopes.pop()
        lines.append(" ".join(words))
        if node.sample[0].text != "for":
            self._define(node)
        return lines

    def _define(self, node: Node) -> None:
        for token, definition in self._definitions(node):
            if token.text != "_":
                self.scopes[-1][definition.name] = definition

    def _definitions(self, node: Node) -> list[tuple[Token, Definition]]:
        member, tokens = next(iter(node.head.items()))
        return [(token, self.merged.table[member, token.target]) for token in tokens if token.kind is Kind.DEFINITION]

    def _piece(self, node: Node, number: int, piece: Tokens) -> str:
        sample = next(iter(piece.values()))
        words = [self._word(node, number, piece, index) for index in range(len(sample))]
        if number == 0 and node.converts:
            at = [token.text for token in sample].index("=")
            if node.converts >= piece.keys():
                words = [*words[: at + 1], "ftof", "(", *words[at + 1 : -1], ",", "rounding::NearestEven", ")", ";"]
            else:
                words = [*words[: at + 1], "convert_tile", "(", *words[at + 1 : -1], ")", ";"]
        return " ".join(words)

    def _word(self, node: Node, number: int, piece: Tokens, index: int) -> str:
        token = next(iter(piece.values()))[index]
        match token.kind:
            case Kind.WORD:
                return "broadcast_scalar" if self._fills_with_generic(piece, index) else token.text
            case Kind.DEFINITION:
                member, tokens = next(iter(piece.items()))
                return self.merged.table[member, tokens[index].target].name
            case Kind.USE:
                return self._name(next(iter(Use(node, number, index).targets(self.merged).values())))
            case _:
                return written(self.merged, self.generics, piece, index)

    def _fills_with_generic(self, piece: Tokens, index: int) -> bool:
        """Whether this is the word of `constant(N, ..)` with a generic: cutile 0.5.0 takes only a literal there."""
        sample = next(iter(piece.values()))
        if [token.text for token in sample[index : index + 2]] != ["constant", "("]:
            return False
        if sample[index + 2].kind is not Kind.INTEGER:
            return False
        return (
            self.generics.number({k: value_of(t) for k, t in self.merged.texts(piece, index + 2).items()}) is not None
        )

    def _name(self, definition: Definition) -> str:
        """The name of a variable that is read; one that hides it is renamed."""
        if definition in self.chosen:
            return self._name(self.chosen[definition])
        found = next((scope[definition.name] for scope in reversed(self.scopes) if definition.name in scope), None)
        if found is definition:
            return definition.name
        if found is None:
            raise CannotUnify(f"`{definition.name}` is not known where it is read")
        raise _Shadowed(found if found.node is not None else definition)

    def _chain(self, chain: Chain, whole: Members) -> list[str]:
        branches, conditions = self._ordered(chain, whole)
        lines: list[str] = []
        head = self._let(chain)
        for branch, text in zip(branches, conditions, strict=True):
            if text is None and not branch.nodes and not chain.choices:
                break
            if lines:
                head = "} else "
            lines.append(f"{head}{f'if {text} ' if text else ''}{{")
            lines += self._branch(chain, branch)
        lines.append("};" if chain.choices else "}")
        for node in chain.choices:
            self._define(node)
        return lines

    def _branch(self, chain: Chain, branch: Branch) -> list[str]:
        """The lines of one branch; a choice among variables is settled here, for all members read the same."""
        member = next(iter(branch.members))
        before = dict(self.chosen)
        for node in branch.nodes:
            if node.choices is not None:
                self.chosen[self._definitions(node)[0][1]] = node.choices[member]
        self.scopes.append({})
        lines = self._lines([node for node in branch.nodes if node.choices is None], branch.members)
        lines += self._given(chain, branch)
        self.scopes.pop()
        self.chosen = before
        return lines

    def _let(self, chain: Chain) -> str:
        if not chain.choices:
            return ""
        definitions = [self._definitions(node)[0][1] for node in chain.choices]
        names = [f"{'mut ' if d.is_mutable else ''}{d.name}" for d in definitions]
        types = [self._type(node) for node in chain.choices]
        if len(names) == 1:
            return f"let {names[0]}{f': {types[0]}' if types[0] else ''} = "
        pattern = f"let ({', '.join(names)})"
        return f"{pattern}: ({', '.join(types)}) = " if all(types) else f"{pattern} = "

    def _type(self, node: Node) -> str:
        return " ".join(self._word(node, 0, node.head, index) for index in range(3, len(node.sample)))

    def _given(self, chain: Chain, branch: Branch) -> list[str]:
        member = next(iter(branch.members))
        names = [self._name(node.choices[member]) for node in chain.choices if node.choices is not None]
        if not names:
            return []
        return [names[0] if len(names) == 1 else f"({', '.join(names)})"]

    def _ordered(self, chain: Chain, whole: Members) -> tuple[list[Branch], list[str | None]]:
        """The branches with their conditions; the last one has none."""
        known = {b.members: self._known(b.members, whole) for b in chain.branches}

        # The rest comes last: nothing to do there, or no condition of its own, or most members.
        def rank(branch: Branch) -> tuple[bool, bool, int]:
            return bool(branch.nodes or chain.choices), known[branch.members] is not None, -len(branch.members)

        last = min(chain.branches, key=rank)
        branches = [branch for branch in chain.branches if branch is not last]
        conditions: list[str | None] = []
        left = whole
        for branch in branches:
            stem = self._stem(branch.members, left)
            spread = self.merged.spread
            conditions.append(condition(self.generics, spread(branch.members), spread(left), stem))
            left -= branch.members
        return [*branches, last], [*conditions, None]

    def _known(self, members: Members, among: Members) -> str | None:
        return find_condition(self.generics, self.merged.spread(members), self.merged.spread(among))

    def _stem(self, members: Members, among: Members) -> str:
        """A name for a flag of our own: after the element type that it stands for, where it does."""
        dtypes = {k: v for k, v in self.facts.items() if k.startswith("dtype")}
        text = explain(self.merged.spread(members), self.merged.spread(among), dtypes)
        if text is None or " == " not in text or " and " in text:
            return "FORM"
        name, _, element = text.partition(" == ")
        return f"{name[6:-1]}_is_{element}".upper()


def written(merged: Merged, generics: Generics, piece: Tokens, index: int) -> str:
    """A number or an element type as literal or as generic."""
    sample = next(iter(piece.values()))
    token, texts = sample[index], merged.texts(piece, index)
    if token.kind is Kind.ELEMENT:
        element = generics.element(texts)
        return token.text if element is None else element.name
    number = generics.number({k: value_of(text) for k, text in texts.items()})
    if number is None:
        return token.text
    return f"{number.name} as usize" if index > 1 and sample[index - 2].text == "step_by" else number.name


def collect(merged: Merged, generics: Generics) -> None:
    """Make the generics of numbers, those that most members have first: the others may then share them."""
    places: list[tuple[dict[int, int], str]] = []
    for node in walk(merged.body):
        defined = [token.text for token in node.sample if token.kind is Kind.DEFINITION]
        stem = f"{defined[0].strip('_').upper()}_N" if defined else "N"
        for piece in node.pieces:
            if isinstance(piece, dict):
                sample = next(iter(piece.values()))
                indices = [index for index, token in enumerate(sample) if token.kind is Kind.INTEGER]
                places += [({k: value_of(t) for k, t in merged.texts(piece, i).items()}, stem) for i in indices]
    for values, stem in sorted(places, key=lambda place: -len(place[0])):
        generics.number(values, stem)
