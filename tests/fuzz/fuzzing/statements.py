"""Statements: assignments, stores, branches and loops. A block's own names end with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fuzzing import access, windows
from fuzzing.forms import tile
from fuzzing.kinds import BOOL, F16, F32, FLOATS, I32, INTS, Kind
from fuzzing.scope import Name, Scope, Shape

Statement = Callable[[Scope], bool]
SHAPES: tuple[Shape, ...] = (
    (8,), (4,), (16,), (2,), (1,), (4, 8), (8, 4), (2, 16), (8, 8), (1, 8), (2, 4, 4), (2, 2, 8),
)  # fmt: skip
KINDS: tuple[Kind, ...] = (F32, I32, F16, *INTS, *FLOATS, BOOL)


def block(scope: Scope, most: int) -> None:
    """Some statements; at least one."""
    for _ in range(1 + scope.upto(most - 1)):
        if statement(scope):
            return


def statement(scope: Scope) -> bool:
    """One statement; whether nothing can follow it."""
    forms = FLAT if scope.depth >= 3 or scope.budget <= 0 else ANY
    return scope.pick(forms)(scope)


def shape_of(scope: Scope) -> Shape:
    """A shape: of something known, of a usual tile, or of a scalar."""
    if scope.one_in(4):
        return ()
    shapes = list(dict.fromkeys(name.shape for name in scope.names if name.shape))[-3:]
    return scope.pick(shapes) if shapes and not scope.one_in(3) else scope.pick(SHAPES)


def kind_of(scope: Scope) -> Kind:
    """A type: of something known, or any."""
    kinds = [name.kind for name in scope.names[-4:]]
    return scope.pick(kinds) if kinds and not scope.one_in(3) else scope.pick(KINDS)


def assigned(scope: Scope) -> bool:
    """A new variable."""
    kind, shape = kind_of(scope), shape_of(scope)
    text = tile(scope, kind, shape)
    name = scope.new()
    scope.write(f"{name} = {text}")
    scope.names.append(Name(name, kind, shape))
    return False


def changed(scope: Scope) -> bool:
    """A variable gets another value of its type, by itself, by an operator, or by exchange."""
    names = [name for name in reversed(scope.names) if not name.fixed][:5]
    if not names:
        return assigned(scope)
    name = scope.pick(names)
    alike = [other for other in names if (other.kind, other.shape) == (name.kind, name.shape) and other != name]
    if alike and scope.one_in(4):
        other = scope.pick(alike)
        scope.write(f"{name.text}, {other.text} = {other.text}, {name.text}")
    elif name.kind.group in ("int", "float") and scope.one_in(2):
        scope.write(f"{name.text} {scope.pick(['+=', '-=', '*='])} {tile(scope, name.kind, name.shape)}")
    else:
        scope.write(f"{name.text} = {tile(scope, name.kind, name.shape)}")
    return False


def kept(scope: Scope) -> bool:
    """Something is stored."""
    array = scope.pick(scope.arrays)
    names = [name for name in reversed(scope.names) if len(name.shape) in (0, array.rank) and name.kind == array.kind]
    if names and scope.one_in(2):
        name = scope.pick(names[:3])
        text, shape = name.text, name.shape
    else:
        usual = [shape for shape in SHAPES if len(shape) == array.rank]
        shape = () if scope.one_in(8) else scope.pick(usual)
        text = tile(scope, array.kind, shape)
    scope.write(access.stored(scope, array, text, shape))
    return False


def scattered(scope: Scope) -> bool:
    """Single elements are stored."""
    scope.write(access.scattered(scope, scope.pick(scope.arrays)))
    return False


def updated(scope: Scope) -> bool:
    """Atomic operations; what an element held is a value like any other."""
    arrays = [array for array in scope.arrays if array.kind.bits in access.ATOMIC_KINDS]
    call = access.changed(scope, scope.pick(arrays)) if arrays else None
    if call is None:
        return kept(scope)
    scope.write(call)
    return False


def said(scope: Scope) -> bool:
    """What leaves no trace in memory: assertions and printing."""
    scope.write(scope.pick(['ct.assert_(ct.bid(0) >= 0, "negative")', 'ct.printf("block %d", ct.bid(0))']))
    return False


@contextmanager
def inside(scope: Scope, *names: Name, loop: bool = False) -> Iterator[None]:
    """Write an indented block with names of its own."""
    before = list(scope.names)
    scope.names += names
    scope.depth += 1
    scope.loops += loop
    yield
    scope.depth -= 1
    scope.loops -= loop
    scope.names = before


def condition(scope: Scope) -> str:
    """A scalar truth value; sometimes two comparisons in one."""
    if scope.one_in(6):
        low, high = scope.upto(2), scope.upto(4)
        return f"{low} <= {tile(scope, I32, ())} < {low + 1 + high}"
    return tile(scope, BOOL, ())


def branch(scope: Scope) -> bool:
    """`if`, with `elif` and `else`."""
    scope.write(f"if {condition(scope)}:")
    with inside(scope):
        block(scope, 3)
    if scope.one_in(5):
        scope.write(f"elif {condition(scope)}:")
        with inside(scope):
            block(scope, 2)
    if scope.one_in(2):
        scope.write("else:")
        with inside(scope):
            block(scope, 2)
    return False


def bounds(scope: Scope) -> str:
    """Arguments of `range` for a few rounds."""
    scalars = [name.text for name in scope.known(I32, ()) if name.text.startswith("s")]
    few = [str(2 + scope.upto(2)), "ct.bid(0) + 1", *scalars, *(f"{name} + 1" for name in scalars)]
    few += [name for name, value in scope.constants.items() if value <= 4]
    arrays = [array for array in scope.arrays if array.rank == 1]
    few += [f"ct.num_tiles({array.text}, 0, ({1 << max(3, array.shape[0].bit_length() - 2)},))" for array in arrays]
    end = scope.pick(few)
    return scope.pick([end, end, f"{scope.upto(2)}, {end}", f"{scope.upto(1)}, {end}, {1 + scope.upto(1)}"])


def counted(scope: Scope) -> bool:
    """`for`."""
    name = scope.new("i")
    scope.write(f"for {name} in range({bounds(scope)}):")
    with inside(scope, Name(name, I32, (), fixed=True), loop=True):
        block(scope, 3)
    return False


def repeated(scope: Scope) -> bool:
    """`while`, by a counter that nothing else changes."""
    name = scope.new("n")
    scope.write(f"{name} = {tile(scope, I32, ())} & 3")
    counter = Name(name, I32, (), fixed=True)
    also = f" and {tile(scope, BOOL, ())}" if scope.one_in(4) else ""
    scope.write(f"while {name} > 0{also}:")
    with inside(scope, counter, loop=True):
        scope.write(f"{name} = {name} - 1")
        block(scope, 3)
    scope.names.append(counter)
    return False


def left(scope: Scope) -> bool:
    """Leave a loop, a round, or the kernel, under a condition."""
    ways = ["break", "continue"] * 4 if scope.loops else []
    way = scope.pick([*ways, "return"])
    if way == "return" and scope.depth > 1 and not scope.one_in(6):
        return changed(scope)
    scope.write(f"if {condition(scope)}:")
    with inside(scope):
        if scope.one_in(2):
            kept(scope)
        scope.write(way)
    return False


def part(scope: Scope) -> bool:
    """A part of an array, which is then an array."""
    arrays = [array for array in scope.arrays if array.dynamic[0] and array.index == I32 and array.shape[0] >= 4]
    if not arrays or scope.loops or scope.depth > 1:
        return kept(scope)
    array = scope.pick(arrays)
    start = scope.upto(array.shape[0] // 2)
    stop = array.shape[0] - scope.upto(array.shape[0] // 4)
    name = scope.new("part")
    scope.write(f"{name} = {array.text}.slice(axis=0, start={start}, stop={stop})")
    shape = (stop - start, *array.shape[1:])
    scope.arrays.append(type(array)(name, array.kind, shape, (False,) * array.rank, array.index))
    return False


FLAT: tuple[Statement, ...] = (
    assigned,
    assigned,
    changed,
    changed,
    kept,
    kept,
    scattered,
    updated,
    left,
    windows.placed,
)
ANY: tuple[Statement, ...] = (
    *FLAT,
    assigned,
    changed,
    branch,
    counted,
    branch,
    counted,
    repeated,
    part,
    said,
    windows.paired,
)
