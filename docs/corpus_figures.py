"""Record what a run over the corpus came to, for docs/corpus.md: `corpus_figures.py RUN.jsonl [OPTIONS ..]`.

RUN.jsonl is what `ferrotile translate CORPUS --json OPTIONS` printed. Kept are counts per kernel, and each
specialization that is not plain: not EQUAL or REFINES, or with other machine code than the reference, with the reason
in the row's words.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from ferrotile.core import store

DATA = Path(__file__).parent / "data" / "corpus.json"
PLAIN_VERDICTS = ("EQUAL", "REFINES")
PLAIN_CODE = ("identical", "skipped")


def recorded(lines: list[dict[str, Any]], command: str) -> dict[str, Any]:
    """The figures of a run from its JSON lines, the last of which is the summary."""
    *rows, last = lines
    kernels: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        kernels[kernel_of(row)].append(row)
    return {
        "command": command,
        "summary": last["summary"],
        "kernels": {name: _kernel(kernels[name]) for name in sorted(kernels)},
        "rest": [_explained(row) for row in rows if not is_plain(row)],
    }


def kernel_of(row: dict[str, Any]) -> str:
    """The kernel's name: that of the file without the digest of its specialization."""
    return ".".join(Path(row["input"]).name.split(".")[:2])


def is_plain(row: dict[str, Any]) -> bool:
    """Whether there is nothing to explain about a row."""
    return row["verdict"] in PLAIN_VERDICTS and row["sass"] in PLAIN_CODE


def _kernel(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "specializations": len(rows),
        "verdicts": _counted(row["verdict"] for row in rows),
        "machine_code": _counted(row["sass"] for row in rows if row["sass"] != "skipped"),
        "styles": _counted(row["style"] for row in rows if row["style"]),
        "laws": sorted({law for row in rows for law in row["laws"]}),
        "unsafe": max(row["unsafe"] or 0 for row in rows),
        "lines_ratio": round(statistics.median(row["lines"] / max(row["python_lines"], 1) for row in rows), 2),
    }


def _counted(words: Any) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))


def _explained(row: dict[str, Any]) -> dict[str, Any]:
    detail = row.get("sass_detail") or {}
    other = detail.get("other_target")
    said = [row["message"] if row["verdict"] not in PLAIN_VERDICTS else "", detail.get("note") or ""]
    said += [detail.get("first_difference") or "", f"for {other['target']}: {other['kind']}" if other else ""]
    name = Path(row["input"]).name.removesuffix(".tileirbc")
    return {
        "name": name,
        "verdict": row["verdict"],
        "machine_code": row["sass"],
        "reason": "; ".join(text for text in said if text),
    }


def main(arguments: list[str]) -> int:
    """Read a run and write the data file of the page."""
    if not arguments:
        print("usage: python docs/corpus_figures.py RUN.jsonl [OPTIONS ..]", file=sys.stderr)
        return 2
    lines = [json.loads(line) for line in Path(arguments[0]).read_text().splitlines() if line.startswith("{")]
    if not lines or "summary" not in lines[-1]:
        print(f"`{arguments[0]}` does not end in a summary: the run was not finished", file=sys.stderr)
        return 2
    command = " ".join(["ferrotile translate ../shared/corpus/tilegym-ops --json", *arguments[1:]])
    store.write_text(DATA, json.dumps(recorded(lines, command), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
