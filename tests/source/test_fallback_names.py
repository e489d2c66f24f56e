"""Names without a source never hide what the text calls."""

from __future__ import annotations

from ferrotile.lift.source import fallback
from ferrotile.lift.source.spelling import TAKEN


def test_no_stem_is_a_function_that_the_text_calls() -> None:
    stems = {*fallback._BY_MNEMONIC.values(), *fallback._REDUCED.values(), "condition", "bits", "value"}
    assert not stems & TAKEN


def test_a_view_of_no_known_array_gets_a_free_name() -> None:
    alone = {fallback._ALONE.get(suffix, suffix) for suffix in fallback._OF_ARRAY.values()}
    assert not alone & TAKEN
    assert "tiles" in TAKEN, "else the line above shows nothing"
