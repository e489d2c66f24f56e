"""The index of a capture: which specializations a command launched, how, and what could not be exported."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ferrotile.core import FerrotileError, InputError, Place, Unsupported

INDEX = "index.json"
FORMAT = "ferrotile-capture 1"


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ArrayArgument(_Record):
    """An array that was passed. Units: `strides` in elements; `offset` in bytes, of the first element from an address
    that is a multiple of 256. Arrays of one launch with the same `buffer` lie in one allocation; None: not known.
    """

    kind: Literal["array"] = "array"
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0
    buffer: int | None = None


class ManyArgument(_Record):
    """A list of arrays, or a tuple of anything."""

    kind: Literal["list", "tuple"]
    items: tuple[Argument, ...]


class ValueArgument(_Record):
    """A number given at launch (`scalar`), or a value that is part of the program (`constant`).

    Numbers that JSON lacks, dtypes and members of enumerations are texts.
    """

    kind: Literal["scalar", "constant"]
    value: bool | int | float | str | None


Argument = Annotated[ArrayArgument | ManyArgument | ValueArgument, Field(discriminator="kind")]


class Launch(_Record):
    """One launch. `place`: the line of host code, `file:line (function)`."""

    grid: tuple[int, ...] = Field(min_length=1, max_length=3)
    arguments: tuple[Argument, ...]
    place: str = ""


class PlaceRecord(_Record):
    """A `core.Place`."""

    file: str
    line: int
    column: int
    function: str = ""
    caller: PlaceRecord | None = None

    def to_place(self) -> Place:
        """The place that this is the record of."""
        caller = None if self.caller is None else self.caller.to_place()
        return Place(self.file, self.line, self.column, self.function, caller)


class _Kernel(_Record):
    """What names a specialization. `via`: `tune` if it is only one of a tuner's candidates."""

    module: str
    kernel: str
    symbol: str | None
    hints: dict[str, int | None]
    parameters: tuple[str, ...]
    source: str
    line: int
    via: Literal["launch", "tune"]
    operators: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    launches: tuple[Launch, ...]
    launch_count: int


class Exported(_Kernel):
    """A specialization with its bytecode file. `launches`: some of them, the smallest first; `launch_count`: all
    different ones.
    """

    name: str
    file: str
    sha256: str


class Unexported(_Kernel):
    """A specialization that the front end refuses, with our code for it."""

    code: Literal["FT104", "FT109"]
    message: str
    place: PlaceRecord

    def fault(self) -> FerrotileError:
        """The refusal as the error that exporting the kernel by hand raises."""
        title = self.kernel.rpartition(".")[2]
        if self.code == "FT109":
            return Unsupported("FT109", f"the front end failed on `{title}`: {self.message}", at=self.place.to_place())
        return InputError("FT104", f"cuda.tile refuses `{title}`: {self.message}", at=self.place.to_place())


class Index(_Record):
    """All that a command launched. `has_placeholders`: host code read numbers that no kernel had computed, and was
    given 0; `exit_code` is that of the command; `multiprocessors` are those of a pretended GPU, None where it was real.
    """

    format: Literal["ferrotile-capture 1"] = FORMAT
    command: tuple[str, ...]
    exit_code: int
    target: str
    tune: Literal["first", "all"]
    cuda_tile: str
    is_pretended: bool
    has_placeholders: bool
    multiprocessors: int | None = None
    exported: tuple[Exported, ...]
    unexported: tuple[Unexported, ...]

    def to_text(self) -> str:
        """JSON with a line for each specialization."""
        fields = self.model_dump()
        lines = []
        for name, value in fields.items():
            if name in ("exported", "unexported"):
                rows = ",\n  ".join(json.dumps(one, ensure_ascii=False) for one in value)
                lines.append(f' "{name}": [\n  {rows}\n ]' if rows else f' "{name}": []')
            else:
                lines.append(f' "{name}": {json.dumps(value, ensure_ascii=False)}')
        return "{\n" + ",\n".join(lines) + "\n}\n"

    @property
    def kernel_count(self) -> int:
        """Different kernels among the exported specializations."""
        return len({(one.module, one.kernel) for one in self.exported})


def element_count(launch: Launch) -> int:
    """Elements of all arrays of a launch."""
    return sum(map(_elements, launch.arguments))


def is_capture(folder: Path) -> bool:
    """Whether a folder was written by `ferrotile capture`."""
    try:
        return json.loads((folder / INDEX).read_bytes()).get("format") == FORMAT
    except (OSError, ValueError, AttributeError):
        return False


def read_index(folder: Path) -> Index:
    """The index of a folder that `ferrotile capture` wrote, its files checked. Raises: FT116."""
    path = folder / INDEX
    try:
        index = Index.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError("FT116", f"`{path}`: `{where}`: {first['msg'].lower()}") from None
    except OSError as error:
        raise InputError("FT116", f"`{path}` cannot be read: {(error.strerror or str(error)).lower()}") from None
    for one in index.exported:
        _require_file(folder, one)
    return index


def _require_file(folder: Path, one: Exported) -> None:
    if Path(one.file).name != one.file:
        raise InputError("FT116", f"`{one.file}` is not the name of a file in `{folder}`")
    try:
        data = (folder / one.file).read_bytes()
    except OSError:
        raise InputError("FT116", f"`{one.file}` stands in the index of `{folder}`, and is not there") from None
    if hashlib.sha256(data).hexdigest() != one.sha256:
        raise InputError("FT116", f"`{one.file}` is not the file that was captured")


def _elements(argument: Argument) -> int:
    if isinstance(argument, ArrayArgument):
        return math.prod(argument.shape)
    return sum(map(_elements, argument.items)) if isinstance(argument, ManyArgument) else 0
