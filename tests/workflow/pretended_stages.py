"""Stages that only write files, slowly, for runs that are killed. `python pretended_stages.py ROOT SECONDS`."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from ferrotile.workflow import run as runs
from ferrotile.workflow.run.context import Context, Verdict
from ferrotile.workflow.run.drive import Maker
from ferrotile.workflow.run.words import Letter, Owner, Word

WORDS = {
    Letter.PREFLIGHT: [Verdict(Word.OK)],
    Letter.ANALYST: [Verdict(Word.PASS)],
    Letter.AUTHOR: [Verdict(Word.COMPILED), Verdict(Word.COMPILED)],
    Letter.HOST: [Verdict(Word.ALL_PASS), Verdict(Word.ALL_PASS)],
    Letter.PERFORMANCE: [Verdict(Word.INVESTIGATE), Verdict(Word.DONE)],
    Letter.IR_DIFF: [Verdict(Word.PASS_WITH_NOTES)],
    Letter.RESIDUAL: [Verdict(Word.FIXABLE, Owner.KERNEL, ("a: style `literal`",))],
}
"""The longest way that the table has to COMPLETE."""
STEPS = "P1 A1 B1 D1 E1 C1 F1 B2 D2 E2".split()


def makers(pause_s: float, log: list[str] | None = None) -> dict[Letter, Maker]:
    """Stages that write three files each, with a pause before each."""
    return {letter: _maker(letter, pause_s, log if log is not None else []) for letter in Letter}


def _maker(letter: Letter, pause_s: float, log: list[str]) -> Maker:
    def make(context: Context, folder: Path) -> tuple[Verdict, None]:
        attempt = context.attempts(letter)
        log.append(f"{letter}{attempt + 1}")
        for number in range(3):
            time.sleep(pause_s)
            (folder / f"{number}.txt").write_text(f"{letter}{attempt + 1} {number}\n" * 1000)
        return WORDS[letter][attempt], None

    return make


def main(root: str, pause_s: str) -> None:
    """Run to the end, saying each step."""
    runs.run(
        Path(root),
        runs.request_of("in", "sm_90", {}),
        makers(float(pause_s)),
        lambda step: print(step.name, flush=True),
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
