"""Run a Tile IR kernel on NumPy arrays, without a GPU, and say what it does wrong.

`interpret(module, arguments, grid)` gives a `Result`: the arrays, and findings (races between blocks, accesses out of
bounds, undetermined values that are stored or decide something, broken assumptions), each with its source line.
Rows of the operation table say what operations mean; this room drives loops, memory and blocks.

Non-goals: no timing, no weak-memory behaviour (blocks run one after the other), no parallelism, and of the freedom
that the specification leaves (order of sums, accuracy of functions) one stated choice.
"""

from ferrotile.interp.arguments import Buffer, Table, output, roles_of
from ferrotile.interp.finding import KINDS, Finding
from ferrotile.interp.launch import Options, Result, interpret
from ferrotile.interp.races import Access
from ferrotile.interp.sameness import Sameness, same_results
from ferrotile.interp.value import Tile

__all__ = [
    "KINDS",
    "Access",
    "Buffer",
    "Finding",
    "Options",
    "Result",
    "Sameness",
    "Table",
    "Tile",
    "interpret",
    "output",
    "roles_of",
    "same_results",
]
