"""Call kernels of `tilegym.suites` that TileGym's own tests do not reach, or only with values in tensors."""

from __future__ import annotations

import sys
from typing import Any

import operators
import torch
from operators import BF16, F16, F32, FP8, array, backward, extra, whole
from tilegym.suites.flashinfer import ops as flashinfer
from tilegym.suites.liger import ops as liger
from tilegym.suites.unsloth import ops as unsloth


def rows(width: int = 1024, dtype: Any = F16, count: int = 64) -> Any:
    """Rows that want a gradient."""
    return array(count, width, dtype=dtype, grad=True)


def prefill(is_paged: bool, is_lpt: bool) -> Any:
    """Two sequences of 256 tokens, of which every page holds 64."""
    key = (lambda: array(16, 64, 2, 128)) if is_paged else (lambda: array(512, 2, 128))
    function = flashinfer.prefill_attention_kv_paged if is_paged else flashinfer.prefill_attention_kv_ragged
    lengths, pages = whole(2, below=256), whole(2, 4, below=8)
    starts = whole(3, below=512)
    return function(
        array(512, 8, 128), key(), key(), lengths, lengths, starts, pages, 1.0, 1.0, 2, 256, use_lpt_scheduler=is_lpt
    )


def decode(heads: int) -> Any:
    """Two queries, split over 64 pages of keys."""
    lengths, pages = whole(2, below=4096), whole(2, 64, below=128)
    key = array(128, 64, 2, 128)
    return flashinfer.decode_attention_kv_paged(
        array(2, heads, 128), key, key, lengths, pages, 1.0, 1.0, max_seq_len=4096, force_split_kv=True
    )


def grouped(tokens: Any, weight: Any) -> Any:
    """Four experts with 32 tokens each."""
    out = unsloth.grouped_gemm(tokens, weight, whole(4, below=32), 1, gather_indices=whole(128, below=128))
    return backward(out)


for is_paged in (True, False):
    for is_lpt in (True, False):
        extra("flashinfer.prefill")(lambda is_paged=is_paged, is_lpt=is_lpt: prefill(is_paged, is_lpt))
extra("flashinfer.decode")(lambda: decode(16))
extra("flashinfer.decode")(lambda: decode(6))
extra("flashinfer.masked_bmm")(
    lambda: flashinfer.masked_bmm(array(4, 128, 256), array(4, 256, 256), whole(4, below=128))
)
extra("flashinfer.ragged_block_scaled_bmm")(
    lambda: flashinfer.ragged_block_scaled_bmm(
        array(512, 512, dtype=FP8),
        array(4, 256, 512, dtype=FP8),
        array(512, 4, dtype=F32),
        array(4, 2, 4, dtype=F32),
        whole(5, below=512),
        128,
    )
)
extra("unsloth.grouped_gemm")(lambda: grouped(array(128, 256, grad=True), array(4, 256, 256)))
extra("unsloth.grouped_gemm")(lambda: grouped(array(128, 256), array(4, 256, 256, grad=True)))
extra("liger.fused_neighborhood_attention")(
    lambda: backward(liger.fused_neighborhood_attention(*(array(1, 4, 128, 64, grad=True) for _ in range(3))))
)
extra("liger.layer_norm")(lambda: backward(liger.layer_norm(rows(), array(1024), array(1024))))
extra("liger.modulated_rms_norm")(
    lambda: backward(liger.modulated_rms_norm(rows(), array(1024, grad=True), rows(count=1), rows(count=1)))
)
extra("liger.modulated_rms_norm")(
    lambda: backward(liger.modulated_rms_norm(rows(), None, rows(count=1), rows(count=1)))
)
extra("liger.poly_norm")(lambda: liger.poly_norm(rows(32768), array(3), array(1)))
extra("liger.relu_squared")(lambda: backward(liger.relu_squared(rows())))
extra("liger.relu_squared")(lambda: backward(liger.relu_squared(rows(1000))))
extra("liger.rms_norm")(lambda: backward(liger.rms_norm(rows(), None, 1e-6)))
extra("liger.softmax")(lambda: backward(liger.softmax(rows(131072, count=8))))
extra("liger.tvd")(lambda: liger.tvd(rows(4096, F32), array(64, 4096, dtype=F32)))
extra("liger.fused_add_rms_norm")(
    lambda: backward(
        liger.fused_add_rms_norm(rows(32768, BF16), rows(32768, BF16), array(32768, dtype=BF16, grad=True))
    )
)


@extra("liger.grpo_loss")
def grpo_loss() -> None:
    """A loss whose importance is sampled for whole sequences."""
    out = liger.grpo_loss(
        array(2, 65, 1024, dtype=BF16, grad=True),
        array(2, 64, dtype=F32),
        None,
        whole(2, 64, below=1024, dtype=torch.int64),
        array(2, dtype=F32),
        importance_sampling_level="sequence",
    )
    backward(out)


if __name__ == "__main__":
    operators.CALLS.clear()
    for name in [name for name in operators.EXTRA if "." not in name]:
        del operators.EXTRA[name]
    sys.exit(operators.main())
