"""What lower takes and gives: frozen records, no behaviour beyond checking themselves."""

from __future__ import annotations

from dataclasses import dataclass

from ferrotile.core.rust_source import RustSource, TensorSpec


@dataclass(frozen=True, slots=True)
class Lowered:
    """Tile IR bytecode, and which safety checks were moved to the launch or stay in the kernel.

    `launch_checks` are sentences, each with the Rust line that needs it. Units: `seconds` is wall time.
    """

    bytecode: bytes
    launch_checks: tuple[str, ...]
    checks_in_kernel: int
    seconds: float


__all__ = ["Lowered", "RustSource", "TensorSpec"]
