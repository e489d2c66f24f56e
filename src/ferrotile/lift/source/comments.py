"""Carry a kernel's comments: each goes before, or behind, the operations of the statement it is about."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.ir import Operation

from ferrotile.lift.source.statement import Statement, Statements
from ferrotile.lift.source.syntax import Syntax, child_statements

_ENDS = frozenset("yield continue break return".split())
_PRAGMA = re.compile(r"#\s*(type:|noqa|pylint:|pyright:|mypy:|fmt:|isort:|ruff:|pragma|yapf:|flake8)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment's text without its `#`, where it stands, and whether it has the line for itself."""

    line: int
    column: int
    text: str
    own_line: bool


@dataclass(slots=True)
class Attached:
    """The comments for the Rust text, by the first operation of a statement, and behind it, by the last one."""

    before: dict[Operation, list[str]] = field(default_factory=dict)
    behind: dict[Operation, str] = field(default_factory=dict)


def read_comments(syntax: Syntax, first: int, last: int) -> list[Comment]:
    """The comments of a range of lines, without those for tools and without bars of punctuation."""
    text = "\n".join(syntax.lines[first - 1 : last]) + "\n"
    comments: list[Comment] = []
    for line, column, word in _comment_tokens(text):
        content = word.lstrip("#").strip()
        if _PRAGMA.match(word) or not re.search(r"\w", content):
            continue
        full_line = syntax.lines[first + line - 2]
        comments.append(Comment(first + line - 1, column, content, not full_line[:column].strip()))
    return comments


def _comment_tokens(text: str) -> Iterator[tuple[int, int, str]]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    try:
        for token in tokens:
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.start[1], token.string
    except (tokenize.TokenError, SyntaxError):  # the range ends inside a bracket, or dedents at its end
        return


def header_comments(syntax: Syntax, function: ast.FunctionDef) -> tuple[str, ...]:
    """The block of comment lines directly above a function and its decorators."""
    line = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)]) - 1
    texts: list[str] = []
    while line >= 1 and syntax.lines[line - 1].lstrip().startswith("#"):
        texts.append(syntax.lines[line - 1].strip())
        line -= 1
    kept = (text.lstrip("#").strip() for text in reversed(texts) if not _PRAGMA.match(text))
    return tuple(text for text in kept if re.search(r"\w", text))


def parameter_comments(syntax: Syntax, function: ast.FunctionDef) -> dict[str, str]:
    """The comments that stand behind parameters, by parameter name."""
    arguments = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    if not arguments or not function.body:
        return {}
    by_line = {argument.end_lineno: argument.arg for argument in arguments}
    comments = read_comments(syntax, function.lineno, function.body[0].lineno - 1)
    return {
        by_line[comment.line]: comment.text for comment in comments if comment.line in by_line and not comment.own_line
    }


def attach_comments(statements: Statements, functions: list[tuple[Syntax, ast.FunctionDef]]) -> Attached:
    """Attach the comments of these functions' bodies; a helper that is inlined twice keeps them once."""
    attached = Attached()
    first_instance: dict[ast.stmt, Statement] = {}
    for statement in statements.operations:
        first_instance.setdefault(statement.node, statement)
    for syntax, function in functions:
        placer = _Placer(function, first_instance, statements)
        inside = read_comments(syntax, function.body[0].lineno, function.end_lineno or function.lineno)
        nested = _nested_lines(function)
        for comment in (*_before_body(syntax, function), *inside):
            if comment.line not in nested:
                placer.place(comment, attached)
    return attached


def _nested_lines(function: ast.FunctionDef) -> set[int]:
    """The lines of functions inside a function: their comments are their own."""
    inner = (node for node in ast.walk(function) if isinstance(node, ast.FunctionDef) and node is not function)
    return {line for node in inner for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}


def _before_body(syntax: Syntax, function: ast.FunctionDef) -> list[Comment]:
    """Comment lines between the signature and the first statement."""
    signature_end = max(
        [function.lineno, *(node.end_lineno or 0 for node in ast.walk(function.args) if isinstance(node, ast.arg))]
    )
    comments = read_comments(syntax, signature_end + 1, function.body[0].lineno - 1)
    return [comment for comment in comments if comment.own_line and comment.column >= function.body[0].col_offset]


class _Placer:
    """Finds, for a comment of one function, the statement it is about and that statement's operations."""

    def __init__(self, function: ast.FunctionDef, instances: dict[ast.stmt, Statement], statements: Statements) -> None:
        self.instances = instances
        self.statements = statements
        self.nodes = sorted(_inner_statements(function), key=lambda node: (node.lineno, node.col_offset))
        self.siblings = {
            child: (body, index)
            for parent in (function, *self.nodes)
            for body in _bodies(parent)
            for index, child in enumerate(body)
        }

    def place(self, comment: Comment, attached: Attached) -> None:
        node = self._covering(comment.line)
        behind = node is not None and not comment.own_line and comment.line == _last_line(node)
        if node is None:
            node = self._following(comment)
        if node is None:
            return
        span = self._span(node) if behind else self._span_or_next(node)
        if span is None:
            return
        first, last = span
        if behind and last not in attached.behind:
            attached.behind[last] = comment.text
        else:
            attached.before.setdefault(first, []).append(comment.text)

    def _covering(self, line: int) -> ast.stmt | None:
        covering = [node for node in self.nodes if node.lineno <= line <= _last_line(node)]
        return covering[-1] if covering else None

    def _following(self, comment: Comment) -> ast.stmt | None:
        """The next statement, unless the comment is indented deeper: then it closes a block and is about nothing."""
        node = next((node for node in self.nodes if node.lineno > comment.line), None)
        return None if node is None or comment.column > node.col_offset else node

    def _span(self, node: ast.stmt) -> tuple[Operation, Operation] | None:
        """First and last operation of a statement in the first block that has an operation like its last one.

        So hoisted operations are passed over, and of a loop that was split the first half is taken.
        """
        instance = self.instances.get(node)
        operations = _outer_operations(self.statements.operations[instance]) if instance is not None else []
        if operations:
            result = operations[-1]
            block = next(op for op in operations if op.name == result.name).parent_block()
            members = [op for op in operations if op.parent_block() is block]
            return members[0], members[-1]
        spans = (self._span(child) for child in child_statements(node))
        return next((span for span in spans if span is not None), None)

    def _span_or_next(self, node: ast.stmt) -> tuple[Operation, Operation] | None:
        """As `_span`; for a statement that left no operation, the next one of the same paragraph."""
        found = self._span(node)
        body, index = self.siblings.get(node, ([], 0))
        while found is None and not child_statements(node) and index + 1 < len(body):
            index += 1
            if body[index].lineno > _last_line(node) + 1:
                return None
            node = body[index]
            found = self._span(node)
        return found


def _outer_operations(operations: list[Operation]) -> list[Operation]:
    """The operations that are neither inside another one of them nor the end of a block; constants only if alone."""
    members = set(operations)
    outer = [op for op in operations if op.parent_op() not in members and op.name.rpartition(".")[2] not in _ENDS]
    return [op for op in outer if not op.name.endswith(".constant")] or outer


def _inner_statements(function: ast.FunctionDef) -> Iterator[ast.stmt]:
    pending = list(function.body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            pending.extend(child_statements(node))


def _bodies(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        body = getattr(node, name, None)
        if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
            yield body


def _last_line(node: ast.stmt) -> int:
    """The last line of a simple statement or of a compound statement's header expression."""
    match node:
        case ast.For(iter=header) | ast.While(test=header) | ast.If(test=header):
            return header.end_lineno or node.lineno
        case ast.With(items=items):
            return items[-1].context_expr.end_lineno or node.lineno
    return node.lineno if child_statements(node) else node.end_lineno or node.lineno
