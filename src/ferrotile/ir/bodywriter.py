"""The one writer of operations, driven by the same plans as the reader (`body`)."""

from __future__ import annotations

from typing import Protocol, cast

from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ferrotile.core import InputError, InternalError
from ferrotile.ir import debug
from ferrotile.ir.access import row, sizes
from ferrotile.ir.attrcodec import Sink, write_field
from ferrotile.ir.attributes import AttributeValue, spell
from ferrotile.ir.binary import put_varint
from ferrotile.ir.body import NO_FLAG, Plan, default, plan, text
from ferrotile.ir.enums import SINCE
from ferrotile.ir.spec import FIRST, Arity, Field, Kind, OpRow, Version
from ferrotile.ir.types import TileIrType


class BodySink(Sink, Protocol):
    """The tables that operations refer to."""

    def record_id(self, record: debug.Record) -> int: ...


class BodyWriter:
    """Writes the operations of one kernel; `records` collects the debug number of each, in order.

    Raises: InputError FT210 to FT212 for what the bytecode version does not have.
    """

    def __init__(self, sink: BodySink, version: Version, *, preview: bool = False) -> None:
        self._sink = sink
        self._version = version
        self._preview = preview
        self._numbers: dict[SSAValue, int] = {}
        self.records: list[int] = []

    def kernel(self, block: Block) -> bytes:
        """Write the operations of a kernel's block."""
        self._define(block.args)
        buffer = bytearray()
        for op in block.ops:
            self.operation(op, buffer)
        return bytes(buffer)

    def _define(self, values: tuple[SSAValue, ...]) -> None:
        for value in values:
            self._numbers[value] = len(self._numbers)

    def operation(self, op: Operation, buffer: bytearray) -> None:
        """Append one operation with its regions."""
        spec = row(op)
        self._require(op, spec)
        todo = plan(spec, self._version)
        self.records.append(self._sink.record_id(debug.record(op)))
        put_varint(buffer, spec.opcode)
        self._results(op, todo, buffer)
        counts = sizes(op)
        self._check_later(op, todo, counts)
        if todo.flag_count:
            put_varint(buffer, _flags(op, todo, counts))
        for item, _ in todo.attributes:
            value = op.properties.get(item.name)
            if item.kind is not Kind.UNIT and value is not None:
                self._check_member(op, item, cast(AttributeValue, value))
                write_field(item, cast(AttributeValue, value), buffer, self._sink)
            elif value is None and not item.is_flag:
                raise InternalError("FT221", f"`{spec.name}` was built without `{item.name}`", at=debug.place(op))
        self._operands(op, todo, counts, buffer)
        if spec.regions:
            put_varint(buffer, len(op.regions))
        for region in op.regions:
            self._region(region, buffer)
        self._define(op.results)

    def _require(self, op: Operation, spec: OpRow) -> None:
        if spec.since > self._version or (spec.preview and not self._preview):
            needed = f"bytecode {text(spec.since)}" + (" with the preview mark" if spec.preview else "")
            message = f"`{spec.name}` needs {needed}, asked for is {text(self._version)}"
            raise InputError("FT210", message, at=debug.place(op))

    def _results(self, op: Operation, todo: Plan, buffer: bytearray) -> None:
        number = len(op.results)
        if todo.most_results is not None and number > todo.most_results:
            names = ", ".join(f"`{slot.name}`" for slot in todo.row.results if slot.since > self._version)
            message = f"result {names} of `{todo.row.name}` needs newer bytecode than {text(self._version)}"
            raise InputError("FT211", message, at=debug.place(op))
        if todo.row.counts_results:
            put_varint(buffer, number)
        for kind in op.result_types:
            put_varint(buffer, self._sink.type_id(cast(TileIrType, kind)))

    def _check_member(self, op: Operation, item: Field, value: AttributeValue) -> None:
        since = SINCE.get(value.data, FIRST) if item.enum else FIRST
        if since > self._version:
            self._refuse(op, f"`{item.name}` = {spell(value.data)}", since)

    def _check_later(self, op: Operation, todo: Plan, counts: tuple[int, ...]) -> None:
        for item in todo.later:
            value = op.properties.get(item.name)
            if value is not None and not _is_default(item, value, todo.row, counts):
                shown = spell(cast(AttributeValue, value).data)
                self._refuse(op, f"`{item.name}` = {shown}", item.since)
        for slot, count in zip(todo.row.operands, counts, strict=True):
            if count and slot in todo.later_operands:
                self._refuse(op, f"operand `{slot.name}`", slot.since)

    def _refuse(self, op: Operation, what: str, since: Version) -> None:
        message = f"{what} of `{row(op).name}` needs bytecode {text(since)}, asked for is {text(self._version)}"
        raise InputError("FT211", message, at=debug.place(op))

    def _operands(self, op: Operation, todo: Plan, counts: tuple[int, ...], buffer: bytearray) -> None:
        values = op._operands  # pyright: ignore[reportPrivateUsage]
        if todo.counted:
            put_varint(buffer, len(values))
        start = 0
        for slot, count in zip(todo.row.operands, counts, strict=True):
            if slot.arity is Arity.MANY and not todo.counted:
                put_varint(buffer, count)
            for value in values[start : start + count]:
                self._value(op, value, buffer)
            start += count

    def _value(self, op: Operation, value: SSAValue, buffer: bytearray) -> None:
        number = self._numbers.get(value)
        if number is None:
            message = f"`{row(op).name}` uses a value that is not made before it"
            raise InternalError("FT222", message, at=debug.place(op))
        put_varint(buffer, number)

    def _region(self, region: Region, buffer: bytearray) -> None:
        block = region.first_block
        buffer.append(0 if block is None else 1)
        if block is None:
            return
        put_varint(buffer, len(block.args))
        for argument in block.args:
            put_varint(buffer, self._sink.type_id(cast(TileIrType, argument.type)))
        known = len(self._numbers)
        self._define(block.args)
        inner = bytearray()
        for op in block.ops:
            self.operation(op, inner)
        put_varint(buffer, len(block.ops))
        buffer.extend(inner)
        while len(self._numbers) > known:
            self._numbers.popitem()


def _flags(op: Operation, todo: Plan, counts: tuple[int, ...]) -> int:
    flags = 0
    for item, bit in todo.attributes:
        if bit != NO_FLAG:
            value = op.properties.get(item.name)
            is_set = cast(AttributeValue, value).data if value and item.kind is Kind.UNIT else value is not None
            flags |= bool(is_set) << bit
    for (_, bit), count in zip(todo.operands, counts, strict=False):
        if bit != NO_FLAG:
            flags |= count << bit
    return flags


def _is_default(item: Field, value: Attribute, spec: OpRow, counts: tuple[int, ...]) -> bool:
    data = cast(AttributeValue, value).data
    if item.kind is Kind.BOOLS:
        return not any(data)
    return data == default(item, spec, counts).data
