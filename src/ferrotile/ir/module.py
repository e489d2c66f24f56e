"""A decoded module, and the side record that lets `encode` give back the same bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.ir import Operation

from ferrotile.ir.attributes import AttributeValue
from ferrotile.ir.debug import Record
from ferrotile.ir.dialect import CLASSES
from ferrotile.ir.sections import Section
from ferrotile.ir.spec import Version
from ferrotile.ir.types import TileIrType


@dataclass(frozen=True)
class Layout:
    """The order of tables and sections in the bytes that a module was decoded from.

    Tables hold the very objects that operations refer to: `encode` looks up by identity first, so a table with two
    equal entries comes back as it was. `debug_numbers` has, for each kernel, the number of its debug list, 0 for none.
    """

    strings: tuple[str, ...] = ()
    types: tuple[TileIrType, ...] = ()
    constants: tuple[AttributeValue, ...] = ()
    records: tuple[Record, ...] = ()
    sections: tuple[Section, ...] = ()
    debug_numbers: tuple[int, ...] = ()


@dataclass(frozen=True)
class Module:
    """A Tile IR module: bytecode version, the operation `cuda_tile.module`, and how its bytes were laid out."""

    version: Version
    op: Operation
    preview: bool = False
    layout: Layout | None = field(default=None, compare=False, repr=False)

    @property
    def entries(self) -> tuple[Operation, ...]:
        """The kernels, in order."""
        return tuple(op for op in self._members() if isinstance(op, CLASSES["entry"]))

    @property
    def globals(self) -> tuple[Operation, ...]:
        """The globals, in order."""
        return tuple(op for op in self._members() if isinstance(op, CLASSES["global"]))

    def _members(self) -> Iterator[Operation]:
        return iter(self.op.regions[0].block.ops)

    @property
    def op_count(self) -> int:
        """Operations in all kernels, nested ones too."""
        return sum(1 for entry in self.entries for _ in entry.walk()) - len(self.entries)
