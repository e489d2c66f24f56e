"""Lift, lower and check in one step: what every test of generated text asks for."""

from __future__ import annotations

from ferrotile import ir
from ferrotile.check import Verdict, check
from ferrotile.lift import RustKernel, Style, lift
from ferrotile.lower import lower

STYLES = tuple(Style)


def proved(reference: bytes, style: Style = Style.FLUENT, target: str = "sm_90") -> tuple[RustKernel, Verdict]:
    """The Rust of a kernel, and whether it is that kernel again. Raises: what lift and lower raise."""
    module = ir.decode(reference)
    kernel = lift(module, target=target, style=style)
    lowered = lower(kernel.source, target, module.version)
    return kernel, check(reference, lowered.bytecode, kernel.parameters, target)


def require_equal(reference: bytes, style: Style = Style.FLUENT, target: str = "sm_90") -> RustKernel:
    """The Rust of a kernel that is that kernel again; else the test fails with sentence and text."""
    kernel, verdict = proved(reference, style, target)
    assert verdict.kind in ("EQUAL", "REFINES"), f"{verdict.kind}: {verdict.sentence}\n{kernel.text}"
    return kernel
