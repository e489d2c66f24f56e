"""A merged kernel as Rust text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ferrotile.lift.generic.bind import CannotUnify, Merged, Use
from ferrotile.lift.generic.branches import Branch, Chain, items
from ferrotile.lift.generic.guards import condition, explain, find_condition
from ferrotile.lift.generic.lengths import axis_of, lengths_of, list_start, view_of
from ferrotile.lift.generic.merge import Definition, Members, Node, Tokens, walk
from ferrotile.lift.generic.tokens import Kind, Token, coarse, common_number, mark_of, value_of, without_mark
from ferrotile.lift.generic.values import Generics
from ferrotile.lift.inferred import without_types


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
    only: Members | None = None
    """The specializations that a statement is written for, where its numbers differ."""
    lengths: dict[int, list[str]] = field(default_factory=dict)
    """By statement that gives a branch its value: the lengths in the type of what the branches give; by load of a
    view: those of the view."""
    elements: dict[int, str] = field(default_factory=dict)
    """By load of a view: the element type of the array."""

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
        classes = self._classes(node, whole)
        if len(classes) > 1:
            return lines + self._by_numbers(node, classes)
        self._follow_view(node)
        words: list[str] = []
        for number, piece in enumerate(node.pieces):
            if isinstance(piece, dict):
                self.only = self.merged.spread(node.members & whole)
                words.append(self._piece(node, number, piece))
                self.only = None
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

    def _follow_view(self, node: Node) -> None:
        """A load of a view has the lengths and the element type that the view was made with."""
        words = [token.text for token in node.sample]
        if words[0] != "let" or "&" not in words or not words[words.index("=") + 1].startswith("load"):
            return
        view = self._only_target(node, words.index("&") + 1)
        made = view_of(self._piece(view, 0, view.head)) if view is not None and view.is_plain else None
        if made is not None:
            self.elements[id(node)], self.lengths[id(node)] = self._element_of(made[0]), made[1]

    def _only_target(self, node: Node, index: int) -> Node | None:
        if node.sample[index].kind is not Kind.USE:
            return None
        targets = set(Use(node, 0, index).targets(self.merged).values())
        return targets.pop().node if len(targets) == 1 else None

    def _element_of(self, array: str) -> str:
        """The element type of an array parameter, as the entry declares it."""
        words = next(iter(self.merged.parameters.values()))
        start = next(i for i, token in enumerate(words) if token.kind is Kind.DEFINITION and token.text == array)
        at = next(i for i in range(start, len(words)) if words[i].kind is Kind.ELEMENT)
        return written(self.merged, self.generics, self.merged.parameters, at)

    def _classes(self, node: Node, whole: Members) -> list[Members]:
        """The specializations of a statement by the numbers that fill its tiles, where no number is all of them.

        Those that only come by the statement, and have no number of their own, go with the most.
        """
        here = self.merged.spread(node.members & whole)
        floats = [index for index, token in enumerate(node.sample) if token.kind is Kind.FLOAT] if node.is_plain else []
        columns = [self.merged.texts(node.head, index) for index in floats]
        known = [k for k in sorted(here) if all(k in column for column in columns)]
        if all(common_number({column[k] for k in known}) is not None for column in columns) or not known:
            return []
        classes: dict[tuple[str, ...], set[int]] = {}
        for k in known:
            classes.setdefault(tuple(coarse(column[k]) for column in columns), set()).add(k)
        *smaller, largest = sorted(map(frozenset, classes.values()), key=len)
        return [*smaller, largest | (here - set(known))]

    def _by_numbers(self, node: Node, classes: Sequence[Members]) -> list[str]:
        """A statement once for each class, the largest without a condition."""
        lines: list[str] = []
        left = frozenset[int]().union(*classes)
        for number, members in enumerate(classes):
            self.only = members
            text = self._piece(node, 0, node.head)
            found = _DECLARED.match(text)
            is_last = number == len(classes) - 1
            question = "" if is_last else f"if {condition(self.generics, members, left, 'FORM')} "
            start = "} else " if lines else f"let {found[1] or ''}{found[2]} {found[3] or ''}= " if found else ""
            lines.append(f"{start}{question}{{")
            lines += _with_result([f"let {found[2]} {found[3] or ''}= {found[4]} ;"], [found[2]]) if found else [text]
            left -= members
        self.only = None
        self._define(node)
        return [*lines, "};" if node.sample[0].text == "let" else "}"]

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
            case Kind.FILL | Kind.FLOAT:
                return "broadcast_scalar" if self._fills_with_generic(piece, index) else self._filling(piece, index)
            case Kind.DEFINITION:
                member, tokens = next(iter(piece.items()))
                return self.merged.table[member, tokens[index].target].name
            case Kind.USE:
                return self._name(next(iter(Use(node, number, index).targets(self.merged).values())))
            case Kind.INTEGER if node_lengths := self.lengths.get(id(node)):
                at = axis_of(sample := next(iter(piece.values())), index, len(node_lengths))
                own = written(self.merged, self.generics, piece, index)
                return own if at is None or sample[index].text == node_lengths[at] else node_lengths[at]
            case Kind.ELEMENT if id(node) in self.elements:
                return self.elements[id(node)]
            case _:
                return written(self.merged, self.generics, piece, index)

    def _filling(self, piece: Tokens, index: int) -> str:
        """The call that fills a tile, or its number: one for all element types where the members have several."""
        at = index if next(iter(piece.values()))[index].kind is Kind.FILL else index - 2
        calls = set(self.merged.texts(piece, at).values())
        numbers = self._texts(piece, at + 2)
        is_common = len(calls) > 1 or len(numbers) > 1
        if at == index:
            return "constant_from" if is_common else calls.pop()
        number = common_number(numbers) if is_common else numbers.pop()
        if number is None:
            raise CannotUnify("members fill a tile with different numbers")
        return number

    def _texts(self, piece: Tokens, index: int) -> set[str]:
        found = self.merged.texts(piece, index)
        return {text for k, text in found.items() if self.only is None or k in self.only} or set(found.values())

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
        for choice in chain.choices:
            giver = choice.choices[member].node if choice.choices is not None else None
            if giver is not None and any(giver is node for node in branch.nodes):
                self.lengths[id(giver)] = lengths_of(self._type(choice))
        self.scopes.append({})
        lines = self._lines([node for node in branch.nodes if node.choices is None], branch.members)
        lines = _with_result(lines, self._given(chain, branch))
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
        element = generics.element(texts) or generics.narrow(texts)
        return token.text if element is None else element.name
    values = {k: value_of(text) for k, text in texts.items()}
    number = generics.number(values)
    if number is None and list_start(sample, index) is not None:
        number = generics.length(values)
    if number is None:
        is_filling = [token.text for token in sample[max(index - 2, 0) : index]] == ["constant", "("]
        item = None if is_filling else generics.item({mark_of(text) for text in texts.values()}, value_of(token.text))
        return without_mark(token.text) if item is None else f"{item} as usize" if _is_step(sample, index) else item
    return f"{number.name} as usize" if _is_step(sample, index) else number.name


def _is_step(sample: Sequence[Token], index: int) -> bool:
    return index > 1 and sample[index - 2].text == "step_by"


def collect(merged: Merged, generics: Generics) -> None:
    """Make the generics of numbers, those that most members have first: the others may then share them."""
    places: list[tuple[dict[int, int], str, bool]] = []
    for node in walk(merged.body):
        defined = [token.text for token in node.sample if token.kind is Kind.DEFINITION]
        stem = f"{defined[0].strip('_').upper()}_N" if defined else "N"
        for piece in node.pieces:
            if isinstance(piece, dict):
                sample = next(iter(piece.values()))
                indices = [index for index, token in enumerate(sample) if token.kind is Kind.INTEGER]
                for index in indices:
                    _collect_item(merged, generics, piece, index)
                for i in indices:
                    values = {k: value_of(t) for k, t in merged.texts(piece, i).items()}
                    places.append((values, stem, list_start(sample, i) is not None))
    for values, stem, is_length in sorted(places, key=lambda place: -len(place[0])):
        number = generics.number(values, stem)
        if number is not None and is_length:
            generics.lengths.append(number.name)
        elif is_length and len(values) == generics.count:
            generics.common |= set(values.values())


def _collect_item(merged: Merged, generics: Generics, piece: Tokens, index: int) -> None:
    """Note the parameter that a number of all members came from, before unmarked ones are asked for."""
    texts = merged.texts(piece, index).values()
    values = {value_of(text) for text in texts}
    if len(values) == 1:
        generics.item({mark_of(text) for text in texts}, values.pop())


_DECLARED = re.compile(r"let (mut )?(\w+) (: [^=]*)?= ([^=].*) ;$")
_LAST = re.compile(r"let (\w+) (?:: [^=]* )?= ([^=].*) ;$")
_NEEDS_TYPE = re.compile(r"constant|constant_from|mask_of|element|unsafe \{ element")


def _with_result(lines: list[str], given: list[str]) -> list[str]:
    """The lines of a branch and what it gives; a variable that is only given is left out.

    Its type must be known: cutile 0.5.0 infers that of a result as it does that of a `let`, but not a constant's.
    """
    found = _LAST.match(without_types(lines[-1])) if lines and len(given) == 1 else None
    if found is None or found[1] != given[0] or _NEEDS_TYPE.match(found[2]):
        return lines + given
    is_sum = re.match(r"[a-z]\w* [-+*/] ", found[2]) is not None
    if " : " in found[0].partition("=")[0] and not is_sum:
        return lines + given
    return [*lines[:-1], found[2]]
