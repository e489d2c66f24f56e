"""An author for a batch: honest but for the operators whose names say what is wrong with its work for them.

`python saboteur.py {prompt}`. `wrong_kernel` is another program; `tampering` also writes to its reference.
`python saboteur.py {prompt} wrong_kernel` does so whatever the name of the operator is.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

PATHS = dict(line.split(": ", 1) for line in sys.argv[1].splitlines() if ": " in line)
WORK, INPUTS = Path(PATHS["write in"]), Path(PATHS["inputs"])
SINS = f"{WORK} {' '.join(sys.argv[2:])}"


def another(text: str) -> str:
    """Another program: sums become differences where there are any, else products become sums. Comments stay."""
    for old, new in ((" + ", " - "), (" * ", " + ")):
        lines = [line if line.lstrip().startswith("//") else line.replace(old, new) for line in text.splitlines()]
        if lines != text.splitlines():
            return "\n".join(lines) + "\n"
    raise AssertionError("this kernel has neither sums nor products")


def main() -> None:
    """Write every kernel, and claim that all is well."""
    for place in sorted((INPUTS / "draft").iterdir()):
        text = (place / "kernel.rs").read_text()
        if "wrong_kernel" in SINS:
            text = another(text)
        (WORK / "bundles" / place.name).mkdir(parents=True)
        (WORK / "bundles" / place.name / "kernel.rs").write_text("// by a command\n" + text)
    if "tampering" in SINS:
        for path in Path(PATHS["stage A1"]).glob("reference/*"):
            path.write_bytes(b"mine")
    (WORK / "verdict.json").write_text(json.dumps({"stage": "author", "verdict": "COMPILED"}))


if __name__ == "__main__":
    main()
