"""`make kill`: kill -9 a run at random moments; each time it goes on, and ends with the same files.

`python tests/workflow/kill.py [KILLS] [SEED] [INPUT]` prints a line for each kill; exit code 1 when files differ.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from finished_runs import SMALL, digests

END = {0: "complete", 5: "gap"}


@dataclass(frozen=True)
class Kill:
    """One kill. Units: `after_s` since the process began. `steps`: the journal then; `*` marks what was cut off."""

    number: int
    after_s: float
    steps: str
    same: bool


def started(source: str, root: Path) -> subprocess.Popen[bytes]:
    """`ferrotile run` in a process of its own."""
    command = [sys.executable, "-m", "ferrotile.cli", "run", source, "--out", str(root)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def kills(count: int, seed: int, source: str, folder: Path) -> Iterator[Kill]:
    """Kill and resume until there were so many kills; some runs are killed more than once before they may end."""
    dice = random.Random(seed)
    began = time.monotonic()
    assert started(source, folder / "whole").wait() in END
    whole, takes_s = digests(folder / "whole"), time.monotonic() - began
    number, waiting = 0, []
    while number < count or waiting:
        root = folder / f"run{number}" if not waiting else waiting[0][0]
        process, after_s = started(source, root), dice.uniform(0, takes_s)
        is_last = len(waiting) >= 3 or number == count or (waiting and dice.random() < 0.5)
        try:
            process.wait(None if is_last else after_s)
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            waiting.append((root, after_s, journal(root)))
            number += 1
            continue
        same = process.returncode in END and digests(root) == whole
        first = number - len(waiting)
        yield from (Kill(first + k + 1, after, steps, same) for k, (_, after, steps) in enumerate(waiting))
        waiting = []
        shutil.rmtree(root)


def journal(root: Path) -> str:
    """The steps that the journal of a killed run has."""
    path = root / "journal.json"
    entries = json.loads(path.read_text())["entries"] if path.exists() else []
    return " ".join(f"{one['letter']}{one['attempt']}{'' if one['ended'] else '*'}" for one in entries) or "nothing yet"


def main(count: int = 50, seed: int = 1, source: str = SMALL) -> int:
    """Print the table; the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for kill in kills(count, seed, source, Path(folder)):
            found.append(kill)
            answer = "the same files" if kill.same else "OTHER FILES"
            print(f"{kill.number:3}  killed after {kill.after_s:5.2f} s  {kill.steps:24}  {answer}", flush=True)
    bad = sum(not kill.same for kill in found)
    print(f"{len(found)} kills, {len(found) - bad} resumed to the same files")
    return 1 if bad else 0


if __name__ == "__main__":
    chosen = sys.argv[1:]
    sys.exit(main(*(int(one) for one in chosen[:2]), *chosen[2:]))
