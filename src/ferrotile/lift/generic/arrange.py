"""Where a merged kernel needs `if`: what only some members do, and which value is read afterwards."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from ferrotile.lift.generic.bind import CannotUnify, Merged, Use, redefine, type_range, uses
from ferrotile.lift.generic.merge import Definition, Members, Node, Tokens, walk
from ferrotile.lift.generic.tokens import Kind, Token


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a node stands: its block, and the nodes around it from the outermost."""

    block: list[Node]
    around: tuple[Node, ...]
    blocks: tuple[int, ...]


@dataclass(slots=True)
class _Layout:
    """The places of all nodes, made anew after each change."""

    merged: Merged
    spots: dict[int, Spot] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._enter(self.merged.body, (), (id(self.merged.body),))

    def _enter(self, block: list[Node], around: tuple[Node, ...], blocks: tuple[int, ...]) -> None:
        for node in block:
            self.spots[id(node)] = Spot(block, around, blocks)
            for piece in node.pieces:
                if isinstance(piece, list):
                    self._enter(piece, (*around, node), (*blocks, id(piece)))

    def whole(self, node: Node) -> Members:
        """The members that come by a node's block."""
        around = self.spots[id(node)].around
        return around[-1].members if around else self.merged.members

    def in_block_of(self, node: Node, other: Node) -> Node | None:
        """The node of `other`'s block that is `node` or has it inside; None where there is none."""
        block = self.spots[id(other)].block
        for candidate in (node, *reversed(self.spots[id(node)].around)):
            if self.spots[id(candidate)].block is block:
                return candidate
        return None

    def run(self, node: Node) -> tuple[int, int]:
        """First and last index of the conditional nodes around a node; of the node alone if all members have it."""
        block, whole = self.spots[id(node)].block, self.whole(node)
        first = last = position(block, node)
        if node.members == whole:
            return first, last
        while first > 0 and block[first - 1].members != whole:
            first -= 1
        while last + 1 < len(block) and block[last + 1].members != whole:
            last += 1
        return first, last


def position(block: list[Node], node: Node) -> int:
    """The index of a node in its block."""
    return next(index for index, other in enumerate(block) if other is node)


def arrange(merged: Merged) -> None:
    """Move and add nodes until every use means one definition that is known where it stands. Raises: CannotUnify."""
    for _ in range(1000):
        layout = _Layout(merged)
        if not any(_settle(merged, layout, use) for use in uses(merged)) and not any(
            _settle_choice(layout, node) for node in _choosing(merged)
        ):
            return
    raise CannotUnify("the variables of the members do not settle")


def _choosing(merged: Merged) -> list[Node]:
    layout = _Layout(merged)
    return [node for spot in layout.spots.values() for node in spot.block if node.choices is not None]


def _settle(merged: Merged, layout: _Layout, use: Use) -> bool:
    """Put one use right; True if something changed."""
    targets = use.targets(merged)
    if len(set(targets.values())) > 1:
        _choose(merged, layout, use, targets)
        return True
    definition = next(iter(targets.values()))
    return _make_visible(layout, definition, use.node)


def _settle_choice(layout: _Layout, node: Node) -> bool:
    assert node.choices is not None
    return any(
        _make_visible(layout, definition, node, frozenset(m for m, d in node.choices.items() if d is definition))
        for definition in dict.fromkeys(node.choices.values())
    )


def _make_visible(layout: _Layout, definition: Definition, reader: Node, readers: Members | None = None) -> bool:
    """See to it that a definition is known at a reader: a computation without effects is done by all members."""
    node = definition.node
    if node is None or node is reader:
        return False
    holder = layout.in_block_of(reader, node)
    if holder is None:
        raise CannotUnify(f"`{definition.name}` is defined in another block than it is read")
    whole = layout.whole(node)
    if holder is node or node.members == whole:
        return False
    first, last = layout.run(node)
    block = layout.spots[id(node)].block
    at = position(block, holder)
    reading = holder.members if readers is None else readers
    in_run = first <= at <= last or (holder.choices is not None and at == last + 1) or _is_behind(block, last, at)
    if in_run and reading <= node.members:
        return False
    is_choice = holder.choices is not None and layout.merged.gathers and _reads_extents(node)
    may_move = readers is None or is_choice
    if may_move and _bring_together(layout, definition, node, holder):
        return True
    if is_free(node) and node.choices is None:
        node.members = whole
        return True
    raise CannotUnify(f"`{definition.name}` is not defined in all members that pass where it is read")


def _bring_together(layout: _Layout, definition: Definition, node: Node, holder: Node) -> bool:
    """Move a statement down to the only one of its block that reads it, where nothing between has effects."""
    block = layout.spots[id(node)].block
    start, end = position(block, node), position(block, holder)
    between = block[start + 1 : end]
    moves = is_movable(layout, node) or (node.is_plain and all(is_free(other) for other in between))
    if not moves:
        return False
    is_whole = holder.members == layout.whole(node) and holder.choices is None
    if is_whole or not _reads_alone(layout, definition, node, holder):
        return False
    del block[start]
    block.insert(end - 1, node)
    return True


def _is_behind(block: list[Node], last: int, at: int) -> bool:
    """Whether only choices stand between the end of a run and a node that is a choice itself."""
    return at > last and all(node.choices is not None for node in block[last + 1 : at + 1])


def _reads_alone(layout: _Layout, definition: Definition, node: Node, holder: Node) -> bool:
    """Whether no statement before `holder` reads a definition."""
    block = layout.spots[id(node)].block
    before = block[position(block, node) + 1 : position(block, holder)]
    if any(other.choices is not None and definition in other.choices.values() for other in before):
        return False
    inside = {id(inner) for inner in walk(before)}
    return not any(
        id(use.node) in inside and definition in use.targets(layout.merged).values() for use in uses(layout.merged)
    )


_MEMORY = re.compile(r"(load|store|gather|scatter|atomic|print|assert|wait|launch|fence|read|write)\w*")
_CLAIMS = frozenset({"unsafe", "Token"})


def is_free(node: Node) -> bool:
    """Whether a statement only computes: members that do not need its value may compute it, too."""
    words = {token.text for token in node.sample}
    return _only_computes(node) and not _CLAIMS.intersection(words)


def _only_computes(node: Node) -> bool:
    return node.is_plain and node.sample[0].text == "let" and not any(_MEMORY.fullmatch(t.text) for t in node.sample)


def _reads_extents(node: Node) -> bool:
    """Whether a statement reads an extent or a stride: another member may know it as a number, and not have it."""
    words = [token.text for token in node.sample]
    return not {"extents", "strides"}.isdisjoint(words) or ("shape", "(") in pairwise(words)


def is_movable(layout: _Layout, node: Node) -> bool:
    """Whether a statement may stand later: it touches no memory and reads nothing that changes."""
    return _only_computes(node) and not any(
        target.is_mutable
        for index, token in enumerate(node.sample)
        if token.kind is Kind.USE
        for target in Use(node, 0, index).targets(layout.merged).values()
    )


def is_assignment(use: Use) -> bool:
    """Whether a variable is given a new value here."""
    sample = use.tokens[next(iter(use.tokens))]
    return use.index == 0 and use.piece == 0 and len(sample) > 1 and sample[1].text == "="


def _choose(merged: Merged, layout: _Layout, use: Use, targets: dict[int, Definition]) -> None:
    """Add a variable that is what each member reads, behind the last of the definitions."""
    nodes = [d.node for d in dict.fromkeys(targets.values()) if d.node is not None]
    are_whole = all(node.members == layout.whole(node) and node.choices is None for node in nodes)
    if use.node.is_plain and are_whole:
        return _separate(merged, layout, use.node, targets)
    if any(not node.is_plain for node in nodes):
        raise CannotUnify("members read different variables of loops")
    node = max(nodes, key=lambda n: (len(layout.spots[id(n)].blocks), position(layout.spots[id(n)].block, n)))
    block, whole = layout.spots[id(node)].block, layout.whole(node)
    choices = _extended(targets, whole)
    _, last = layout.run(node)
    holder = _holder(layout, use.node, block)
    if choices is None or position(block, holder) <= last:
        return _choose_in_branches(merged, layout, use, targets, block)
    while last + 1 < len(block) and (made := block[last + 1]).choices is not None:
        if all(made.choices.get(member) is definition for member, definition in targets.items()):
            return _aim_all(merged, use, made)
        last += 1
    made = _choice_node(merged, choices, whole)
    block.insert(last + 1, made)
    _aim_all(merged, use, made)
    _keep_changing(merged, made)
    return None


def _choose_in_branches(
    merged: Merged, layout: _Layout, use: Use, targets: dict[int, Definition], block: list[Node]
) -> None:
    """The same where not all members have a value: those that read go by different branches, each with its own."""
    if any(definition.is_mutable for definition in targets.values()):
        raise CannotUnify("members read different variables that change")
    holder = _holder(layout, use.node, block)
    if not targets.keys() <= holder.members or holder.members == layout.whole(holder):
        raise CannotUnify("some members have no value for a variable that others read")
    made = _choice_node(merged, targets, frozenset(targets))
    block.insert(position(block, holder), made)
    _aim_all(merged, use, made)


def _holder(layout: _Layout, node: Node, block: list[Node]) -> Node:
    """The node of a block that is `node` or has it inside. Raises: CannotUnify."""
    for candidate in (node, *reversed(layout.spots[id(node)].around)):
        if any(candidate is other for other in block):
            return candidate
    raise CannotUnify("members read variables of blocks that the reader is not in")


def _keep_changing(merged: Merged, made: Node) -> None:
    """A variable that changes later on is from now on the chosen one, for all who read or assign it."""
    assert made.choices is not None
    changes = _changes(merged, made)
    changing = [d for d in dict.fromkeys(made.choices.values()) if True in changes.get(d, ())]
    if any(False in changes[definition] for definition in changing):
        raise CannotUnify("members read different variables while they change")
    if not changing:
        return
    definition = merged.table[next(iter(made.members)), made.sample[1].target]
    definition.is_mutable = True
    before = {id(d.node) for d in changing}
    for use in uses(merged):
        for member, target in use.targets(merged).items():
            if target in changing and id(use.node) not in before:
                use.aim(merged, member, definition)
    for old in changing:
        _settle_value(old)


def _changes(merged: Merged, made: Node) -> dict[Definition, set[bool]]:
    """Which variables are assigned before a node, and which behind it (True)."""
    order = {id(node): number for number, node in enumerate(walk(merged.body))}
    changes: dict[Definition, set[bool]] = {}
    for use in uses(merged):
        if is_assignment(use):
            for target in use.targets(merged).values():
                changes.setdefault(target, set()).add(order[id(use.node)] > order[id(made)])
    return changes


def _settle_value(definition: Definition) -> None:
    """Take `mut` from a variable."""
    assert definition.node is not None
    definition.is_mutable = False
    for tokens in definition.node.head.values():
        tokens[definition.index - 1 : definition.index] = []
    definition.index -= 1


def _separate(merged: Merged, layout: _Layout, node: Node, targets: dict[int, Definition]) -> None:
    """Make a statement that reads other variables in other members one statement for each of them."""
    block = layout.spots[id(node)].block
    parts: list[Node] = []
    for definition in dict.fromkeys(targets.values()):
        members = frozenset(member for member, target in targets.items() if target is definition)
        head = {member: node.head[member] for member in members}
        part = Node(members, [head], _comments_of(node, members), node.converts & members)
        parts.append(part)
        for index, token in enumerate(part.sample):
            if token.kind is Kind.DEFINITION:
                old = merged.table[next(iter(members)), token.target]
                redefine(merged, Definition(part, old.name, index, old.is_mutable), head, index)
    at = position(block, node)
    block[at : at + 1] = parts


def _comments_of(node: Node, members: Members) -> dict[str, Members]:
    return {line: members & having for line, having in node.comments.items() if members & having}


def _aim_all(merged: Merged, use: Use, made: Node) -> None:
    definition = merged.table[next(iter(made.members)), made.sample[1].target]
    for member in use.tokens:
        use.aim(merged, member, definition)


def _extended(targets: dict[int, Definition], whole: Members) -> dict[int, Definition] | None:
    """Something for the members that do not read: what others read, if they have it as well; None without it."""
    choices = {member: definition for member, definition in targets.items() if member in whole}
    for member in whole - choices.keys():
        fitting = [d for d in dict.fromkeys(targets.values()) if d.node is None or member in d.node.members]
        if not fitting:
            return None
        choices[member] = fitting[0]
    return choices


def _choice_node(merged: Merged, choices: dict[int, Definition], whole: Members) -> Node:
    definitions = list(dict.fromkeys(choices.values()))
    node = Node(whole, [], choices=choices)
    made = Definition(node, _choice_name(definitions), 1)
    head: Tokens = {}
    for member in whole:
        name = Token(made.name, Kind.DEFINITION, merged.new_target(member, made))
        head[member] = [Token("let"), name, *_type_of(choices[member], member)]
    if len({tuple(token.key for token in tokens) for tokens in head.values()}) > 1:
        raise CannotUnify(f"`{made.name}` has types that do not go together")
    node.pieces.append(head)
    return node


def _choice_name(definitions: list[Definition]) -> str:
    """The shortest of the names: the longer ones say which of the values it is."""
    return min((definition.name for definition in definitions), key=lambda name: (len(name), name))


def _type_of(definition: Definition, member: int) -> list[Token]:
    """`: T` as a member's definition has it, or nothing."""
    node = definition.node
    if node is None or not node.pieces:
        return []
    tokens = node.head.get(member) or [_unknown(token) for token in node.sample]
    if node.choices is not None:
        return tokens[2:]
    types = type_range(tokens)
    return [Token(":"), *tokens[types.start : types.stop]] if len(types) else []


def _unknown(token: Token) -> Token:
    """A number or an element type of another member: what this one would have is not known."""
    return Token(token.text, token.kind) if token.kind in (Kind.INTEGER, Kind.ELEMENT) else token
