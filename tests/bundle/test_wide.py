"""Bundles of kernels with 64-bit extents and strides: all claims are replayed, with numbers, or they are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from ferrotile import bundle, lower
from ferrotile.bundle import numbers
from ferrotile.core import Role, VerdictKind
from ferrotile.workflow import Options, Row, expand, translate_all

KERNELS = Path(__file__).with_name("wide.py")


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Row]:
    options = Options(out=tmp_path_factory.mktemp("wide"))
    return {row.name.removeprefix("wide."): row for row in translate_all(expand([str(KERNELS)], options), options)}


def files_of(row: Row) -> tuple[bundle.Proof, dict[str, bytes]]:
    assert row.folder is not None and row.verdict is VerdictKind.EQUAL, row
    return bundle.read(row.folder), {name: (row.folder / name).read_bytes() for name in bundle.FILES}


@pytest.mark.parametrize("name", ["doubled.wide", "scaled.mixed", "gathered.wide"])
def test_numbers_of_arrays_that_a_text_takes_apart_are_compared(rows: dict[str, Row], name: str) -> None:
    proof, files = files_of(rows[name])
    held = numbers.replay(proof, files)
    assert not isinstance(held, str) and "the same bits in" in held.sentence
    text = files["kernel.rs"].decode()
    wrong = text.replace("tile * ", "tile - ").replace("total * ", "total - ").replace(" + ", " - ")
    assert wrong != text
    changed = {**files, "lowered.tileirbc": lower.lower(proof.rust_source(wrong), proof.target).bytecode}
    assert "differ" in str(numbers.replay(proof, changed))


def test_the_map_knows_arrays_whatever_the_text_makes_of_them(rows: dict[str, Row]) -> None:
    proof, _ = files_of(rows["scaled.mixed"])
    arrays = [
        role
        for array in (0, 1)
        for role in (
            Role.pointer(array),
            *(kind(array, axis) for kind in (Role.shape, Role.stride) for axis in (0, 1)),
        )
    ]
    assert proof.parameters is not None
    assert proof.parameters.reference == (*arrays, Role.scalar(0))
    assert [name for name, _ in (proof.specialization or {})["specs"]] == ["y"], "the text takes `x` apart"


@pytest.mark.parametrize("name", ["doubled.extent", "doubled.stride"])
def test_a_number_of_a_type_beyond_32_bits_is_refused(rows: dict[str, Row], name: str) -> None:
    row = rows[name]
    assert (row.verdict, row.code) == (VerdictKind.REFUSED, "FT301")
    assert "the extent or stride `4294967296` in its type" in row.message
