"""The C ABI in two tables, dtypes and return codes: header, cdef, Rust and documentation are written from them."""

from __future__ import annotations

from dataclasses import dataclass

ABI_VERSION = 1


@dataclass(frozen=True, slots=True)
class Dtype:
    """An element type: its number in `ft_tensor`, its name in Tile IR and in C, and its size. Units: bytes."""

    number: int
    name: str
    constant: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class ReturnCode:
    """What a call can return: the number, its name in Rust, and when it is returned."""

    number: int
    name: str
    meaning: str

    @property
    def constant(self) -> str:
        """The name in C."""
        words = "".join(f"_{letter}" if letter.isupper() else letter for letter in self.name)
        return f"FT{words.upper()}"


def _dtypes() -> tuple[Dtype, ...]:
    rows = [
        (0, "f32", 4), (1, "f16", 2), (2, "bf16", 2), (3, "i32", 4), (4, "i64", 8),
        (5, "f8e5m2", 1), (6, "f4e2m1fnx2", 1), (7, "f8e4m3fn", 1),
        (16, "bool", 1), (17, "i8", 1), (18, "i16", 2), (19, "u8", 1), (20, "u16", 2), (21, "u32", 4), (22, "u64", 8),
        (23, "f64", 8), (24, "tf32", 4), (25, "f8e8m0fnu", 1),
    ]  # fmt: skip
    return tuple(Dtype(number, name, f"FT_{name.upper()}", size) for number, name, size in rows)


DTYPES = _dtypes()
"""0 to 7 as TileGym numbers them; ours begin at 16."""

CODES = (
    ReturnCode(-2, "Dtype", "a tensor has another dtype than the kernel was compiled for"),
    ReturnCode(-3, "Launch", "the driver refuses to load the machine code, or to launch it"),
    ReturnCode(-4, "Device", "a tensor is on another device than the context"),
    ReturnCode(-5, "NullDescriptor", "a tensor is null where the kernel needs one"),
    ReturnCode(-6, "Reserved", "the field `reserved` of a tensor is not 0"),
    ReturnCode(-101, "Rank", "a tensor has another number of axes than the kernel was compiled for"),
    ReturnCode(-102, "NegativeExtent", "an extent is negative"),
    ReturnCode(-103, "NullData", "a tensor with elements has the address 0"),
    ReturnCode(-104, "AddressRange", "a tensor reaches beyond 64-bit addresses"),
    ReturnCode(-105, "IndexRange", "an extent or stride does not fit the 32 bits in which the kernel takes it"),
    ReturnCode(-106, "Extent", "an extent is compiled into the kernel, and the tensor has another"),
    ReturnCode(-107, "ExtentDivisor", "an extent is no multiple of what the kernel was compiled for"),
    ReturnCode(-108, "Stride", "a stride is compiled into the kernel, and the tensor has another"),
    ReturnCode(-109, "StrideDivisor", "a stride is no multiple of what the kernel was compiled for"),
    ReturnCode(-110, "LeastStride", "a stride is less than the kernel was compiled for"),
    ReturnCode(-111, "Alignment", "an address is no multiple of what the kernel was compiled for"),
    ReturnCode(-112, "Overlap", "a tensor that is written to overlaps another, and the kernel assumes otherwise"),
    ReturnCode(-113, "SelfOverlap", "two indices of a tensor may name one element, and the kernel assumes otherwise"),
    ReturnCode(-114, "Constant", "nothing was compiled for this value of a constant"),
    ReturnCode(-115, "ScalarDivisor", "a number is no multiple of what the kernel was compiled for"),
    ReturnCode(-116, "ScalarSign", "a number is negative, and the kernel was compiled for others"),
    ReturnCode(-117, "Absent", "a tensor is given where the kernel was compiled for none"),
    ReturnCode(-118, "Relation", "a fact that the proof assumes of a launch does not hold"),
    ReturnCode(-119, "GridLimit", "an axis of the grid is 0, or longer than the device allows"),
    ReturnCode(-120, "NullContext", "the context is null"),
    ReturnCode(-121, "Context", "the driver does not know the context"),
    ReturnCode(-122, "Target", "the library holds no machine code for this device"),
    ReturnCode(-123, "NoDriver", "there is no CUDA driver, or an older one than CUDA 12"),
    ReturnCode(-124, "Panic", "a fault of the library itself"),
    ReturnCode(-125, "NoCompiler", "machine code for this device must be compiled, and the compiler is not there"),
    ReturnCode(-126, "Compile", "the compiler makes no machine code of the program for this device"),
)
"""-2 to -6 as TileGym uses them; ours begin at -101."""

DTYPE_NUMBER = {dtype.name: dtype.number for dtype in DTYPES}
