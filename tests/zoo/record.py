"""Writes tests/zoo/results.json: how every specialization of the zoo ended, for docs/matrix.md.

    python tests/zoo/record.py          all of them
    python tests/zoo/record.py NAME..   those whose name holds one of these words, the others as they are

`tests/lift/test_zoo.py` fails where a kernel ends in another way than is recorded.
"""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from typing import Any

from ferrotile.capture import discover, export
from ferrotile.core import Unsupported

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "lift"))

from proof import proved  # noqa: E402  # pyright: ignore[reportMissingImports]

REWRITES = runpy.run_path(str(HERE.parents[1] / "docs" / "pages" / "matrix.py"))["REWRITES"]


def result_of(row: tuple[Path, str, Any]) -> dict[str, Any]:
    """How one specialization ends: its verdict and the laws that say it was rewritten, or its refusal."""
    target = target_of(row[2].label)
    (capture,) = export(*row, target)
    try:
        _, verdict = proved(capture.bytecode, target=target)
    except Unsupported as error:
        place = error.at
        assert place is not None
        said = {"why": error.message, "hint": error.hint or ""}
        return {"refused": error.code, "at": [place.line, place.column], **said}
    return {"verdict": str(verdict.kind), "laws": [law for law in verdict.laws if law in REWRITES]}


def target_of(label: str) -> str:
    """The architecture that a label names, if it begins with one."""
    return label.split()[0] if label.startswith("sm_") else "sm_90"


def main(words: list[str]) -> None:
    """Record all, or those that hold one of the words."""
    path = HERE / "results.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    found: dict[str, Any] = {}
    for row in discover(HERE / "kernels"):
        name = f"{row[0].stem}-{row[1]}-{row[2].label}"
        old = known.get(name)
        found[name] = old if old and words and not any(word in name for word in words) else result_of(row)
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(result)}" for name, result in sorted(found.items()))
    path.write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
