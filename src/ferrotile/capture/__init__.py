"""Run cuTile Python's front end on a kernel, or a program that launches kernels, and keep the Tile IR bytecode.

`export(path, kernel, signature, target)` gives one `Capture` per specialization; `discover(folder)` lists
what a folder of Python files with spec files offers. `record(command, out, options)` runs a program and
exports what it launches; `read_index(folder)` reads what it wrote. `signature_of(kernel, arguments)` and
`specialize(kernel, signature, target)` export for a launch of this very process. docs/signatures.md documents the spec
file, docs/capture.md the recording.

Non-goals: bytecode is not looked into, and nothing needs a GPU.
"""

from ferrotile.capture.discover import discover
from ferrotile.capture.front_end import BYTECODE_VERSION, Capture, export
from ferrotile.capture.index import INDEX, Exported, Index, Unexported, is_capture, read_index
from ferrotile.capture.live import Launched, signature_of, specialize
from ferrotile.capture.recording import RecordOptions, exit_code_of, record
from ferrotile.capture.spec import ArraySpec, Hints, ScalarSpec, Spec, Specialization, read_spec

__all__ = [
    "BYTECODE_VERSION",
    "INDEX",
    "ArraySpec",
    "Capture",
    "Exported",
    "Hints",
    "Index",
    "Launched",
    "RecordOptions",
    "ScalarSpec",
    "Spec",
    "Specialization",
    "Unexported",
    "discover",
    "exit_code_of",
    "export",
    "is_capture",
    "read_index",
    "read_spec",
    "record",
    "signature_of",
    "specialize",
]
