"""The spec file: which specializations of which kernels to export, as TOML checked by pydantic.

The format is documented in docs/signatures.md. Nothing here imports cuda.tile; signature.py turns a
specialization into the front end's own signature.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from ferrotile.core import InputError, Place

DTYPE_BYTES = {
    "bool_": 1,
    "int8": 1,
    "int16": 2,
    "int32": 4,
    "int64": 8,
    "uint8": 1,
    "uint16": 2,
    "uint32": 4,
    "uint64": 8,
    "float16": 2,
    "bfloat16": 2,
    "float32": 4,
    "tfloat32": 4,
    "float64": 8,
    "float8_e4m3fn": 1,
    "float8_e5m2": 1,
    "float8_e8m0fnu": 1,
}
"""Dtypes by the names they have in `cuda.tile`, with the bytes of one element."""

_ARRAY_TEXT = re.compile(r"(?P<dtype>\w+)\[(?P<extents>[^\]]*)\]")
_DIVISIBLE = re.compile(r"\*(\d+)")


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Extent(_Record):
    """What is known of one extent or stride: its value, or a factor of it (1: nothing)."""

    value: int | None = None
    factor: int = 1


def _extent(entry: object) -> object:
    """Read `7`, `"*16"` or `"_"`."""
    if isinstance(entry, (Extent, dict)):
        return entry
    text = str(entry).strip()
    if not isinstance(entry, bool) and re.fullmatch(r"\d+", text):
        return Extent(value=int(text))
    if text == "_":
        return Extent()
    if (match := _DIVISIBLE.fullmatch(text)) and int(match[1]) > 0:
        return Extent(factor=int(match[1]))
    raise ValueError(f"`{text}` is not a number, `_` (any) or `*N` (any multiple of N)")


def _dtype(name: object) -> object:
    if name not in DTYPE_BYTES:
        raise ValueError(f"`{name}` is not a dtype of cuda.tile, such as `float32`, `bfloat16` or `int32`")
    return name


ExtentText = Annotated[Extent, BeforeValidator(_extent)]
Dtype = Annotated[str, BeforeValidator(_dtype)]


class ArraySpec(_Record):
    """An array parameter and what may be assumed of it.

    Units: extents, strides in elements; align in bytes.
    """

    dtype: Dtype
    shape: tuple[ExtentText, ...]
    stride: tuple[ExtentText, ...] | None = None
    align: int = Field(default=16, gt=0)
    overlaps: bool = False
    alias_groups: tuple[str, ...] = ()
    index: Literal["int32", "int64"] = "int32"

    @model_validator(mode="after")
    def _same_rank(self) -> ArraySpec:
        if self.stride is not None and len(self.stride) != len(self.shape):
            raise ValueError(f"`stride` has {len(self.stride)} entries and `shape` has {len(self.shape)}")
        return self

    def strides(self) -> tuple[Extent, ...]:
        """The strides as given, or those of a row-major array of this shape.

        A row-major stride is specialized as the JIT does it: a stride of 1 is a constant; another one that
        is sure to be a multiple of 16 bytes is known to be one; of the rest nothing is known.
        """
        if self.stride is not None:
            return self.stride
        strides: list[Extent] = []
        product, is_constant = 1, True
        for extent in reversed(self.shape):
            vector = 16 // DTYPE_BYTES[self.dtype]
            if is_constant and product == 1:
                strides.append(Extent(value=1))
            else:
                strides.append(Extent(factor=vector if product % vector == 0 else 1))
            is_constant = is_constant and extent.value is not None
            product *= extent.factor if extent.value is None else extent.value
        return tuple(reversed(strides))


class ScalarSpec(_Record):
    """A scalar parameter that is given at launch."""

    scalar: Dtype


Constant = bool | int | float
ParameterSpec = ArraySpec | ScalarSpec | Constant | tuple[Any, ...]


def _parameter(entry: object) -> ParameterSpec:
    """Read one entry of `parameters`: text for arrays and scalars, a table, a constant, a list for a tuple."""
    if isinstance(entry, (ArraySpec, ScalarSpec, bool, int, float)):
        return entry
    if isinstance(entry, (list, tuple)):
        return tuple(_parameter(item) for item in entry)
    if isinstance(entry, dict):
        return ArraySpec.model_validate(entry)
    text = str(entry).strip()
    match = _ARRAY_TEXT.fullmatch(text)
    if match is None:
        return ScalarSpec.model_validate({"scalar": text})
    extents = [part for part in match["extents"].split(",") if part.strip()]
    return ArraySpec.model_validate({"dtype": match["dtype"], "shape": extents})


HintValue = int | Literal["auto"]


def _hint(entry: object) -> object:
    values = entry.values() if isinstance(entry, dict) else (entry,)
    for value in values:
        if value is not None and value != "auto" and (isinstance(value, bool) or not isinstance(value, int)):
            raise ValueError(f"`{value}` is not a number or `auto`")
    return entry


Hint = Annotated[HintValue | dict[str, HintValue] | None, BeforeValidator(_hint)]


class Hints(_Record):
    """Compiler hints that replace those of the kernel's decorator; a table sets one per target."""

    num_ctas: Hint = None
    occupancy: Hint = None
    num_worker_warps: Hint = None
    opt_level: int | None = None


class Specialization(_Record):
    """One row of a spec file: a kernel, what is known of its parameters (or the symbol that spells it), and hints."""

    kernel: str
    label: str = ""
    hints: Hints = Hints()
    parameters: dict[str, Annotated[ParameterSpec, BeforeValidator(_parameter)]] | None = None
    symbol: str | None = None

    @model_validator(mode="after")
    def _says_it_once(self) -> Specialization:
        if (self.parameters is None) == (self.symbol is None):
            raise ValueError("needs either `parameters` or `symbol`")
        return self


class Spec(_Record):
    """A whole spec file."""

    specialization: tuple[Specialization, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _labels_differ(self) -> Spec:
        seen: set[tuple[str, str]] = set()
        for row in self.specialization:
            if row.label and (row.kernel, row.label) in seen:
                raise ValueError(f"two specializations of `{row.kernel}` have the label `{row.label}`")
            seen.add((row.kernel, row.label))
        return self


def read_spec(path: Path) -> Spec:
    """Read and check a spec file. Raises: FT106 when it cannot be read or is not TOML, FT107 for a wrong field."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("FT106", f"cannot read the spec file `{path}`: {_reason(error)}") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(
            "FT106", f"`{path.name}` is not TOML: {_lower(str(error))}", at=_toml_place(path, error)
        ) from None
    try:
        return Spec.model_validate(data)
    except ValidationError as error:
        message = f"the spec file `{path.name}` is wrong: {_fields(error)}"
        raise InputError("FT107", message, hint="docs/signatures.md has the format") from None


_PLAIN = {"extra_forbidden": "there is no such field", "missing": "is missing", "too_short": "needs at least one entry"}


def _fields(error: ValidationError) -> str:
    """All wrong fields in one sentence: `specialization[0].parameters.x`: cause; and so on."""
    causes: dict[str, str] = {}
    # A wrong row makes pydantic report the list of rows as too short as well: that one is an echo.
    faults = [fault for fault in error.errors() if fault["type"] != "too_short"] or error.errors()
    for fault in faults:
        # `scalar` is how a text that is no array is read; the file does not say it.
        parts = [part for part in fault["loc"] if part != "scalar"]
        name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).lstrip(".")
        cause = _PLAIN.get(fault["type"]) or _lower(fault["msg"].removeprefix("Value error, "))
        causes.setdefault(name or "specialization", cause)
    return "; ".join(f"`{name}`: {cause}" for name, cause in causes.items())


def _toml_place(path: Path, error: tomllib.TOMLDecodeError) -> Place | None:
    match = re.search(r"line (\d+), column (\d+)", str(error))
    return Place(str(path), int(match[1]), int(match[2]) - 1) if match else None


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return _lower((getattr(error, "strerror", None) or str(error)).rstrip("."))


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
