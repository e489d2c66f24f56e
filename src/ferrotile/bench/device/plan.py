"""What to measure: pairs of programs with their launch, as data that travels to the machine with the GPU."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ferrotile.core import InputError

FILE = "plan.json"


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ArrayPlan(_Record):
    """An array argument: `size` bytes, the first element `offset` bytes after an address that is a multiple of 256.

    `element` is its type as Tile IR spells it; floats are filled with normal random numbers, integers with 0 to 7,
    which is an index into anything.
    """

    element: str
    size: int = Field(ge=0)
    offset: int = Field(default=0, ge=0)


class Parameter(_Record):
    """One entry parameter: the address of array `array`, a number of type `type`, or the address of a table.

    A table has a row of 64-bit words for each of its arrays: address, extents, strides; `rows` has the latter two.
    """

    kind: Literal["pointer", "number", "table"]
    array: int = 0
    type: str = "i64"
    value: int | float = 0
    arrays: tuple[int, ...] = ()
    rows: tuple[tuple[int, ...], ...] = ()


class SidePlan(_Record):
    """One program: the file of its machine code (or PTX) in the pack, its entry, and how to pack the arguments."""

    image: str
    entry: str
    parameters: tuple[Parameter, ...]


class PairPlan(_Record):
    """Two programs for one launch. `machine` is what the comparison of their machine code came to."""

    name: str
    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int] = (1, 1, 1)
    arrays: tuple[ArrayPlan, ...]
    reference: SidePlan
    ours: SidePlan
    machine: str = "skipped"


class Plan(_Record):
    """All pairs of a pack, and the versions of what made them."""

    format: Literal["ferrotile-bench 1"] = "ferrotile-bench 1"
    target: str
    versions: dict[str, str | None] = {}
    pairs: tuple[PairPlan, ...]


def read_plan(folder: Path) -> Plan:
    """The plan of a pack, its files present. Raises: FT710."""
    path = folder / FILE
    try:
        plan = Plan.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError("FT710", f"`{path}` cannot be read: {(error.strerror or str(error)).lower()}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError("FT710", f"`{path}`: `{where}`: {first['msg'].lower()}") from None
    for pair in plan.pairs:
        for side in (pair.reference, pair.ours):
            if not (folder / side.image).is_file():
                raise InputError("FT710", f"`{side.image}` stands in `{path}`, and is not there")
    return plan
