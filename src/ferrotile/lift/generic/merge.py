"""Several kernels of one origin laid over one another: what they share once, the rest with the members that have it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ferrotile.lift.generic.tokens import Kind, Token
from ferrotile.lift.generic.tree import Block, Statement

Members = frozenset[int]
Tokens = dict[int, list[Token]]
"""The tokens of one piece, member by member; their keys agree."""


@dataclass(eq=False, slots=True)
class Node:
    """A statement of the merged kernel.

    `converts`: the members whose value is rounded to the declared element type by a call that is left out of the
    tokens. `comments`: each line with the members that have it. `choices`: for a node that only picks among
    variables, which definition each member takes.
    """

    members: Members
    pieces: list[Tokens | list[Node]]
    comments: dict[str, Members] = field(default_factory=dict)
    converts: Members = frozenset()
    choices: dict[int, Definition] | None = None

    @property
    def head(self) -> Tokens:
        """The tokens of the first piece."""
        first = self.pieces[0]
        assert isinstance(first, dict)
        return first

    @property
    def sample(self) -> list[Token]:
        """The head as one of the members has it."""
        return next(iter(self.head.values()))

    @property
    def is_plain(self) -> bool:
        """Whether it has no blocks."""
        return len(self.pieces) == 1

    @property
    def key(self) -> tuple[str, ...]:
        """What two heads must share to be merged."""
        return tuple(token.key for token in self.sample)


@dataclass(eq=False, slots=True)
class Definition:
    """A variable of the merged kernel: where it is defined (`None`: a parameter), and its name."""

    node: Node | None
    name: str
    index: int = -1
    is_mutable: bool = False


def nodes_of(block: Block, member: int) -> list[Node]:
    """One kernel's statements as nodes that only it has."""
    return [_node(statement, member) for statement in block.statements]


def _node(statement: Statement, member: int) -> Node:
    node = Node(frozenset({member}), [], dict.fromkeys(statement.comments, frozenset({member})))
    for piece in statement.pieces:
        node.pieces.append(nodes_of(piece, member) if isinstance(piece, Block) else {member: piece})
    if statement.is_plain:
        bare = _without_rounding(statement.tokens)
        if bare is not None:
            node.pieces[0], node.converts = {member: bare}, node.members
    return node


ROUNDED = [",", "rounding", "::", "NearestEven", ")", ";"]


def _without_rounding(tokens: list[Token]) -> list[Token] | None:
    """`let y: T = ftof(x, rounding::NearestEven);` as `let y: T = x;`, or None for another statement."""
    words = [token.text for token in tokens]
    if words[-len(ROUNDED) :] != ROUNDED or "ftof" not in words:
        return None
    start = words.index("ftof")
    if words[start - 1] != "=" or _depth_falls(words[start + 2 : -len(ROUNDED)]):
        return None
    return [*tokens[:start], *tokens[start + 2 : -len(ROUNDED)], tokens[-1]]


def _depth_falls(words: Sequence[str]) -> bool:
    """Whether a bracket is closed that was not opened among these, or a comma separates them."""
    depth = 0
    for word in words:
        depth += (word in ("(", "[", "{")) - (word in (")", "]", "}"))
        if depth < 0 or (depth == 0 and word == ","):
            return True
    return False


def merge(first: list[Node], second: list[Node]) -> list[Node]:
    """Both lists as one, in the order of each; what can be shared is."""
    table = _scores(first, second)
    merged: list[Node] = []
    i = j = 0
    while i < len(first) or j < len(second):
        if i < len(first) and j < len(second):
            score = _score(first[i], second[j])
            if score and table[i][j] == score + table[i + 1][j + 1]:
                merged.append(_merged(first[i], second[j]))
                i, j = i + 1, j + 1
                continue
        if j == len(second) or (i < len(first) and table[i][j] == table[i + 1][j]):
            merged.append(first[i])
            i += 1
        else:
            merged.append(second[j])
            j += 1
    return merged


def _scores(first: list[Node], second: list[Node]) -> list[list[int]]:
    """How much of the rests from i and from j can be shared at most."""
    table = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i in reversed(range(len(first))):
        for j in reversed(range(len(second))):
            score = _score(first[i], second[j])
            both = score + table[i + 1][j + 1] if score else 0
            table[i][j] = max(both, table[i + 1][j], table[i][j + 1])
    return table


def _score(one: Node, other: Node) -> int:
    """How much two nodes share: their words, and names twice; 0 where they cannot be one."""
    if len(one.pieces) != len(other.pieces):
        return 0
    total = 0
    for left, right in zip(one.pieces, other.pieces, strict=True):
        if isinstance(left, dict) and isinstance(right, dict):
            a, b = next(iter(left.values())), next(iter(right.values()))
            if len(a) != len(b) or any(x.key != y.key for x, y in zip(a, b, strict=True)):
                return 0
            total += len(a) + 2 * sum(x.text == y.text for x, y in zip(a, b, strict=True) if x.kind in NAMED)
        elif isinstance(left, list) and isinstance(right, list):
            total += _scores(left, right)[0][0]
        else:
            return 0
    return total


NAMED = (Kind.USE, Kind.DEFINITION)


def _merged(one: Node, other: Node) -> Node:
    pieces: list[Tokens | list[Node]] = []
    for left, right in zip(one.pieces, other.pieces, strict=True):
        if isinstance(left, dict) and isinstance(right, dict):
            pieces.append({**left, **right})
        elif isinstance(left, list) and isinstance(right, list):
            pieces.append(merge(left, right))
    comments = dict(one.comments)
    for line, members in other.comments.items():
        comments[line] = comments.get(line, frozenset()) | members
    return Node(one.members | other.members, pieces, comments, one.converts | other.converts)


def walk(nodes: Sequence[Node]) -> Iterator[Node]:
    """All nodes in the order of the text."""
    for node in nodes:
        yield node
        for piece in node.pieces:
            if isinstance(piece, list):
                yield from walk(piece)


def fill(node: Node, member: int, tokens: list[Token]) -> None:
    """Give a plain node to one member more."""
    node.head[member] = tokens
    node.members |= {member}


def renamed(token: Token, text: str) -> Token:
    """The same token with another text."""
    return replace(token, text=text)
