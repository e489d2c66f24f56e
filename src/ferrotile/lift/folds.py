"""Handlers for reductions and scans: cutile's own where they say the same, else with a combining function of ours.

cutile 0.5.0 reduces one tile and chooses the number to start from (compiler/compile_intrinsic.rs, `"reduce"`); its
general `reduce` and `scan` write axis 0 and start from 0 (compile_cuda_tile_op.rs, `compile_reduce_op`,
`compile_scan_op`). But `reduce_max` combines with the `max` that its caller's module sees. So a kernel that reduces
otherwise defines a `max`, on words in which its operands lie side by side and the start is 0; see `words` in the
prelude. A scan is brought to axis 0 and back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.ir import Operation, SSAValue

from ferrotile.core.errors import Unsupported
from ferrotile.ir import FloatAttr, IntAttr, attribute, operands, row
from ferrotile.ir.enums import IntegerOverflow, RoundingMode, Signedness
from ferrotile.ir.types import ScalarType, TileType
from ferrotile.lift.combine import Combiner, Packing, packing_of
from ferrotile.lift.declare import declared
from ferrotile.lift.emit import Writer, handles
from ferrotile.lift.leaves import NUMPY
from ferrotile.lift.rust import SIGNED, Expr, Form, RustType, array, rust_type, shape_of

REDUCTIONS = {
    "addf": ("reduce_sum", 0.0), "addi": ("reduce_sum", 0), "mulf": ("reduce_prod", 1.0), "muli": ("reduce_prod", 1),
    "maxf": ("reduce_max", float("-inf")), "minf": ("reduce_min", float("inf")),
    "maxi": ("reduce_max", None), "mini": ("reduce_min", None),
}  # fmt: skip
"""Combining operation -> the function of cutile that reduces with it, and the identity that it writes."""

REDUCIBLE = frozenset({"f16", "bf16", "f32", "f64", "i32", "i64"})
"""Elements for which cutile 0.5.0 knows a number to start from (compiler/shared_utils.rs, `get_const_hex`)."""

NARROW = frozenset({"i8", "i16"})
"""Elements that are widened before they are reduced."""

STARTS = (("max", float("-inf"), "maxi"), ("min", float("inf"), "mini"))
"""Names that a kernel can define for its own reductions: what floats start from, and as which operation integers."""


def shadows(entry: Operation) -> bool:
    """Whether the kernel will define a `max` or `min` of its own, so that cutile's cannot be called by name."""
    return any(row(op).name == "reduce" and _plain(op) is None for op in entry.walk())


@handles("reduce")
def _reduce(writer: Writer, op: Operation) -> None:
    plain, dim = _plain(op), attribute(op, "dim")
    if plain is None:
        _reduce_by_own(writer, op)
        return
    function, sign = plain
    value = operands(op, "operands")[0]
    source = writer.signed(writer.stable(writer.tile(value), value), sign is Signedness.Unsigned)
    result = _typed(op.results[0], source)
    is_narrow = _element(value) in NARROW
    if is_narrow:
        wide = source.type.of(source.type.element[0] + "32")
        source = writer.stable(Expr(f"exti({source.text})", wide, opaque=True, reads=source.reads), stem="wide")
    type_ = result.of(source.type.element)
    call = f"{function}({source.text}, {dim})"
    if writer.shadowed and function in ("reduce_max", "reduce_min"):
        call = f"{function.removeprefix('reduce_')}_along_{dim}({source.text}, {shape_of(type_.shape)})"
    expr = Expr(call, type_, opaque=True, reads=source.reads)
    if is_narrow:
        reduced = writer.stable(expr, stem="reduced")
        expr = Expr(f"narrow({reduced.text})", result, opaque=True, reads=reduced.reads)
    writer.define(op.results[0], expr, op)


@handles("scan")
def _scan(writer: Writer, op: Operation) -> None:
    combine = _combining(op)
    direction = "reverse::Reverse" if attribute(op, "reverse") else "reverse::Forward"
    is_sum = combine is not None and combine[0] in ("addf", "addi") and _starts_with(op, 0)
    values = operands(op, "operands")
    if is_sum and _element(values[0]) in REDUCIBLE | NARROW:
        source = writer.stable(writer.tile(values[0]), values[0])
        source = _to_front(writer, source, attribute(op, "dim"))
        call = f"scan_sum({source.text}, 0, {direction}, {_zero(source.type.element)})"
        _put_back(writer, op, 0, Expr(call, source.type, opaque=True, reads=source.reads))
        return
    packing = None if len(values) == 1 and _starts_with(op, 0) else packing_of(op)
    combiner = Combiner(writer, op, packing)
    function = declared(writer, "combine", combiner.text(scalars=True))
    source = _operand(writer, op, packing, attribute(op, "dim"))
    zero = _zero(source.type.element)
    call = f"scan({source.text}, 0, {direction}, {zero}, |earlier, later| {function}(earlier, later))"
    result = writer.stable(Expr(call, source.type, opaque=True, reads=source.reads), stem="scanned")
    for index in range(len(op.results)):
        if writer.live.is_used(op.results[index]):
            _put_back(writer, op, index, _taken(writer, op, index, packing, result))


def _reduce_by_own(writer: Writer, op: Operation) -> None:
    """Define a `max` or `min` that combines as this reduction does, and reduce with that."""
    dim = attribute(op, "dim")
    for name, packing in _choices(op):
        text = Combiner(writer, op, packing).text(name)
        if writer.functions.setdefault(name, text) == text:
            break
    else:
        raise Unsupported(
            "FT305",
            "a kernel can define two combining functions for reductions, this one needs more",
            hint="Split the kernel, or fold the tile in halves with `ct.extract`.",
        )
    source = _operand(writer, op, packing, None)
    shape = tuple(extent for axis, extent in enumerate(source.type.shape) if axis != dim)
    type_ = RustType(Form.TILE, source.type.element, shape)
    call = Expr(f"reduce_{name}({source.text}, {dim})", type_, opaque=True, reads=source.reads)
    if packing is None:
        writer.define(op.results[0], call, op)
        return
    result = writer.stable(call, stem="reduced")
    for index, value in enumerate(op.results):
        if writer.live.is_used(value):
            writer.define(value, _taken(writer, op, index, packing, result), op)


def _choices(op: Operation) -> list[tuple[str, Packing | None]]:
    """Ways to write a reduction, best first: with a start that cutile chooses for the element, else as words."""
    values = operands(op, "operands")
    element = _element(values[0])
    found: list[tuple[str, Packing | None]] = []
    if len(values) == 1 and element in REDUCIBLE:
        found += [(name, None) for name, start, _ in STARTS if element[0] in "fb" and _starts_with(op, start)]
        found += [(name, None) for name, _, how in STARTS if element[0] == "i" and _is_extreme(op, how)]
    packing = packing_of(op)
    return [*found, ("max", packing), ("min", replace(packing, is_inverted=True))]


def _operand(writer: Writer, op: Operation, packing: Packing | None, dim: int | None) -> Expr:
    """What is reduced or scanned: the one operand, or the operands packed in words; scanned along axis 0."""
    values = operands(op, "operands")
    sources = [writer.stable(writer.tile(value), value) for value in values]
    if dim is not None:
        sources = [_to_front(writer, source, dim) for source in sources]
    return sources[0] if packing is None else packing.packed(writer, sources)


def _taken(writer: Writer, op: Operation, index: int, packing: Packing | None, words: Expr) -> Expr:
    """One result out of what the words were reduced or scanned to."""
    return words if packing is None else packing.taken(writer, words, index)


def _to_front(writer: Writer, source: Expr, dim: int) -> Expr:
    """A tile with axis `dim` first."""
    rank = source.type.rank
    return source if dim == 0 else _permuted(writer, source, (dim, *(axis for axis in range(rank) if axis != dim)))


def _put_back(writer: Writer, op: Operation, index: int, result: Expr) -> None:
    """Define a result that was scanned along axis 0."""
    dim, rank = attribute(op, "dim"), result.type.rank
    if dim:
        order = (dim, *(axis for axis in range(rank) if axis != dim))
        back = tuple(order.index(axis) for axis in range(rank))
        result = _permutation(writer.stable(result, stem="scanned"), back)
    writer.define(op.results[index], result, op)


def _permuted(writer: Writer, source: Expr, order: Sequence[int]) -> Expr:
    return writer.stable(_permutation(source, order), stem="turned")


def _permutation(source: Expr, order: Sequence[int]) -> Expr:
    type_ = RustType(Form.TILE, source.type.element, tuple(source.type.shape[axis] for axis in order))
    text = f"permute({source.text}, const_array!{array(order)})"
    if tuple(order) == (1, 0):
        text = f"{source.text}.transpose()"
    return Expr(text, type_, opaque=True, reads=source.reads)


# ---- what an operation says ---------------------------------------------------------------------------------------


def _plain(op: Operation) -> tuple[str, Signedness | None] | None:
    """The function of cutile that is this reduction, and the sign under which it reads integers."""
    combine, values = _combining(op), operands(op, "operands")
    if combine is None or _element(values[0]) not in REDUCIBLE | NARROW:
        return None
    function, start = REDUCTIONS[combine[0]]
    fits = _is_extreme(op, combine[0], combine[1]) if start is None else _starts_with(op, start)
    return (function, combine[1]) if fits else None


def _combining(op: Operation) -> tuple[str, Signedness | None] | None:
    """The one operation that the body applies to its two arguments in order, without any modifier."""
    block = op.regions[0].block
    body = list(block.ops)
    if len(body) != 2 or len(block.args) != 2 or tuple(body[0].operands) != tuple(block.args):
        return None
    name = row(body[0]).name
    if name not in REDUCTIONS or tuple(body[1].operands) != (body[0].results[0],):
        return None
    plain = {RoundingMode.NEAREST_EVEN, IntegerOverflow.NONE, False, Signedness.Signed, Signedness.Unsigned}
    if any(attribute(body[0], field.name) not in plain for field in row(body[0]).attributes):
        return None
    return name, (attribute(body[0], "signedness") if "signedness" in row(body[0]).field else None)


def _starts_with(op: Operation, wanted: float) -> bool:
    """Whether the one identity is a number, bit for bit."""
    given: FloatAttr | IntAttr = attribute(op, "identities")[0]
    if isinstance(given, IntAttr):
        return given.value == wanted
    assert isinstance(given.type, ScalarType)
    dtype = NUMPY.get(given.type.name)
    return dtype is not None and given.bits == int.from_bytes(dtype.type(wanted).tobytes(), "little")


def _is_extreme(op: Operation, how: str, sign: Signedness | None = Signedness.Signed) -> bool:
    """Whether the one identity is the least integer for `maxi`, the greatest for `mini`."""
    given: FloatAttr | IntAttr = attribute(op, "identities")[0]
    assert isinstance(given.type, ScalarType)
    if not isinstance(given, IntAttr):
        return False
    if sign is Signedness.Unsigned:
        return given.value == (0 if how == "maxi" else -1)
    top = 1 << given.type.bits - 1
    return given.value == (-top if how == "maxi" else top - 1)


def _element(value: SSAValue) -> str:
    """The signed Rust element of a tile; empty for one without numbers."""
    type_ = value.type
    if isinstance(type_, TileType) and isinstance(type_.element, ScalarType):
        return SIGNED[type_.element.name]
    return ""


def _zero(element: str) -> str:
    """A zero that rustc takes: Rust has no literals of floats narrower than 32 bits."""
    if element in ("f32", "f64"):
        return f"0.0{element}"
    return f"{element}::ZERO" if element.startswith(("f", "b")) else f"0{element}"


def _typed(value: SSAValue, source: Expr) -> RustType:
    """The result's Rust type with the source's element."""
    return rust_type(value.type).of(source.type.element)  # pyright: ignore[reportArgumentType]
