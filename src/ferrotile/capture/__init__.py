"""Run cuTile Python's front end on a kernel of a Python file and keep the Tile IR bytecode.

`export(path, kernel, signature, target)` gives one `Capture` per specialization; `discover(folder)` lists
what a folder of Python files with spec files offers. docs/signatures.md documents the spec file.

Non-goals: no launch is recorded here, nothing needs a GPU, and bytecode is not looked into.
"""

from ferrotile.capture.discover import discover
from ferrotile.capture.front_end import BYTECODE_VERSION, Capture, export
from ferrotile.capture.spec import ArraySpec, Hints, ScalarSpec, Spec, Specialization, read_spec

__all__ = [
    "BYTECODE_VERSION",
    "ArraySpec",
    "Capture",
    "Hints",
    "ScalarSpec",
    "Spec",
    "Specialization",
    "discover",
    "export",
    "read_spec",
]
