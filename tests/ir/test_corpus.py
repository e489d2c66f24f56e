"""Every file of the corpus: decoded, verified, encoded to the same bytes, and read alike by tileirdisasm."""

from __future__ import annotations

import re
import time
from collections import Counter
from pathlib import Path

import pytest

from ferrotile import ir
from ferrotile.core import tools

pytestmark = pytest.mark.corpus

OPERATION = re.compile(r"^\s*(?:%[^=]*= )?([a-z][\w$]*)\b", re.MULTILINE)
NOT_PRINTED_WHEN_EMPTY = ("yield", "continue", "break")


def test_every_file_comes_back_byte_for_byte(corpus: list[Path]) -> None:
    wrong = [path.name for path in corpus if ir.encode(ir.decode(path.read_bytes())) != path.read_bytes()]
    assert not wrong


def test_every_file_is_legal(corpus: list[Path]) -> None:
    faults = {path.name: found for path in corpus if (found := ir.faults(ir.decode(path.read_bytes())))}
    assert not faults


def test_every_operation_has_a_place_or_is_a_return(corpus_kernels: list[Path]) -> None:
    for path in corpus_kernels:
        for op in ir.decode(path.read_bytes()).entries[0].walk():
            place = ir.place(op)
            assert op.name == "cuda_tile.return" or (place is not None and place.function), path.name


def test_places_carry_the_calls_that_were_inlined(corpus_kernels: list[Path]) -> None:
    depths = Counter(
        len(place.chain())
        for path in corpus_kernels
        for op in ir.decode(path.read_bytes()).entries[0].walk()
        if (place := ir.place(op))
    )
    assert depths[1] and max(depths) > 1


@pytest.mark.parametrize("version", [(13, 3), (13, 5)])
def test_other_versions_hold_the_same_program(version: tuple[int, int], corpus_kernels: list[Path]) -> None:
    for path in corpus_kernels:
        module = ir.decode(path.read_bytes())
        again = ir.decode(ir.encode(module, version))
        assert ir.print_generic(again, places=True) == ir.print_generic(module, places=True), path.name


@pytest.mark.slow
def test_tileirdisasm_sees_the_same_operations(corpus_kernels: list[Path]) -> None:
    for path in corpus_kernels:
        data = path.read_bytes()
        listing = tools.disassemble_bytecode(data)
        shown = Counter(name for name in OPERATION.findall(listing) if name != "else")
        ours = Counter(_name(op) for op in ir.decode(data).op.walk() if not _is_hidden(op))
        assert shown == ours - Counter(["module"]), path.name


def _name(op: object) -> str:
    return op.name.removeprefix("cuda_tile.")  # type: ignore[attr-defined]


def _is_hidden(op: object) -> bool:
    return _name(op) in NOT_PRINTED_WHEN_EMPTY and not op.operands  # type: ignore[attr-defined]


def test_decoding_is_fast(corpus: list[Path]) -> None:
    """Under 120 microseconds an operation on the largest files, with a margin for a busy machine."""
    largest = sorted(corpus, key=lambda path: path.stat().st_size)[-10:]
    best = []
    for path in largest:
        data = path.read_bytes()
        started = time.process_time()
        count = ir.decode(data).op_count
        best.append((time.process_time() - started) / count * 1e6)
    assert min(best) < 120
