"""Host code for every kernel of examples/: allocate, launch, and compare with torch.

    python examples/launches/all_examples.py                                        # on a GPU
    ferrotile capture --out captured -- python examples/launches/all_examples.py    # anywhere

Needs torch. Under `ferrotile capture` without a GPU the tensors hold no values, and every comparison holds.
"""

import importlib
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))


def array(*shape, dtype=torch.float32):
    """A random array on the GPU."""
    return torch.randn(*shape, device="cuda").to(dtype)


def heads():
    """Query, key or value: (batch, heads, length, head size)."""
    return array(2, 4, 256, 64, dtype=torch.float16)


def attend(q, k, v):
    """Causal attention as torch has it."""
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def norm(x, weight):
    """Root mean square norm."""
    wide = x.float()
    return (wide * (wide.square().mean(-1, keepdim=True) + 1e-6).rsqrt() * weight.float()).to(x.dtype)


def halves(both):
    """silu(gate) * up."""
    gate, up = both.float().chunk(2, dim=-1)
    return (torch.nn.functional.silu(gate) * up).to(both.dtype)


def normalized(x, weight, bias):
    """Layer norm, the means, and the reciprocal deviations."""
    wide = x.float()
    y = torch.nn.functional.layer_norm(wide, x.shape[1:], weight.float(), bias.float())
    return y.to(x.dtype), wide.mean(-1), (wide.var(-1, correction=0) + 1e-5).rsqrt()


def rotated(x, cosines, sines):
    """The two halves of every head turned by the angle of their position."""
    left, right = x.float().chunk(2, dim=-1)
    return torch.cat([left * cosines - right * sines, right * cosines + left * sines], dim=-1).to(x.dtype)


def masked(x, lengths):
    """Softmax of the first entries of every row."""
    behind = torch.arange(x.shape[1], device="cuda") >= lengths[:, None]
    return x.masked_fill(behind, float("-inf")).softmax(-1)


def joined(parts, lse):
    """Parts weighted by 2^lse."""
    weights = torch.exp2(lse - lse.amax(-1, keepdim=True))
    return ((parts * weights[..., None]).sum(1) / weights.sum(1, keepdim=True)).to(torch.float16)


F16 = torch.float16
LAUNCHES = {
    "attention": (attend, lambda: (heads(), heads(), heads())),
    "batched_matmul": (
        lambda a, b: a @ b.transpose(1, 2),
        lambda: (array(4, 256, 512, dtype=torch.bfloat16), array(4, 384, 512, dtype=torch.bfloat16)),
    ),
    "histogram": (
        lambda values, low, high, count: torch.histc(values, count, low, high).int(),
        lambda: (array(10_000).clamp(-1.99, 1.99), -2.0, 2.0, 16),
    ),
    "layer_norm": (normalized, lambda: tuple(array(*shape, dtype=F16) for shape in ((64, 1024), (1024,), (1024,)))),
    "matmul": (lambda a, b: a @ b, lambda: (array(512, 256, dtype=F16), array(256, 384, dtype=F16))),
    "rms_norm": (norm, lambda: (array(64, 4096, dtype=torch.bfloat16), array(4096, dtype=torch.bfloat16))),
    "rope": (
        rotated,
        lambda: (array(2, 4, 256, 128, dtype=torch.bfloat16), array(256, 64).cos(), array(256, 64).sin()),
    ),
    "softmax_gather": (
        masked,
        lambda: (array(64, 1000), torch.randint(1, 1000, (64,), device="cuda", dtype=torch.int32)),
    ),
    "softmax_online": (lambda x: x.softmax(-1), lambda: (array(64, 5000),)),
    "softmax_rows": (lambda x: x.softmax(-1), lambda: (array(512, 4096, dtype=F16),)),
    "split_k_reduce": (joined, lambda: (array(8, 16, 128), array(8, 16))),
    "swiglu": (halves, lambda: (array(64, 4096, dtype=F16),)),
    "vector_add": (lambda a, b: a + b, lambda: (array(100_000), array(100_000))),
}
"""By example: the same in torch, and arguments."""


def main():
    """Launch them all."""
    torch.manual_seed(0)
    for name, (expected, arguments) in LAUNCHES.items():
        given = arguments()
        result = importlib.import_module(name).host(*given)
        torch.testing.assert_close(result, expected(*given), rtol=2e-2, atol=2e-2)
        first = result[0] if isinstance(result, tuple) else result
        print(f"{name}: {tuple(first.shape)} on {first.device}")


if __name__ == "__main__":
    main()
