"""A case: both programs of one bundle as machine code, a launch, and what is right. A folder, so that it can travel."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ferrotile.backend import Word
from ferrotile.bundle import numpy_dtype
from ferrotile.core import InputError
from ferrotile.ir.formats import Array as Numbers
from ferrotile.transplant.decision import Side

FILE = "case.json"


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")


class Near(_Record):
    """How far numbers may be apart: `atol + rtol * |wanted|`; zeros: equal, where all NaNs are."""

    atol: float = Field(default=0.0, ge=0.0)
    rtol: float = Field(default=0.0, ge=0.0)


class CaseArray(_Record):
    """An array argument: files with the bytes from its first element to its last, before and after a right launch.

    `after` is None where those are the bytes before, or where the case has no oracle. Units: strides in elements;
    `offset` in bytes, of the first element from an address that is a multiple of 256.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = Field(default=0, ge=0, lt=256)
    before: str
    after: str | None = None

    @property
    def count(self) -> int:
        """Elements from the first to the last, with what lies between rows."""
        if 0 in self.shape:
            return 0
        return 1 + sum((extent - 1) * stride for extent, stride in zip(self.shape, self.strides, strict=True))

    def numbers(self, data: bytes) -> Numbers:
        """Bytes as numbers[count]."""
        return np.frombuffer(data, numpy_dtype(self.dtype))


class ArrayAt(_Record):
    """An argument that is the `array`-th array of the case."""

    array: int


class ArraysAt(_Record):
    """An argument that is a list of arrays of the case."""

    arrays: tuple[int, ...]


Argument = ArrayAt | ArraysAt | bool | int | float


class Program(_Record):
    """Machine code, its entry, and where each entry parameter comes from. `facts`: what it needs of a launch."""

    image: str
    entry: str
    words: tuple[Word, ...]
    facts: tuple[str, ...] = ()


class Case(_Record):
    """`arguments` in the order of the Python parameters, tuples spread out, constants left out. `symbol`: the mangled
    name of the reference's entry, which has the constants. `oracle` says where `after` is from; None: what the
    reference leaves by its own launcher is right. `tolerances`: by dtype; a missing one is zero.
    """

    format: Literal["ferrotile-transplant 1"] = "ferrotile-transplant 1"
    name: str
    kernel: str
    symbol: str
    target: str
    grid: tuple[int, int, int]
    arrays: tuple[CaseArray, ...]
    arguments: tuple[Argument, ...]
    reference: Program
    ours: Program
    oracle: str | None
    tolerances: dict[str, Near] = {}
    notes: tuple[str, ...] = ()
    versions: dict[str, str | None] = {}

    def program(self, side: Side) -> Program:
        """That of one side."""
        return self.reference if side is Side.REFERENCE else self.ours


def is_case(folder: Path) -> bool:
    """Whether a folder holds a case."""
    return (folder / FILE).is_file()


def read_case(folder: Path) -> Case:
    """The case in a folder, its files present and of the right length. Raises: FT640."""
    path = folder / FILE
    try:
        case = Case.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError("FT640", f"`{path}` cannot be read: {(error.strerror or str(error)).lower()}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "top level"
        raise InputError("FT640", f"`{path}`: `{where}`: {first['msg'].lower()}") from None
    for array in case.arrays:
        wanted = array.count * numpy_dtype(array.dtype).itemsize
        for name in filter(None, (array.before, array.after)):
            found = _size(folder / name, path)
            if found != wanted:
                raise InputError("FT640", f"`{folder / name}` has {found} bytes, and `{array.name}` takes {wanted}")
    for program in (case.reference, case.ours):
        _size(folder / program.image, path)
    return case


def _size(file: Path, path: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        raise InputError("FT640", f"`{file.name}` stands in `{path}`, and is not there") from None
