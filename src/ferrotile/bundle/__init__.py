"""The folder of one translation as evidence: what proof.json claims, and the replay of every claim on another machine.

Non-goals: nothing is lifted here, no text is repaired, and a claim that cannot be replayed is said, never assumed.
"""

from ferrotile.bundle.inputs import VARIANTS, arguments, numpy_dtype
from ferrotile.bundle.launched import launched
from ferrotile.bundle.proof import FILES, FORMAT, PROOF, Machine, OtherTarget, Proof, digest, read, write
from ferrotile.bundle.recorded import Call, Like, recorded_call, span_bytes
from ferrotile.bundle.replay import Replay, replay, unsafe_blocks
from ferrotile.bundle.step import Outcome, Step
from ferrotile.bundle.versions import versions

__all__ = [
    "FILES",
    "FORMAT",
    "PROOF",
    "VARIANTS",
    "Call",
    "Like",
    "Machine",
    "OtherTarget",
    "Outcome",
    "Proof",
    "Replay",
    "Step",
    "arguments",
    "digest",
    "launched",
    "numpy_dtype",
    "read",
    "recorded_call",
    "replay",
    "span_bytes",
    "unsafe_blocks",
    "versions",
    "write",
]
