"""Tile IR module -> Rust kernel text, with all that lower and the launch need to know about it.

Non-goals: nothing here compiles Rust or judges the result; what does not fit exactly is refused (FT3xx).
"""

from ferrotile.core.style import Style
from ferrotile.lift.holes import Hole, filled
from ferrotile.lift.kernel import RustKernel, lift
from ferrotile.lift.source import SourceFinder

__all__ = ["Hole", "RustKernel", "SourceFinder", "Style", "filled", "lift"]
