"""`make fuzz`: judge thousands of generated kernels, save what fails, and print what became of the rest.

python tests/fuzz/fuzz_run.py [--kernels 10000] [--jobs 2] [--first 1000] [--minutes 0]
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import multiprocessing
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from fuzzing.hunt import Tally, hunt, signature
from fuzzing.keep import save

from ferrotile import ir

MOST = 25
"""Lines of a list that are printed."""

MOST_LOST = 20
"""Chunks that may be lost to a process that dies, or to an error outside of judging, before the run is given up."""


def one_chunk(number: int, count: int, claims: Path) -> tuple[Tally, list[str]]:
    """Judge one chunk. What failed is saved here, where it was shrunk, if no other chunk had one like it."""

    def is_new(way: str) -> bool:
        try:
            (claims / hashlib.sha256(way.encode()).hexdigest()).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    found = hunt(count, number, wanted=is_new)
    return found.tally, [f"{signature(outcome)} ({save(program, outcome)})" for program, outcome in found.failures]


def listed(title: str, counts: Counter[str]) -> None:
    """Print counts, the largest first."""
    if not counts:
        return
    print(f"{title}:")
    for name, count in counts.most_common(MOST):
        print(f"  {count:6}  {name[:160]}")
    if len(counts) > MOST:
        print(f"          and {len(counts) - MOST} more")


def never_reached(tally: Tally) -> list[str]:
    """Operations of the table that no generated kernel has."""
    return sorted(row.name for row in ir.table() if not row.preview and row.full_name not in tally.operations)


def report(tally: Tally, saved: list[str], seconds: float) -> None:
    """Print all that is known at the end."""
    refused = sum(tally.front_end.values())
    share = 100 * refused / max(refused + tally.kernels, 1)
    print(f"\n{tally.kernels} kernels in {seconds:.0f} s: {dict(tally.verdicts)}")
    print(f"cuda.tile refused {refused} more ({share:.1f} % of all drawn)")
    print(
        f"{tally.compared} agree with plain Python, in {tally.elements} elements; {tally.open} have no defined result"
    )
    print(f"style of the text that was proved: {dict(tally.styles)}")
    listed("not fluent, because the fluent text was", tally.closer)
    by_code = Counter(text.split(" ")[0] for text in tally.refusals.elements())
    listed("refused, by code", by_code)
    listed("refused, by sentence", tally.refusals)
    listed("refused by cuda.tile", tally.front_end)
    listed("known failures", tally.known)
    listed("not interpreted", tally.not_interpreted)
    rows = never_reached(tally)
    print(f"operations never reached ({len(rows)}): {', '.join(rows)}")
    listed("failures by kind, code and sentence", tally.failures)
    print(f"failures: {sum(tally.failures.values())}, saved: {len(saved)}", *saved, sep="\n  ")


class Run:
    """Chunks in processes until enough kernels are judged, whatever fails; `saved`: one line each way to fail."""

    def __init__(self, given: argparse.Namespace, claims: Path) -> None:
        self.given, self.claims = given, claims
        self.tally, self.saved, self.lost, self.began = Tally(), [], 0, time.monotonic()
        self.numbers = itertools.count(given.first)
        self.waiting: dict[Future[tuple[Tally, list[str]]], int] = {}

    @property
    def seconds(self) -> float:
        """How long it runs."""
        return time.monotonic() - self.began

    def fill(self, pool: ProcessPoolExecutor) -> None:
        """Keep the processes busy while kernels are wanted."""
        late = self.given.minutes and self.seconds > self.given.minutes * 60
        while not late and len(self.waiting) < self.given.jobs * 2:
            if self.tally.kernels + len(self.waiting) * self.given.chunk >= self.given.kernels:
                return
            number = next(self.numbers)
            self.waiting[pool.submit(one_chunk, number, self.given.chunk, self.claims)] = number

    def collect(self) -> None:
        """Take one result. Raises: BrokenProcessPool."""
        done = next(as_completed(self.waiting))
        number = self.waiting[done]
        try:
            part, saved = done.result()
        except BrokenProcessPool:
            raise
        except Exception as error:  # the chunk is lost, and the others are judged
            part, saved = Tally(), [f"seed {number}: {type(error).__name__}: {error}"]
            self.lost += 1
        del self.waiting[done]
        self.tally.include(part)
        self.saved += saved
        count = sum(self.tally.failures.values())
        print(f"{self.tally.kernels:6} kernels, {self.seconds:6.0f} s, {count} failures", *saved, flush=True)

    def to_the_end(self) -> None:
        """Run chunks; where a process dies, those that ran are lost and new processes take the next."""
        while self.lost <= MOST_LOST:
            context = multiprocessing.get_context("spawn")
            try:
                with ProcessPoolExecutor(self.given.jobs, context, max_tasks_per_child=20) as pool:
                    self.fill(pool)
                    while self.waiting and self.lost <= MOST_LOST:
                        self.collect()
                        self.fill(pool)
                return
            except BrokenProcessPool:
                self.saved.append(f"a process died at the kernels of one of the seeds {sorted(self.waiting.values())}")
                self.lost += 1
                self.waiting.clear()


def main() -> int:
    """Run it; the exit code is 1 when something failed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kernels", type=int, default=10_000)
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--first", type=int, default=1000, help="the first seed; chunks take one each")
    options.add_argument("--chunk", type=int, default=50, help="kernels of one seed")
    options.add_argument("--minutes", type=float, default=0, help="stop after so many; 0: run to the end")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as claims:
        run = Run(given, Path(claims))
        run.to_the_end()
    report(run.tally, run.saved, run.seconds)
    return 1 if run.saved or run.tally.failures or run.tally.kernels < given.kernels else 0


if __name__ == "__main__":
    sys.exit(main())
