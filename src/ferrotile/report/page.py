"""A run as one HTML page: Python, Tile IR, Rust and machine code side by side. It needs nothing outside itself."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup

from ferrotile.core import store
from ferrotile.report.plots import kind, plots_of

if TYPE_CHECKING:
    from ferrotile.workflow import Sided, Sides

_TONES = {"EQUAL": "good", "REFINES": "good", "DIFFERS": "bad", "REFUSED": "bad", "UNPROVED": "mid"}


def page_html(sides: Sides) -> str:
    """The page of a run, or of a folder of bundles."""
    environment = _environment()
    parts = {name: _inline(environment, f"page.{name}") for name in ("css", "js")}
    return environment.get_template("page.html.j2").render(
        title=sides.folder.resolve().name, kernels=sides.kernels, end=sides.end, steps=sides.steps, css=parts["css"],
        script=parts["js"], times=sides.times, plots=plots_of(sides.times) if sides.times else (), kind=kind,
        tone=lambda verdict: _TONES.get(str(verdict), "mid"), machine=_machine, count=_count,
        is_comment=lambda text: text.lstrip().startswith(("#", "//")) and not text.lstrip().startswith("#["),
    )  # fmt: skip


def write_page(sides: Sides, path: Path) -> int:
    """Write the page of a run whole; its size. Units: bytes. Raises: FT004."""
    text = page_html(sides)
    store.write_text(path, text)
    return len(text.encode())


def page_json(sides: Sides, out: str, size_bytes: int) -> dict[str, Any]:
    """What was written, for programs. `aligned`: of each form, how many lines have counterparts."""
    return {
        "page": out,
        "bytes": size_bytes,
        "measured": 0 if sides.times is None else len(sides.times.rows),
        "kernels": [
            {
                "name": kernel.name,
                "verdict": str(kernel.proof.verdict),
                "lines": {panel.title: len(panel.lines) for panel in kernel.panels},
                "aligned": {panel.title: sum(bool(line.keys) for line in panel.lines) for panel in kernel.panels},
            }
            for kernel in sides.kernels
        ],
    }


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("ferrotile.report"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
    )


def _inline(environment: jinja2.Environment, name: str) -> Markup:
    """A file of ours as it is, in a style or script element."""
    assert environment.loader is not None
    return Markup(environment.loader.get_source(environment, name)[0])


def _machine(kernel: Sided) -> str:
    machine = kernel.proof.sass
    if machine is None:
        return "not compared"
    counts = " / ".join(map(str, machine.instructions))
    return f"{machine.kind}, {counts} instructions" if any(machine.instructions) else str(machine.kind)


def _count(number: int | None) -> str:
    return "none" if number is None else str(number)
