"""Expressions that rearrange tiles, or fold them along an axis."""

from __future__ import annotations

from fuzzing.forms import tile
from fuzzing.kinds import BOOL, FLOATS, I32, INTS, Kind
from fuzzing.scope import LANES, Scope, Shape, lanes


def reshaped(scope: Scope, kind: Kind, shape: Shape) -> str:
    """From another shape with as many elements."""
    count = lanes(shape)
    others = [s for s in ((count,), (1, count), (count, 1), (2, count // 2), (1, 1, count)) if lanes(s) == count]
    source = scope.pick([s for s in others if s != shape] or [shape])
    form = scope.pick(["ct.reshape({}, {})", "{}.reshape({})"])
    return form.format(tile(scope, kind, source), scope.tuple(shape))


def permuted(scope: Scope, kind: Kind, shape: Shape) -> str | None:
    """Axes in another order."""
    if len(shape) < 2:
        return None
    if len(shape) == 2:
        return f"ct.transpose({tile(scope, kind, shape[::-1])})"
    axes = scope.pick([(0, 2, 1), (1, 0, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)])
    source = [0, 0, 0]
    for place, axis in enumerate(axes):
        source[axis] = shape[place]
    return f"ct.permute({tile(scope, kind, tuple(source))}, {axes})"


def widened(scope: Scope, kind: Kind, shape: Shape) -> str | None:
    """Broadcasting, or an axis of one element that is put in."""
    ones = [axis for axis, extent in enumerate(shape) if extent == 1]
    if ones and scope.one_in(2):
        axis = scope.pick(ones)
        inner = tile(scope, kind, (*shape[:axis], *shape[axis + 1 :]))
        marks = ", ".join("None" if place == axis else ":" for place in range(len(shape)))
        return scope.pick([f"ct.expand_dims({inner}, {axis})", f"({inner})[{marks}]"])
    if not shape:
        return f"{tile(scope, kind, (1,))}.item()"
    axis = scope.upto(len(shape) - 1)
    inner = scope.pick([(*shape[:axis], 1, *shape[axis + 1 :]), shape[1:], shape[axis + 1 :]])
    return f"ct.broadcast_to({tile(scope, kind, inner)}, {scope.tuple(shape)})"


def joined(scope: Scope, kind: Kind, shape: Shape) -> str | None:
    """Two halves."""
    axes = [axis for axis, extent in enumerate(shape) if extent > 1]
    if not axes:
        return None
    axis = scope.pick(axes)
    half = (*shape[:axis], shape[axis] // 2, *shape[axis + 1 :])
    return f"ct.cat(({tile(scope, kind, half)}, {tile(scope, kind, half)}), {axis})"


def cut(scope: Scope, kind: Kind, shape: Shape) -> str | None:
    """A part of a larger tile."""
    if not shape or lanes(shape) * 2 > LANES:
        return None
    axis = scope.upto(len(shape) - 1)
    source = (*shape[:axis], shape[axis] * 2, *shape[axis + 1 :])
    at = ", ".join(str(scope.upto(1)) if place == axis else "0" for place in range(len(shape)))
    return f"ct.extract({tile(scope, kind, source)}, ({at},), {scope.tuple(shape)})"


def put_in(scope: Scope, kind: Kind, shape: Shape) -> str | None:
    """A smaller tile in place of a part."""
    axes = [axis for axis, extent in enumerate(shape) if extent > 1]
    if not axes:
        return None
    axis = scope.pick(axes)
    part = (*shape[:axis], shape[axis] // 2, *shape[axis + 1 :])
    at = ", ".join(str(scope.upto(1)) if place == axis else "0" for place in range(len(shape)))
    return f"ct.insert({tile(scope, kind, shape)}, ({at},), {tile(scope, kind, part)})"


SHAPES = (reshaped, permuted, widened, joined, cut, put_in)


def folded(scope: Scope, kind: Kind, shape: Shape) -> str | None:
    """A reduction along one axis, or of everything."""
    extent = 2 << scope.upto(2)
    if lanes(shape) * extent > LANES:
        return None
    kept = [axis for axis, size in enumerate(shape) if size == 1]
    axis = scope.pick(kept) if kept and scope.one_in(2) else None
    keepdims = ", keepdims=True" if axis is not None else ""
    if axis is None:
        if len(shape) == 3:
            return None
        axis = scope.upto(len(shape))
        source = (*shape[:axis], extent, *shape[axis:])
    else:
        source = (*shape[:axis], extent, *shape[axis + 1 :])
    if not shape and scope.one_in(3):
        source = (2, extent)
        return f"ct.{scope.pick(['sum', 'max', 'min'])}({tile(scope, kind, source)})"
    if scope.one_in(12):
        return _custom(scope, kind, source, axis, keepdims, "reduce")
    name = scope.pick(["sum", "max", "min", "sum", "max", "prod"])
    if kind == I32 and name == "sum" and scope.one_in(4):
        return f"ct.sum({tile(scope, BOOL, source)}, axis={axis}{keepdims})"
    return f"ct.{name}({tile(scope, kind, source)}, axis={axis}{keepdims})"


def _custom(scope: Scope, kind: Kind, source: Shape, axis: int, more: str, form: str) -> str:
    """A reduction or scan with a function of one's own, which is associative on integers."""
    inner = tile(scope, kind, source)
    functions = [("a + b", "0"), ("ct.maximum(a, b)", "0"), ("a * b", "1")]
    if kind in INTS:
        functions += [("a ^ b", "0"), ("a | b", "0")]
    function, identity = scope.pick(functions)
    identity = identity if kind in INTS else identity + ".0"
    return f"ct.{form}({inner}, {axis}, lambda a, b: {function}, {identity}{more})"


def running(scope: Scope, kind: Kind, shape: Shape) -> str | None:
    """A scan along an axis."""
    if not shape:
        return None
    axis = scope.upto(len(shape) - 1)
    backwards = ", reverse=True" if scope.one_in(3) else ""
    if scope.one_in(10):
        return _custom(scope, kind, shape, axis, backwards, "scan")
    name = scope.pick(["cumsum", "cumsum", "cumsum", "cumprod"])
    return f"ct.{name}({tile(scope, kind, shape)}, axis={axis}{backwards})"


def counted(scope: Scope, kind: Kind, shape: Shape) -> str | None:
    """Numbers that the kernel asks for: block ids, extents, positions of the largest."""
    if kind != I32:
        return None
    if shape:
        if len(shape) == 3:
            return None
        axis, extent = scope.upto(len(shape)), 2 << scope.upto(1)
        source = (*shape[:axis], extent, *shape[axis:])
        inner = tile(scope, scope.pick([I32, *FLOATS]), source)
        return f"ct.{scope.pick(['argmax', 'argmin'])}({inner}, axis={axis})" if scope.one_in(4) else None
    if scope.in_helper:
        return None
    array = scope.pick(scope.arrays)
    axis = scope.upto(array.rank - 1)
    forms = [f"ct.bid({scope.upto(2)})", f"ct.num_blocks({scope.upto(2)})"]
    forms.append(f"ct.num_tiles({array.text}, {axis}, {scope.tuple((4,) * array.rank)})")
    if array.dynamic[axis] and array.index == I32:
        forms.append(f"{array.text}.shape[{axis}]")
    return scope.pick(forms)
