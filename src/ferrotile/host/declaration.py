"""What is exported, as records: kernels, their arguments, and what each specialization needs of a call.

These records are the one declaration that Rust, C header and cffi cdef are rendered from.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath

from ferrotile.core import ParameterMap

Constant = bool | int | float | str | None


@dataclass(frozen=True, slots=True)
class Translated:
    """One proved translation, as it goes into a library: both programs, their map, and what a launch must see to.

    `cubin`: the machine code to embed, if any; `is_compiled_late`: the lowered program is embedded, for the compiler.
    """

    name: str
    target: str
    reference: bytes
    lowered: bytes
    cubin: bytes | None
    parameters: ParameterMap
    facts: tuple[str, ...] = ()
    is_compiled_late: bool = False


class Passed(StrEnum):
    """How an argument is passed; `types.py` has the types in C and Rust."""

    TENSOR = "tensor"
    TEXT = "text"
    BOOL = "bool"
    I8 = "i8"
    I16 = "i16"
    I32 = "i32"
    I64 = "i64"
    U8 = "u8"
    U16 = "u16"
    U32 = "u32"
    U64 = "u64"
    F32 = "f32"
    F64 = "f64"


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of an exported function. `is_constant`: a value that specializations are compiled for."""

    name: str
    passed: Passed
    is_constant: bool = False


@dataclass(frozen=True, slots=True)
class AxisFacts:
    """What is needed of one axis; None or 1: nothing. Units: elements."""

    extent: int | None = None
    extent_divisor: int = 1
    stride: int | None = None
    stride_divisor: int = 1
    least_stride: int = 0

    @property
    def weight(self) -> float:
        """How much is asked; more for every fact added."""
        fixed = 100 * ((self.extent is not None) + (self.stride is not None))
        return fixed + math.log2(self.extent_divisor) + math.log2(self.stride_divisor)


@dataclass(frozen=True, slots=True)
class ArrayFacts:
    """What is needed of one array. Units: `align` in bytes; `alias_groups` is a set of bits."""

    dtype: str
    axes: tuple[AxisFacts, ...]
    align: int = 1
    index: str = "i32"
    is_written: bool = False
    alias_groups: int = 0
    may_repeat: bool = False

    @property
    def weight(self) -> float:
        """How much is asked; more for every fact added."""
        return math.log2(self.align) + (not self.may_repeat) + sum(axis.weight for axis in self.axes)


@dataclass(frozen=True, slots=True)
class ScalarFacts:
    """What is needed of a number given at launch."""

    type: str
    divisor: int = 1
    is_not_negative: bool = False

    @property
    def weight(self) -> float:
        """How much is asked; more for every fact added."""
        return math.log2(self.divisor) + self.is_not_negative


@dataclass(frozen=True, slots=True)
class ConstantFacts:
    """A value that was compiled in; the argument must be it. None: a tensor that must not be given, or no value."""

    value: Constant


Facts = ArrayFacts | ScalarFacts | ConstantFacts


@dataclass(frozen=True, slots=True)
class Slot:
    """Where an entry parameter is found: a part of the argument of that name."""

    part: str
    argument: str
    axis: int | None = None


@dataclass(frozen=True, slots=True)
class Factor:
    """A part of an argument, or the grid along an axis; or how many tiles of `per` it has, rounded up."""

    slot: Slot
    per: int = 1


@dataclass(frozen=True, slots=True)
class Relation:
    """A claim about a launch: what the sum of `terms` must be, each of which is a number times its factors."""

    text: str
    terms: tuple[tuple[int, tuple[Factor, ...]], ...]
    claim: str
    divisor: int = 1


@dataclass(frozen=True, slots=True)
class Variant:
    """One specialization: what it needs of each argument, by name, and where its entry parameters are found.

    `target`: what it was translated for, and what its `cubin` runs on; `program`: the bytecode, if it is to be compiled
    at the first call for architectures without machine code.
    """

    label: str
    kernel: str
    target: str
    entry: str
    cubin: bytes | None
    facts: dict[str, Facts]
    slots: tuple[Slot, ...]
    relations: tuple[Relation, ...] = ()
    program: bytes | None = None

    @property
    def capability(self) -> int:
        """The target as the device tells it: 90 for `sm_90` and `sm_90a`."""
        return int(re.sub(r"\D", "", self.target))

    @property
    def runs_on(self) -> str:
        """For which architectures there is machine code, in words."""
        if self.program is None:
            return self.target
        return f"{'any GPU' if self.cubin is None else f'{self.target}, others'}, compiled at the first call"

    def answers_like(self, other: Variant) -> bool:
        """Whether both need the same of a call."""
        return (self.facts, self.relations) == (other.facts, other.relations)

    @property
    def weight(self) -> float:
        """How much is asked of a call: of two that fit, the heavier is the more special one."""
        arrays = sum(fact.weight for fact in self.facts.values() if not isinstance(fact, ConstantFacts))
        return arrays + len(self.relations)


@dataclass(frozen=True, slots=True)
class Kernel:
    """One exported function: its arguments in C's order, and its specializations, the most special first."""

    name: str
    arguments: tuple[Argument, ...]
    variants: tuple[Variant, ...]

    @property
    def symbol(self) -> str:
        """The name of the function in the library."""
        return f"cutile_{self.name}"

    def covers(self, variant: Variant) -> tuple[int, int | None]:
        """For which compute capabilities a program is compiled: the first, and the last if there is one.

        Of programs that need the same of a call and were translated for several targets, each device gets that of the
        highest target that is not above its own; the lowest serves those below it too.
        """
        alike = [one for one in self.variants if one.program is not None and one.answers_like(variant)]
        targets = sorted(one.capability for one in alike)
        number = targets.index(variant.capability)
        first = variant.capability if number else 0
        return first, targets[number + 1] - 1 if number + 1 < len(targets) else None


@dataclass(frozen=True, slots=True)
class Library:
    """A crate that was written: its folder, kernels, and what cargo will make of it."""

    folder: PurePath
    kernels: tuple[Kernel, ...]

    @property
    def variant_count(self) -> int:
        """Specializations of all kernels."""
        return sum(len(kernel.variants) for kernel in self.kernels)
