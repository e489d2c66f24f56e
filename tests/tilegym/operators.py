"""Call every operator of TileGym once or more, on tensors that need no GPU under `ferrotile capture`.

Runs in an environment with torch and tilegym. A public operator that fails makes the program fail at its end; of
others that is only told. Names of operators on the command line are the only ones called.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import Any

import ferrotile_recorder
import tilegym
import torch
from tilegym import ops

F16, BF16, F32, FP8 = torch.float16, torch.bfloat16, torch.float32, torch.float8_e4m3fn
Call = Callable[[], Any]
CALLS: dict[str, list[Call]] = {}
"""The 24 public operators: the modules of `tilegym.ops.cutile` that NVIDIA's figures are about."""
EXTRA: dict[str, list[Call]] = {}
"""Operators that came later, or that count as experimental."""


def array(*shape: int, dtype: Any = F16, grad: bool = False) -> Any:
    """A random array on the GPU. Where nothing holds values its numbers do not matter."""
    values = torch.randn(*shape, device="cuda")
    return values.to(dtype).requires_grad_(grad)


def whole(*shape: int, below: int = 2, dtype: Any = torch.int32) -> Any:
    """Whole numbers from 0 on the GPU."""
    return torch.randint(0, below, shape, device="cuda", dtype=dtype)


def backward(out: Any) -> None:
    """The backward pass of an operator."""
    first = out[0] if isinstance(out, (tuple, list)) else out
    first.backward(torch.ones_like(first))


def public(name: str) -> Callable[[Call], Call]:
    """Register a call of a public operator."""
    return lambda call: CALLS.setdefault(name, []).append(call) or call


def extra(name: str) -> Callable[[Call], Call]:
    """Register a call of another operator."""
    return lambda call: EXTRA.setdefault(name, []).append(call) or call


public("rms_norm")(lambda: backward(ops.rms_norm(array(256, 1024, grad=True), (1024,), array(1024, grad=True), 1e-5)))
public("rms_norm")(lambda: ops.rms_norm(array(256, 1024), (1024,), array(1024), 1e-5, mode="multi_wave_cached"))
public("rms_norm")(lambda: ops.rms_norm(array(256, 1024), (1024,), array(1024), 1e-5, mode="static_persistent"))
public("rms_norm")(lambda: ops.rms_norm(array(256, 1000), (1000,), array(1000), 1e-5, mode="multi_wave_reload"))
public("layer_norm_legacy")(lambda: ops.layer_norm_legacy(array(256, 1024), (1024,), array(1024), array(1024), 1e-5))
public("layer_norm_legacy")(
    lambda: ops.persistent_layer_norm(array(1024, 512, dtype=BF16), (512,), *(array(512, dtype=BF16),) * 2, 1e-5)
)
public("softmax")(lambda: ops.softmax(array(256, 1024)))
public("softmax")(lambda: ops.softmax(array(256, 1024), use_tma=True))
public("softmax")(lambda: ops.softmax(array(256, 1024), use_chunked=True))
public("softmax")(lambda: ops.softmax(array(256, 1024), use_multi_wave=True))
public("silu_and_mul")(lambda: backward(ops.silu_and_mul(array(64, 2048, grad=True))))
public("swiglu")(lambda: backward(ops.get_swiglu()(array(4, 64, 1024, grad=True), array(4, 64, 1024, grad=True))))
public("dropout")(lambda: ops.dropout(array(4096), 7, 0.5, True, False))
public("rope")(
    lambda: ops.apply_rope_base(array(2, 8, 256, 128), array(2, 2, 256, 128), array(1, 256, 128), array(1, 256, 128))
)
public("matmul")(lambda: ops.matmul(array(512, 256), array(256, 512), static_persistent=True))
public("matmul")(lambda: ops.matmul(array(512, 256), array(256, 512), static_persistent=False))
public("bmm")(lambda: ops.bmm(array(4, 256, 128), array(4, 128, 256), static_persistent=True))
public("bmm")(lambda: ops.bmm(array(4, 256, 128), array(4, 128, 256), static_persistent=False))
public("group_gemm")(lambda: ops.group_gemm([array(256, 128)] * 3, [array(128, 128)] * 3))
public("attention")(lambda: ops.fmha(array(1, 8, 256, 64), array(1, 8, 256, 64), array(1, 8, 256, 64), 0.125, True))


@public("attention")
def attention_backward() -> None:
    """With gradients; three kernels more."""
    from tilegym.ops.cutile.attention import tile_fmha_with_backward

    backward(tile_fmha_with_backward(*(array(1, 8, 256, 64, grad=True) for _ in range(3)), 0.125, True))


public("flash_decode")(
    lambda: ops.fmha_decode(array(2, 8, 1, 128), array(2, 2, 1024, 128), array(2, 2, 1024, 128), 0.125)
)


@public("attention_sink")
def attention_sink() -> Any:
    """Prefill: 2 heads of keys for 8 of queries."""
    start = torch.tensor([0], device="cuda", dtype=torch.int32)
    return ops.attention_sink(
        array(1, 128, 2, 4, 64, dtype=BF16),
        array(1, 128, 2, 64, dtype=BF16),
        array(1, 128, 2, 64, dtype=BF16),
        array(8, dtype=BF16),
        0.125,
        None,
        start,
    )


@public("attention_sink_decode")
def attention_sink_decode(window: int | None = None) -> Any:
    """One query, split over the keys."""
    start = torch.tensor([1023], device="cuda", dtype=torch.int32)
    return ops.attention_sink_decode(
        array(2, 1, 8, 8, 64, dtype=BF16),
        array(2, 1024, 8, 64, dtype=BF16),
        array(2, 1024, 8, 64, dtype=BF16),
        array(64, dtype=BF16),
        0.125,
        window,
        start,
    )


public("attention_sink_decode")(lambda: attention_sink_decode(128))
public("gemma_attention")(
    lambda: ops.gemma_attention(
        array(1, 8, 256, 128), array(1, 4, 256, 128), array(1, 4, 256, 128), 0.125, 128, 50.0, True
    )
)
public("gemma_attention_decode")(
    lambda: ops.gemma_attention_decode(
        array(2, 8, 1, 128), array(2, 4, 1024, 128), array(2, 4, 1024, 128), 0.125, 0, 50.0
    )
)
public("mla")(
    lambda: ops.mla(
        array(1, 16, 256, 128),
        array(1, 16, 256, 128),
        array(1, 16, 256, 128),
        array(1, 16, 256, 64),
        array(1, 1, 256, 64),
        True,
        0.1,
    )
)
public("mla_decoding")(
    lambda: ops.mla_decoding(array(2, 16, 512), array(2, 16, 64), array(2, 1024, 512), array(2, 1024, 64), 0.1)
)
public("mla_decoding_split_kv")(
    lambda: ops.mla_decoding_split_kv(
        array(2, 16, 512), array(2, 16, 64), array(2, 1024, 512), array(2, 1024, 64), 0.1, None
    )
)
public("splitk_reduce")(
    lambda: ops.splitk_reduce(
        array(2, 8, 4, 64, dtype=F32), array(2, 8, 4, dtype=F32), torch.empty(2, 8, 64, device="cuda", dtype=F16), 1024
    )
)


@public("moe")
def moe() -> Any:
    """Two projections of 8 experts, of which every token goes to 2."""
    from tilegym.ops.moe_interface import fused_moe

    return fused_moe(
        array(64, 256), array(8, 512, 256), array(8, 256, 256), array(64, 2, dtype=F32), whole(64, 2, below=8)
    )


@public("moe_align_block")
def moe_align_block() -> Any:
    """Sort 128 assignments by expert."""
    from tilegym.ops.cutile.moe_align_block import moe_align_block_size

    return moe_align_block_size(whole(64, 2, below=8), 64, 8)


def delta_rule(length: int) -> tuple[Any, ...]:
    """Arguments of the gated delta rules."""
    heads = array(2, length, 4, 64, dtype=BF16)
    return heads, heads.clone(), array(2, length, 4, 64, dtype=BF16), array(2, length, 4), array(2, length, 4)


public("recurrent_gated_delta_rule")(lambda: ops.recurrent_gated_delta_rule(*delta_rule(64), output_final_state=True))
public("recurrent_gated_delta_rule")(lambda: ops.recurrent_gated_delta_rule(*delta_rule(1), output_final_state=True))
public("chunk_gated_delta_rule")(lambda: ops.chunk_gated_delta_rule(*delta_rule(256), output_final_state=True))

heads = lambda: tuple(array(1, 8, 256, 64, dtype=BF16) for _ in range(3))  # noqa: E731
extra("layer_norm")(lambda: ops.layer_norm(array(256, 1024), 1, 2, array(1024), array(1024), 1e-5))
extra("layer_norm")(lambda: ops.layer_norm(array(8, 32, 1024), 1, 2, array(32), array(32), 1e-5))
extra("fmha_variant")(lambda: ops.fmha_variant(*heads(), scaling=0.125, is_causal=True))
extra("fmha_variant")(
    lambda: ops.fmha_variant(
        *(array(8, 1, 256, 64, dtype=BF16) for _ in range(3)), scaling=0.125, is_causal=True, layout="nsbd"
    )
)
extra("fmha_varlen")(lambda: ops.fmha_varlen(*heads(), scaling=0.125, q_lens=whole(1), kv_lens=whole(1)))
extra("w8a8_block_fp8_matmul")(
    lambda: ops.w8a8_block_fp8_matmul(
        array(256, 512, dtype=FP8), array(512, 512, dtype=FP8), array(256, 4, dtype=F32), array(4, 4, dtype=F32)
    )
)
extra("transpose")(lambda: ops.transpose(array(512, 256)))
extra("linear_gluact_linear")(
    lambda: ops.linear_gluact_linear(array(256, 256), array(512, 256), array(512, 256), array(256, 512))
)
extra("swa_attention")(lambda: ops.swa_attention(*(array(1, 8, 256, 64) for _ in range(3)), window_size=64))
extra("nvfp4_quantize")(lambda: ops.nvfp4_quantize(array(128, 64, dtype=BF16)))
extra("mhc_sinkhorn")(lambda: ops.mhc_sinkhorn(array(64, 24, dtype=F32), 4))
extra("mhc_apply_residual")(
    lambda: ops.mhc_apply_residual(array(64, 1024, dtype=BF16), array(64, 256, dtype=BF16), array(64, 24, dtype=F32), 4)
)
extra("mhc_gemm_rms_scale")(
    lambda: ops.mhc_gemm_rms_scale(
        array(64, 1024, dtype=BF16), array(1024, 24, dtype=BF16), 4, 1.0, 1.0, 1.0, array(24, dtype=F32)
    )
)
extra("fused_linear_cross_entropy")(
    lambda: ops.fused_linear_cross_entropy(
        array(128, 256, dtype=BF16), array(1024, 256, dtype=BF16), whole(128, below=1024, dtype=torch.int64)
    )
)


@extra("sparse_mla")
def sparse_mla() -> Any:
    """Every query attends to 64 keys of 256."""
    return ops.sparse_mla(
        array(1, 16, 256, 128, dtype=BF16),
        array(1, 1, 256, 128, dtype=BF16),
        array(1, 1, 256, 128, dtype=BF16),
        whole(1, 256, 1, 64, below=256),
        array(1, 16, 256, 64, dtype=BF16),
        array(1, 1, 256, 64, dtype=BF16),
    )


def mamba2() -> tuple[Any, ...]:
    """A batch of 1, 256 tokens, 4 heads of 64, 1 group, a state of 64."""
    return (
        array(1, 256, 4, 64, dtype=BF16),
        array(4, dtype=F32),
        array(1, 256, 1, 64, dtype=BF16),
        array(1, 256, 1, 64, dtype=BF16),
        array(4, dtype=F32),
        array(1, 256, 4, dtype=F32),
        array(1, 4, 64, 64, dtype=F32),
    )


extra("mamba2_chunk_forward")(lambda: ops.mamba2_chunk_forward(*mamba2()))
extra("mamba2_chunk_forward")(lambda: ops.mamba2_chunk_forward(*mamba2(), chunk_size=128))
extra("mamba2_chunk_backward")(
    lambda: ops.mamba2_chunk_backward(*mamba2(), array(1, 256, 4, 64, dtype=BF16), array(1, 4, 64, 64, dtype=F32))
)
extra("moe_actgrad_bwd")(
    lambda: ops.moe_actgrad_bwd(
        array(64, 256, dtype=BF16),
        array(128, 512, dtype=BF16),
        array(8, 256, 256, dtype=BF16),
        array(128, 512, dtype=BF16),
        array(128, dtype=F32),
        None,
        None,
        array(128, 256, dtype=BF16),
        array(128, dtype=F32),
        whole(9, below=128),
        whole(128, below=64),
        whole(128, below=128),
        "swiglu",
        64,
    )
)
extra("relu")(lambda: ops.activation.relu(array(64, 1024)))
for activation in ("gelu", "geglu"):
    extra(activation)(lambda name=activation: backward(getattr(ops.activation, name)(array(64, 1024, grad=True))))


def main() -> int:
    """Call them all."""
    tilegym.set_backend("cutile")
    chosen = [name for name in sys.argv[1:] if not name.startswith("--")]
    failures = 0
    for name, calls in (CALLS | EXTRA).items():
        for call in calls if not chosen or name in chosen else ():
            try:
                with ferrotile_recorder.operator(name):
                    call()
            except Exception as error:
                failures += name in CALLS
                print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
                if "--trace" in sys.argv:
                    traceback.print_exc()
    return failures


if __name__ == "__main__":
    sys.modules["operators"] = sys.modules["__main__"]
    import models  # noqa: F401

    sys.exit(main())
