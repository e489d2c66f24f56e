"""The corpus in Rust: one specialization of each kernel, in every style; no variable is declared in vain."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from proof import STYLES, require_equal

from ferrotile.lift import Style

CORPUS = Path(os.environ.get("FERROTILE_CORPUS", Path(__file__).parents[3] / "shared" / "corpus"))
FILES = {".".join(path.name.split(".")[:2]): path for path in sorted(CORPUS.rglob("*.tileirbc"), reverse=True)}
SHORT = ("moe.fused_moe_kernel", "matmul.matmul_kernel", "rope.rope_kernel", "softmax.softmax_kernel")
"""Kernels for every run; the first two read a tile as a number inside a loop, and again behind it."""

pytestmark = [pytest.mark.corpus, pytest.mark.skipif(not FILES, reason="no corpus")]


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.value)
@pytest.mark.parametrize("kernel", sorted(FILES))
def test_every_kernel_is_the_same_in_every_style(kernel: str, style: Style) -> None:
    require_equal(FILES[kernel].read_bytes(), style)


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.value)
@pytest.mark.parametrize("kernel", sorted(set(SHORT) & set(FILES)))
def test_some_kernels_are_the_same_in_every_style(kernel: str, style: Style) -> None:
    require_equal(FILES[kernel].read_bytes(), style)


def unread(text: str) -> set[str]:
    """Names that a `let` declares and that occur nowhere else: what rustc would warn of."""
    code = re.sub(r"//.*", "", text)
    declared = re.findall(r"\blet (?:mut )?(\w+)", code)
    declared += [name for pair in re.findall(r"\blet \(([\w, ]+)\)", code) for name in re.split(r",\s*", pair)]
    return {name for name in declared if name[0] != "_" and len(re.findall(rf"\b{name}\b", code)) == 1}


@pytest.mark.parametrize("kernel", sorted(set(SHORT) & set(FILES)))
def test_every_variable_is_read(kernel: str) -> None:
    assert not unread(require_equal(FILES[kernel].read_bytes()).text)
