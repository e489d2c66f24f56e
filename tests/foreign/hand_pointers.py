"""Pointer arithmetic as Triton writes it: no views, addresses in tiles, masks for the ragged end."""

from __future__ import annotations

from builder import tile  # pyright: ignore[reportMissingImports]
from hand import Kernel, hand
from xdsl.ir import SSAValue

from ferrotile.ir.enums import (
    AtomicRMWMode,
    IntegerOverflow,
    MemoryOrderingSemantics,
    MemoryScope,
    PointerAttribute,
)
from ferrotile.ir.types import PointerType, ScalarType, TileType, TokenType

SIZE = 16
RELAXED = {
    "mode": AtomicRMWMode.ADD, "memory_ordering_semantics": MemoryOrderingSemantics.RELAXED,
    "memory_scope": MemoryScope.DEVICE,
}  # fmt: skip


def lanes(k: Kernel, size: int = SIZE) -> SSAValue:
    """The element numbers of this block: block id times size, plus 0, 1, 2, ..."""
    start = k.muli(k.block_id()[0], k.constant("i32", size))
    (arange,) = k.any("iota", {}, [f"{size}xi32"])
    return k.addi(k.splat(start, (size,)), arange)


def addresses(k: Kernel, base: SSAValue, numbers: SSAValue) -> SSAValue:
    """A pointer to each element."""
    return k.offset(k.splat(base, numbers.type.shape), numbers)  # pyright: ignore[reportAttributeAccessIssue]


@hand
def pointers_add(k: Kernel) -> None:
    """The vector addition of Triton's tutorial: splat pointer, offset tile, mask from the extent."""
    x, y, out = k.parameters("ptr<f32>", "ptr<f32>", "ptr<f32>")
    (extent,) = k.parameters("i32")
    numbers = lanes(k)
    inside = k.compared(numbers, k.splat(extent, (SIZE,)))
    a, b = (k.load_pointers(addresses(k, p, numbers), inside)[0] for p in (x, y))
    k.store_pointers(addresses(k, out, numbers), k.addf(a, b), inside)


@hand
def pointers_other(k: Kernel) -> None:
    """Masked load with an `other` that is neither zero nor infinite."""
    x, out = k.parameters("ptr<f32>", "ptr<f32>")
    (extent,) = k.parameters("i32")
    numbers = lanes(k)
    inside = k.compared(numbers, k.splat(extent, (SIZE,)))
    value, _ = k.load_pointers(addresses(k, x, numbers), inside, k.constant("16xf32", -1.5))
    k.store_pointers(addresses(k, out, numbers), value)


@hand
def pointers_other_tile(k: Kernel) -> None:
    """Masked load whose `other` is a tile that was loaded before."""
    x, y, out = k.parameters("ptr<f32>", "ptr<f32>", "ptr<f32>")
    (extent,) = k.parameters("i32")
    numbers = lanes(k)
    inside = k.compared(numbers, k.splat(extent, (SIZE,)))
    other, _ = k.load_pointers(addresses(k, y, numbers))
    value, _ = k.load_pointers(addresses(k, x, numbers), inside, other)
    k.store_pointers(addresses(k, out, numbers), value)


def _grid(k: Kernel, rows: SSAValue, columns: SSAValue, stride: SSAValue) -> SSAValue:
    """`rows[:, None] * stride + columns[None, :]`, 16 by 16."""
    across = k.broadcast(k.reshape(rows, to="16x1xi32"), to="16x16xi32")
    along = k.broadcast(k.reshape(columns, to="1x16xi32"), to="16x16xi32")
    return k.addi(k.muli(across, k.splat(stride, (16, 16))), along)


@hand
def pointers_matmul(k: Kernel) -> None:
    """Matrix product over pointer tiles of rank 2 that the loop carries and moves on."""
    a, b, out = k.parameters("ptr<f16>", "ptr<f16>", "ptr<f32>")
    depth, a_stride, b_stride, out_stride = k.parameters("i32", "i32", "i32", "i32")
    (arange,) = k.any("iota", {}, ["16xi32"])
    rows = k.addi(k.splat(k.muli(k.block_id()[0], k.constant("i32", 16)), (16,)), arange)
    a_pointers = addresses(k, a, _grid(k, rows, arange, a_stride))
    b_pointers = addresses(k, b, _grid(k, arange, arange, b_stride))
    ahead = k.constant("16x16xi32", 16)
    down = k.splat(k.muli(b_stride, k.constant("i32", 16)), (16, 16))
    zero, step = k.constant("i32", 0), k.constant("i32", 16)
    with k.for_(zero, depth, step, k.constant("16x16xf32", 0), a_pointers, b_pointers) as loop:
        total, here, there = loop.values
        left, _ = k.load_pointers(here)
        right, _ = k.load_pointers(there)
        (total,) = k.any("mmaf", {"lhs": left, "rhs": right, "acc": total}, ["16x16xf32"])
        k.end("continue", total, k.offset(here, ahead), k.offset(there, down))
    k.store_pointers(addresses(k, out, _grid(k, rows, arange, out_stride)), loop.results[0])


@hand
def pointers_2d_padded(k: Kernel) -> None:
    """Masked load of rank 2 with a padding value, which cutile 0.5.0 cannot write directly."""
    x, out = k.parameters("ptr<f32>", "ptr<f32>")
    rows, columns, stride = k.parameters("i32", "i32", "i32")
    (arange,) = k.any("iota", {}, ["16xi32"])
    numbers = _grid(k, arange, arange, stride)
    across = k.broadcast(k.reshape(k.compared(arange, k.splat(rows, (16,))), to="16x1xi1"), to="16x16xi1")
    along = k.broadcast(k.reshape(k.compared(arange, k.splat(columns, (16,))), to="1x16xi1"), to="16x16xi1")
    inside = k.andi(across, along)
    value, _ = k.load_pointers(addresses(k, x, numbers), inside, k.constant("16x16xf32", 0))
    k.store_pointers(addresses(k, out, numbers), value, inside)


@hand
def pointer_carried(k: Kernel) -> None:
    """A loop that carries one pointer, rank 0, and moves it on element by element."""
    x, out = k.parameters("ptr<f32>", "ptr<f32>")
    (extent,) = k.parameters("i32")
    one = k.constant("i32", 1)
    with k.for_(k.constant("i32", 0), extent, one, x, k.constant("f32", 0)) as loop:
        here, total = loop.values
        value, _ = k.load_pointers(here)
        k.end("continue", k.offset(here, one), k.addf(total, value))
    k.store_pointers(out, loop.results[1])


@hand
def pointers_selected(k: Kernel) -> None:
    """`select` between two tiles of pointers, lane by lane."""
    x, y, out = k.parameters("ptr<f32>", "ptr<f32>", "ptr<f32>")
    (arange,) = k.any("iota", {}, ["16xi32"])
    first = k.compared(arange, k.constant("16xi32", 5))
    both = [addresses(k, p, arange) for p in (x, y)]
    (chosen,) = k.any("select", {"cond": first, "val_if_true": both[0], "val_if_false": both[1]}, [both[0].type])
    k.store_pointers(addresses(k, out, arange), k.load_pointers(chosen)[0])


@hand
def pointers_from_branch(k: Kernel) -> None:
    """A branch that yields the pointer to read from."""
    x, y, out = k.parameters("ptr<f32>", "ptr<f32>", "ptr<f32>")
    (flag,) = k.parameters("i32")
    then, other, (base,) = k.if_(k.compared(flag, k.constant("i32", 3)), x)
    with then:
        k.end("yield", x)
    with other:
        k.end("yield", k.offset(y, flag))
    (arange,) = k.any("iota", {}, ["16xi32"])
    k.store_pointers(addresses(k, out, arange), k.load_pointers(addresses(k, base, arange))[0])


@hand
def pointers_64_bit(k: Kernel) -> None:
    """Offsets of 64 bits, widened before they are multiplied."""
    x, out = k.parameters("ptr<f32>", "ptr<f32>")
    (stride,) = k.parameters("i64")
    (arange,) = k.any("iota", {}, ["16xi32"])
    wide = k.muli(k.exti(arange, to="16xi64"), k.splat(stride, (16,)), overflow=IntegerOverflow.NSW)
    k.store_pointers(addresses(k, out, wide), k.load_pointers(addresses(k, x, wide))[0])


@hand
def pointers_in_memory(k: Kernel) -> None:
    """An array of addresses: 64-bit numbers are loaded and used as pointers."""
    table, out = k.parameters("ptr<i64>", "ptr<f32>")
    (arange,) = k.any("iota", {}, ["16xi32"])
    numbers, _ = k.load_pointers(addresses(k, table, arange))
    (found,) = k.any("int_to_ptr", {"source": numbers}, ["16xptr<f32>"])
    k.store_pointers(addresses(k, out, arange), k.load_pointers(found)[0])


@hand
def pointers_cast(k: Kernel) -> None:
    """The bits of an f32 array read as i32 through a pointer of another type."""
    x, out = k.parameters("ptr<f32>", "ptr<i32>")
    (arange,) = k.any("iota", {}, ["16xi32"])
    (bits,) = k.any("ptr_to_ptr", {"source": x}, ["ptr<i32>"])
    k.store_pointers(addresses(k, out, arange), k.load_pointers(addresses(k, bits, arange))[0])


@hand
def pointers_histogram(k: Kernel) -> None:
    """Masked atomic additions at addresses that the data gives."""
    x, out = k.parameters("ptr<i32>", "ptr<i32>")
    (extent,) = k.parameters("i32")
    numbers = lanes(k)
    inside = k.compared(numbers, k.splat(extent, (SIZE,)))
    value, _ = k.load_pointers(addresses(k, x, numbers), inside, k.constant("16xi32", 0))
    bins = k.andi(value, k.constant("16xi32", 7))
    values = {"pointers": addresses(k, out, bins), "arg": k.constant("16xi32", 1), "mask": inside}
    k._add(
        "atomic_rmw_tko",
        values,
        RELAXED,
        [tile("16xi32"), TokenType()],
    )


@hand
def pointer_of_rank_0(k: Kernel) -> None:
    """One number is read and written through pointers of rank 0, under a mask of rank 0."""
    x, out = k.parameters("ptr<f64>", "ptr<f64>")
    (extent,) = k.parameters("i32")
    number = k.block_id()[0]
    inside = k.compared(number, extent)
    value, _ = k.load_pointers(k.offset(x, number), inside, k.constant("f64", 0.5))
    k.store_pointers(k.offset(out, number), k.mulf(value, value), inside)


@hand(version=(13, 5))
def pointers_of_a_kind(k: Kernel) -> None:
    """A pointer that is said to lead to memory of one device only."""
    x, out = k.parameters("ptr<f32>", "ptr<f32>")
    kind = TileType(PointerType(ScalarType("f32"), PointerAttribute.Unicast), ())
    (own,) = k.any("ptr_to_ptr", {"source": x}, [kind])
    k.store_pointers(out, k.load_pointers(own)[0])
