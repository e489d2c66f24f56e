"""Every operation gives what the exact reference gives, on every type."""

from __future__ import annotations

import pytest
from all_checks import CHECKS, operations, unchecked


@pytest.mark.parametrize("op", operations())
def test_operation_conforms(op: str) -> None:
    faults = {check.title: found for check in CHECKS if check.op == op and (found := check.run())}
    assert not faults, "\n".join(f"{title}: {found[0]} ({len(found)} faults)" for title, found in faults.items())


def test_nothing_is_left_unchecked() -> None:
    assert not unchecked()


def test_titles_are_distinct() -> None:
    assert len({check.title for check in CHECKS}) == len(CHECKS)
