"""The small Rust tree: types and expressions as values, statements as lines in nested blocks.

An expression knows its type and how tightly it binds; text is put together only here and in `forms`.
Layout is rustfmt's work.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum, auto

from ferrotile.core.errors import Unsupported
from ferrotile.ir.types import PointerType, ScalarType, TileIrType, TileType, TokenType

SIGNED = {
    "i1": "bool", "i4": "i4", "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64", "f16": "f16", "bf16": "bf16",
    "f32": "f32", "tf32": "tf32", "f64": "f64", "f8E4M3FN": "f8e4m3fn", "f8E5M2": "f8e5m2",
    "f8E8M0FNU": "f8e8m0fnu", "f8E5M3FNU": "f8e5m3fnu", "f4E2M1FN": "f4e2m1fn",
}  # fmt: skip
"""Rust element type of each Tile IR number; integers are signed until an operation says otherwise."""


class Form(Enum):
    """What a Rust value is; Tile IR's rank-0 tile is a scalar or a tile in Rust."""

    SCALAR = auto()
    TILE = auto()
    POINTERS = auto()
    TOKEN = auto()
    TENSOR = auto()
    PARTITION = auto()


@dataclass(frozen=True, slots=True)
class RustType:
    """The Rust type of a value."""

    form: Form
    element: str = ""
    shape: tuple[int | None, ...] = ()

    def __str__(self) -> str:
        dims = array("-1" if d is None else d for d in self.shape)
        match self.form:
            case Form.SCALAR:
                return self.element
            case Form.TOKEN:
                return "Token"
            case Form.POINTERS:
                return f"PointerTile<*mut {self.element}, {{ {dims} }}>"
            case Form.TENSOR:
                return f"Tensor<{self.element}, {{ {dims} }}>"
            case Form.PARTITION:
                return f"Partition<{self.element}, {{ {dims} }}>"
            case Form.TILE:
                return f"Tile<{self.element}, {{ {dims} }}>"

    @property
    def is_unsigned(self) -> bool:
        """Whether operations on this element are unsigned."""
        return self.element in UNSIGNED or self.element == "bool"

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self.shape)

    def of(self, element: str) -> RustType:
        """The same form and shape with another element."""
        return replace(self, element=element)

    def as_tile(self) -> RustType:
        """The tile type that holds the same value."""
        return replace(self, form=Form.TILE)


UNSIGNED = frozenset({"u8", "u16", "u32", "u64"})


def with_sign(element: str, unsigned: bool) -> str:
    """The integer element of the same width with this signedness; `bool` and floats stay."""
    if element[0] not in "iu" or not element[1:].isdigit():
        return element
    return ("u" if unsigned else "i") + element[1:]


def array(items: Iterable[object]) -> str:
    """`[a, b]`."""
    return "[" + ", ".join(map(str, items)) + "]"


def shape_of(shape: Iterable[object]) -> str:
    """`shape![a, b]`."""
    return "shape!" + array(shape)


def rust_type(type_: TileIrType) -> RustType:
    """The Rust type of a Tile IR value; a number of rank 0 is a tile here.

    Raises: FT301 for a type that no Rust value has.
    """
    match type_:
        case TileType(element=ScalarType() as element, shape=shape):
            return RustType(Form.TILE, SIGNED[element.name], shape)
        case TileType(element=PointerType() as pointer, shape=shape):
            return RustType(Form.POINTERS, SIGNED[pointer.pointee.name], shape)
        case TokenType():
            return RustType(Form.TOKEN)
        case _:
            raise Unsupported("FT301", f"a value of type `{type_}` has no Rust type")


class Level(IntEnum):
    """How tightly an expression binds."""

    COMPARE = 1
    OR = 2
    XOR = 3
    AND = 4
    SHIFT = 5
    SUM = 6
    PRODUCT = 7
    CAST = 8
    UNARY = 9
    ATOM = 10


OPERATORS = {
    "<": Level.COMPARE, "<=": Level.COMPARE, ">": Level.COMPARE, ">=": Level.COMPARE, "==": Level.COMPARE,
    "!=": Level.COMPARE, "|": Level.OR, "^": Level.XOR, "&": Level.AND, "<<": Level.SHIFT, ">>": Level.SHIFT,
    "+": Level.SUM, "-": Level.SUM, "*": Level.PRODUCT, "/": Level.PRODUCT, "%": Level.PRODUCT,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Expr:
    """A Rust expression.

    `bare`: the text of a literal where its type is clear. `opaque`: the compiler cannot tell its type from the
    inside, so it stands on the right of a typed `let`. `reads`: names of variables in it. `cheap`: may be written
    again at each use. `heavy`: computes a tile, so it keeps its place among other computations. `is_operand`: opaque,
    but not beside an operator.
    """

    text: str
    type: RustType
    level: Level = Level.ATOM
    bare: str | None = None
    opaque: bool = False
    reads: frozenset[str] = frozenset()
    cheap: bool = False
    heavy: bool = False
    is_operand: bool = False
    lanes_of: Expr | None = field(default=None, repr=False)
    """For a rank-0 value spread over ones: that value, so that a broadcast can name it directly."""

    def at(self, level: Level) -> str:
        """The text where something that binds at least as tightly as `level` is expected."""
        return self.text if self.level >= level else f"({self.text})"


@dataclass
class Block:
    """Lines and nested blocks of one Rust block."""

    items: list[str] = field(default_factory=list)

    def add(self, line: str) -> None:
        """Append one statement or comment line."""
        self.items.append(line)

    def nest(self, head: str, body: Block, tail: str = "}") -> None:
        """Append `head {`, the body and `}`."""
        self.items.append(head + " {")
        self.items.extend(body.items)
        self.items.append(tail)

    def __str__(self) -> str:
        return "\n".join(self.items)
