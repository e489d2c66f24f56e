"""What an export made, as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ferrotile.workflow import Exported, ExportedCrate


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
        "functions": {kernel.symbol: [_specialization(v) for v in kernel.variants] for kernel in library.kernels},
    }


def crate_text(exported: ExportedCrate) -> list[str]:
    """One line an operator with the rule for its grid, then where the files are."""
    lines = []
    for kernel in exported.kernels:
        rule = exported.rules[kernel.name]
        told = f"no rule for the grid: {why}" if (why := getattr(rule, "why", None)) else f"grid {rule}"
        lines.append(f"{kernel.name}: {len(kernel.variants)} specializations; {told}")
    recorded = f"{exported.recorded_count} recorded calls"
    checked = "" if exported.is_built else ", not checked by cargo"
    return [*lines, f"{len(exported.kernels)} operators, {recorded} in {exported.folder}{checked}"]


def crate_json(exported: ExportedCrate) -> dict[str, Any]:
    """The same for programs."""
    return {
        "folder": str(exported.folder),
        "is_built": exported.is_built,
        "recorded_calls": exported.recorded_count,
        "operators": {kernel.name: _operator(kernel, exported.rules[kernel.name]) for kernel in exported.kernels},
    }


def _operator(kernel: Any, rule: Any) -> dict[str, Any]:
    why = getattr(rule, "why", None)
    variants = [_specialization(v) for v in kernel.variants]
    return {"specializations": variants, "grid": None if why else str(rule), "why_no_grid": why}


def _specialization(variant: Any) -> dict[str, Any]:
    """`embedded`: there is machine code for the target; `compiled_late`: the program, for what there is none for."""
    is_embedded, is_late = variant.cubin is not None, variant.program is not None
    return {"label": variant.label, "target": variant.target, "embedded": is_embedded, "compiled_late": is_late}
