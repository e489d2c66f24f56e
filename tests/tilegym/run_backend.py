"""Run TileGym's own tests of its operators with the reference backend, or with ours; on a machine with a GPU.

    python run_backend.py SIDE TESTS OUT [--workers N] [--limit SECONDS]

SIDE is `reference` or `ours`, TESTS a folder that holds TileGym's `tests`. OUT gets `SIDE.jsonl`, a line a test (what
failed is run once more with few workers, since tests that share a GPU can run out of its memory), `SIDE.log`, and
`machine.json`. Imports nothing of ferrotile itself.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
LEFT_OUT = "not test_perf and not triton and not pytorch and not tilecpp"
MOST_AGAIN = 150
PACKAGES = ("torch", "cuda-tile", "pytest", "pytest-xdist", "transformers")


def main() -> int:
    """Run one side."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("side", choices=("reference", "ours"))
    parser.add_argument("tests", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--limit", type=float, default=540.0, help="seconds for all of it")
    parser.add_argument("--only", nargs="*", default=["tests/ops"], help="files or folders below TESTS")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "machine.json").write_text(json.dumps(machine(), indent=2) + "\n")
    outcomes = (asked.out / f"{asked.side}.jsonl").resolve()
    outcomes.unlink(missing_ok=True)
    until = time.monotonic() + asked.limit
    pytest(asked, outcomes, asked.workers, asked.only, until)
    failed = [row["test"] for row in rows(outcomes) if row["outcome"] == "failed"]
    if 0 < len(failed) <= MOST_AGAIN and until - time.monotonic() > 20:
        pytest(asked, outcomes, min(4, asked.workers), failed, until)
    counts = dict.fromkeys(("passed", "failed", "skipped"), 0)
    for row in {row["test"]: row for row in rows(outcomes)}.values():
        counts[row["outcome"]] += 1
    print(asked.side, counts)
    return 0


def pytest(asked: argparse.Namespace, outcomes: Path, workers: int, what: list[str], until: float) -> None:
    """Run tests in some processes; what is not done by `until` is left undone."""
    left_out = LEFT_OUT if asked.side == "ours" else f"{LEFT_OUT} and not cutile_rs"
    command = [sys.executable, "-m", "pytest", "-p", "backend_plugin", "-p", "no:cacheprovider", "-q", "--tb=short"]
    command += ["-n", str(workers), "--dist", "worksteal", "--timeout", "240", "-k", left_out, *what]
    variables = {
        "FERROTILE_SIDE": asked.side,
        "FERROTILE_OUTCOMES": str(outcomes),
        "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]),
        "CUTILE_RS_AUTOBUILD": "0",
        "TILEGYM_DISABLE_AUTOTUNE": "1",
        "OMP_NUM_THREADS": "1",
        "QUIET": "1",
    }
    with (asked.out / f"{asked.side}.log").open("ab") as log:
        try:
            subprocess.run(
                command, cwd=asked.tests, env={**os.environ, **variables}, stdout=log, stderr=log,
                timeout=max(until - time.monotonic(), 1), check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            print(asked.side, "was broken off: time is up")


def rows(outcomes: Path) -> list[dict[str, str]]:
    """The lines so far."""
    return [json.loads(line) for line in outcomes.read_text().splitlines()] if outcomes.is_file() else []


def machine() -> dict[str, str]:
    """What it was run on."""
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        gpu = subprocess.run(query, capture_output=True, text=True, check=False).stdout
        gpu = " and ".join(f"{count} x {line} (driver)" for line, count in Counter(gpu.splitlines()).items())
    except OSError:
        gpu = "none"
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = "none"
    return {"date": time.strftime("%Y-%m-%d"), "gpu": gpu, "python": sys.version.split()[0], **versions}


if __name__ == "__main__":
    sys.exit(main())
