"""Figures of a translate run: how long lift, lower and check take, and how that grows with a kernel.

Non-goals: no device time yet; nothing is run here, only the JSON lines of `ferrotile translate --json` are read.
"""

from ferrotile.bench.figures import Figures, figures, read_lines

__all__ = ["Figures", "figures", "read_lines"]
