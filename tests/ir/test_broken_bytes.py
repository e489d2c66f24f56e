"""Bytes that are not what they should be: always a decoded module or an error with a code, and soon."""

from __future__ import annotations

import random
import time
from collections import Counter
from pathlib import Path

import pytest

from ferrotile import ir
from ferrotile.core import CODES, InputError
from ferrotile.ir.samples import sample
from ferrotile.ir.sections import MAGIC

MUTATIONS = 500
LONGEST_SECONDS = 2.0


def _mutants(sources: list[bytes], count: int) -> list[bytes]:
    dice = random.Random(20261129)
    found: list[bytes] = []
    for number in range(count):
        data = bytearray(dice.choice(sources))
        if number % 3 == 0:
            del data[dice.randrange(len(data)) :]
        for _ in range(dice.randrange(1, 4) if number % 3 else 0):
            data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        if number % 7 == 1:
            at = dice.randrange(len(data) + 1)
            data[at : at + dice.randrange(4)] = dice.randbytes(dice.randrange(12))
        found.append(bytes(data))
    return found


def _outcome(data: bytes) -> str:
    started = time.process_time()
    try:
        module = ir.decode(data)
        ir.faults(module)
        ir.print_generic(module)
        outcome = "decoded"
    except InputError as error:
        assert error.code in CODES and error.code.startswith("FT2")
        outcome = error.code
    assert time.process_time() - started < LONGEST_SECONDS
    return outcome


def test_mutated_examples_never_crash() -> None:
    sources = [ir.encode(sample(row, max(row.since, (13, 4)))) for row in ir.table()]
    outcomes = Counter(map(_outcome, _mutants(sources, MUTATIONS)))
    assert len(outcomes) > 5


@pytest.mark.corpus
def test_mutated_corpus_files_never_crash(corpus_kernels: list[Path]) -> None:
    sources = [path.read_bytes() for path in corpus_kernels]
    outcomes = Counter(map(_outcome, _mutants(sources, MUTATIONS)))
    assert len(outcomes) > 5


def test_every_truncation_is_refused() -> None:
    data = ir.encode(sample(ir.table()[0], (13, 4)))
    for size in range(len(data)):
        with pytest.raises(InputError):
            ir.decode(data[:size])


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (b"", "FT200", "the file is empty"),
        (b"cuda_tile.module @kernels {\n  entry @f() { return }\n}\n", "FT200", "the file is text"),
        (b"\x7fELF\x02\x01\x01" + bytes(20), "FT200", "not Tile IR bytecode"),
        (MAGIC + b"\x0d\x06\x00\x00\x00", "FT201", "bytecode 13.6 is newer than the versions 13.1 to 13.5"),
        (MAGIC + b"\x0c\x09\x00\x00\x00", "FT201", "bytecode 12.9 is not in the versions 13.1 to 13.5"),
        (MAGIC + b"\x0d\x04", "FT203", "ends in the middle"),
        (MAGIC + b"\x0d\x04\x00\x00\x01\xff\xff\xff\xff\x0f", "FT203", "ends in the middle"),
        (MAGIC + b"\x0d\x04\x00\x00\x01" + b"\xff" * 12, "FT204", "longer than 64 bits"),
        (MAGIC + b"\x0d\x04\x00\x00\x01\x05\xff\xff\xff\xff\x0f\x00", "FT203", "items announced"),
        (MAGIC + b"\x0d\x04\x00\x00\x00rest", "FT204", "4 bytes follow the end mark"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("FT") else "",
)
def test_each_kind_of_wrong_file_has_its_own_message(data: bytes, code: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        ir.decode(data)
    assert caught.value.code == code
    assert words in caught.value.message


def test_a_huge_count_is_refused_before_it_is_believed() -> None:
    """A section of five bytes that announces two thousand million strings."""
    started = time.process_time()
    with pytest.raises(InputError):
        ir.decode(MAGIC + b"\x0d\x04\x00\x00\x81\x06\x04\xcb" + b"\xff\xff\xff\xff\x07\xcb" + b"\x00")
    assert time.process_time() - started < 0.1
