"""Rust text lowers to bytecode that names its lines; the facts and hints asked for are in it."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from ferrotile import ir
from ferrotile.lower import RustSource, lower
from ferrotile.lower.call import _native, _request

Scale = Callable[..., RustSource]


@pytest.mark.parametrize("version", [(13, 3), (13, 4), (13, 5)])
def test_bytecode_has_the_version_asked_for(scale: Scale, version: tuple[int, int]) -> None:
    module = ir.decode(lower(scale(), "sm_90", version).bytecode)
    assert module.version == version


def test_operations_carry_their_rust_line(scale: Scale) -> None:
    module = ir.decode(lower(scale("let a: Tile<f32, { [256] }> = a + a;"), "sm_90").bytecode)
    (add,) = [op for op in module.entries[0].walk() if op.name == "cuda_tile.addf"]
    place = ir.place(add)
    assert place is not None
    assert (place.file, place.line, place.function) == ("kernel.rs", 13, "scale")


def test_prelude_calls_are_inlined_and_name_both_lines(scale: Scale) -> None:
    body = "let q: Tile<i32, { [] }> = scalar_to_tile(pid.0); let q: Tile<i32, { [] }> = floor_div(q, q);"
    module = ir.decode(lower(scale(body), "sm_90").bytecode)
    (divide,) = [op for op in module.entries[0].walk() if op.name == "cuda_tile.divi"]
    place = ir.place(divide)
    assert place is not None
    # The last is the generated entry point, which stands at the signature.
    assert [(p.function, p.line) for p in place.chain()[1:]] == [("scale", 13), ("scale", 7)]
    assert place.function == "floor_div" and place.file.endswith("prelude/src/numbers.rs")


@pytest.mark.parametrize("name", ["core", "prelude", "tiles"])
def test_module_may_bear_the_name_of_a_library_module(scale: Scale, name: str) -> None:
    text = scale().text.replace("pub mod scale", f"pub mod {name}")
    same, other = (ir.decode(lower(kernel, "sm_90").bytecode) for kernel in (scale(), scale(text=text, module=name)))
    assert [op.name for op in other.entries[0].walk()] == [op.name for op in same.entries[0].walk()]


def test_divisibility_becomes_assumptions(scale: Scale) -> None:
    known = lower(scale(), "sm_90").bytecode
    unknown = lower(scale(specs=()), "sm_90").bytecode
    assumptions = [
        [op for op in ir.decode(data).entries[0].walk() if op.name == "cuda_tile.assume"] for data in (known, unknown)
    ]
    assert len(assumptions[0]) == len(assumptions[1]) + 4  # base and shape, of two arrays


def test_safe_kernel_leaves_no_check_inside(safe_add: RustSource) -> None:
    lowered = lower(safe_add, "sm_90")
    assert lowered.checks_in_kernel == 0
    assert lowered.launch_checks == (
        "`num_tile_blocks(0) <= ceil(extent(x, 0)/256)` at kernel.rs:14:17 (vector_add)",
        "`num_tile_blocks(0) <= ceil(extent(y, 0)/256)` at kernel.rs:15:17 (vector_add)",
    )


def test_generic_arguments_change_the_tile(safe_add: RustSource) -> None:
    wide = lower(safe_add, "sm_90").bytecode
    narrow = lower(replace(safe_add, generics=("64",)), "sm_90").bytecode
    assert wide != narrow


def test_hints_reach_the_entry(scale: Scale) -> None:
    plain = lower(scale(), "sm_90").bytecode
    assert lower(scale(occupancy=4), "sm_90").bytecode != plain
    assert lower(scale(num_cta_in_cga=2), "sm_100").bytecode != lower(scale(), "sm_100").bytecode


def test_same_text_gives_same_bytes(scale: Scale) -> None:
    assert lower(scale(), "sm_90").bytecode == lower(scale(), "sm_90").bytecode


def test_kept_modules_give_what_a_launch_gives(scale: Scale, safe_add: RustSource) -> None:
    body = "let q: Tile<i32, { [] }> = scalar_to_tile(pid.0); let q: Tile<i32, { [] }> = floor_div(q, q);"
    native = _native()
    for kernel in (scale(body), safe_add):
        request = _request(kernel, "sm_90", (13, 4))
        assert native.lower(request)["bytecode"] == native.lower_as_launched(request)["bytecode"]


def test_second_kernel_is_cheap(scale: Scale, safe_add: RustSource) -> None:
    lower(safe_add, "sm_90")

    def seconds() -> float:
        begin = time.process_time()
        lower(scale("let a: Tile<f32, { [256] }> = a + a;"), "sm_90")
        return time.process_time() - begin

    assert min(seconds(), seconds()) < 0.3, "one of the two may be the first with a new library"


def test_long_kernel_lowers(scale: Scale) -> None:
    body = "\n".join(f"let v{k}: Tile<f32, {{ [256] }}> = a + a;" for k in range(2000))
    assert len(lower(scale(body), "sm_90").bytecode) > 2000


def _lower_in_child(kernel: RustSource, answers: multiprocessing.Queue[int]) -> None:
    answers.put(len(lower(kernel, "sm_90").bytecode))


def test_forked_child_gets_a_compiler_of_its_own(scale: Scale) -> None:
    size = len(lower(scale(), "sm_90").bytecode)
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(target=_lower_in_child, args=(scale(), answers))
    child.start()
    assert answers.get(timeout=60) == size
    child.join(timeout=60)
