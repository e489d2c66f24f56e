"""A kernel and its translation leave the same bits in memory."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from builder import Builder
from corpus_inputs import CORPUS, arguments, one_per_kernel
from example_cases import EVERY, case, module

from ferrotile import ir
from ferrotile.core import ParameterMap, Role
from ferrotile.interp import Buffer, Options, Table, same_results
from ferrotile.workflow.record import Options as TranslateOptions
from ferrotile.workflow.record import Task
from ferrotile.workflow.translation import translate

FILES = one_per_kernel()
SAMPLE = [path for path in FILES if path.name.split(".")[1] in {
    "attention_decode_kernel_grouped", "ce_online_kernel", "dropout_kernel", "fused_moe_kernel", "fmha_bwd_dq_kernel",
    "group_gemm_kernel", "layer_norm_fwd_kernel", "mhc_sinkhorn_kernel", "moe_align_block_size_stage4b_scatter_kernel",
    "matmul_kernel", "rms_bwd_kernel", "rope_kernel", "silu_and_mul_kernel_row_wise", "splitk_reduce_kernel",
}]  # fmt: skip
QUICK = Options(round_limit=100_000, races=False)
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is absent")


@cache
def _lifted(data: bytes) -> tuple[ir.Module, ParameterMap]:
    """What a kernel's Rust text compiles to, and how its parameters are ordered."""
    row = translate(Task("kernel", "kernel", bytecode=data), TranslateOptions())
    assert row.evidence is not None, row.message
    return ir.decode(row.evidence.lowered), row.evidence.parameters


def _require_same(reference: ir.Module, inputs: list[Any], grid: tuple[int, ...]) -> None:
    lowered, parameters = _lifted(ir.encode(reference))
    found = same_results(reference, lowered, parameters, inputs, grid, options=QUICK)
    assert found.equal, str(found)


@pytest.mark.parametrize(("name", "number"), EVERY)
@pytest.mark.parametrize("variant", ["ragged", "huge"])
def test_example_and_its_rust_agree(name: str, number: int, variant: str) -> None:
    made = case(name, number, variant)
    _require_same(module(name, number), made.arguments, made.grid)


@needs_corpus
@pytest.mark.corpus
@pytest.mark.parametrize("path", SAMPLE, ids=lambda path: path.name.split(".")[1])
def test_corpus_kernel_and_its_rust_agree(path: Any) -> None:
    reference = ir.decode(path.read_bytes())
    _require_same(reference, arguments(reference), (2, 2, 1))


def test_another_constant_is_noticed() -> None:
    made = case("swiglu", 0, "random")
    reference = module("swiglu")
    lowered, parameters = _lifted(ir.encode(reference))
    for op in next(iter(lowered.entries)).walk():
        if op.name == "cuda_tile.addf":
            op.operands[1] = op.operands[0]
            break
    found = same_results(reference, lowered, parameters, made.arguments, made.grid, options=QUICK)
    assert not found.equal
    assert "differ" in str(found)


def test_arrays_in_lists_are_compared() -> None:
    written = _through_a_table(2.0)
    x = Buffer(np.zeros(16, np.float32))
    roles = (Role.scalar(0), Role.scalar(1))
    assert same_results(written, _through_a_table(2.0), ParameterMap(roles, roles), [Table((x,))], (1,)).equal
    found = same_results(written, _through_a_table(3.0), ParameterMap(roles, roles), [Table((x,))], (1,))
    assert str(found) == "16 elements of array 0 differ, first at 0"


def _through_a_table(value: float) -> ir.Module:
    """Store a number to the first array of a table."""
    k = Builder()
    table, _ = k.parameters("ptr<i64>", "i32")
    address, _ = k.load_pointers(table)
    base = k.int_to_ptr(address, to="ptr<f32>")
    zero, size = k.constant("i32", 0), k.constant("i32", 16)
    k.store(k.constant("16xf32", value), k.partition(k.array(base, [size], [1]), [16]), [zero])
    return k.module()
