"""The syntax of one Python file, indexed by position: which nodes start at a line and column, and what holds them."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class Spot:
    """A node and where it stands: its parent, the statement and the function around it."""

    node: ast.AST
    parent: Spot | None
    statement: ast.stmt | None
    function: Function | None

    def ancestors(self) -> Iterator[Spot]:
        """The spots around this one, innermost first."""
        spot = self.parent
        while spot is not None:
            yield spot
            spot = spot.parent

    @property
    def is_expression(self) -> bool:
        """An expression that computes something (a tuple only groups others)."""
        return isinstance(self.node, ast.expr) and not isinstance(self.node, (ast.Tuple, ast.List, ast.Starred))


class Syntax:
    """A parsed file. Functions are indexed when they are first asked for, so a long file costs only its parse."""

    def __init__(self, path: str, text: str) -> None:
        """Raises: SyntaxError, ValueError and RecursionError as `ast.parse` does."""
        self.path = path
        self.text = text
        self.lines = text.splitlines()
        self.tree = ast.parse(text)
        self._indexed: dict[ast.AST, dict[tuple[int, int], list[Spot]]] = {}
        self._by_node: dict[ast.AST, Spot] = {}

    def spots(self, line: int, column: int) -> tuple[Spot, ...]:
        """The nodes that start there, outermost first; only positions inside functions are known."""
        root = self._root_at(line)
        if root is None:
            return ()
        return tuple(self._index(root).get((line, column), ()))

    def spot_of(self, node: ast.AST) -> Spot | None:
        """The spot of a node of this file (of a function that was asked for before)."""
        return self._by_node.get(node)

    def function_spots(self, function: Function) -> Iterator[Spot]:
        """Every spot inside a function, in source order of its nodes."""
        root = self._root_at(_first_line(function))
        if root is not None:
            for spots in self._index(root).values():
                yield from (spot for spot in spots if spot.function is function)

    def functions_named(self, name: str) -> list[ast.FunctionDef]:
        """The function definitions of that name anywhere in the file."""
        return [node for node in self._definitions if node.name == name]

    @cached_property
    def _definitions(self) -> list[ast.FunctionDef]:
        return [node for node in _statements(self.tree.body) if isinstance(node, ast.FunctionDef)]

    @cached_property
    def _roots(self) -> list[tuple[int, int, ast.stmt]]:
        """Outermost functions (and other top statements, for lambdas in them) with their line ranges."""
        roots: list[tuple[int, int, ast.stmt]] = []
        pending: list[ast.stmt] = list(self.tree.body)
        while pending:
            statement = pending.pop()
            if isinstance(statement, ast.ClassDef):
                pending.extend(statement.body)
            else:
                roots.append((_first_line(statement), statement.end_lineno or statement.lineno, statement))
        return roots

    def _root_at(self, line: int) -> ast.stmt | None:
        return next((root for first, last, root in self._roots if first <= line <= last), None)

    def _index(self, root: ast.stmt) -> dict[tuple[int, int], list[Spot]]:
        if root not in self._indexed:
            self._indexed[root] = index = {}
            for spot in _walk(root):
                self._by_node[spot.node] = spot
                line = getattr(spot.node, "lineno", None)
                if line is not None:
                    index.setdefault((line, spot.node.col_offset), []).append(spot)  # type: ignore[attr-defined]
        return self._indexed[root]

    @cached_property
    def module_values(self) -> dict[str, ast.expr]:
        """The names that the module binds exactly once, by a plain assignment."""
        bound: dict[str, ast.expr | None] = {}
        for statement in self.tree.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    bound[name] = None if name in bound else value
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    bound[name] = None if name in bound else value
        return {name: value for name, value in bound.items() if value is not None}

    @cached_property
    def aliases(self) -> dict[str, str]:
        """Names of the module for functions with another name: `from m import exp as e`, `e = ct.exp`."""
        aliases = {
            name.asname: name.name
            for statement in self.tree.body
            if isinstance(statement, ast.ImportFrom)
            for name in statement.names
            if name.asname
        }
        for name, value in self.module_values.items():
            if isinstance(value, ast.Attribute):
                aliases[name] = value.attr
        return aliases

    @cached_property
    def module_numbers(self) -> dict[str, int | float]:
        """The module's names whose value is a number that plain arithmetic gives."""
        numbers: dict[str, int | float] = {}
        for name, expression in self.module_values.items():
            value = evaluate(expression, numbers)
            if value is not None:
                numbers[name] = value
        return numbers


def _first_line(node: ast.AST) -> int:
    decorators = getattr(node, "decorator_list", None) or ()
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])  # type: ignore[attr-defined]


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement below a list of statements, in source order."""
    pending = list(reversed(body))
    while pending:
        statement = pending.pop()
        yield statement
        pending.extend(reversed(child_statements(statement)))


def child_statements(statement: ast.AST) -> list[ast.stmt]:
    """The statements directly inside a compound statement, in source order."""
    children: list[ast.stmt] = []
    for field in ("body", "handlers", "orelse", "finalbody", "cases"):
        value = getattr(statement, field, None)
        for child in value if isinstance(value, list) else ():
            if isinstance(child, ast.stmt):
                children.append(child)
            else:
                children.extend(inner for inner in getattr(child, "body", ()) if isinstance(inner, ast.stmt))
    return children


def _walk(root: ast.stmt) -> Iterator[Spot]:
    """Spots of a tree, parents before children, without recursion (a long chain of `+` is deep)."""
    pending: list[Spot] = [Spot(root, None, root, root if isinstance(root, Function) else None)]
    while pending:
        spot = pending.pop()
        yield spot
        children: list[Spot] = []
        for child in ast.iter_child_nodes(spot.node):
            statement = child if isinstance(child, ast.stmt) else spot.statement
            function = child if isinstance(child, Function) else spot.function
            children.append(Spot(child, spot, statement, function))
        pending.extend(reversed(children))


_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_MATHS = {name: getattr(math, name) for name in ("log", "log2", "sqrt", "exp", "ceil", "floor")}
_MATHS_VALUES = {name: getattr(math, name) for name in ("pi", "e", "inf", "nan", "tau")}


def evaluate(node: ast.expr, known: dict[str, int | float]) -> int | float | None:
    """The number that an expression of literals, known names and a few `math` items gives; else None.

    Example:
        >>> evaluate(ast.parse("1.0 / (N * 2)", mode="eval").body, {"N": 4})
        0.125
    """
    try:
        return _evaluate(node, known)
    except (ArithmeticError, ValueError, TypeError, RecursionError):
        return None


def _evaluate(node: ast.expr, known: dict[str, int | float]) -> int | float | None:
    match node:
        case ast.Constant(value=bool() | int() | float() as value):
            return value
        case ast.Name(id=name):
            return known.get(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = _evaluate(operand, known)
            return None if value is None else -value
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            a, b = _evaluate(left, known), _evaluate(right, known)
            return None if a is None or b is None else _BINARY[type(op)](a, b)
        case ast.Attribute(value=ast.Name(id="math"), attr=name):
            return _MATHS_VALUES.get(name)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="math"), attr=name), args=[argument], keywords=[]):
            value = _evaluate(argument, known)
            return None if value is None or name not in _MATHS else _MATHS[name](value)
    return None
