"""Text from templates: one environment for all of them, in which a missing name is an error."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import jinja2

from ferrotile.host.abi import ABI_VERSION, CODES, DTYPES
from ferrotile.host.declaration import AxisFacts, Slot


def render(template: str, **values: Any) -> str:
    """The text of a template; every one can name the tables of the ABI."""
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("ferrotile.host"),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # Rust and C, never HTML
    )
    environment.globals.update(abi_version=ABI_VERSION, codes=CODES, dtypes=DTYPES, axis_facts=_axis, slot=_slot)
    return environment


def _axis(axis: AxisFacts) -> str:
    """What is needed of an axis, as Rust: what is not said is as in `Axis::ANY`."""
    given = {
        "extent": None if axis.extent is None else f"Some({axis.extent})",
        "extent_divisor": axis.extent_divisor if axis.extent_divisor > 1 else None,
        "stride": None if axis.stride is None else f"Some({axis.stride})",
        "stride_divisor": axis.stride_divisor if axis.stride_divisor > 1 else None,
        "least_stride": axis.least_stride or None,
    }
    said = {name: value for name, value in given.items() if value is not None}
    if not said or said == {"stride": "Some(1)"}:
        return "Axis::DENSE" if said else "Axis::ANY"
    base = "Axis::ANY"
    if said.get("stride") == "Some(1)":
        base = "Axis::DENSE"
        del said["stride"]
    fields = ", ".join(f"{name}: {value}" for name, value in said.items())
    return f"Axis {{ {fields}, ..{base} }}"


def _slot(slot: Slot, numbers: Mapping[str, int]) -> str:
    """A part of an argument or of the grid, as Rust."""
    parts = [numbers[slot.argument]] if slot.argument else []
    parts += [] if slot.axis is None else [slot.axis]
    return f"{slot.part}({', '.join(map(str, parts))})" if parts else slot.part
