"""Reading and writing arrays: tiles through views, and single elements by their places."""

from __future__ import annotations

from fuzzing.forms import converts, tile
from fuzzing.kinds import BOOL, I16, I32, I64, INTS, U32, Kind
from fuzzing.scope import LANES, ArrayName, Scope, Shape, lanes

PADDINGS = ("ZERO", "UNDETERMINED", "NEG_INF", "POS_INF", "NAN", "NEG_ZERO")
ATOMIC_KINDS = {32, 64}


def fitted(shape: Shape, rank: int) -> Shape | None:
    """A shape with this rank and as many elements, by ones put in front or left out; flat where that does not do."""
    bare = tuple(extent for extent in shape if extent != 1)
    if len(shape) == rank:
        return shape
    if len(bare) <= rank:
        return (1,) * (rank - len(bare)) + bare
    return (1,) * (rank - 1) + (lanes(shape),)


def index(scope: Scope, array: ArrayName, shape: Shape, order: Shape | None = None) -> str:
    """The index of a tile that lies at least partly inside the array."""
    parts: list[str] = []
    for axis in range(array.rank):
        place = order[axis] if order else axis
        count = -(-array.shape[place] // shape[axis])
        parts.append(_number(scope, count, axis))
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def _number(scope: Scope, count: int, axis: int) -> str:
    """An index below `count`."""
    block = min(axis, 2)
    extent = (*scope.grid, 1, 1)[block]
    here = f"ct.bid({block})"
    if count == 1 and not scope.one_in(6):
        return here if extent == 1 and scope.one_in(3) else "0"
    choices = [here if extent <= count else f"{here} % {count}", str(scope.upto(count - 1))]
    scalars = [name.text for name in scope.known(I32, ())[:3]]
    choices += [f"{name} % {count}" for name in scalars] + [f"max(min({name}, {count - 1}), 0)" for name in scalars]
    return scope.pick(choices)


def loaded(scope: Scope, kind: Kind, shape: Shape) -> str | None:
    """`ct.load` of a whole tile, then whatever gives it the type and shape."""
    arrays = [array for array in scope.arrays if array.kind == kind]
    others = [array for array in scope.arrays if converts(array.kind, kind)]
    pool = arrays if arrays and not scope.one_in(4) else others or arrays
    if not pool:
        return None
    array = scope.pick(pool)
    wanted = fitted(shape, array.rank)
    if wanted is None or any(extent > 64 for extent in wanted):
        return None
    text = _load(scope, array, () if shape == () and scope.one_in(2) else wanted, wanted)
    if shape not in (wanted,) and not text.endswith(", ())"):
        text = f"{text}.reshape({scope.tuple(shape)})"
    return text if array.kind == kind else f"{text}.astype({kind})"


def _load(scope: Scope, array: ArrayName, shape: Shape, full: Shape) -> str:
    if shape == ():
        return f"ct.load({array.text}, {index(scope, array, full)}, ())"
    order, options = None, ""
    if array.rank > 1 and scope.one_in(6):
        order = scope.pick([tuple(range(array.rank))[::-1], (0, 2, 1) if array.rank == 3 else (1, 0)])
        options += f", order={order}" if scope.one_in(2) or order != tuple(range(array.rank))[::-1] else ', order="F"'
    padding = scope.pick(PADDINGS if array.kind.group == "float" else PADDINGS[:2])
    options += f", padding_mode=ct.PaddingMode.{padding}" if padding != "UNDETERMINED" or scope.one_in(4) else ""
    whole = all(extent % tile == 0 for extent, tile in zip(array.shape, full, strict=True))
    if whole and order is None and scope.one_in(8):
        options += ", check_bounds=False"
    options += hints(scope) + _ordering(scope, "ACQUIRE")
    at = index(scope, array, full, order)
    if not options and scope.one_in(6):
        return f"{array.text}.tiled_view({scope.tuple(shape)}).load({at})"
    return f"ct.load({array.text}, {at}, {scope.tuple(shape)}{options})"


def hints(scope: Scope) -> str:
    """Hints that change no value."""
    return scope.pick(["", "", "", "", "", f", latency={1 + scope.upto(9)}", ", allow_tma=False", ", allow_tma=True"])


def _ordering(scope: Scope, strong: str) -> str:
    if not scope.one_in(24):
        return ""
    order, where = scope.pick(["RELAXED", strong]), scope.pick(["DEVICE", "SYS", "BLOCK"])
    return f", memory_order=ct.MemoryOrder.{order}, memory_scope=ct.MemoryScope.{where}"


def stored(scope: Scope, array: ArrayName, text: str, shape: Shape) -> str:
    """`ct.store` of a tile whose shape has the array's rank, or of a scalar."""
    full = shape or (1,) * array.rank
    order, options = None, ""
    if array.rank > 1 and shape and scope.one_in(8):
        order, options = tuple(range(array.rank))[::-1], ', order="F"'
    whole = all(extent % tile == 0 for extent, tile in zip(array.shape, full, strict=True))
    if whole and order is None and scope.one_in(10):
        options += ", check_bounds=False"
    options += hints(scope) + _ordering(scope, "RELEASE")
    at = index(scope, array, full, order)
    if not options and shape and scope.one_in(6):
        return f"{array.text}.tiled_view({scope.tuple(shape)}).store({at}, {text})"
    return f"ct.store({array.text}, {at}, {text}{options})"


def places(scope: Scope, array: ArrayName, shape: Shape, *, inside: bool) -> str:
    """Indices of single elements, one a tile axis or all of one shape, that broadcast to `shape`."""
    parts = [_place(scope, array.shape[axis], shape, axis, array.rank, inside) for axis in range(array.rank)]
    if array.rank == 1:
        return parts[0] if scope.one_in(2) else f"({parts[0]},)"
    return f"({', '.join(parts)})"


def _place(scope: Scope, extent: int, shape: Shape, axis: int, rank: int, inside: bool) -> str:
    kind = scope.pick([I32, I32, I64, U32, I16] if extent < 200 else [I32])
    own = shape
    if rank > 1 and len(shape) >= rank:
        own = tuple(size if place == len(shape) - rank + axis else 1 for place, size in enumerate(shape))
    if axis == 0 and rank > 1 and len(shape) > rank:
        own = (*shape[: len(shape) - rank + 1], *(1,) * (rank - 1))
    text = tile(scope, kind, own)
    if inside:
        return f"{text} % {extent}"
    return f"{text} & {31 if extent > 8 else 7}" if scope.one_in(2) else text


def gathered(scope: Scope, kind: Kind, shape: Shape) -> str | None:
    """`ct.gather`."""
    arrays = [array for array in scope.arrays if array.kind == kind or converts(array.kind, kind)]
    if not arrays or scope.in_helper or lanes(shape) > LANES:
        return None
    array = scope.pick(sorted(arrays, key=lambda array: array.kind != kind))
    inside = scope.one_in(6)
    options = ", check_bounds=False" if inside and scope.one_in(2) else ""
    if scope.one_in(3):
        options += f", mask={tile(scope, BOOL, shape)}"
    if scope.one_in(3) and array.kind.group in ("int", "float"):
        number = scope.pick(["1", "7"] if array.kind.group == "int" else ["1.0", "-2.0"])
        pad = tile(scope, array.kind, shape) if scope.one_in(5) else number
        options += f", padding_value={pad}"
    options += scope.pick(["", "", "", f", latency={1 + scope.upto(9)}"])
    at = places(scope, array, shape, inside=inside)
    text = _whole(scope, f"ct.gather({array.text}, {at}{options})", array, shape)
    return text if array.kind == kind else f"{text}.astype({kind})"


def _whole(scope: Scope, text: str, array: ArrayName, shape: Shape) -> str:
    """The indices of several axes may together be smaller than the shape: broadcast."""
    return text if array.rank <= len(shape) or array.rank == 1 else f"ct.broadcast_to({text}, {scope.tuple(shape)})"


def scattered(scope: Scope, array: ArrayName) -> str:
    """`ct.scatter`."""
    shape = scope.pick([(8,), (4,), (16,), (2, 4), ()]) if array.rank == 1 else (4, 8) if array.rank == 2 else (2, 2, 4)
    inside = scope.one_in(6)
    options = ", check_bounds=False" if inside and scope.one_in(2) else ""
    options += f", mask={tile(scope, BOOL, shape)}" if scope.one_in(3) else ""
    at = places(scope, array, shape, inside=inside)
    return f"ct.scatter({array.text}, {at}, {tile(scope, array.kind, shape)}{options})"


def changed(scope: Scope, array: ArrayName) -> str | None:
    """An atomic operation on single elements, or on a tile of a view."""
    kind = array.kind
    if kind.bits not in ATOMIC_KINDS or kind == BOOL or array.rank > 2:
        return None
    shape = scope.pick([(4,), (8,), ()]) if array.rank == 1 else (2, 4)
    names = ["add", "max", "min", "and", "or", "xor", "xchg"] if kind in INTS else ["add", "xchg"]
    name = scope.pick(names)
    if scope.one_in(4) and name != "xchg" and shape:
        view = f"{array.text}.tiled_view({scope.tuple(shape)})"
        return f"{view}.atomic_store_{name}({index(scope, array, shape)}, {tile(scope, kind, shape)})"
    at = places(scope, array, shape, inside=False)
    order = scope.pick(["", "", ", memory_order=ct.MemoryOrder.RELAXED"])
    if kind in INTS and scope.one_in(5):
        values = f"{tile(scope, kind, shape)}, {tile(scope, kind, shape)}"
        call = f"ct.atomic_cas({array.text}, {at}, {values}{order})"
    else:
        call = f"ct.atomic_{name}({array.text}, {at}, {tile(scope, kind, shape)}{order})"
    return call
