"""Which Python statement an operation belongs to, so that one statement becomes one Rust statement."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from xdsl.ir import Operation

from ferrotile.core import Place
from ferrotile.lift.source.calls import call_spot
from ferrotile.lift.source.carried import stored_names
from ferrotile.lift.source.locate import Site, Sites
from ferrotile.lift.source.syntax import Spot, child_statements


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A Python statement as it was executed once: in the kernel, or in one inlined call of a helper.

    Of a compound statement (`for`, `if`, `while`) this is the header. `targets` are the Python names it binds,
    `caller` is the statement that called the helper it stands in; `is_whole_body`: a helper's only statement.
    """

    id: int
    file: str
    function: str
    first_line: int
    last_line: int
    text: str
    targets: tuple[str, ...]
    node: ast.stmt = field(repr=False)
    is_whole_body: bool = False
    caller: Statement | None = field(default=None, repr=False)

    @property
    def depth(self) -> int:
        """How many inlined calls lie between the kernel and this statement."""
        return 0 if self.caller is None else self.caller.depth + 1


@dataclass(slots=True)
class Statements:
    """The statements of one entry, and the operations that came from each, helpers included."""

    innermost: dict[Operation, Statement] = field(default_factory=dict)
    operations: dict[Statement, list[Operation]] = field(default_factory=dict)

    def of(self, op: Operation) -> Statement | None:
        """The statement that becomes one Rust statement with the operation in it.

        A helper that is one `return` is part of the statement that calls it; a longer one keeps its statements.
        """
        statement = self.innermost.get(op)
        while statement is not None and statement.caller is not None and statement.is_whole_body:
            statement = statement.caller
        return statement

    def in_kernel(self, op: Operation) -> Statement | None:
        """The kernel's own statement from which the operation comes, whatever helpers lie between."""
        statement = self.innermost.get(op)
        while statement is not None and statement.caller is not None:
            statement = statement.caller
        return statement


def group_statements(sites: Sites) -> Statements:
    """The statements that operations came from; operations at parameters and at a `def` line have none."""
    statements = Statements()
    known: dict[tuple[ast.stmt, Place | None], Statement] = {}
    for op, site in sites.of_op.items():
        statement = _statement_at(site, site.spots[0], sites, known)
        if statement is None:
            continue
        statements.innermost[op] = statement
        here: Statement | None = statement
        while here is not None:
            statements.operations.setdefault(here, []).append(op)
            here = here.caller
    return statements


def _statement_at(
    site: Site, spot: Spot, sites: Sites, known: dict[tuple[ast.stmt, Place | None], Statement]
) -> Statement | None:
    node = spot.statement
    if node is None or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    key = (node, site.place.caller)
    if key not in known:
        called = call_spot(site, sites)
        caller = _statement_at(called[1], called[0], sites, known) if called else None
        last = _header_end(node)
        known[key] = Statement(
            id=len(known),
            file=site.place.file,
            function=site.place.function,
            first_line=node.lineno,
            last_line=last,
            text="\n".join(site.syntax.lines[node.lineno - 1 : last]).strip(),
            targets=tuple(sorted(stored_names(node))) if not child_statements(node) else (),
            node=node,
            is_whole_body=isinstance(node, ast.Return) and _is_whole_body(spot),
            caller=caller,
        )
    return known[key]


def _is_whole_body(spot: Spot) -> bool:
    """Whether the function around a `return` has nothing else, but for a docstring."""
    body = spot.function.body if isinstance(spot.function, ast.FunctionDef) else []
    return (
        len([part for part in body if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))]) == 1
    )


def _header_end(node: ast.stmt) -> int:
    """The last line of a simple statement, or of the header of a compound one."""
    children = child_statements(node)
    if children:
        return max(node.lineno, children[0].lineno - 1) if children[0].lineno > node.lineno else node.lineno
    return node.end_lineno or node.lineno
