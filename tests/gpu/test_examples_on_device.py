"""The examples compute what they say, and their Rust computes the same bits.

Needs a GPU, torch, and a pack of cubins (tests/gpu/pack_examples.py).
"""

from __future__ import annotations

import importlib.util
import math
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
PACK = os.environ.get("FERROTILE_PACK")
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not PACK or not torch.cuda.is_available(), reason="needs FERROTILE_PACK and a GPU"),
]
EXAMPLES = Path(__file__).parents[2] / "examples"


def _launch_module() -> Any:
    spec = importlib.util.spec_from_file_location("launch", Path(__file__).parent / "launch.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["launch"] = module
    spec.loader.exec_module(module)
    return module


LAUNCH = _launch_module()


def _random(*shape: int, dtype: Any = None) -> Any:
    return torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype or torch.float32)


def _vector_add() -> tuple[tuple[Any, ...], Any]:
    a, b = _random(100_000), _random(100_000)
    return (a, b), a + b


def _softmax(columns: int, dtype: Any) -> tuple[tuple[Any, ...], Any]:
    x = _random(300, columns, dtype=dtype)
    return (x,), torch.softmax(x.float(), dim=1).to(dtype)


def _softmax_gather() -> tuple[tuple[Any, ...], Any]:
    x = _random(200, 1008)
    lengths = torch.randint(1, 1009, (200,), device="cuda", dtype=torch.int32)
    outside = torch.arange(1008, device="cuda")[None, :] >= lengths[:, None]
    return (x, lengths), torch.softmax(x.masked_fill(outside, -math.inf), dim=1)


def _rms_norm() -> tuple[tuple[Any, ...], Any]:
    x, weight = _random(200, 4080, dtype=torch.bfloat16), _random(4080, dtype=torch.bfloat16)
    scale = torch.rsqrt(x.float().square().mean(dim=1, keepdim=True) + 1e-6)
    return (x, weight), (x.float() * scale * weight.float()).to(torch.bfloat16)


def _layer_norm() -> tuple[tuple[Any, ...], Any]:
    x, weight, bias = _random(203, 1008, dtype=torch.float16), _random(1008).half(), _random(1008).half()
    y = torch.nn.functional.layer_norm(x.float(), (1008,), weight.float(), bias.float(), 1e-5)
    variance = x.float().var(dim=1, unbiased=False)
    return (x, weight, bias), (y.half(), x.float().mean(dim=1), torch.rsqrt(variance + 1e-5))


def _matmul() -> tuple[tuple[Any, ...], Any]:
    a, b = _random(1040, 528, dtype=torch.float16), _random(528, 2064, dtype=torch.float16)
    return (a, b), (a.float() @ b.float()).half()


def _batched_matmul() -> tuple[tuple[Any, ...], Any]:
    a, b = _random(3, 208, 336, dtype=torch.bfloat16), _random(3, 272, 336, dtype=torch.bfloat16)
    return (a, b), (a.float() @ b.float().transpose(1, 2)).bfloat16()


def _attention() -> tuple[tuple[Any, ...], Any]:
    q, k, v = (_random(2, 3, 300, 64, dtype=torch.float16) for _ in range(3))
    out = torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=True)
    return (q, k, v), out.half()


def _rope() -> tuple[tuple[Any, ...], Any]:
    x = _random(2, 3, 100, 128, dtype=torch.bfloat16)
    angles = torch.arange(100, device="cuda")[:, None] * 10_000 ** (-torch.arange(64, device="cuda") / 64)
    first, second = x.float().chunk(2, dim=3)
    turned = torch.cat((first * angles.cos() - second * angles.sin(), second * angles.cos() + first * angles.sin()), 3)
    return (x, angles.cos(), angles.sin()), turned.bfloat16()


def _swiglu() -> tuple[tuple[Any, ...], Any]:
    both = _random(100, 2 * 2000, dtype=torch.float16)
    gate, up = both.float().chunk(2, dim=1)
    return (both,), (torch.nn.functional.silu(gate) * up).half()


def _split_k_reduce() -> tuple[tuple[Any, ...], Any]:
    parts, lse = _random(40, 11, 256), _random(40, 11)
    weights = torch.softmax(lse * math.log(2), dim=1)
    return (parts, lse), (parts * weights[:, :, None]).sum(dim=1).half()


def _histogram() -> tuple[tuple[Any, ...], Any]:
    values = _random(50_000)
    return (values, -2.0, 2.0, 64), torch.histc(values, 64, -2.0, 2.0).int()


CASES: dict[str, Callable[[], tuple[tuple[Any, ...], Any]]] = {
    "vector_add": _vector_add,
    "softmax_rows": lambda: _softmax(4000, torch.float16),
    "softmax_online": lambda: _softmax(5008, torch.float32),
    "softmax_gather": _softmax_gather,
    "rms_norm": _rms_norm,
    "layer_norm": _layer_norm,
    "matmul": _matmul,
    "batched_matmul": _batched_matmul,
    "attention": _attention,
    "rope": _rope,
    "swiglu": _swiglu,
    "split_k_reduce": _split_k_reduce,
    "histogram": _histogram,
}


def _run(name: str, side: int) -> tuple[list[Any], list[Any]]:
    """Results of a side, and what they should be."""
    launcher = LAUNCH.Launcher(Path(PACK or ""))
    if not launcher.has(name, side):
        pytest.skip("this side was not packed")
    torch.manual_seed(0)
    launcher.side = side
    inputs, expected = CASES[name]()
    results = LAUNCH.load_example(EXAMPLES / f"{name}.py", launcher).host(*inputs)
    torch.cuda.synchronize()
    return _as_list(results), _as_list(expected)


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple) else [value]


@pytest.mark.parametrize("name", sorted(CASES))
def test_example_computes_what_it_says(name: str) -> None:
    for result, expected in zip(*_run(name, 0), strict=True):
        tolerance = {torch.float32: 1e-4, torch.float16: 4e-3, torch.bfloat16: 2e-2}.get(result.dtype, 0)
        if name == "histogram":
            # A value on the edge of a bin may round to either side of it.
            assert (result - expected).abs().sum() <= 4
        else:
            torch.testing.assert_close(result, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", sorted(CASES))
def test_rust_gives_the_same_bits(name: str) -> None:
    reference, _ = _run(name, 0)
    lowered, _ = _run(name, 1)
    for left, right in zip(reference, lowered, strict=True):
        assert torch.equal(left.view(torch.uint8), right.view(torch.uint8))


def test_every_example_has_a_case() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(CASES)
