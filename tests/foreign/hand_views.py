"""Views that cuTile Python does not make: strided, gathered, turned, of rank 0 to 6, with facts in the type."""

from __future__ import annotations

from hand import Kernel, hand
from xdsl.ir import SSAValue

from ferrotile.ir.enums import AtomicRMWMode, MemoryOrderingSemantics, MemoryScope, PaddingValue
from ferrotile.ir.types import GatherScatterViewType, StridedViewType, TensorViewType, TokenType


def _matrix(k: Kernel) -> SSAValue:
    """A dense array of two axes, of parameters of its own."""
    (base,) = k.parameters("ptr<f32>")
    rows, columns, stride = k.numbers("i32", "i32", "i32")
    return k.view(base, [rows, columns], [stride, 1])


def _through(k: Kernel, name: str, array: SSAValue, kind: object, index: list[SSAValue], word: str) -> SSAValue:
    (view,) = k.any(name, {"tensor_view": array}, [kind])
    values = {"view": view, "index": index}
    return k.any("load_view_tko", values, [word, TokenType()], inbounds=(False,) * len(index))[0]


def _array_type(array: SSAValue) -> TensorViewType:
    assert isinstance(array.type, TensorViewType)
    return array.type


@hand
def strided_windows(k: Kernel) -> None:
    """A strided view whose tiles overlap: windows of 4 by 16 every 2 rows."""
    array, out = _matrix(k), _matrix(k)
    kind = StridedViewType((4, 16), (2, 16), _array_type(array), (0, 1), PaddingValue.Zero)
    row, column, _ = k.block_id()
    value = _through(k, "make_strided_view", array, kind, [row, column], "4x16xf32")
    k.store(value, k.partition(out, (4, 16)), [row, column])


@hand
def gathered_rows(k: Kernel) -> None:
    """A gather view: the rows of a tile are chosen by an index tile, padding outside."""
    array, out = _matrix(k), _matrix(k)
    rows, _ = k.load(k.tiles("i32", 4), [k.block_id()[0]])
    kind = GatherScatterViewType((4, 16), _array_type(array), 0, PaddingValue.Zero)
    value = _through(k, "make_gather_scatter_view", array, kind, [rows, k.constant("i32", 0)], "4x16xf32")
    k.store(value, k.partition(out, (4, 16)), [k.block_id()[0], k.constant("i32", 0)])


@hand
def scattered_columns(k: Kernel) -> None:
    """A scatter view along axis 1, next to a plain view of the same array."""
    array = _matrix(k)
    value, _ = k.load(k.partition(array, (4, 16)), [k.block_id()[0], k.constant("i32", 0)])
    columns, _ = k.load(k.tiles("i32", 16), [k.constant("i32", 0)])
    (view,) = k.any(
        "make_gather_scatter_view",
        {"tensor_view": array},
        [GatherScatterViewType((4, 16), _array_type(array), 1, None)],
    )
    values = {"tile": value, "view": view, "index": [k.constant("i32", 8), columns]}
    k.any("store_view_tko", values, [TokenType()], inbounds=(False, False))


@hand
def turned_view(k: Kernel) -> None:
    """A partition whose tile axes are those of the array turned round."""
    array, out = _matrix(k), _matrix(k)
    row, column, _ = k.block_id()
    value, _ = k.load(k.partition(array, (8, 4), "Zero", (1, 0)), [row, column])
    k.store(value, k.partition(out, (8, 4)), [row, column])


@hand
def static_array(k: Kernel) -> None:
    """All extents and strides are in the type, and no axis is dense."""
    x, out = k.parameters("ptr<f32>", "ptr<f32>")
    row, column, _ = k.block_id()
    value, _ = k.load(k.partition(k.view(x, [32, 16], [64, 2]), (4, 8)), [row, column])
    k.store(value, k.partition(k.view(out, [32, 16], [16, 1]), (4, 8)), [row, column])


@hand
def columns_first(k: Kernel) -> None:
    """The dense axis is the first (column-major), the other stride is known at launch only."""
    x, out = k.parameters("ptr<f32>", "ptr<f32>")
    rows, columns, stride = k.numbers("i32", "i32", "i32")
    row, column, _ = k.block_id()
    value, _ = k.load(k.partition(k.view(x, [rows, columns], [1, stride]), (4, 8)), [row, column])
    k.store(value, k.partition(k.view(out, [rows, columns], [1, stride]), (4, 8)), [row, column])


@hand
def mixed_extents(k: Kernel) -> None:
    """A fixed extent before one known at launch, the order in which F7 and F12 bite."""
    x, out = k.parameters("ptr<f32>", "ptr<f32>")
    columns, stride = k.numbers("i32", "i32")
    row, column, _ = k.block_id()
    value, _ = k.load(k.partition(k.view(x, [64, columns], [stride, 1]), (4, 8)), [row, column])
    k.store(value, k.partition(k.view(out, [64, columns], [stride, 1]), (4, 8)), [row, column])


@hand
def moved_base(k: Kernel) -> None:
    """The view starts at an address that the kernel computes, its extent is a difference."""
    x, out = k.parameters("ptr<f32>", "ptr<f32>")
    start, end = k.numbers("i32", "i32")
    row = k.block_id()[0]
    part = k.view(k.offset(x, start), [k.subi(end, start)], [1])
    value, _ = k.load(k.partition(part, (16,), "Zero"), [row])
    k.store(value, k.partition(k.view(out, [end], [1]), (16,)), [row])


@hand
def view_in_loop(k: Kernel) -> None:
    """A view is made anew in each round of a loop, of an address that depends on the round."""
    x, out = k.parameters("ptr<f32>", "ptr<f32>")
    (count, extent) = k.numbers("i32", "i32")
    zero, one = k.constant("i32", 0), k.constant("i32", 1)
    with k.for_(zero, count, one, k.constant("16xf32", 0)) as loop:
        assert loop.index is not None
        part = k.view(k.offset(x, k.muli(loop.index, extent)), [extent], [1])
        value, _ = k.load(k.partition(part, (16,), "Zero"), [zero])
        k.end("continue", k.addf(loop.values[0], value))
    k.store(loop.results[0], k.partition(k.view(out, [extent], [1]), (16,)), [zero])


@hand
def wide_strides(k: Kernel) -> None:
    """Extents and strides of 64 bits."""
    x, out = k.parameters("ptr<f32>", "ptr<f32>")
    rows, columns, stride = k.numbers("i64", "i64", "i64")
    row, column, _ = k.block_id()
    value, _ = k.load(k.partition(k.view(x, [rows, columns], [stride, 1]), (4, 8)), [row, column])
    k.store(value, k.partition(k.view(out, [rows, columns], [stride, 1]), (4, 8)), [row, column])


def _of_rank(k: Kernel, rank: int) -> None:
    shape = (1,) * (rank - 1) + (16,)
    index = [*k.block_id(), *[k.constant("i32", 0)] * max(rank - 3, 0)][:rank]
    arrays: list[SSAValue] = []
    for base in k.parameters("ptr<f32>", "ptr<f32>"):
        sizes, steps = k.numbers(*["i32"] * rank), k.numbers(*["i32"] * (rank - 1))
        arrays.append(k.view(base, list(sizes), [*steps, 1]))
    value, _ = k.load(k.partition(arrays[0], shape), index)
    k.store(value, k.partition(arrays[1], shape), index)


@hand
def rank_5(k: Kernel) -> None:
    """Arrays and tiles of rank 5."""
    _of_rank(k, 5)


@hand
def rank_6(k: Kernel) -> None:
    """Arrays and tiles of rank 6."""
    _of_rank(k, 6)


@hand
def wide_tile(k: Kernel) -> None:
    """Tiles of 16,384 elements, and one of a single element."""
    big, small = k.tiles("f32", 16384), k.tiles("f32", 1)
    number = k.block_id()[0]
    value, _ = k.load(big, [number])
    one, _ = k.load(small, [number])
    k.store(k.addf(value, k.broadcast(one, to="16384xf32")), big, [number])


@hand
def extents_asked_for(k: Kernel) -> None:
    """The kernel asks views for their extents and their number of tiles."""
    array = _matrix(k)
    view = k.partition(array, (4, 8))
    rows, columns = k.any("get_tensor_shape", {"src": array}, ["i32", "i32"])
    tiles, across = k.any("get_index_space_shape", {"src": view}, ["i32", "i32"])
    total = k.addi(k.addi(rows, columns), k.muli(tiles, across))
    k.store(k.splat(total, (16,)), k.tiles("i32"), [k.constant("i32", 0)])


@hand
def reduced_in_memory(k: Kernel) -> None:
    """A reduction into memory through a view, relaxed and device-wide."""
    value, _ = k.load(k.tiles(), [k.block_id()[0]])
    attributes = {
        "mode": AtomicRMWMode.ADDF, "memory_ordering_semantics": MemoryOrderingSemantics.RELAXED,
        "memory_scope": MemoryScope.DEVICE, "inbounds": (False,),
    }  # fmt: skip
    values = {"view": k.tiles(), "index": [k.constant("i32", 0)], "value": value}
    k.any("atomic_red_view_tko", values, [TokenType()], **attributes)
