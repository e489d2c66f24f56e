"""Put a real run of the demo into README.md: the table of verdicts, and softmax's Python and Rust side by side.

ferrotile translate examples --out build/demo --sass --json | python docs/demo.py
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from ferrotile.core import store

README = Path(__file__).parents[1] / "README.md"
SHOWN = "softmax_rows"
COLUMNS = ("kernel", "for", "verdict", "machine code", "`unsafe` blocks", "lines Rust / Python", "seconds")
HEAD = f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}\n"


def main() -> None:
    """Rewrite the marked parts of README.md."""
    lines = [json.loads(line) for line in sys.stdin if line.strip()]
    rows = [line for line in lines if "summary" not in line]
    summary = next(line["summary"] for line in lines if "summary" in line)
    shown = next(row for row in rows if row["kernel"] == SHOWN)
    parts = {
        "table": _table(rows, summary),
        "python": f"```python\n{_python(SHOWN)}```\n",
        "rust": f"```rust\n{(Path(shown['folder']) / 'kernel.rs').read_text()}```\n",
    }
    text = README.read_text()
    for name, part in parts.items():
        text = _replaced(text, name, part)
    store.write_text(README, text)


def _table(rows: list[dict[str, Any]], summary: dict[str, Any]) -> str:
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in summary["verdicts"].items() if count)
    machine = ", ".join(f"{count} {kind}" for kind, count in summary["sass"].items() if count)
    return f"{HEAD}{''.join(map(_row, rows))}\n{summary['inputs']} inputs: {verdicts}; machine code: {machine}.\n"


def _row(row: dict[str, Any]) -> str:
    label = Path(row["folder"]).name.removeprefix(f"{row['kernel']}.")
    steps = (seconds for step, seconds in row["seconds"].items() if step not in ("total", "sass"))
    cells = (
        f"[{row['kernel']}](examples/{Path(row['input'].split('::')[0]).name})",
        label.replace("-", " "),
        row["code"] or row["verdict"],
        row["sass"],
        str(row["unsafe"]),
        f"{row['lines']} / {row['python_lines']}",
        f"{sum(steps):.2f}",
    )
    return f"| {' | '.join(cells)} |\n"


def _python(kernel: str) -> str:
    """The kernel function of an example, from its decorator to its end."""
    text = (README.parent / "examples" / f"{kernel}.py").read_text()
    start = text.index("@ct.kernel")
    return text[start : text.index("\n\n\n", start) + 1]


def _replaced(text: str, name: str, part: str) -> str:
    """`text` with what stands between the markers of a part replaced."""
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    assert pattern.search(text), f"README.md has no part `{name}`"
    return pattern.sub(lambda match: f"{match[1]}\n{part}\n{match[2]}", text)


if __name__ == "__main__":
    main()
