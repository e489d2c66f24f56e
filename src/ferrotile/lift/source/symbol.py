"""Read what a cuTile Python entry symbol says about the kernel's parameters.

cuTile Python spells the whole signature into the entry's name: `row_sum_Kt1_A2f32_1i16_2t1_p16_Si32_I256`
is kernel `row_sum`, calling convention `t1`, an f32 array of rank 2 (axis 0 a multiple of 16 long, axis 1 with
stride 1, base address a multiple of 16), an i32 scalar, and the constant 256.

Source: the symbols that `cuda.tile.compilation` 1.7.0 writes; the test compares with its own reader.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import NamedTuple

DTYPES = {
    "b8": "bool",
    "u8": "u8",
    "u16": "u16",
    "u32": "u32",
    "u64": "u64",
    "i8": "i8",
    "i16": "i16",
    "i32": "i32",
    "i64": "i64",
    "f16": "f16",
    "f32": "f32",
    "f64": "f64",
    "bf16": "bf16",
    "tf32": "tf32",
    "f8m3fn": "f8e4m3fn",
    "f8m2": "f8e5m2",
    "f8m0fnu": "f8e8m0fnu",
}
"""Element types as the symbol spells them -> as Rust spells them."""


class DtypeName(NamedTuple):
    """A constant parameter whose value is an element type."""

    name: str


class EnumName(NamedTuple):
    """A constant parameter whose value is a member of a Python enum."""

    module: str
    enum: str
    member: str


@dataclass(frozen=True, slots=True)
class ArrayParameter:
    """An array: element type, rank, and what is known per axis (`None` or 1: nothing).

    Units: strides and divisors in elements, `base_divisor` in bytes.
    """

    dtype: str
    rank: int
    static_shape: tuple[int | None, ...]
    static_stride: tuple[int | None, ...]
    shape_divisor: tuple[int, ...]
    stride_divisor: tuple[int, ...]
    stride_lower_bound: tuple[int | None, ...]
    base_divisor: int = 1
    alias_groups: tuple[int, ...] = ()
    overlaps_itself: bool = False
    index_dtype: str = "i32"

    @property
    def entry_count(self) -> int:
        """Entry parameters: the pointer, then each extent, then each stride."""
        return 1 + 2 * self.rank


@dataclass(frozen=True, slots=True)
class ScalarParameter:
    """A number given at launch."""

    dtype: str
    entry_count = 1


@dataclass(frozen=True, slots=True)
class ConstantParameter:
    """A value folded into the kernel: it has no entry parameter."""

    value: bool | int | float | str | DtypeName | EnumName | None
    entry_count = 0


@dataclass(frozen=True, slots=True)
class ListParameter:
    """A list of arrays of one kind: a pointer to a table, and its length."""

    element: ArrayParameter
    alias_groups: tuple[int, ...] = ()
    elements_overlap: bool = False
    entry_count = 2


@dataclass(frozen=True, slots=True)
class PointerParameter:
    """A bare pointer."""

    dtype: str
    entry_count = 1


@dataclass(frozen=True, slots=True)
class OpaqueParameter:
    """A stream or a tensor map: a handle without structure."""

    kind: str
    entry_count = 1


@dataclass(frozen=True, slots=True)
class GroupParameter:
    """A tuple, or the fields of a dataclass (`of` names it): its leaves in order."""

    items: tuple[Parameter, ...]
    of: str = ""

    @property
    def entry_count(self) -> int:
        """The leaves' entry parameters together."""
        return sum(item.entry_count for item in self.items)


Parameter = (
    ArrayParameter
    | ScalarParameter
    | ConstantParameter
    | ListParameter
    | PointerParameter
    | OpaqueParameter
    | GroupParameter
)


@dataclass(frozen=True, slots=True)
class KernelSymbol:
    """A kernel's Python name, its calling convention, and its parameters in order."""

    function: str
    convention: str
    parameters: tuple[Parameter, ...]

    @property
    def entry_count(self) -> int:
        """Parameters of the Tile IR entry."""
        return sum(parameter.entry_count for parameter in self.parameters)


def parse_symbol(symbol: str) -> KernelSymbol | None:
    """The signature that a symbol spells, or None when it is no cuTile Python symbol.

    Example:
        >>> parse_symbol("scale_Kt1_A1f32_1t1_p16_Sf32_I256").parameters[1]
        ScalarParameter(dtype='f32')
    """
    function, mark, rest = symbol.rpartition("_K")
    if not mark or not function:
        return None
    reader = _Reader(rest)
    try:
        convention = reader.take(r"[^_]+")
        parameters: list[Parameter] = []
        while not reader.done:
            reader.take("_")
            parameters.append(_parameter(reader))
    except (_Malformed, RecursionError):
        return None
    return KernelSymbol(function, convention, tuple(parameters))


class _Malformed(Exception):
    """The text is not what the grammar says; never leaves this module."""


class _Reader:
    """A text and how far it has been read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    @property
    def done(self) -> bool:
        return self.position == len(self.text)

    def sees(self, pattern: str) -> bool:
        return re.compile(pattern).match(self.text, self.position) is not None

    def maybe(self, pattern: str) -> str | None:
        found = re.compile(pattern).match(self.text, self.position)
        if found is None:
            return None
        self.position = found.end()
        return found.group()

    def take(self, pattern: str) -> str:
        found = self.maybe(pattern)
        if found is None:
            raise _Malformed
        return found

    def integer(self) -> int:
        sign = -1 if self.maybe("_") else 1
        return sign * int(self.take("[0-9]{1,19}"))

    def dtype(self) -> str:
        try:
            return DTYPES[self.take("[a-z0-9]+")]
        except KeyError:
            raise _Malformed from None

    def groups(self) -> tuple[int, ...]:
        found: list[int] = []
        while self.maybe("g"):
            found.append(int(self.take("[0-9a-f]{1,8}"), 16))
        return tuple(found)


def _parameter(reader: _Reader) -> Parameter:
    kind = reader.take("[A-BD-Z]|C[a-z0-9]+_")
    match kind:
        case "A":
            return _array(reader)
        case "L":
            return _list(reader)
        case "T":
            return _group(reader, "")
        case "D":
            module, name = _escaped(reader), _escaped(reader)
            return _group(reader, f"{module}.{name}")
        case "S":
            return ScalarParameter(reader.dtype())
        case "P":
            return PointerParameter(reader.dtype())
        case "M":
            return OpaqueParameter("tensor map")
        case "R":
            return OpaqueParameter("stream")
        case _:
            return _constant(kind, reader)


def _constant(kind: str, reader: _Reader) -> ConstantParameter:
    match kind:
        case "B":
            return ConstantParameter(reader.take("[01]") == "1")
        case "I":
            sign = -1 if reader.maybe("_") else 1
            return ConstantParameter(sign * int(reader.take("[0-9]{1,400}")))
        case "F":
            bits = int(reader.take("[0-9a-f]{16}"), 16)
            return ConstantParameter(struct.unpack("<d", struct.pack("<Q", bits))[0])
        case "Cn_":
            return ConstantParameter(None)
        case "Cs_":
            return ConstantParameter(_escaped(reader))
        case "Ce_":
            return ConstantParameter(EnumName(_escaped(reader), _escaped(reader), _escaped(reader)))
        case "Cd_":
            return ConstantParameter(DtypeName(reader.dtype()))
        case _:
            raise _Malformed


def _list(reader: _Reader) -> ListParameter:
    groups = reader.groups()
    overlap = reader.maybe("i") is not None
    element = _parameter(reader)
    if not isinstance(element, ArrayParameter):
        raise _Malformed
    return ListParameter(element, groups, overlap)


def _group(reader: _Reader, of: str) -> GroupParameter:
    count = int(reader.take("[0-9]{1,4}"))
    return GroupParameter(tuple(_parameter(reader) for _ in range(count)), of)


_AXIS_FACTS = (("s", None), ("i", 1), ("t", None), ("v", 1), ("l", None))
"""Letter of each per-axis fact in the order in which a mask lists them, and the value that says nothing."""


def _array(reader: _Reader) -> ArrayParameter:
    rank = int(reader.take("[0-9]{1,3}"))
    dtype = reader.dtype()
    facts: dict[str, list[int | None]] = {letter: [nothing] * rank for letter, nothing in _AXIS_FACTS}
    while mask := reader.maybe("_[0-9a-f]+"):
        axes = _axes(int(mask[1:], 16), rank)
        for letter, _ in _AXIS_FACTS:
            if reader.maybe(letter):
                value = reader.integer()
                for axis in axes:
                    facts[letter][axis] = value
    base_divisor, groups, overlaps, index_dtype = 1, (), False, "i32"
    if reader.maybe("_(?=[a-z])"):
        base_divisor = reader.integer() if reader.maybe("p") else 1
        groups = reader.groups()
        overlaps = reader.maybe("i") is not None
        index_dtype = {"u": "u32", "w": "i64", None: "i32"}[reader.maybe("[uw]")]
    return ArrayParameter(
        dtype,
        rank,
        static_shape=tuple(facts["s"]),
        static_stride=tuple(facts["t"]),
        shape_divisor=tuple(value or 1 for value in facts["i"]),
        stride_divisor=tuple(value or 1 for value in facts["v"]),
        stride_lower_bound=tuple(facts["l"]),
        base_divisor=base_divisor,
        alias_groups=groups,
        overlaps_itself=overlaps,
        index_dtype=index_dtype,
    )


def _axes(mask: int, rank: int) -> list[int]:
    if mask == 0 or mask.bit_length() > rank:
        raise _Malformed
    return [axis for axis in range(rank) if mask >> axis & 1]


_ESCAPES = {"_": "_", "k": "K"}


def _escaped(reader: _Reader) -> str:
    """A text in which `_` starts an escape and `_z` ends the text: `a__b_z` is `a_b`."""
    parts: list[str] = []
    while True:
        parts.append(reader.maybe("[a-zA-JL-Z0-9]+") or "")
        reader.take("_")
        escape = reader.take("[_0-9a-fkzuw]")
        if escape == "z":
            return "".join(parts)
        if escape in _ESCAPES:
            parts.append(_ESCAPES[escape])
            continue
        digits = {"u": "[0-9a-f]{4}", "w": "[0-9a-f]{8}"}.get(escape)
        number = reader.take(digits) if digits else escape + reader.take("[0-9a-f]")
        parts.append(_character(int(number, 16)))


def _character(number: int) -> str:
    try:
        return chr(number)
    except (ValueError, OverflowError):
        raise _Malformed from None
