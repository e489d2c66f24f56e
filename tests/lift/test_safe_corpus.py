"""The corpus at the level without `unsafe`: still EQUAL, and the facts are those of the launches that TileGym makes."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from test_corpus import CORPUS

sys.path.insert(0, str(Path(__file__).parents[1] / "interp"))

from corpus_launches import Captured, captured_launch, names

from ferrotile import host, ir
from ferrotile.backend.arguments import ArrayGiven, Passed
from ferrotile.backend.facts import LaunchFacts
from ferrotile.core import Level, Unsupported, VerdictKind
from ferrotile.workflow import Options, Row, expand, translate

FILES = {path.name: path for path in sorted(CORPUS.rglob("*.tileirbc"))}
FIRST = {".".join(name.split(".")[:2]): name for name in reversed(FILES)}
FREE = """
bmm.bmm_kernel bmm.static_persistent_bmm_kernel layer_norm_legacy.persistent_layer_norm_fwd_kernel matmul.matmul_kernel
matmul.static_persistent_matmul_kernel mhc.mhc_apply_residual_kernel mhc.mhc_sinkhorn_kernel
mla_decoding.naive_absorb_mla_transpose_kernel rms_norm.rms_bwd_kernel rms_norm.rms_norm_kernel_static_persistent
softmax.softmax_kernel_tma swa_attention.swa_fwd_kernel swiglu.swiglu_backward_kernel
""".split()
"""Kernels whose first specialization has a text without `unsafe` (docs/unsafe.md)."""

DROPS_TILES = ("mhc.mhc_split_gemm_rms_kernel",)
"""Kernels that TileGym launches with tiles that begin outside an array, and are dropped: not without `unsafe`."""

pytestmark = [pytest.mark.corpus, pytest.mark.skipif(not FILES, reason="no corpus")]


def without_unsafe(name: str) -> Row:
    """A translation at the safe level, which may have kept its `unsafe`."""
    options = Options(level=Level.SAFE)
    (task,) = expand([str(FILES[name])], options)
    row = translate(task, options)
    assert row.verdict is VerdictKind.EQUAL, row.message
    return row


def require_facts(row: Row, grid: tuple[int, ...], arguments: list[Any]) -> None:
    """Raises: FT627 for a launch that has not all the facts."""
    arrays = [value for value in arguments if isinstance(value, Captured)]
    scalars = [value for value in arguments if not isinstance(value, Captured)]
    labels = re.findall(r"(\w+): &(?:mut )?Tensor<", row.rust or "")
    facts: dict[str, host.Facts] = {
        label: host.ArrayFacts("", (host.AxisFacts(),) * len(array.shape))
        for label, array in zip(labels, arrays, strict=True)
    }
    facts |= {f"scalar({number})": host.ScalarFacts("i32") for number in range(len(scalars))}
    claims = host.relations_of(row.launch_checks, facts, labels)
    given = Passed(tuple(ArrayGiven(0, None, array.shape, array.strides) for array in arrays), tuple(scalars))
    LaunchFacts(row.kernel, claims, tuple(labels)).require(grid, given)


def require_captured_launch(name: str, row: Row) -> None:
    if not row.unsafe and name in names():
        require_facts(row, *captured_launch(name, ir.decode(FILES[name].read_bytes())))


@pytest.mark.parametrize("kernel", FREE)
def test_kernels_without_unsafe_have_the_facts_of_their_own_launches(kernel: str) -> None:
    name = FIRST[kernel]
    row = without_unsafe(name)
    assert row.unsafe == 0 and row.launch_checks and name in names()
    require_captured_launch(name, row)


def test_a_launch_with_a_block_too_many_has_not_the_facts() -> None:
    name = FIRST["matmul.matmul_kernel"]
    grid, arguments = captured_launch(name, ir.decode(FILES[name].read_bytes()))
    with pytest.raises(Unsupported, match=r"ceil\(\w+.shape\[0\]"):
        require_facts(without_unsafe(name), (grid[0] + 1, *grid[1:]), arguments)


@pytest.mark.sweep
@pytest.mark.parametrize("name", FILES)
def test_all_specializations_are_equal_and_have_the_facts_of_their_launches(name: str) -> None:
    row = without_unsafe(name)
    if not row.unsafe and name.startswith(DROPS_TILES):
        with pytest.raises(Unsupported, match="FT627"):
            require_captured_launch(name, row)
    else:
        require_captured_launch(name, row)
