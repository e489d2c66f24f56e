"""Call the kernels that tilegym has for single language models; they have no name as operators."""

from __future__ import annotations

import importlib
from typing import Any

from operators import BF16, F32, array, extra


def host(model: str, file: str, name: str) -> Any:
    """A host function of a model's kernel."""
    return getattr(importlib.import_module(f"tilegym.transformers.{model}.kernels.{file}"), name)


def rows(*more: Any) -> tuple[Any, ...]:
    """Two arrays of 64 rows of 256, and what follows them."""
    return array(64, 256, dtype=BF16), array(64, 256, dtype=BF16), *more


def weights(count: int, *more: Any) -> tuple[Any, ...]:
    """Weights of 256 columns."""
    return *(array(256, dtype=BF16) for _ in range(count)), *more


ROWS: list[tuple[str, str, str, int, tuple[Any, ...]]] = [
    ("olmo3", "dual_rms_norm", "dual_rms_norm_cutile", 2, (1e-6,)),
    ("olmo3", "rms_norm_residual_add", "rms_norm_residual_add_cutile", 1, (1e-6,)),
    ("olmoe", "dual_rms_norm", "dual_rms_norm_olmoe_cutile", 2, (1e-6,)),
    ("olmoe", "residual_add_rms_norm", "residual_add_rms_norm_olmoe_cutile", 1, (1e-6,)),
    ("qwen3_5", "residual_add_rms_norm", "residual_add_rms_norm_cutile", 1, (1e-6,)),
    ("qwen3_5", "rms_norm_gated", "rms_norm_gated_cutile", 1, (1e-6,)),
    ("qwen3_5", "sigmoid_mul", "sigmoid_mul_cutile", 0, ()),
    ("qwen3_5", "silu_and_mul_separate", "silu_and_mul_separate_cutile", 0, ()),
]
"""Model, file, function, how many weights it takes, and what follows them."""
for model, file, name, count, rest in ROWS:
    extra(f"{model}.{file}")(
        lambda at=(model, file, name), count=count, rest=rest: host(*at)(*rows(*weights(count, *rest)))
    )

extra("lfm2_moe.causal_conv1d_prefill")(
    lambda: host("lfm2_moe", "causal_conv1d_prefill", "lfm2_causal_conv1d_fn_cutile")(
        array(1, 256, 300, dtype=BF16), array(256, 3, dtype=BF16)
    )
)
extra("lfm2_moe.causal_conv1d_update")(
    lambda: host("lfm2_moe", "causal_conv1d_update", "lfm2_causal_conv1d_update_cutile")(
        array(1, 256, dtype=BF16), array(1, 256, 3, dtype=BF16), array(256, 3, dtype=BF16)
    )
)
extra("qwen3_5.causal_conv1d_prefill_silu")(
    lambda: host("qwen3_5", "causal_conv1d_prefill_silu", "causal_conv1d_prefill_silu_cutile")(
        array(1, 256, 304, dtype=BF16), array(256, 4, dtype=BF16), 300
    )
)
extra("qwen3_5.causal_conv1d_update_silu")(
    lambda: host("qwen3_5", "causal_conv1d_update_silu", "causal_conv1d_update_silu_cutile")(
        array(1, 256, 1, dtype=BF16), array(1, 256, 4, dtype=BF16), array(256, 4, dtype=BF16)
    )
)
extra("qwen3_5.gdr_preprocess")(
    lambda: host("qwen3_5", "gdr_preprocess", "gdr_preprocess_cutile")(
        array(64, 16, dtype=BF16), array(64, 16, dtype=BF16), array(16, dtype=F32), array(16, dtype=F32)
    )
)
