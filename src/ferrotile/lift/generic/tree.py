"""The statements of a lifted kernel as a tree, with every variable tied to its definition."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ferrotile.lift.generic.tokens import Kind, Raw, Token, kinds, split, without_mark

OPENING = {"(": ")", "[": "]", "{": "}"}
BLOCK_WORDS = frozenset({"for", "while", "loop", "if", "else"})
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(slots=True)
class Statement:
    """A statement: pieces of tokens and blocks in turn, and the comment lines before it."""

    pieces: list[list[Token] | Block]
    comments: list[str] = field(default_factory=list)

    @property
    def tokens(self) -> list[Token]:
        """The first piece: the whole of a statement without blocks, the head of another."""
        first = self.pieces[0]
        assert isinstance(first, list)
        return first

    @property
    def is_plain(self) -> bool:
        """Whether it has no blocks."""
        return len(self.pieces) == 1


@dataclass(slots=True)
class Block:
    """Statements in order."""

    statements: list[Statement]


@dataclass(slots=True)
class Kernel:
    """The parts of a kernel's text.

    `before`: lines before the entry's attribute. `parameters`: the tokens between the entry's parentheses.
    `names`: those of the variables by their number. `texts`: what may become a generic by its number.
    """

    name: str
    before: list[str]
    hints: str
    documentation: list[str]
    parameters: list[Token]
    body: Block
    names: list[str]
    texts: list[str]


class NotUnderstood(Exception):
    """The text is not of the form that lift writes; never leaves this package."""


_ENTRY = re.compile(
    r"(?P<before>.*?)(?P<documentation>(?:^[ ]*///[^\n]*\n)*)^[ ]*\#\[cutile::entry\((?P<hints>.*?)\)\]\n"
    r"(?:[ ]*\#\[allow\([^\n]*\)\]\n)?[ ]*pub[ ]unsafe[ ]fn[ ](?P<name>\w+)\(",
    re.DOTALL | re.MULTILINE,
)


_NUMBER_OF_RANK_0 = re.compile(r"(let (?:mut )?\w+: Tile<f32, \{ \[\] \}> = )tile_of\((-?[\d.e+-]+f32)\);")


def parse(text: str, *, exact: bool = False) -> Kernel:
    """The tree of one kernel.rs. Raises: NotUnderstood.

    `exact`: the numbers that fill tiles are words, and must agree to the last digit.
    """
    text = text if exact else _NUMBER_OF_RANK_0.sub(r"\1constant(\2, shape![]);", text)
    found = _ENTRY.match(text)
    if found is None:
        raise NotUnderstood("the text has no entry of the form that lift writes")
    raws = split(text[found.end() - 1 :])
    end = _closing(raws, 0)
    scope = _Scope(exact)
    parameters = scope.parameters([raw.text for raw in raws[1:end]])
    if raws[end + 1].text != "{":
        raise NotUnderstood("the entry has a result")
    body = _Parser(raws, scope).block(end + 2, _closing(raws, end + 1))
    return Kernel(
        found["name"],
        found["before"].splitlines(),
        found["hints"],
        [line.strip() for line in found["documentation"].splitlines()],
        parameters,
        body,
        scope.all_names,
        scope.texts,
    )


def _closing(raws: list[Raw], start: int) -> int:
    """The index of the bracket that closes the one at `start`."""
    depth = 0
    for index in range(start, len(raws)):
        if raws[index].text in OPENING:
            depth += 1
        elif raws[index].text in OPENING.values():
            depth -= 1
            if depth == 0:
                return index
    raise NotUnderstood("a bracket is not closed")


class _Scope:
    """Which definition a name means, block by block."""

    def __init__(self, exact: bool) -> None:
        self.exact = exact
        self.names: list[dict[str, int]] = [{}]
        self.all_names: list[str] = []
        self.texts: list[str] = []

    def define(self, name: str) -> int:
        """A new definition in the innermost block."""
        self.names[-1][name] = len(self.all_names)
        self.all_names.append(name)
        return len(self.all_names) - 1

    def plain(self, word: str, kind: Kind) -> Token:
        """A token that is no variable."""
        if kind is Kind.WORD or (self.exact and kind in (Kind.FILL, Kind.FLOAT)):
            return Token(without_mark(word) if word[:1].isdigit() else word)
        self.texts.append(word)
        return Token(word, kind, len(self.texts) - 1)

    def find(self, name: str) -> int | None:
        """The definition that a name means here."""
        return next((names[name] for names in reversed(self.names) if name in names), None)

    def parameters(self, words: list[str]) -> list[Token]:
        """The parameters' tokens; each name is a definition."""
        tokens: list[Token] = []
        depth = 0
        for index, (word, kind) in enumerate(zip(words, kinds(words), strict=True)):
            depth += (word in OPENING) - (word in OPENING.values())
            if depth == 0 and words[index + 1 : index + 2] == [":"]:
                tokens.append(Token(word, Kind.DEFINITION, self.define(word)))
            else:
                tokens.append(self.plain(word, kind))
        return tokens

    def tokens(self, words: list[str], pattern: range) -> list[Token]:
        """The tokens of a piece; names in `pattern` are defined behind it."""
        tokens: list[Token] = []
        defined: list[int] = []
        for index, (word, kind) in enumerate(zip(words, kinds(words), strict=True)):
            before, behind = words[index - 1] if index else "", words[index + 1] if index + 1 < len(words) else ""
            is_name = _NAME.fullmatch(word) is not None
            if index in pattern and is_name and word not in ("mut", "_"):
                defined.append(index)
                tokens.append(Token(word, Kind.DEFINITION))
                continue
            is_variable = is_name and before not in (".", "::") and behind not in ("::", "!", "(")
            target = self.find(word) if is_variable else None
            tokens.append(self.plain(word, kind) if target is None else Token(word, Kind.USE, target))
        for index in defined:
            tokens[index] = Token(words[index], Kind.DEFINITION, self.define(words[index]))
        return tokens


class _Parser:
    def __init__(self, raws: list[Raw], scope: _Scope) -> None:
        self.raws, self.scope = raws, scope

    def block(self, start: int, end: int) -> Block:
        """The statements between two braces."""
        statements: list[Statement] = []
        comments: list[str] = []
        index = start
        while index < end:
            raw = self.raws[index]
            if raw.text.startswith("//"):
                if index > start and self.raws[index - 1].line == raw.line and statements and not comments:
                    statements[-1].comments.append(raw.text)
                else:
                    comments.append(raw.text)
                index += 1
                continue
            statement, index = self.statement(index, end)
            statement.comments[:0] = comments
            comments = []
            statements.append(statement)
        if comments and statements:
            statements[-1].comments += comments
        return Block(statements)

    def statement(self, start: int, end: int) -> tuple[Statement, int]:
        """The statement that starts here, and where the next one does."""
        statement = Statement([])
        is_value = self.raws[start].text not in BLOCK_WORDS
        piece: list[Raw] = []
        opens_block = False
        index = start
        while index < end:
            raw = self.raws[index]
            if raw.text.startswith("//"):
                statement.comments.append(raw.text)
                index += 1
                continue
            opens_block |= raw.text in BLOCK_WORDS
            piece.append(raw)
            if raw.text == "{" and opens_block:
                closing = _closing(self.raws, index)
                self._nested(statement, piece, index, closing)
                piece, opens_block, index = [self.raws[closing]], False, closing + 1
                behind = self.raws[index].text
                if not is_value and behind not in ("else",):
                    break
                continue
            if raw.text in OPENING:
                closing = _closing(self.raws, index)
                piece += [inner for inner in self.raws[index + 1 : closing + 1] if not inner.text.startswith("//")]
                index = closing + 1
                continue
            index += 1
            if raw.text == ";":
                break
        self._close(statement, piece)
        return statement, index

    def _nested(self, statement: Statement, piece: list[Raw], start: int, end: int) -> None:
        """Add the piece before a block, and the block; a loop's variable is known in its block only."""
        words = [raw.text for raw in piece]
        is_loop = words[0] == "for"
        self.scope.names.append({})
        pattern = range(1, words.index("in")) if is_loop else range(0)
        pending = self._pending(words) if not statement.pieces else range(0)
        tokens = self.scope.tokens(words, pattern) if is_loop else self._without_definition(words, pending)
        statement.pieces.append(tokens)
        statement.pieces.append(self.block(start + 1, end))
        self.scope.names.pop()

    def _without_definition(self, words: list[str], pattern: range) -> list[Token]:
        """Tokens of `let x = if c {`, whose names are defined when the statement ends."""
        tokens = self.scope.tokens(words[pattern.stop :] if len(pattern) else words, range(0))
        names = [
            Token(word, Kind.DEFINITION if _NAME.fullmatch(word) and word not in ("let", "mut") else Kind.WORD)
            for word in (words[: pattern.stop] if len(pattern) else [])
        ]
        return [*names, *tokens]

    def _pending(self, words: list[str]) -> range:
        return _pattern(words) if words[0] == "let" else range(0)

    def _close(self, statement: Statement, piece: list[Raw]) -> None:
        words = [raw.text for raw in piece]
        if not statement.pieces:
            pattern = _pattern(words) if words and words[0] == "let" else range(0)
            statement.pieces.append(self.scope.tokens(words, pattern))
            return
        statement.pieces.append(self.scope.tokens(words, range(0)))
        head = statement.tokens
        for index, token in enumerate(head):
            if token.kind is Kind.DEFINITION and token.target < 0:
                head[index] = Token(token.text, Kind.DEFINITION, self.scope.define(token.text))


def _pattern(words: list[str]) -> range:
    """Where the names of a `let` stand: up to its type or its value."""
    depth = 0
    for index, word in enumerate(words):
        depth += (word in OPENING) - (word in OPENING.values())
        if depth == 0 and word in (":", "="):
            return range(1, index)
    return range(1, len(words))


def walk(block: Block) -> Iterator[Statement]:
    """All statements, outer ones before those inside."""
    for statement in block.statements:
        yield statement
        for piece in statement.pieces:
            if isinstance(piece, Block):
                yield from walk(piece)
