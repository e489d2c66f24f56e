"""Rust kernel text to Tile IR bytecode, by cutile's own compiler in this process; no rustc, no GPU.

Non-goals: no type check as rustc does it (unknown `use` paths and missing `unsafe` pass here; see
`make check-rust`), no optimization, no cubin.
"""

from ferrotile.lower.call import DEFAULT_VERSION, lower, version_for
from ferrotile.lower.record import Lowered, RustSource, TensorSpec

__all__ = ["DEFAULT_VERSION", "Lowered", "RustSource", "TensorSpec", "lower", "version_for"]
