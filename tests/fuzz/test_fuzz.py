"""300 generated kernels, the same ones each time: every one is equal or refused by code, and runs alike."""

from __future__ import annotations

import pytest
from fuzzing.hunt import hunt
from fuzzing.keep import save

CHUNKS, EACH = 20, 15


@pytest.mark.parametrize("number", range(CHUNKS))
def test_generated_kernels_are_equal_or_refused(number: int) -> None:
    found = hunt(EACH, number)
    if found.failures:
        program, outcome = found.failures[0]
        path = save(program, outcome)
        pytest.fail(f"{outcome.kind} {outcome.code}: {outcome.sentence}\nsaved as {path}\n\n{program.text}")
    assert found.tally.kernels >= EACH
    refused = sum(found.tally.front_end.values())
    assert refused <= max(2, found.tally.kernels // 5), found.tally.front_end
