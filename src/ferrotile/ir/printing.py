"""Generic text of a module, for people and for error messages; it cannot be read back."""

from __future__ import annotations

from io import StringIO

from xdsl.ir import Operation
from xdsl.printer import Printer

from ferrotile.ir.module import Module


def print_generic(item: Module | Operation, *, places: bool = False) -> str:
    """The text of a module or operation in MLIR's generic form; `places` adds where each operation came from."""
    stream = StringIO()
    op = item.op if isinstance(item, Module) else item
    Printer(stream=stream, print_generic_format=True, print_debuginfo=places).print_op(op)
    return stream.getvalue()
