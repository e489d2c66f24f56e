"""Everything that the Python source says about one entry, in one record."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ferrotile import ir
from ferrotile.lift.source.binding import bind_expressions, bind_returns
from ferrotile.lift.source.carried import bind_control_flow
from ferrotile.lift.source.comments import Attached, attach_comments, header_comments
from ferrotile.lift.source.constants import Constants, NamedConstant, find_constants
from ferrotile.lift.source.fallback import argument_name, fallback_name
from ferrotile.lift.source.files import SourceFinder
from ferrotile.lift.source.locate import Sites, SourceReport, locate
from ferrotile.lift.source.marks import Line
from ferrotile.lift.source.naming import argument_names, extend_through_assumptions, spell_names
from ferrotile.lift.source.parameters import ParameterName, name_parameters
from ferrotile.lift.source.shapes import bind_shapes
from ferrotile.lift.source.spelling import function_name
from ferrotile.lift.source.statement import Statement, Statements, group_statements
from ferrotile.lift.source.symbol import KernelSymbol, parse_symbol
from ferrotile.lift.source.syntax import Syntax


@dataclass(slots=True)
class Annotations:
    """Names, comments and statements for the operations of one entry; sparse or empty without a source.

    `names` are stems: values that are the same Python variable share one, and the lifter shadows or numbers them.
    """

    kernel: str
    symbol: KernelSymbol | None
    parameters: tuple[ParameterName, ...] = ()
    names: dict[SSAValue, str] = field(default_factory=dict)
    docstring: str | None = None
    header: tuple[str, ...] = ()
    helper_docstrings: dict[str, str] = field(default_factory=dict)
    report: SourceReport = field(default_factory=SourceReport)
    statements: Statements = field(default_factory=Statements)
    constants: Constants = field(default_factory=Constants)
    comments: Attached = field(default_factory=Attached)

    def line(self, text: str, op: Operation | Block) -> Line:
        """A line of Rust with the named numbers of the operation that it is for; one that has them keeps them.

        What is declared before a loop is not of the loop's own expression.
        """
        if isinstance(text, Line):
            return text
        if not isinstance(op, Operation) or (op.regions and not text.startswith("for ")):
            return Line(text, ())
        return Line(text, self.constants.numbers.get(op, ()))

    @contextmanager
    def lines(self, lines: list[str], op: Operation) -> Iterator[None]:
        """Give the lines that are added meanwhile the named numbers of the operation."""
        start = len(lines)
        yield
        lines[start:] = [self.line(line, op) for line in lines[start:]]

    @property
    def names_from(self) -> str:
        """`source` when some file gave names, else `ir`."""
        return "source" if self.report.used else "ir"

    def name(self, value: SSAValue) -> str:
        """The Python name of a value if it has one, else one from the IR."""
        if value in self.names:
            return self.names[value]
        if isinstance(value, BlockArgument):
            return argument_name(value)
        owner = value.owner
        assert isinstance(owner, Operation)
        return fallback_name(owner, next(i for i, result in enumerate(owner.results) if result is value), self.names)

    def statement_of(self, op: Operation) -> Statement | None:
        """The statement that should become one Rust statement; a one-line helper is part of the one that calls it."""
        return self.statements.of(op)

    def kernel_statement_of(self, op: Operation) -> Statement | None:
        """The kernel's own statement, seen through all inlined helpers."""
        return self.statements.in_kernel(op)

    def inner_statement_of(self, op: Operation) -> Statement | None:
        """The statement at the operation's own place, possibly in a helper."""
        return self.statements.innermost.get(op)

    def comments_before(self, op: Operation) -> tuple[str, ...]:
        """Comment lines that stand before the statement whose first operation this is."""
        return tuple(self.comments.before.get(op, ()))

    def comment_behind(self, op: Operation) -> str | None:
        """The comment at the end of the line of the statement whose last operation this is."""
        return self.comments.behind.get(op)

    def constant_of(self, op: Operation) -> NamedConstant | None:
        """The named constant that the number of a `constant` operation came from."""
        return self.constants.of_op.get(op)

    def extent_of(self, op: Operation, size: int) -> NamedConstant | None:
        """The named constant that gave a tile extent of this size at the operation's place."""
        return self.constants.extent(op, size)


def annotate(entry: Operation, finder: SourceFinder | None = None) -> Annotations:
    """What the source says about an entry (`cuda_tile.entry`); never fails: what is not found is left out."""
    text = str(ir.attribute(entry, "sym_name"))
    symbol = parse_symbol(text)
    kernel = function_name(symbol.function if symbol else text)
    block = entry.regions[0].block
    try:
        operations = [entry, *block.walk()]
        sites = locate(operations, finder)
    except RecursionError:  # a call chain deeper than any front end writes
        return Annotations(kernel, symbol)
    found = _kernel_function(sites)
    syntax, function = found if found else (None, None)
    parameters = name_parameters(symbol, function, syntax, len(block.args))
    annotations = Annotations(kernel, symbol, parameters, report=sites.report)
    bindings = bind_expressions(sites)
    bind_control_flow(operations, sites, bindings)
    bind_returns(operations, sites, bindings)
    bind_shapes(block, sites, parameters, bindings)
    annotations.names = argument_names(block, parameters) | spell_names(bindings, sites, parameters)
    extend_through_assumptions(operations, annotations.names)
    annotations.statements = group_statements(sites)
    annotations.constants = find_constants(sites, parameters)
    _add_texts(annotations, sites, found)
    return annotations


def _kernel_function(sites: Sites) -> tuple[Syntax, ast.FunctionDef] | None:
    """The `def` of the kernel: the function around the outermost place of its operations."""
    for site in sites.by_place.values():
        around = (site.spots[0], *site.spots[0].ancestors())
        functions = [spot.node for spot in around if isinstance(spot.node, ast.FunctionDef)]
        named = [function for function in functions if function.name == site.place.function] or functions
        if site.place.caller is None and named:
            return site.syntax, named[0]
    return None


def _functions(sites: Sites) -> list[tuple[Syntax, ast.FunctionDef]]:
    """The functions that operations stand in, in the order of the first."""
    functions: dict[ast.FunctionDef, Syntax] = {}
    for site in sites.by_place.values():
        function = site.spots[0].function
        if isinstance(function, ast.FunctionDef):
            functions.setdefault(function, site.syntax)
    return [(syntax, function) for function, syntax in functions.items()]


def _add_texts(annotations: Annotations, sites: Sites, found: tuple[Syntax, ast.FunctionDef] | None) -> None:
    functions = _functions(sites)
    annotations.comments = attach_comments(annotations.statements, functions)
    for _, function in functions:
        text = ast.get_docstring(function)
        if text and (found is None or function is not found[1]):
            annotations.helper_docstrings.setdefault(function.name, text)
    if found is not None:
        annotations.docstring = ast.get_docstring(found[1])
        annotations.header = header_comments(*found)
