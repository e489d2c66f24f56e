"""Whether the blocks of a launch keep apart: which facts a launch must have, and what is not proved."""

from __future__ import annotations

import pytest
from builder import Builder

from ferrotile import ir, lower
from ferrotile.check import prove_exclusive
from ferrotile.core import Role
from ferrotile.core.rust_source import RustSource, TensorSpec

TEXT = """
#[cutile::module]
pub mod k {{
    use cutile::core::*;
    use ferrotile_prelude::prelude::*;

    #[cutile::entry()]
    pub unsafe fn k(x: &Tensor<f32, {{ [-1, -1] }}>, y: &Tensor<f32, {{ [-1, -1] }}>, n: i32) {{
        let (bx, by, bz): (i32, i32, i32) = get_tile_block_id();
        let (nx, ny, nz): (i32, i32, i32) = get_num_tile_blocks();
        let tile = load_zero(x, [bx, by], shape![8, 16]);
        {body}
    }}
}}
"""
STORE = "unsafe {{ store(y, [{0}, {1}], tile) }};"
ROLES = tuple(
    role
    for array in (0, 1)
    for role in (Role.pointer(array), *(kind(array, axis) for kind in (Role.shape, Role.stride) for axis in (0, 1)))
)


def bytecode(body: str) -> bytes:
    strides = tuple((name, (-1, 1)) for name in "xy")
    specs = tuple((name, TensorSpec.unknown(2)) for name in "xy")
    text = TEXT.format(body=body)
    return lower.lower(RustSource(text, "kernel.rs", "k", "k", (), strides, specs), "sm_90").bytecode


def proved(body: str, roles: tuple[Role, ...] = (*ROLES, Role.scalar(0))) -> tuple[set[str], str]:
    """The facts, or why there are none."""
    found = prove_exclusive(ir.decode(bytecode(body)), roles)
    assert found.holds is not bool(found.why_not)
    return set(found.facts), found.why_not


@pytest.mark.parametrize(
    ("index", "facts"),
    [
        (("bx", "by"), {"grid.z == 1", "8 * grid.x <= array(1).shape[0] + 7", "16 * grid.y <= array(1).shape[1] + 15"}),
        (("by", "bx"), {"grid.z == 1", "8 * grid.y <= array(1).shape[0] + 7", "16 * grid.x <= array(1).shape[1] + 15"}),
        (("bz", "0"), {"grid.x == 1", "grid.y == 1", "8 * grid.z <= array(1).shape[0] + 7", "array(1).shape[1] > 0"}),
        (("3", "bx"),
         {"grid.y == 1", "grid.z == 1", "array(1).shape[0] > 24", "16 * grid.x <= array(1).shape[1] + 15"}),
        (("0", "0"), {"grid.x == 1", "grid.y == 1", "grid.z == 1", "array(1).shape[0] > 0", "array(1).shape[1] > 0"}),
    ],
)  # fmt: skip
def test_every_other_axis_of_the_grid_has_one_block_and_no_tile_begins_outside(
    index: tuple[str, str], facts: set[str]
) -> None:
    assert proved(STORE.format(*index)) == (facts, "")


@pytest.mark.parametrize("index", [("bx + 1", "by"), ("n", "bx"), ("bx * 2", "by"), ("bx * 1", "by - by")])
def test_other_indices_are_not_proved_whatever_they_are(index: tuple[str, str]) -> None:
    assert "other numbers than block ids" in proved(STORE.format(*index))[1]


def test_an_index_below_the_array_is_not_proved() -> None:
    assert "has the index -1" in proved(STORE.format("-1i32", "bx"))[1]


def test_block_ids_must_choose_alike_in_all_accesses_of_a_written_array() -> None:
    both = STORE.format("bx", "by") + STORE.format("by", "bx")
    assert "in more than one way" in proved(both)[1]
    assert "in more than one way" in proved(STORE.format("bx", "0") + STORE.format("bx", "by"))[1]
    assert not proved(STORE.format("bx", "0") + STORE.format("bx", "1"))[1], "tiles side by side, both of one block"


def test_tiles_of_a_written_array_must_have_one_size_where_a_block_id_chooses() -> None:
    half = "unsafe { store(y, [bx, by], tile_h) };"
    body = "let tile_h = load_zero(x, [bx, by], shape![4, 16]);" + half
    assert not proved(body)[1]
    assert "more than one size" in proved(body + STORE.format("bx", "by"))[1]


LOOP = "for i in ({0}..{1}).step_by({2}) {{ unsafe {{ store(y, [{3}, 0], tile) }}; }}"
SUM = "array({}).shape[{}] + grid.x <= 2147483647"
WHOLE = {"grid.y == 1", "grid.z == 1", "array(1).shape[1] > 0"}


@pytest.mark.parametrize(
    ("end", "step", "facts"),
    [
        ("ceil_div(x.shape()[0], 8i32)", "nx as usize", {"array(0).shape[0] <= array(1).shape[0]", SUM.format(0, 0)}),
        (
            "floor_div(x.shape()[0] + 8 - 1, 8i32)",
            "nx as usize",
            {"array(0).shape[0] <= array(1).shape[0]", SUM.format(0, 0)},
        ),
        ("floor_div(y.shape()[0] + 7, 8i32)", "nx as usize", {SUM.format(1, 0)}),
        ("ceil_div(y.shape()[0], 16i32)", "nx as usize", {SUM.format(1, 0)}),
        ("ceil_div(y.shape()[1], 8i32)", "nx as usize", {"array(1).shape[1] <= array(1).shape[0]", SUM.format(1, 1)}),
        ("ceil_div(y.shape()[0], 8i32)", "3", {"grid.x <= 3", "array(1).shape[0] + 3 <= 2147483647"}),
        ("5", "nx as usize", {"array(1).shape[0] > 32", "grid.x <= 2147483642"}),
        ("5", "3", {"array(1).shape[0] > 32", "grid.x <= 3"}),
        ("ceil_div(n, 8i32)", "nx as usize", {"scalar(0) <= array(1).shape[0]", "scalar(0) + grid.x <= 2147483647"}),
        (
            "ceil_div(n, 8i32) * ceil_div(x.shape()[1], 4i32)",
            "nx as usize",
            {
                "scalar(0) >= 0",
                "ceil(array(0).shape[1] / 4) * ceil(scalar(0) / 8) + grid.x <= 2147483647",
                "8 * ceil(array(0).shape[1] / 4) * ceil(scalar(0) / 8) <= array(1).shape[0] + 7",
            },
        ),
    ],
)
def test_counters_by_whole_grids_are_each_blocks_own_and_end_where_they_say(
    end: str, step: str, facts: set[str]
) -> None:
    assert proved(LOOP.format("bx", end, step, "i")) == (WHOLE | facts, "")


@pytest.mark.parametrize(
    ("start", "end", "step", "index"),
    [
        ("0i32", "5", "nx as usize", "i"),
        ("by", "5", "nx as usize", "i"),
        ("bx + 1", "5", "nx as usize", "i"),
        ("bx", "5", "nx as usize", "i + 1"),
        ("bx", "x.shape()[0] + 1", "nx as usize", "i"),
        ("bx", "floor_div(x.shape()[0] + 8, 8i32)", "nx as usize", "i"),
        ("bx", "floor_div(x.shape()[0], 8i32)", "nx as usize", "i"),
        ("bx", "(x.shape()[0] + 7) / 8", "nx as usize", "i"),
        ("bx", "5", "(nx + nx) as usize", "i"),
    ],
)
def test_other_counters_are_not_proved(start: str, end: str, step: str, index: str) -> None:
    assert "other numbers than block ids" in proved(LOOP.format(start, end, step, index))[1]


def test_a_counter_of_smaller_tiles_goes_too_far() -> None:
    end = "ceil_div(y.shape()[0], 4i32)"
    assert "larger tiles than those that are counted" in proved(LOOP.format("bx", end, "nx as usize", "i"))[1]
    facts, why_not = proved(LOOP.format("bx", "ceil_div(x.shape()[0], 4i32)", "nx as usize", "i"))
    assert "8 * ceil(array(0).shape[0] / 4) <= array(1).shape[0] + 7" in facts and not why_not


def test_a_counter_that_may_run_over_is_not_proved() -> None:
    assert "may run over" in proved(LOOP.format("bx", "2147483646", "3", "i"))[1]


def test_counters_with_other_steps_may_meet() -> None:
    both = LOOP.format("bx", "5", "3", "i") + LOOP.format("bx", "5", "nx as usize", "i")
    assert "steps of more than one size" in proved(both)[1]
    assert not proved(LOOP.format("bx", "5", "3", "i") + STORE.format("bx", "0"))[1], "a counter starts at the id"


def test_what_a_block_reads_of_a_written_array_must_be_its_own() -> None:
    own = "let tile = load_zero(y, [bx, by], shape![8, 16]);" + STORE.format("bx", "by")
    assert not proved(own)[1]
    assert "in more than one way" in proved(own.replace("[bx, by], shape![8, 16])", "[by, bx], shape![8, 16])", 1))[1]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("let v: Tile<f32, { [8] }> = constant(1.0f32, shape![8]);"
         "unsafe { scatter_2d(y, wide(bx, shape![8]), widen(d, shape![8]), [n, 1], shape![8], v) };",
         "`store_ptr_tko` writes"),
        ("let v: Tile<f32, { [8] }> = gather_2d(y, wide(bx, shape![8]), widen(d, shape![8]), [n, 1], shape![8]);"
         "let tile = v.reshape(shape![8, 1]).broadcast(shape![8, 16]);" + STORE.format("bx", "by"),
         "array 1 is written, and read by address"),
    ],
)  # fmt: skip
def test_addresses_are_not_followed_into_a_written_array(body: str, why: str) -> None:
    assert why in proved("let d: Tile<i32, { [8] }> = iota(shape![8]);" + body)[1]


def test_what_is_read_by_address_may_be_another_array() -> None:
    read = "let d: Tile<i32, { [8] }> = iota(shape![8]);" + (
        "let v: Tile<f32, { [8] }> = gather_2d(x, wide(bx, shape![8]), widen(d, shape![8]), [n, 1], shape![8]);"
    )
    assert not proved(read + "let tile = v.reshape(shape![8, 1]).broadcast(shape![8, 16]);" + STORE.format("bx", "by"))[
        1
    ]


def test_the_map_decides_which_array_it_is() -> None:
    """A map that names other extents, or has another length, proves nothing."""
    swapped = tuple(
        Role.shape(role.array, 1 - role.axis)
        if role.kind == "shape" and role.array is not None and role.axis is not None
        else role
        for role in (*ROLES, Role.scalar(0))
    )
    assert "other extents" in proved(STORE.format("bx", "by"), swapped)[1]
    assert "another kernel" in proved(STORE.format("bx", "by"), ROLES)[1]


def test_facts_are_of_the_array_that_the_map_says() -> None:
    named = {0: 1, 1: 0, None: None}
    roles = tuple(Role(role.kind, named[role.array], role.axis, role.index) for role in (*ROLES, Role.scalar(0)))
    assert "8 * grid.x <= array(0).shape[0] + 7" in proved(STORE.format("bx", "by"), roles)[0]


def long_axes(word: str, fixed: int | None = None) -> str:
    """Why a kernel is not proved that stores by block ids to an array with extents of a type, or of a number."""
    k = Builder()
    pointer, rows, columns, *strides = k.parameters("ptr<f32>", word, word, "i64", "i64")
    bx, by, _ = k.block_id()
    view = k.partition(k.array(pointer, (fixed or rows, columns), strides), (8, 16))
    k.store(k.constant("8x16xf32", 0.0), view, (bx, by))
    return prove_exclusive(k.module(), ROLES[:5]).why_not


def test_an_axis_that_32_bits_cannot_count_is_not_proved() -> None:
    """The number of a tile may run over there, and begin inside the array all the same."""
    assert not long_axes("i32") and not long_axes("i32", 2**31 - 1)
    assert "than 32 bits can count" in long_axes("i64")
    assert "than 32 bits can count" in long_axes("i32", 2**31)
