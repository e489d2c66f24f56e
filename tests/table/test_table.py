"""Tests made from the operation table: each row is encoded, decoded, verified, and shown to the outside witnesses."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from ferrotile import ir
from ferrotile.core import CODES, InputError, tools
from ferrotile.ir.access import wrap
from ferrotile.ir.body import text
from ferrotile.ir.bodywriter import BodyWriter
from ferrotile.ir.encode import TableWriter
from ferrotile.ir.samples import WORDS, Scene, operation, sample, type_of, types_of
from ferrotile.ir.spec import NEWEST, REQUIRED, VERSIONS, OpRow, Version

ROWS = ir.table()
IN_SECTIONS = ("module", "entry", "global")
CASES = [(row, version) for row in ROWS for version in VERSIONS if row.since <= version]
CANDIDATES = [*WORDS.values(), *map(type_of, ("4xf32", "2x4xf16", "i1", "i64", "8xi32", "4xptr<f64>", "4xi8"))]


def _name(value: object) -> str:
    return value.name if isinstance(value, OpRow) else text(value) if isinstance(value, tuple) else str(value)


by_row = pytest.mark.parametrize("row", ROWS, ids=_name)
by_case = pytest.mark.parametrize(("row", "version"), CASES, ids=_name)


def test_the_table_has_every_opcode(opcodes: dict[int, str]) -> None:
    """cuda.tile's encoders are the list of operations."""
    assert {row.opcode for row in ROWS} == set(opcodes)
    assert len(ROWS) == 109


@by_row
def test_every_column_is_filled(row: OpRow) -> None:
    assert not set(row.missing) - {"rust"}


@by_case
def test_decode_gives_back_what_was_encoded(row: OpRow, version: Version) -> None:
    module = sample(row, version)
    data = ir.encode(module)
    again = ir.decode(data)
    assert ir.print_generic(again) == ir.print_generic(module)
    assert again.version == version
    assert ir.encode(again) == data


@by_case
def test_bytes_are_those_of_cuda_tile(row: OpRow, version: Version, witness: type) -> None:
    module = sample(row, version)
    assert ir.encode(module) == witness(version).module(module)


@pytest.mark.parametrize("name", IN_SECTIONS)
def test_bytes_of_an_operation_with_a_section_of_its_own(name: str, witness: type) -> None:
    row = next(row for row in ROWS if row.name == name)
    op = operation(row, Scene())
    buffer = bytearray()
    BodyWriter(TableWriter(NEWEST, None), NEWEST).operation(op, buffer)
    assert bytes(buffer) == witness(NEWEST).alone(op)


@by_row
def test_the_example_verifies(row: OpRow) -> None:
    ir.verify(sample(row, max(row.since, VERSIONS[-1])))


@by_row
def test_a_wrong_type_is_refused(row: OpRow) -> None:
    """For every operand and result name, some type is refused, with a code of the verifier."""
    kinds = types_of(row)
    for slot in (slot for slot in (*row.operands, *row.results) if slot.name in kinds):
        assert any(_refused(row, slot.name, other) for other in CANDIDATES if (other,) != kinds[slot.name]), slot.name


def _refused(row: OpRow, name: str, other: object) -> bool:
    module = sample(row, max(row.since, (13, 2)))
    op = next(op for op in module.op.walk() if op.name == row.full_name)
    found = [*ir.operands(op, name)] if name in {slot.name for slot in row.operands} else []
    if not found:
        start = [slot.name for slot in row.results].index(name)
        found = [op.results[start]]
    object.__setattr__(found[0], "_type", other)
    codes = {fault.code for fault in ir.faults(module)}
    assert all(code in CODES and "FT220" <= code <= "FT225" for code in codes)
    return bool(codes)


@by_row
def test_older_bytecode_is_refused_with_a_code(row: OpRow) -> None:
    older = [version for version in VERSIONS if version < row.since]
    for version in older:
        with pytest.raises(InputError) as caught:
            ir.encode(sample(row, row.since), version)
        assert caught.value.code in ("FT210", "FT212")


LATER = [(row, item) for row in ROWS for item in row.attributes if item.since > row.since and item.default is not None]


@pytest.mark.parametrize(("row", "item"), LATER, ids=lambda value: value.name)
def test_a_later_attribute_is_refused_by_older_bytecode(row: OpRow, item: object) -> None:
    if row.name in IN_SECTIONS:
        pytest.skip("written in a section of its own, see tests/ir")
    module = sample(row, NEWEST)
    op = next(op for op in module.op.walk() if op.name == row.full_name)
    before = VERSIONS[VERSIONS.index(item.since) - 1]
    ir.encode(sample(row, before))
    op.properties[item.name] = wrap(_other(item, ir.attribute(op, item.name)))
    with pytest.raises(InputError) as caught:
        ir.encode(module, before)
    assert caught.value.code == "FT211"
    assert item.name in caught.value.message


def _other(item: object, value: object) -> object:
    assert item.default is not REQUIRED
    if item.enum:
        return next(member for member in item.enum if member is not value)
    return (True,) if isinstance(value, tuple) else not value


@by_row
def test_tileirdisasm_reads_what_we_write(row: OpRow, tmp_path: Path) -> None:
    """The disassembler accepts the example and prints the same operations."""
    module = sample(row, max(row.since, (13, 3)))
    options = ["--preview=simt"] if row.preview else []
    shown = _disassemble(module, options, tmp_path)
    assert shown == _counts(module)


def _disassemble(module: ir.Module, options: list[str], folder: Path) -> Counter[str]:
    path = folder / "example.tileirbc"
    path.write_bytes(ir.encode(module))
    return names_in(tools.run("tileirdisasm", [*options, str(path)], timeout_s=60).stdout.decode())


def names_in(listing: str) -> Counter[str]:
    """How often each operation stands in the disassembler's text; empty ends of blocks are not printed."""
    pattern = re.compile(r"^\s*(?:%[^=]*= )?([a-z][\w$]*)\b", re.MULTILINE)
    return Counter(name for name in pattern.findall(listing) if name != "else")


def _counts(module: ir.Module) -> Counter[str]:
    inside = (op for op in module.op.walk() if op is not module.op)
    return Counter(op.name.removeprefix("cuda_tile.") for op in inside)
