"""Holes: what is refused becomes a typed function; filled rightly it is the reference, filled wrongly it is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from xdsl.ir import Operation

from ferrotile import check, ir, lift, lower
from ferrotile.capture import export
from ferrotile.core import FerrotileError, Unsupported, VerdictKind
from ferrotile.lift.emit import HANDLERS, Writer
from ferrotile.workflow.stages.kernel_text import require_plain

EXAMPLE = Path(__file__).parents[2] / "examples" / "vector_add.py"
RIGHT = "fn hole_1(a: Tile<f32, { [1024] }>, b: Tile<f32, { [1024] }>) -> Tile<f32, { [1024] }> {\n    a + b\n}\n"


@pytest.fixture(scope="module")
def reference() -> bytes:
    return export(EXAMPLE, "vector_add", None, "sm_90")[0].bytecode


def refuse(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let lift refuse operations that it has a form for."""
    plain = Writer.plain

    def refusing(self: Writer, op: Operation) -> None:
        if ir.row(op).name in names:
            raise Unsupported("FT302", f"`{ir.row(op).name}` is refused for this test", at=ir.place(op))
        plain(self, op)

    monkeypatch.setattr(Writer, "plain", refusing)
    for name in names:
        if name in HANDLERS:
            monkeypatch.setitem(HANDLERS, name, refusing)


def lifted(reference: bytes) -> lift.RustKernel:
    return lift.lift(ir.decode(reference), lift.SourceFinder([]), holes=True)


def verdict(kernel: lift.RustKernel, reference: bytes, functions: str) -> VerdictKind:
    """What check says of the filled kernel."""
    text = lift.filled(kernel.text, kernel.holes, functions)
    require_plain(text)
    lowered = lower.lower(replace(kernel.source, text=text), "sm_90", ir.decode(reference).version)
    return check.check(reference, lowered.bytecode, kernel.parameters, "sm_90").kind


def test_refused_operation_becomes_a_typed_function(reference: bytes, monkeypatch: pytest.MonkeyPatch):
    refuse(monkeypatch, "addf")
    with pytest.raises(Unsupported):
        lift.lift(ir.decode(reference))
    kernel = lifted(reference)
    (hole,) = kernel.holes
    tile = "Tile<f32, { [1024] }>"
    assert hole.signature == f"fn hole_1(a0: {tile}, a1: {tile}) -> {tile}"
    assert "addf" in hole.operation and hole.code == "FT302" and "vector_add.py:16" in (hole.place or "")
    assert "hole_1(left, right)" in kernel.text
    with pytest.raises(FerrotileError) as caught:
        require_plain(kernel.text)
    assert caught.value.code == "FT826", "an unfilled hole is no kernel"


def test_filled_hole_is_judged_like_everything_else(reference: bytes, monkeypatch: pytest.MonkeyPatch):
    refuse(monkeypatch, "addf")
    kernel = lifted(reference)
    assert verdict(kernel, reference, RIGHT) is VerdictKind.EQUAL
    assert verdict(kernel, reference, RIGHT.replace("a + b", "a - b")) is VerdictKind.DIFFERS
    assert verdict(kernel, reference, RIGHT.replace("a + b", "b + a")) is VerdictKind.DIFFERS


@pytest.mark.parametrize(
    "functions",
    [
        "",
        RIGHT.replace("hole_1", "hole_2"),
        RIGHT.replace("b: Tile<f32", "b: Tile<f16"),
        RIGHT.replace("-> Tile<f32, { [1024] }>", "-> Tile<f32, { [1] }>"),
    ],
)
def test_hole_keeps_its_signature(functions: str, reference: bytes, monkeypatch: pytest.MonkeyPatch):
    refuse(monkeypatch, "addf")
    kernel = lifted(reference)
    with pytest.raises(FerrotileError) as caught:
        lift.filled(kernel.text, kernel.holes, functions)
    assert caught.value.code == "FT826"


def test_what_is_no_function_stays_refused(reference: bytes, monkeypatch: pytest.MonkeyPatch):
    refuse(monkeypatch, "store_view_tko")
    with pytest.raises(Unsupported):
        lifted(reference)


def test_kernel_without_a_refusal_has_no_hole(reference: bytes):
    kernel = lifted(reference)
    assert kernel.holes == () and kernel.text == lift.lift(ir.decode(reference), lift.SourceFinder([])).text
