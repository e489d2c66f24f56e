"""On real kernels: every operation finds its syntax, nearly every assignment its name, in little time."""

from __future__ import annotations

import ast
import os
import time
from pathlib import Path

import pytest

from ferrotile import ir
from ferrotile.capture import discover, export
from ferrotile.ir.types import TokenType
from ferrotile.lift.source import Annotations, SourceFinder, annotate
from ferrotile.lift.source.spelling import variable_name

CORPUS = Path(os.environ.get("FERROTILE_CORPUS", Path(__file__).parents[3] / "shared" / "corpus")) / "tilegym-ops"
TILEGYM = os.environ.get("FERROTILE_TILEGYM", "")
EXAMPLES = Path(__file__).parents[2] / "examples"


def assignments(annotations: Annotations) -> tuple[int, int]:
    """How many assigned values there are, and how many have the target's name (behind a prefix or before a suffix)."""
    total = named = 0
    for statement, members in annotations.statements.operations.items():
        results = [result for op in members for result in op.results if not isinstance(result.type, TokenType)]
        if not isinstance(statement.node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) or not results:
            continue
        names = {annotations.names.get(result, "") for result in results}
        targets = [variable_name(target) for target in statement.targets]
        total += 1
        named += any(
            name == target or name.startswith(f"{target}_") or name.endswith(f"_{target}")
            for name in names
            for target in targets
        )
    return total, named


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.py")), ids=lambda file: file.stem)
def test_every_example_finds_its_source(file: Path) -> None:
    rows = [row for row in discover(EXAMPLES) if row[0] == file]
    for path, kernel, specialization in rows:
        (capture,) = export(path, kernel, specialization)
        annotations = annotate(ir.decode(capture.bytecode).entries[0], SourceFinder())
        assert annotations.report.used == (str(file.resolve()),)
        assert annotations.report.located == annotations.report.operations
        assert annotations.docstring
        assert all(parameter.python for parameter in annotations.parameters)
        total, named = assignments(annotations)
        assert named == total > 0


@pytest.mark.corpus
@pytest.mark.slow
@pytest.mark.skipif(not (CORPUS.is_dir() and TILEGYM), reason="needs the corpus and $FERROTILE_TILEGYM")
def test_the_corpus_finds_its_source() -> None:
    finder = SourceFinder([("/tilegym-1.5.1", TILEGYM)])
    operations = located = total = named = 0
    seconds: list[float] = []
    files = sorted(CORPUS.glob("*.tileirbc"))
    for file in files:
        entry = ir.decode(file.read_bytes()).entries[0]
        start = time.process_time()
        annotations = annotate(entry, finder)
        seconds.append(time.process_time() - start)
        assert annotations.report.rejected == {} and annotations.report.missing == (), file.name
        assert all(parameter.python for parameter in annotations.parameters), file.name
        operations, located = operations + annotations.report.operations, located + annotations.report.located
        total, named = (a + b for a, b in zip((total, named), assignments(annotations), strict=True))
    assert located == operations > 80_000
    assert named >= 0.99 * total
    assert sorted(seconds)[len(seconds) // 2] < 0.050
