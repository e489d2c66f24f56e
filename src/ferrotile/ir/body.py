"""The one reader of operations, driven by the rows of the table; `bodywriter` is the writer.

An operation is: opcode, result types, flags, attributes, operands, regions. Which of these exist at a bytecode version
is worked out once per row and version (`Plan`); nothing else in the codec of operations looks at versions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ferrotile.core import InputError
from ferrotile.ir import debug
from ferrotile.ir.access import SEGMENTS, TileOperation, segments_of, wrap
from ferrotile.ir.attrcodec import Source, read_field
from ferrotile.ir.attributes import AttributeValue
from ferrotile.ir.binary import Reader
from ferrotile.ir.dialect import CLASSES
from ferrotile.ir.ops import BY_OPCODE
from ferrotile.ir.spec import Arity, FalsePer, Field, Kind, OpRow, Slot, Version

DEEPEST = 100
"""Nesting of regions beyond which bytecode is refused."""

NO_FLAG = -1


@dataclass(frozen=True)
class Plan:
    """What is written of an operation at one bytecode version.

    `attributes` and `operands` come with their bit in the flags word, or NO_FLAG; `later` are attributes of newer
    versions, which stand for their default here; `counted` operands come after their total number.
    """

    row: OpRow
    kind: type[TileOperation]
    results: tuple[Slot, ...]
    least_results: int
    most_results: int | None
    flag_count: int
    attributes: tuple[tuple[Field, int], ...]
    later: tuple[Field, ...]
    operands: tuple[tuple[Slot, int], ...]
    later_operands: tuple[Slot, ...]
    counted: bool


@cache
def plan(row: OpRow, version: Version) -> Plan:
    """The plan of a row at a bytecode version."""
    attributes = [item for item in row.attributes if item.since <= version]
    operands = [slot for slot in row.operands if slot.since <= version]
    results = [slot for slot in row.results if slot.since <= version]
    flagged: list[Field | Slot] = [item for item in attributes if item.is_flag]
    if row.has_segments:
        flagged += [slot for slot in operands if slot.arity is Arity.OPTIONAL]
    flagged.sort(key=lambda item: item.since)
    bits = {item: bit for bit, item in enumerate(flagged)}
    many = any(slot.arity is Arity.MANY for slot in results)
    return Plan(
        row=row,
        kind=CLASSES[row.name],
        results=tuple(results),
        least_results=sum(slot.arity is Arity.ONE for slot in results),
        most_results=None if many else len(results),
        flag_count=len(flagged),
        attributes=tuple((item, bits.get(item, NO_FLAG)) for item in attributes),
        later=tuple(item for item in row.attributes if item.since > version),
        operands=tuple((slot, bits.get(slot, NO_FLAG)) for slot in operands),
        later_operands=tuple(slot for slot in row.operands if slot.since > version),
        counted=len(row.open_operands) == 1,
    )


class BodyReader:
    """Reads the operations of one kernel.

    Raises: InputError FT203 to FT215.
    """

    def __init__(self, reader: Reader, source: Source, version: Version, *, preview: bool = False) -> None:
        self._reader = reader
        self._source = source
        self._version = version
        self._preview = preview
        self._values: list[SSAValue] = []
        self._records: Iterator[debug.Record] | None = None

    def kernel(self, arguments: Sequence[Attribute], records: Iterator[debug.Record] | None) -> Block:
        """Read operations up to the end of the data, as the block of a kernel."""
        block = Block(arg_types=arguments)
        self._values = list(block.args)
        self._records = records
        while self._reader.left:
            block.add_op(self._operation(0))
        if records is not None and next(records, self) is not self:
            raise InputError("FT204", "there are more debug records than operations")
        return block

    def _operation(self, depth: int) -> Operation:
        reader, source = self._reader, self._source
        todo = self._plan(reader.varint())
        location = self._next_record()
        types = self._result_types(todo)
        flags = reader.varint() if todo.flag_count else 0
        if flags >> todo.flag_count:
            raise InputError("FT208", f"`{todo.row.name}` has unknown flags {flags:#x}")
        properties: dict[str, Attribute] = {}
        for item, bit in todo.attributes:
            if item.kind is Kind.UNIT:
                properties[item.name] = wrap(bool(flags >> bit & 1))
            elif bit == NO_FLAG or flags >> bit & 1:
                properties[item.name] = read_field(item, reader, source)
        operands, sizes = self._operands(todo, flags)
        for item in todo.later:
            if item.default is not None:
                properties[item.name] = default(item, todo.row, sizes)
        if todo.row.has_segments:
            properties[SEGMENTS] = segments_of(sizes)
        regions = self._regions(todo.row, depth) if todo.row.regions else ()
        op = todo.kind.create(operands=operands, result_types=types, properties=properties, regions=regions)
        if location is not None:
            debug.locate(op, location)
        self._values.extend(op.results)
        return op

    def _plan(self, opcode: int) -> Plan:
        row = BY_OPCODE.get(opcode)
        if row is None:
            raise InputError("FT206", f"unknown operation number {opcode}")
        if row.since > self._version or (row.preview and not self._preview):
            raise InputError("FT210", f"`{row.name}` does not exist in bytecode {text(self._version)}")
        if row.effect.name == "SYMBOL" and row.name != "get_global":
            raise InputError("FT206", f"`{row.name}` cannot stand inside a kernel")
        return plan(row, self._version)

    def _next_record(self) -> debug.Record:
        if self._records is None:
            return None
        try:
            return next(self._records)
        except StopIteration:
            raise InputError("FT204", "there are fewer debug records than operations") from None

    def _result_types(self, todo: Plan) -> list[Attribute]:
        reader = self._reader
        if todo.row.counts_results:
            number = reader.count()
            if number < todo.least_results or (todo.most_results is not None and number > todo.most_results):
                raise InputError("FT213", f"`{todo.row.name}` has {number} results")
        else:
            number = todo.least_results
        return [self._source.type(reader.varint()) for _ in range(number)]

    def _operands(self, todo: Plan, flags: int) -> tuple[list[SSAValue], tuple[int, ...]]:
        reader = self._reader
        if todo.counted:
            number = reader.count()
            fixed = len(todo.operands) - 1
            slot = todo.row.operands[-1]
            if number < fixed or (slot.arity is Arity.OPTIONAL and number > fixed + 1):
                raise InputError("FT213", f"`{todo.row.name}` has {number} operands")
            return [self._value() for _ in range(number)], ()
        found: list[SSAValue] = []
        sizes: list[int] = []
        for slot, bit in todo.operands:
            if slot.arity is Arity.ONE:
                size = 1
            elif slot.arity is Arity.MANY:
                size = reader.count()
            else:
                size = flags >> bit & 1
            sizes.append(size)
            found.extend(self._value() for _ in range(size))
        sizes.extend(0 for _ in todo.later_operands)
        return found, tuple(sizes)

    def _value(self) -> SSAValue:
        number = self._reader.varint()
        if number >= len(self._values):
            raise InputError("FT205", f"value {number} is used before it is made")
        return self._values[number]

    def _regions(self, row: OpRow, depth: int) -> list[Region]:
        if depth >= DEEPEST:
            raise InputError("FT209", f"regions are nested more than {DEEPEST} deep")
        number = self._reader.varint()
        if number != row.regions:
            raise InputError("FT213", f"`{row.name}` has {number} regions instead of {row.regions}")
        full = number - row.may_be_empty
        return [self._region(depth + 1, may_be_empty=position >= full) for position in range(number)]

    def _region(self, depth: int, *, may_be_empty: bool) -> Region:
        reader = self._reader
        blocks = reader.varint()
        if blocks == 0 and may_be_empty:
            return Region()
        if blocks != 1:
            raise InputError("FT213", f"a region has {blocks} blocks instead of 1")
        known = len(self._values)
        block = Block(arg_types=[self._source.type(reader.varint()) for _ in range(reader.count())])
        self._values.extend(block.args)
        for _ in range(reader.count()):
            block.add_op(self._operation(depth))
        del self._values[known:]
        return Region(block)


def default(item: Field, row: OpRow, sizes: Sequence[int]) -> AttributeValue:
    """The value of an attribute that an older bytecode version does not have."""
    if not isinstance(item.default, FalsePer):
        return wrap(item.default)
    names = [slot.name for slot in row.operands]
    return wrap((False,) * sizes[names.index(item.default.operand)])


def text(version: Version) -> str:
    """A bytecode version as people write it."""
    return f"{version[0]}.{version[1]}"
