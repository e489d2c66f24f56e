"""What was launched: the proof that the Rust kernels ran, and everything that they did not answer."""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass, field
from typing import Any

from ferrotile._native import Tally


@dataclass(frozen=True, slots=True)
class Ran:
    """A kernel that was launched: the digests (SHA-256) of its kernel.rs and of its machine code, and how it was
    proved to be the reference.
    """

    kernel: str
    folder: str
    rust_sha256: str
    cubin_sha256: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Report:
    """Counts since the start, or since `reset`. `rust`: launches of our kernels; `reference`: launches that the
    policy left to cuTile Python, with the refusal of each kernel; `last`: the kernel launched last.
    """

    rust: int
    reference: int
    kernels: dict[Ran, int] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    last: Ran | None = None

    def to_json(self) -> dict[str, Any]:
        """The report as JSON."""
        return {
            "rust": self.rust,
            "reference": self.reference,
            "kernels": [{**asdict(ran), "launches": count} for ran, count in self.kernels.items()],
            "refused": self.refused,
        }


class Counters:
    """Counts launches of all threads. Launches that are answered without Python count in the tally of their kernel."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tallies: dict[Ran, Tally] = {}
        self.reset()

    def reset(self) -> None:
        """Begin again at 0."""
        with self._lock:
            for tally in self._tallies.values():
                tally.reset()
            self._reference = 0
            self._refused: dict[str, str] = {}

    def tally(self, ran: Ran) -> Tally:
        """Where the launches of one of our kernels are counted."""
        with self._lock:
            return self._tallies.setdefault(ran, Tally())

    def ran(self, ran: Ran) -> None:
        """One of our kernels was launched."""
        self.tally(ran).add()

    def refused(self, kernel: str, why: str, *, launched_reference: bool) -> None:
        """A launch was refused, or left to the reference."""
        with self._lock:
            self._refused[kernel] = why
            self._reference += launched_reference

    def report(self) -> Report:
        """What was counted so far."""
        with self._lock:
            launched = {ran: tally for ran, tally in self._tallies.items() if tally.count}
            kernels = {ran: tally.count for ran, tally in launched.items()}
            last = max(launched, key=lambda ran: launched[ran].last, default=None)
            return Report(sum(kernels.values()), self._reference, kernels, dict(self._refused), last)
