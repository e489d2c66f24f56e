"""Less usual ways to reach arrays: rows by a list of places, tiles that overlap, and pairs of tiles."""

from __future__ import annotations

from fuzzing.access import PADDINGS, hints
from fuzzing.forms import converts, tile
from fuzzing.kinds import I32, Kind
from fuzzing.scope import LANES, ArrayName, Name, Scope, Shape, lanes


def _indices(scope: Scope, array: ArrayName, shape: Shape) -> str:
    """A list of places along one axis, a slice along the other."""
    sparse = scope.upto(1)
    places = f"{tile(scope, I32, (shape[sparse],))} & {7 if array.shape[sparse] <= 8 else 15}"
    start = scope.upto(array.shape[1 - sparse] - 1)
    part = f"ct.Slice({start}, {shape[1 - sparse]})"
    return f"({places}, {part})" if sparse == 0 else f"({part}, {places})"


def picked(scope: Scope, kind: Kind, shape: Shape) -> str | None:
    """`ct.load_advanced_indexing`, or a tile of a view whose tiles overlap or leave gaps."""
    arrays = [array for array in scope.arrays if array.kind == kind or converts(array.kind, kind)]
    arrays = [array for array in arrays if array.rank == len(shape) and array.index == I32]
    if scope.in_helper or not arrays or lanes(shape) > LANES:
        return None
    array = scope.pick(sorted(arrays, key=lambda array: array.kind != kind))
    padding = scope.pick(PADDINGS if array.kind.group == "float" else PADDINGS[:2])
    pad = "" if padding == "UNDETERMINED" else f", padding_mode=ct.PaddingMode.{padding}"
    if array.rank == 2 and scope.one_in(2):
        text = f"ct.load_advanced_indexing({array.text}, {_indices(scope, array, shape)}{pad}{hints(scope)})"
    else:
        steps = tuple(scope.pick([extent, 1, 3, 2 * extent]) for extent in shape)
        counts = [-(-extent // step) for extent, step in zip(array.shape, steps, strict=True)]
        at = ", ".join(str(scope.upto(count - 1)) for count in counts)
        text = f"{array.text}.tiled_view({scope.tuple(shape)}{pad}, traversal_steps={scope.tuple(steps)}).load(({at},))"
    return text if array.kind == kind else f"{text}.astype({kind})"


def placed(scope: Scope) -> bool:
    """`ct.store_advanced_indexing`."""
    arrays = [array for array in scope.arrays if array.rank == 2 and array.index == I32]
    if not arrays:
        return paired(scope)
    array = scope.pick(arrays)
    shape = scope.pick([(4, 8), (2, 4), (8, 2)])
    at = _indices(scope, array, shape)
    scope.write(f"ct.store_advanced_indexing({array.text}, {at}, {tile(scope, array.kind, shape)})")
    return False


def paired(scope: Scope) -> bool:
    """Two tiles in a tuple, and one of them out of it."""
    names = list(reversed(scope.names))[:4]
    first, second = scope.pick(names), scope.pick(names)
    pair, name = scope.new("pair"), scope.new()
    scope.write(f"{pair} = ({first.text}, {tile(scope, second.kind, second.shape)})")
    number = scope.upto(1)
    chosen = second if number else first
    scope.write(f"{name} = {pair}[{number}]")
    scope.names.append(Name(name, chosen.kind, chosen.shape))
    return False
