"""The table of a batch for docs/results: `python tests/workflow/batch_table.py BATCH`.

One row an operator, from its result.json and the artifacts of its last try: what was found, by which steps, in what
time, why where it was not accepted, and what of the evidence is smaller than usual.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from ferrotile.core import FerrotileError
from ferrotile.workflow.operators.records import BatchRequest, Fate, Operator, Plan, Result
from ferrotile.workflow.run import artifacts as a

HEAD = f"| operator | specializations | answer | last steps | run s | judged s | to be known |\n{'|---' * 7}|"


def main(batch: Path) -> None:
    """Print counts and the table."""
    plan, request = a.read(batch / "plan.json", Plan), a.read(batch / "batch.json", BatchRequest)
    results = [_result(batch, one) for one in plan.operators]
    counts = {fate: sum(found is not None and found.fate is fate for found in results) for fate in Fate}
    words = [f"{count} {fate}" for fate, count in counts.items() if count]
    words += [f"{results.count(None)} not finished"] * (None in results)
    print(f"{len(results)} attempted: {', '.join(words)}.\n\n{HEAD}")
    for operator, found in zip(plan.operators, results, strict=True):
        print(f"| {' | '.join(_cells(batch / 'operators' / operator.name, request, operator, found))} |")


def _result(batch: Path, operator: Operator) -> Result | None:
    try:
        return a.read(batch / "operators" / operator.name / "result.json", Result)
    except FerrotileError:
        return None


def _cells(place: Path, request: BatchRequest, operator: Operator, found: Result | None) -> Iterator[str]:
    yield operator.name
    if found is None or not found.tries:
        yield from ("", "not finished" if found is None else str(found.fate), "", "", "", "")
        return
    last = found.tries[-1]
    run = place / f"try{last.number}" / "run"
    yield str(_count(run))
    yield str(found.fate)
    yield f"{' '.join(last.judged.steps) or 'none'}{f', try {last.number}' if last.number > 1 else ''}"
    yield f"{sum(one.run_s for one in found.tries):.0f}"
    yield f"{sum(one.judge_s for one in found.tries):.0f}"
    said = [_short(reason) for reason in found.reasons] if found.fate is not Fate.ACCEPTED else []
    yield "; ".join(dict.fromkeys([*said, *_notes(run, request.target, last.judged.steps)]))


def _count(run: Path) -> int:
    return len(a.read(run / "stages/A1/analysis.json", a.Analysis).variants)


def _notes(run: Path, target: str, steps: tuple[str, ...]) -> Iterator[str]:
    """What host.json and performance.json of the last of their stages say beside the usual."""
    for step in reversed(steps):
        if step.startswith("D"):
            for one in a.read(run / "stages" / step / "host.json", a.Host).results:
                if found := re.search(r"divided by up to \d+", one.sentence):
                    yield f"D: extents of {_kernel(one.name)} {found[0]}"
            break
    for step in reversed(steps):
        if step.startswith("E"):
            for row in a.read(run / "stages" / step / "performance.json", a.Performance).rows:
                if row.target != target:
                    yield f"E: {_kernel(row.name)} {row.kind} for {row.target}; refused for {target}"
            break


def _kernel(name: str) -> str:
    """The kernel of a variant's name: `operator.kernel.digest`."""
    return f"`{name.split('.')[1] if name.count('.') > 1 else name}`"


def _short(reason: str) -> str:
    """A reason on one line, without the folders of this run."""
    return re.sub(r"['`]?/[^ `']*/([^/ `']+)['`]?", r"`\1`", " ".join(reason.split())).replace("|", "/")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
