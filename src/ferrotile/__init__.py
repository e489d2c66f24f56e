"""Translate cuTile Python kernels to cuTile Rust through CUDA Tile IR, and prove the two equal.

The rooms, in flow order: core, capture, ir, lift, lower, check, workflow, report, cli (docs/map.md).
Importing this package imports no room, so that start-up stays cheap.
"""

__version__ = "0.1.0"
