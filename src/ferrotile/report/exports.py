"""What an export made, as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ferrotile.workflow import Exported


def export_text(exported: Exported) -> list[str]:
    """One line a function, then where the files are."""
    library = exported.library
    lines = [f"{kernel.symbol}: {', '.join(v.label for v in kernel.variants)}" for kernel in library.kernels]
    lines.append(f"{len(library.kernels)} functions, {library.variant_count} specializations in {library.folder}")
    return lines + ([] if exported.binary is None else [f"library: {exported.binary}"])


def export_json(exported: Exported) -> dict[str, Any]:
    """The same for programs."""
    library = exported.library
    return {
        "folder": str(library.folder),
        "library": None if exported.binary is None else str(exported.binary),
        "functions": {
            kernel.symbol: [{"label": v.label, "target": v.target} for v in kernel.variants]
            for kernel in library.kernels
        },
    }
