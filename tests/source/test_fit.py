"""A source is used only when its syntax fits the operations; a changed one is refused and the report says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from xdsl.ir import Operation

from ferrotile import ir
from ferrotile.lift.source import Annotations, SourceFinder, annotate
from ferrotile.lift.source.fit import ANYWHERE, KNOWN

EntryOf = Callable[[str], Operation]
Edit = Callable[[str], str]

NOT_FROM_PYTHON = set(
    """
    alloca gdc_launch_dependents_tko gdc_wait_tko get_tensor_shape memory_fence_alias_tko module mulhii
    multimem_load_reduce_view_tko multimem_reduce_view_tko multimem_store_view_tko preview$call
    """.split()
)
"""Operations of which no place is known: they may stand at any expression."""


@pytest.fixture
def with_edit(tmp_path: Path, sample: Path, entry_of: EntryOf) -> Callable[[Edit], Annotations]:
    """Annotations of kernel `rows` with an edited copy of its source."""

    def annotate_with(edit: Edit) -> Annotations:
        text = sample.read_text()
        assert edit(text) != text
        copy = tmp_path / "sample.py"
        copy.write_text(edit(text))
        return annotate(entry_of("rows"), SourceFinder([(str(sample), str(copy))]))

    return annotate_with


@pytest.mark.parametrize("kernel", ["rows", "loops", "helpers", "starts", "nested", "_awkward"])
def test_the_source_itself_fits(kernel: str, sample: Path, entry_of: EntryOf) -> None:
    report = annotate(entry_of(kernel), SourceFinder()).report
    assert report.used == (str(sample),)
    assert report.located == report.operations > 30
    assert report.sentences() == ()


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: "\n" + text,
        lambda text: text.replace("import math\n", "import math\nimport os\n"),
        lambda text: text.replace("    row = ct.bid(1)\n", ""),
        lambda text: text.replace("    peak =", "    the_peak ="),
        lambda text: text.replace("def rows(", "def columns("),
        lambda text: text.replace("/ temperature", "+ temperature").replace("natural_exp(l", "natural_log(l"),
        lambda text: text.replace("    total = ct.sum(", "    total = ct.max("),
        lambda text: "x = 1\n",
        lambda text: "",
    ],
    ids=["line", "import", "statement", "column", "function", "operators", "reduction", "other", "empty"],
)
def test_a_changed_source_is_not_used(edit: Edit, with_edit: Callable[[Edit], Annotations]) -> None:
    annotations = with_edit(edit)
    assert annotations.report.used == ()
    assert annotations.names_from == "ir"
    assert annotations.docstring is None
    (sentence,) = annotations.report.sentences()
    assert "it changed since it was compiled" in sentence
    assert "line" in sentence


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text + "\n# more\n",
        lambda text: text.replace("divides the logits", "the heat of the logits"),
        lambda text: text.replace("def sigmoid(v):", "def sigmoid(w):"),
    ],
    ids=["end", "comment", "other function"],
)
def test_a_change_elsewhere_does_no_harm(edit: Edit, sample: Path, with_edit: Callable[[Edit], Annotations]) -> None:
    assert with_edit(edit).report.used == (str(sample),)


def test_a_missing_source_is_named(monkeypatch: pytest.MonkeyPatch, entry_of: EntryOf) -> None:
    monkeypatch.setattr(SourceFinder, "_candidates", lambda self, file: [])
    annotations = annotate(entry_of("rows"), SourceFinder())
    (sentence,) = annotations.report.sentences()
    assert sentence.startswith("no source found for `") and "sample.py" in sentence and "--source-map" in sentence


def test_without_a_finder_the_file_as_it_stands_is_read(sample: Path, entry_of: EntryOf) -> None:
    assert annotate(entry_of("rows"), None).report.used == (str(sample),)


def test_every_operation_of_the_front_end_has_a_row() -> None:
    rows = {row.name for row in ir.table()}
    assert rows - ANYWHERE - set(KNOWN) == NOT_FROM_PYTHON
    assert (ANYWHERE | set(KNOWN)) <= rows
