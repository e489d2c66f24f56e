"""Answer the launches of a cuTile Python program with proved Rust kernels, in its own process.

`install(Launcher(...), is_ours)` hooks `cuda.tile.launch` and its tuner. The first launch of a specialization exports
it, lifts, lowers and compares it, and compiles what was proved; later ones find it by a cheap key. A refused kernel
raises its error unless the policy says otherwise; `Counters` tell what ran. `ferrotile.tilegym` is the backend of
TileGym made of this.

Non-goals: no fallback that is not asked for and counted; no allocation but the tables of lists of arrays; no waiting.
"""

from ferrotile.backend.arguments import Word, word
from ferrotile.backend.counters import Counters, Ran, Report
from ferrotile.backend.driver import CudaDriver, Driver
from ferrotile.backend.fixed import Fixed, FixedLauncher
from ferrotile.backend.hooks import install
from ferrotile.backend.launcher import Launcher, Policy
from ferrotile.backend.shelf import Shelf

__all__ = [
    "Counters",
    "CudaDriver",
    "Driver",
    "Fixed",
    "FixedLauncher",
    "Launcher",
    "Policy",
    "Ran",
    "Report",
    "Shelf",
    "Word",
    "install",
    "word",
]
