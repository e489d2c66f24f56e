"""Facts of a launch: a store at the block's own tile is the reference's only where the grid has one block."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from ferrotile import lower
from ferrotile.check import check
from ferrotile.cli.main import app
from ferrotile.core import InputError, ParameterMap, Role, VerdictKind
from ferrotile.core.rust_source import RustSource, TensorSpec

TEXT = """
#[cutile::module]
pub mod k {{
    use cutile::core::*;
    use ferrotile_prelude::prelude::*;

    #[cutile::entry()]
    pub {kind} fn k(x: &Tensor<f32, {{ [-1, -1] }}>, y: {lent}) {{
        let (bx, by, bz): (i32, i32, i32) = get_tile_block_id();
        let (nx, ny, nz): (i32, i32, i32) = get_num_tile_blocks();
        let tile = load_zero(x, [{row}, {column}], shape![1, 16]);
        {store}
    }}
}}
"""
ARRAY, OWN = "&Tensor<f32, { [-1, -1] }>", "&mut Tensor<f32, { [1, 16] }>"


def bytecode(row: str, column: str, store: str | None = None) -> bytes:
    """At these indices; or, with a store of the block's own tile, at the block ids."""
    lent, kind = (ARRAY, "unsafe") if store is None else (OWN, "")
    written = store or f"unsafe {{ store(y, [{row}, {column}], tile) }};"
    text = TEXT.format(lent=lent, kind=kind, row=row, column=column, store=written)
    strides = tuple((name, (-1, 1)) for name in "xy")
    specs = tuple((name, TensorSpec.unknown(2)) for name in "xy")
    return lower.lower(RustSource(text, "kernel.rs", "k", "k", (), strides, specs), "sm_90").bytecode


def roles(array: int) -> tuple[Role, ...]:
    return (*(Role.shape(array, axis) for axis in (0, 1)), *(Role.stride(array, axis) for axis in (0, 1)))


PLAIN = tuple(role for array in (0, 1) for role in (Role.pointer(array), *roles(array)))
LENT = ParameterMap(PLAIN, (*PLAIN, *roles(1)))
SAME = ParameterMap(PLAIN, PLAIN)


@pytest.fixture(scope="module")
def reference() -> bytes:
    return bytecode("bx", "0i32")


@pytest.fixture(scope="module")
def own() -> bytes:
    return bytecode("bx", "by", "y.store(tile);")


def test_an_own_tile_is_the_references_where_the_other_axis_has_one_block(reference: bytes, own: bytes) -> None:
    verdict = check(reference, own, LENT, "sm_90", ("grid.y == 1",))
    assert verdict.kind is VerdictKind.EQUAL and "grid.y == 1" in verdict.assumptions


@pytest.mark.parametrize("facts", [(), ("grid.x == 1",), ("grid.z == 1",), ("grid.x == 1", "grid.z == 1")])
def test_without_the_fact_or_with_another_it_is_another_program(
    reference: bytes, own: bytes, facts: tuple[str, ...]
) -> None:
    verdict = check(reference, own, LENT, "sm_90", facts)
    assert verdict.kind is VerdictKind.DIFFERS
    assert not any(fact in verdict.assumptions for fact in facts), "what does not help is not assumed"
    assert "block id y" in verdict.sentence


def test_a_fact_does_not_hide_the_wrong_axis(own: bytes) -> None:
    for row, column in (("0i32", "bx"), ("by", "bx"), ("bx", "1i32"), ("bx", "bz")):
        assert check(bytecode(row, column), own, LENT, "sm_90", ("grid.y == 1",)).kind is VerdictKind.DIFFERS


def test_a_fact_that_nothing_needs_is_not_assumed(reference: bytes) -> None:
    for other in (reference, bytecode("bx", "bx - bx + 0i32 * bx")):
        verdict = check(reference, other, SAME, "sm_90", ("grid.y == 1",))
        assert "grid.y == 1" not in verdict.assumptions


def test_one_block_is_a_number_of_blocks_too(reference: bytes) -> None:
    counted = bytecode("bx", "ny - 1i32")
    assert check(reference, counted, SAME, "sm_90", ("grid.y == 1",)).kind is VerdictKind.EQUAL
    assert check(reference, counted, SAME, "sm_90", ("grid.x == 1",)).kind is VerdictKind.DIFFERS
    assert check(reference, bytecode("bx", "ny"), SAME, "sm_90", ("grid.y == 1",)).kind is VerdictKind.DIFFERS


@pytest.mark.parametrize("fact", ["grid.w == 1", "grid.y == 2", "grid.y <= 1", "x.shape[0] == 1", ""])
def test_no_other_fact_is_believed(reference: bytes, own: bytes, fact: str) -> None:
    with pytest.raises(InputError) as caught:
        check(reference, own, LENT, "sm_90", (fact,))
    assert caught.value.code == "FT503"


def test_the_command_line_assumes_what_it_is_told(reference: bytes, own: bytes, tmp_path: Path) -> None:
    files = {"a.tileirbc": reference, "b.tileirbc": own, "map.json": LENT.to_json().encode()}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    command = ["diff", *(str(tmp_path / name) for name in ("a.tileirbc", "b.tileirbc")), "--params"]
    command.append(str(tmp_path / "map.json"))
    assert CliRunner().invoke(app, command).exit_code == 1
    assumed = CliRunner().invoke(app, [*command, "--assume", "grid.y == 1"])
    assert assumed.exit_code == 0 and "grid.y == 1" in assumed.output
    assert "FT503" in CliRunner().invoke(app, [*command, "--assume", "it rains"]).output
