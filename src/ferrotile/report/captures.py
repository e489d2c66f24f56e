"""What `ferrotile capture` recorded, as a table, as text and as JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ferrotile.report.text import error_text

if TYPE_CHECKING:
    from ferrotile.capture import Exported, Index, Unexported


def capture_table(index: Index) -> Table:
    """One line a kernel: where it stands, and how many specializations and launches of it there are."""
    table = Table(show_edge=False, pad_edge=False)
    table.add_column("kernel", overflow="fold")
    for heading in ("exported", "refused", "launches"):
        table.add_column(heading, justify="right")
    for heading in ("grid, of the smallest", "source"):
        table.add_column(heading, overflow="fold")
    by_kernel: dict[tuple[str, str], list[Exported | Unexported]] = {}
    for one in (*index.exported, *index.unexported):
        by_kernel.setdefault((one.module, one.kernel), []).append(one)
    for (module, kernel), ones in sorted(by_kernel.items()):
        refused = sum(one in index.unexported for one in ones)
        table.add_row(
            f"{module}:{kernel}",
            str(len(ones) - refused),
            str(refused) if refused else "",
            str(sum(one.launch_count for one in ones)),
            " x ".join(map(str, ones[0].launches[0].grid)),
            f"{Path(ones[0].source).name}:{ones[0].line}",
        )
    return table


def capture_text(index: Index, folder: Path, seconds: float) -> list[RenderableType]:
    """Refusals, what must be known of the run, and the sum."""
    parts: list[RenderableType] = []
    tried = [one for one in index.unexported if one.via == "tune"]
    for one in index.unexported:
        if one not in tried:
            parts += [Text(f"REFUSED {one.module}:{one.kernel}"), *error_text(one.fault())]
    if tried:
        parts.append(Text(f"note: {len(tried)} of the refused are only candidates of a tuner; the index has them"))
    if index.has_placeholders:
        parts.append(
            Text("note: the program read numbers that no kernel computed, and got 0; --values keeps real ones")
        )
    if index.exit_code != 0:
        parts.append(Text(f"note: the command failed (exit code {index.exit_code}); this is what it launched before"))
    how = "recorded only" if index.is_pretended else "launched on the GPU as well"
    refused = f", {len(index.unexported)} refused" if index.unexported else ""
    parts.append(
        Text(
            f"{len(index.exported)} specializations of {index.kernel_count} kernels for {index.target}{refused}; "
            f"{how}; {seconds:.1f} s; in {folder}"
        )
    )
    return parts


def capture_json(index: Index, folder: Path, seconds: float, exit_code: int) -> Iterator[dict[str, Any]]:
    """A line for each specialization, then the sum."""
    for one in index.exported:
        yield {**_common(one), "file": str(folder / one.file), "code": None, "message": ""}
    for one in index.unexported:
        yield {**_common(one), "file": None, "code": one.code, "message": one.message}
    yield {
        "folder": str(folder),
        "target": index.target,
        "exported": len(index.exported),
        "refused": len(index.unexported),
        "kernels": index.kernel_count,
        "is_pretended": index.is_pretended,
        "has_placeholders": index.has_placeholders,
        "command_exit_code": index.exit_code,
        "seconds": round(seconds, 3),
        "exit_code": exit_code,
    }


def _common(one: Exported | Unexported) -> dict[str, Any]:
    return {
        "module": one.module,
        "kernel": one.kernel,
        "symbol": one.symbol,
        "hints": one.hints,
        "via": one.via,
        "grid": list(one.launches[0].grid),
        "launches": one.launch_count,
        "operators": list(one.operators),
        "place": f"{one.source}:{one.line}",
    }
