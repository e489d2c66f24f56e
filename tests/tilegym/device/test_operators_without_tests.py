"""The operator that TileGym's own tests do not call: both backends leave the same bits."""

from __future__ import annotations

from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
tilegym: Any = pytest.importorskip("tilegym")
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(
        not (torch.cuda.is_available() and tilegym.is_backend_available("cutile-rs")), reason="needs both backends"
    ),
]


def both(call: Any) -> None:
    """Call in either backend, and compare."""
    import ferrotile.tilegym as ours

    expected = call("cutile")
    ours.reset()
    found = call("cutile-rs")
    assert ours.report().rust > 0 and ours.report().reference == 0
    pairs = zip(expected, found, strict=True) if isinstance(expected, tuple) else [(expected, found)]
    assert all(torch.equal(one, other) for one, other in pairs)


@pytest.mark.parametrize("window", [None, 128])
def test_attention_sink_decode(window: int | None) -> None:
    torch.manual_seed(0)
    shapes = ((2, 1, 8, 8, 64), (2, 1024, 8, 64), (2, 1024, 8, 64), (64,))
    heads = [torch.randn(*shape, device="cuda", dtype=torch.bfloat16) for shape in shapes]
    start = torch.tensor([1023], device="cuda", dtype=torch.int32)
    both(lambda backend: tilegym.ops.attention_sink_decode(*heads, 0.125, window, start, backend=backend))
