"""What an interpreted kernel left, found wrong and had in its variables, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import RenderableType
from rich.text import Text

from ferrotile.report.excerpt import side_by_side

if TYPE_CHECKING:
    from ferrotile.workflow import Interpretation, Watched

_SHOWN = 64
"""A longer array is shown by its corners."""


def interpretation_text(made: Interpretation, source_map: Sequence[tuple[str, str]]) -> list[RenderableType]:
    """What was printed, one line an array, and each finding with its Python line."""
    result = made.result
    parts: list[RenderableType] = [Text(f"printed: {line}") for line in result.prints]
    for array in _arrays(made):
        what = "{name}: {dtype} {shape}, {changed} elements changed".format(**array)
        parts.append(Text(f"{what}{_rest(array)}"))
    for finding in result.findings:
        parts.append(Text.assemble((f"{finding.kind}: ", "bold red"), f"{finding.sentence}{_where(finding)}"))
        if (lines := side_by_side(finding.place, finding.other, source_map, None)) is not None:
            parts.append(lines)
    parts.append(Text(f"{len(result.findings) or 'no'} findings in {len(result.blocks)} blocks"))
    return parts


def interpretation_json(made: Interpretation) -> dict[str, Any]:
    """The JSON line of `interpret`."""
    return {
        "input": made.input,
        "blocks": len(made.result.blocks),
        "arrays": [{**array, "shape": list(array["shape"])} for array in _arrays(made)],
        "prints": list(made.result.prints),
        "findings": [
            {
                "kind": finding.kind,
                "sentence": finding.sentence,
                "place": None if finding.place is None else str(finding.place),
                "other": None if finding.other is None else str(finding.other),
                "block": list(finding.block),
                "array": finding.array,
                "index": finding.index,
                "count": finding.count,
            }
            for finding in made.result.findings
        ],
    }


def watched_text(value: Watched) -> Text:
    """A variable's value in one block: where it was made, and the numbers."""
    place = "" if value.place is None else f" {value.place.file.rpartition('/')[2]}:{value.place.line}"
    shape = "x".join(map(str, value.data.shape)) or "number"
    head = f"{value.name}, block {value.block},{place}, {value.data.dtype} {shape}"
    unknown = f", {value.undetermined} undetermined" if value.undetermined else ""
    return Text.assemble((f"{head}{unknown}\n", "bold"), _numbers(value))


def watched_json(value: Watched) -> dict[str, Any]:
    """The JSON line of a variable's value in one block."""
    return {
        "watch": value.name,
        "block": list(value.block),
        "place": None if value.place is None else str(value.place),
        "dtype": str(value.data.dtype),
        "shape": list(value.data.shape),
        "undetermined": value.undetermined,
        "text": _numbers(value),
    }


def _numbers(value: Watched) -> str:
    data = value.data if value.data.dtype.isbuiltin == 1 else value.data.astype(np.float32)
    return np.array2string(data, threshold=_SHOWN, edgeitems=3, max_line_width=120)


def _arrays(made: Interpretation) -> list[dict[str, Any]]:
    result = made.result
    return [
        {
            "name": name,
            "dtype": str(after.dtype),
            "shape": after.shape,
            "changed": _changed(before, after),
            "undetermined": int(np.count_nonzero(undetermined)),
        }
        for name, before, after, undetermined in zip(
            made.names, made.given, result.arrays, result.undetermined, strict=True
        )
    ]


def _changed(before: Any, after: Any) -> int:
    bits = f"u{after.dtype.itemsize}"
    old, new = (np.ascontiguousarray(array).reshape(-1).view(bits) for array in (before, after))
    return int(np.count_nonzero(old != new))


def _rest(array: dict[str, Any]) -> str:
    return f", {array['undetermined']} undetermined" if array["undetermined"] else ""


def _where(finding: Any) -> str:
    array = f", array `{finding.array}`" if finding.array else ""
    index = "" if finding.index is None else f" at element {finding.index}"
    times = f", {finding.count} times" if finding.count > 1 else ""
    return f" (block {finding.block}{array}{index}{times})"
