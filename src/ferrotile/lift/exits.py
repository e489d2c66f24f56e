"""Branches that leave a round, and the variables that may be assigned in them.

cutile 0.5.0 gives a `continue` or `break` every variable that a branch around it assigns and that was declared before
that branch, whether the loop carries it or not (FOUND.md, F15). So a branch that holds one assigns nothing but what
was declared before the loop; a variable without a meaning from round to round is declared there for this alone.
"""

from __future__ import annotations

from xdsl.ir import Operation

from ferrotile.ir import row
from ferrotile.lift.emit import Writer
from ferrotile.lift.rust import RustType


def is_left(branch: Operation | None) -> bool:
    """Whether `branch`, or a branch around it, holds a `continue` or `break` of the loop around them."""
    while branch is not None and row(branch).name == "if":
        if _holds_exit(branch):
            return True
        branch = branch.parent_op()
    return False


def _holds_exit(branch: Operation) -> bool:
    ends = [region.block.last_op for region in branch.regions]
    if any(end is not None and row(end).name in ("continue", "break") for end in ends):
        return True
    inner = (op for region in branch.regions for op in region.block.ops)
    return any(row(op).name == "if" and _holds_exit(op) for op in inner)


def is_carried(writer: Writer, name: str) -> bool:
    """Whether a variable was declared before the innermost loop that is being written, which assigns it."""
    return name in writer.loops[-1][1] or name in writer.before_loops[-1]


def declare_before_loop(writer: Writer, wanted: str, type_: RustType, initial: str) -> str:
    """Declare a variable before the innermost loop that is being written; its first value there is never read."""
    name = writer.names.fresh(wanted)
    writer.before_loops[-1][name] = f"let mut {name}: {type_} = {initial};"
    writer.names.mutable[name] = type_
    return name
