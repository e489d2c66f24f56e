"""Normal forms of reductions and scans: of words that hold their operands side by side, and along another axis.

Laws `packed-fold` (a reduction or scan of words, whose bits are those of one or two tiles, is the reduction or scan of
these tiles), `scan-axis` (a scan of a permuted tile is the permuted scan).

A word is known by its fields, lowest bits first. The arguments of a packed body are words of the arguments that the
unpacked body has, so what takes them apart finds these; what the body yields must be a word of the same layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ferrotile.check.control import Frame
from ferrotile.check.kernel import Node
from ferrotile.check.permutations import permutation, permuted
from ferrotile.check.seams import Seams, maker, seams_of
from ferrotile.ir import FloatAttr, IntAttr
from ferrotile.ir.enums import Signedness
from ferrotile.ir.types import ScalarType, TileType

if TYPE_CHECKING:
    from ferrotile.check.numbering import Numbering


@dataclass(frozen=True, slots=True)
class Field:
    """Some bits of a word: those of value `number`, exclusive or `mask`; without a number they are `mask`."""

    number: int | None
    element: str
    width: int
    mask: int = 0

    @property
    def layout(self) -> tuple[str, int, int]:
        """All but the value."""
        return self.element, self.width, self.mask


Fields = tuple[Field, ...]


def fold(graph: Numbering, node: Node) -> int | None:
    """The number of the first result of a `reduce` or `scan` of words, or of permuted tiles; the others get theirs."""
    sources = _operands_of(graph, node)
    packed = len(node.operands) == 1 and len(sources) > 0 and sources[0].number != graph.ids[node.operands[0]]
    if packed and not _starts_as_word(graph, node):
        return None
    orders = {permutation(graph, source.number) for source in sources} if node.name == "scan" else {None}
    if not sources or (not packed and orders == {None}) or (packed and len(node.results) != 1):
        return None
    yielded = _body(graph, node, sources if packed else ())
    if yielded is None:
        return None
    order = orders.pop() if len(orders) == 1 else None
    results = _results(graph, node, sources, yielded, order)
    if packed:
        graph.laws.add("packed-fold")
        fields = _split(graph, node, node.operands[0])
        assert fields is not None
        values = iter(results[::-1])
        word = _word(graph, tuple(f if f.number is None else replace(f, number=next(values)) for f in fields))
        return _settled(graph, node.results[0], word)
    for value, number in zip(node.results, results, strict=True):
        graph.ids[value] = number
    return results[0]


def _operands_of(graph: Numbering, node: Node) -> list[Field]:
    """The tiles that a fold works on: its operands, or those packed in its one operand, the highest bits first."""
    if len(node.operands) == 1 and (fields := _split(graph, node, node.operands[0])) is not None:
        return [field for field in fields[::-1] if field.number is not None]
    kinds = [graph.kernel.types[value] for value in node.operands]
    if not all(isinstance(kind, TileType) and isinstance(kind.element, ScalarType) for kind in kinds):
        return []
    pairs = zip(node.operands, kinds, strict=True)
    return [Field(graph.ids[value], kind.element.name, kind.element.bits) for value, kind in pairs]


Body = tuple[tuple[int, ...], Any]


def _body(graph: Numbering, node: Node, packed: Sequence[Field]) -> Body | None:
    """What the body yields, in numbers, and its digest; of a packed fold what its fields are."""
    block = node.blocks[0]
    fields = _split(graph, node, node.operands[0]) if packed else None
    for k, argument in enumerate(block.arguments):
        if fields is None:
            graph.ids[argument] = _argument(graph, k, graph.kernel.type_ids[argument])
        else:
            graph.ids[argument] = _settled(graph, argument, _word(graph, _arguments(graph, fields, k)))
    graph.body_depth += 1
    outcome = graph.block(block, Frame())
    graph.body_depth -= 1
    end = block.end
    if end is None:
        return None
    if fields is None:
        return graph.numbers(end.operands), outcome.digest
    given = _split(graph, node, end.operands[0])
    if given is None or [field.layout for field in given] != [field.layout for field in fields]:
        return None
    return tuple(field.number for field in given[::-1] if field.number is not None), outcome.digest


def _argument(graph: Numbering, index: int, type_: int) -> int:
    return graph.intern(("body", graph.body_depth, index, type_))


def _arguments(graph: Numbering, fields: Fields, side: int) -> Fields:
    """The fields of one of the two words that a packed body is given."""
    tiles = [field for field in fields[::-1] if field.number is not None]
    index = {id(field): 2 * k + side for k, field in enumerate(tiles)}
    types = {id(f): graph.kernel.symbols.intern(TileType(ScalarType(f.element), ())) for f in tiles}
    return tuple(
        f if f.number is None else replace(f, number=_argument(graph, index[id(f)], types[id(f)])) for f in fields
    )


def _results(graph: Numbering, node: Node, sources: list[Field], body: Body, order: Any) -> list[int]:
    """The numbers of the results of the unpacked fold, of tiles that are not permuted."""
    symbols, yielded = graph.kernel.symbols, body[0]
    numbers = [source.number for source in sources]
    shape = graph.kernel.types[node.results[0]].shape
    attributes = dict(node.attributes)
    attributes["identities"] = _identities(graph, node, sources)
    if order is not None:
        graph.laws.add("scan-axis")
        attributes["dim"] = order[attributes["dim"]]
        numbers = [graph.interner.keys[number][1] for number in numbers if number is not None]
    plain = shape if order is None else tuple(shape[order.index(axis)] for axis in range(len(shape)))
    types = tuple(symbols.intern(TileType(ScalarType(source.element), plain)) for source in sources)
    signature = symbols.intern((node.name, tuple(attributes.items()), node.hints, types, (len(sources),)))
    number = graph.intern(("fold", signature, tuple(numbers), yielded, body[1]))
    several = len(sources) > 1
    results = [graph.intern(("result", number, k)) if several else number for k in range(len(sources))]
    if order is None:
        return results
    kinds = [symbols.intern(TileType(ScalarType(source.element), shape)) for source in sources]
    return [permuted(graph, result, order, kind) for result, kind in zip(results, kinds, strict=True)]


def _identities(graph: Numbering, node: Node, sources: list[Field]) -> tuple[Any, ...]:
    """Of a packed fold, the number that each tile starts from: its bits of the word that the fold starts from."""
    given = dict(node.attributes)["identities"]
    fields = _split(graph, node, node.operands[0]) if len(node.operands) == 1 else None
    if fields is None:
        return given
    found: list[Any] = []
    word = given[0].value if isinstance(given[0], IntAttr) else given[0].bits
    for field in fields:
        bits = (word & ((1 << field.width) - 1)) ^ field.mask
        word >>= field.width
        if field.number is not None:
            found.append(_number_attribute(ScalarType(field.element), bits))
    return tuple(found[::-1])


def _starts_as_word(graph: Numbering, node: Node) -> bool:
    """Whether the number that a packed fold starts from has the bits of a word where no operand has any."""
    given, fields = dict(node.attributes)["identities"][0], _split(graph, node, node.operands[0])
    word = given.value if isinstance(given, IntAttr) else given.bits
    for field in fields or ():
        if field.number is None and (word ^ field.mask) & ((1 << field.width) - 1):
            return False
        word >>= field.width
    return True


def _number_attribute(element: ScalarType, bits: int) -> FloatAttr | IntAttr:
    if not element.is_integer:
        return FloatAttr(element, bits)
    return IntAttr(element, bits - (1 << element.bits) if bits >> (element.bits - 1) else bits)


def _word(graph: Numbering, fields: Fields) -> int:
    """The number of a word: its layout, and the values in it."""
    head = graph.kernel.symbols.intern(("word", tuple((f.number is not None, *f.layout) for f in fields)))
    return graph.intern((head, *(field.number for field in fields if field.number is not None)))


def _known_word(graph: Numbering, number: int) -> Fields | None:
    """The fields of a number that stands for a word."""
    head, rest = _head(graph, number)
    if head[0] != "word":
        return None
    values = iter(rest)
    return tuple(Field(next(values) if is_value else None, *layout) for is_value, *layout in head[1])


def _head(graph: Numbering, number: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    key = graph.interner.keys[number]
    return (graph.kernel.symbols.keys[key[0]], key[1:]) if isinstance(key[0], int) else ((None,), ())


def _settled(graph: Numbering, value: int, word: int) -> int:
    """The number of a value that is a word: that of its only field where this is all of it."""
    fields, kind = _known_word(graph, word), graph.kernel.types[value]
    if fields is not None and len(fields) == 1 and isinstance(kind, TileType):
        (field,) = fields
        if field.number is not None and not field.mask and str(kind.element) == field.element:
            return field.number
    return word


def _split(graph: Numbering, fold: Node, value: int) -> Fields | None:
    """The fields of an operand or result of a fold as its operations put them together; none if it is only itself.

    A value is taken apart as the body of the fold takes its words apart, and not further: what was widened or put
    together before is one field, as it is one operand of the fold that has several.
    """
    fields = _fields(graph, value, seams_of(graph, fold), 0)
    return None if fields is None or [field.number for field in fields] == [graph.ids[value]] else fields


def _fields(graph: Numbering, value: int, seams: Seams, at: int) -> Fields | None:
    """The fields of a value whose lowest bit is bit `at` of a word; one that needs no taking apart is one field."""
    kind = graph.kernel.types[value]
    if not isinstance(kind, TileType) or not isinstance(kind.element, ScalarType):
        return None
    known = _known_word(graph, graph.ids[value])
    if known is not None:
        return known
    itself = (Field(graph.ids[value], kind.element.name, kind.element.bits),)
    node = maker(graph, value)
    if node is None or not kind.element.is_integer:
        return itself
    return _composed(graph, node, seams, at) or itself


def _composed(graph: Numbering, node: Node, seams: Seams, at: int) -> Fields | None:
    bits = graph.kernel.types[node.results[0]].element.bits
    is_whole = not any(at < cut < at + bits for cut in seams.cuts)
    amount = constant(graph, node.operands[1]) if node.name in ("xori", "shli") else 0
    is_alone = amount not in seams.masks if node.name == "xori" else node.name != "bitcast" and is_whole
    if amount is None or is_alone:
        return None
    start = at + amount if node.name == "shli" else at
    match node.name:
        case "bitcast":
            # One that the body has no need to turn back was written for another purpose.
            kind = graph.kernel.types[node.operands[0]].element
            is_part = kind.is_integer or (at, kind.name) in seams.elements
            return _fields(graph, node.operands[0], seams, at) if is_part else None
        case "exti" if dict(node.attributes)["signedness"] is Signedness.Unsigned:
            part = _fields(graph, node.operands[0], seams, at)
            return None if part is None else (*part, _zeros(bits - sum(field.width for field in part)))
        case "xori" | "shli":
            below = replace(seams, masks=seams.masks - {amount}) if node.name == "xori" else seams
            fields = _fields(graph, node.operands[0], below, start)
            if fields is None:
                return None
            return _masked(fields, amount) if node.name == "xori" else _shifted(fields, amount, bits)
        case "ori":
            return _joined(*(_fields(graph, value, seams, at) for value in node.operands))
        case _:
            return None


def constant(graph: Numbering, value: int) -> int | None:
    """The bits of an integer constant, of one element or of equal ones."""
    key = graph.interner.keys[graph.ids[value]]
    origin = graph.interner.keys[key[1]] if key[0] == "splat" else key
    return int.from_bytes(origin[2], "little") if origin[0] == "constant" else None


def _zeros(width: int) -> Field:
    return Field(None, "", width)


def _masked(fields: Fields, mask: int) -> Fields:
    found: list[Field] = []
    for field in fields:
        found.append(replace(field, mask=field.mask ^ (mask & ((1 << field.width) - 1))))
        mask >>= field.width
    return tuple(found)


def _shifted(fields: Fields, amount: int, bits: int) -> Fields | None:
    """Fields moved up; none if that would push out more than zeros."""
    kept = _low(fields, bits - amount)
    rest = fields[len(kept) :] if kept is not None else ()
    if kept is None or any(field.number is not None or field.mask for field in rest):
        return None
    return (_zeros(amount), *kept)


def _low(fields: Fields, width: int) -> Fields | None:
    """The lowest bits, if they are whole fields."""
    found: list[Field] = []
    for field in fields:
        if width == 0:
            break
        if field.number is None and field.width > width and not field.mask:
            field = _zeros(width)
        if field.width > width:
            return None
        found.append(field)
        width -= field.width
    return tuple(found)


def _joined(one: Fields | None, other: Fields | None) -> Fields | None:
    """Two words of which one is zero wherever the other is not."""
    if one is None or other is None:
        return None
    found: list[Field] = []
    left, right = list(one), list(other)
    while left and right:
        width = min(left[0].width, right[0].width)
        sides = [_cut(side, width) for side in (left, right)]
        if sides[0] is None or sides[1] is None:
            return None
        values = [field for field in sides if field is not None and (field.number is not None or field.mask)]
        if len(values) > 1:
            return None
        found.append(values[0] if values else _zeros(width))
    return tuple(found)


def _cut(fields: list[Field], width: int) -> Field | None:
    """Take the lowest bits off a word: a whole field, or some zeros."""
    field = fields.pop(0)
    if field.width == width:
        return field
    if field.number is not None or field.mask:
        return None
    fields.insert(0, _zeros(field.width - width))
    return _zeros(width)


def part(graph: Numbering, node: Node) -> int | None:
    """`trunci`, `shri`, `xori` and `bitcast` of a word: the fields that are left, or the value that they all are."""
    fields = _known_word(graph, graph.ids[node.operands[0]])
    if fields is None:
        return None
    result = node.results[0]
    bits = graph.kernel.types[result].element.bits
    amount = constant(graph, node.operands[1]) if len(node.operands) > 1 else None
    match node.name:
        case "trunci":
            left = _low(fields, bits)
        case "shri" if amount is not None and dict(node.attributes)["signedness"] is Signedness.Unsigned:
            low = _low(fields, amount)
            left = (*fields[len(low) :], _zeros(amount)) if low is not None and _is_cut(fields, low) else None
        case "xori" if amount is not None:
            left = _masked(fields, amount)
        case "bitcast":
            left = fields
        case _:
            left = None
    if left is None:
        return None
    number = _settled(graph, result, _word(graph, left))
    is_word = graph.kernel.types[result].element.is_integer
    return number if is_word or _known_word(graph, number) is None else None


def _is_cut(fields: Fields, low: Fields) -> bool:
    """Whether the lowest bits of a word are its first fields, none of them taken in part."""
    return fields[: len(low)] == low
