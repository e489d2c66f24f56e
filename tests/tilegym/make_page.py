"""`make tilegym`: capture TileGym's kernels without a GPU, translate them, and write docs/tilegym.md.

    python tests/tilegym/make_page.py [--env FOLDER] [--checkout FOLDER] [--per-kernel N] [--jobs N]

Without `--checkout` the operators of the wheel are called once or more (`operators.py`, `suite_operators.py`). With a
checkout of TileGym's repository its test suites run too. Every step leaves its result in build/tilegym, and is not
repeated while that is there. Needs the package index for the environment, and gcc.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import fates
import torch_environment
from kernel_functions import kernels_of

from ferrotile.capture import Exported, Index, read_index
from ferrotile.capture.index import element_count

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build" / "tilegym"
ALL_TESTS = "not test_perf and not triton and not pytorch"
"""Of TileGym's suites; the tests of its operators call the same kernels as `operators.py`."""


def main() -> None:
    """Run the steps that are not done yet."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--env", type=Path, default=BUILD / "env", help="environment to use or make")
    parser.add_argument("--checkout", type=Path, help="checkout of TileGym, for its test suites")
    parser.add_argument("--per-kernel", type=int, default=1, help="specializations to translate of each kernel")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    python = torch_environment.make(asked.env)
    captures = [capture("operators", [str(python), str(HERE / "operators.py")])]
    captures.append(capture("suite-operators", [str(python), str(HERE / "suite_operators.py")]))
    for_blackwell = [str(python), str(HERE / "operators.py"), "nvfp4_quantize"]
    captures.append(capture("operators-sm_100", for_blackwell, target="sm_100"))
    if asked.checkout is not None:
        captures += suites(python, asked.checkout.resolve())
    indices = [read_index(folder) for folder in captures]
    rows = [
        row
        for target, files in chosen(captures, indices, asked.per_kernel).items()
        for row in translate(files, target, asked.jobs)
    ]
    found = fates.fates_of(kernels_of(torch_environment.package(asked.env)), indices, rows)
    operators = subprocess.run(
        [str(python), "-c", "import operators; print(*operators.CALLS)"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), str(recorder())])},
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    text = fates.page(found, operators, facts(indices, len(rows), asked.per_kernel, asked.checkout is not None))
    (ROOT / "docs" / "tilegym.md").write_text(text)
    print(text.split("## The 24")[0])


def suites(python: Path, checkout: Path) -> list[Path]:
    """TileGym's own tests of its suites."""
    # A copy of the tests alone: with the sources beside them, those would be imported in place of the wheel.
    folder = BUILD / "suite"
    shutil.copytree(checkout / "tests", folder / "tests", dirs_exist_ok=True)
    pytest = [str(python), "-m", "pytest", "-p", "suite_plugin", "-p", "no:cacheprovider", "-q", "--timeout", "60"]
    return [capture("tests-suites", [*pytest, "-k", ALL_TESTS, "tests/suites"], folder=folder)]


def capture(name: str, command: Sequence[str], target: str = "sm_90", folder: Path = ROOT) -> Path:
    """Capture a command, unless that was done."""
    out = BUILD / name
    if not (out / "index.json").is_file():
        ferrotile = [sys.executable, "-m", "ferrotile.cli", "capture", "--keep-going", "--out", str(out)]
        variables = {"PYTHONPATH": os.pathsep.join([str(HERE), str(folder)]), "CUTILE_RS_AUTOBUILD": "0"}
        options = ["--target", target, "--", *command]
        subprocess.run([*ferrotile, *options], cwd=folder, env={**os.environ, **variables}, check=False)
    return out


def chosen(folders: Sequence[Path], indices: Sequence[Index], most: int) -> dict[str, list[Path]]:
    """Of every kernel the specializations with the smallest launches, what was launched before what was only tried;
    by target.
    """
    by_kernel: dict[object, list[tuple[object, str, Path]]] = defaultdict(list)
    seen: set[object] = set()
    for folder, index in zip(folders, indices, strict=True):
        for one in index.exported:
            if (identity := (one.module, one.kernel, one.symbol, str(one.hints))) not in seen:
                seen.add(identity)
                by_kernel[one.module, one.kernel].append((_rank(one), index.target, folder / one.file))
    by_target: dict[str, list[Path]] = defaultdict(list)
    for ranked in by_kernel.values():
        for _, target, path in sorted(ranked)[:most]:
            by_target[target].append(path)
    return by_target


def _rank(one: Exported) -> tuple[bool, int, str]:
    return one.via == "tune", min(map(element_count, one.launches)), one.name


def translate(files: Sequence[Path], target: str, jobs: int) -> list[dict[str, object]]:
    """The JSON lines of `ferrotile translate` on the files; what an earlier run has is not made again."""
    path = BUILD / "translated.jsonl"
    done = _rows(path)
    left = [str(file) for file in files if _stem(file) not in done]
    if left:
        command = [
            sys.executable,
            "-m",
            "ferrotile.cli",
            "translate",
            "--json",
            "--jobs",
            str(jobs),
            "--target",
            target,
        ]
        running = subprocess.Popen([*command, *left], stdout=subprocess.PIPE, text=True)
        assert running.stdout is not None
        with path.open("a") as kept:
            for line in running.stdout:
                row = json.loads(line)
                if "verdict" in row:
                    kept.write(json.dumps({**row, "name": _stem(Path(row["input"]))}) + "\n")
                    kept.flush()
        running.wait()
    names = set(map(_stem, files))
    return [row for name, row in _rows(path).items() if name in names]


def _rows(path: Path) -> dict[str, dict[str, object]]:
    lines = path.read_text().splitlines() if path.is_file() else []
    rows = map(json.loads, lines)
    # What could not be read, or was broken off, is no outcome.
    return {row["name"]: row for row in rows if not str(row["code"]).startswith("FT8")}


def _stem(file: Path) -> str:
    return file.name.removesuffix(".tileirbc")


def facts(indices: Sequence[Index], translated: int, most: int, has_suites: bool) -> str:
    """What the figures are of."""
    exported = {(one.module, one.kernel, one.symbol, str(one.hints)) for index in indices for one in index.exported}
    whence = "every operator called, and TileGym's own test suites" if has_suites else "every operator called"
    return (
        f"tilegym 1.5.1 from PyPI, cuda-tile {indices[0].cuda_tile}, no GPU: {whence}. "
        f"{len(exported)} specializations captured; {translated} of them translated, at most {most} of a kernel, "
        "those with the smallest launches.\n"
    )


def recorder() -> Path:
    """The folder of the recorder, which `operators.py` imports."""
    from ferrotile.capture.recording import RECORDER

    return RECORDER


if __name__ == "__main__":
    main()
