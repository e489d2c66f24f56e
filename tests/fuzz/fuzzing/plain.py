"""Run the text of a generated kernel as ordinary Python: `ct` is a module of NumPy functions, a block is a call."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import cuda.tile
import numpy as np

from fuzzing import exact, lanes, memory, shaping
from fuzzing.kinds import ALL, BOOL, F32, I32, Kind
from fuzzing.lanes import Lanes, Open, arithmetic, bitwise, compare, extreme, made, moved, shift
from fuzzing.memory import Memory

IMPORT = "import cuda.tile as ct\n"
NOT = "not_"


def _float_of(x: Any) -> Lanes:
    return x if x.kind.is_float else lanes.cast(x, F32)


def _sqrt(x: Any, **modes: Any) -> Lanes:
    x = _float_of(x)
    v, sure = exact.root(x.kind, np.where(np.isfinite(x.v), x.v, -1))
    return Lanes(x.kind, np.asarray(v), x.k & sure)


def _astype(x: Lanes, dtype: Kind, rounding_mode: Any = None) -> Lanes:
    return lanes.cast(x, dtype, nearest=rounding_mode is None)


def _isnan(x: Lanes) -> Lanes:
    return Lanes(BOOL, np.asarray(np.isnan(x.v)), x.k)


def _divmod(x: Any, y: Any) -> tuple[Lanes, Lanes]:
    return arithmetic("floordiv", x, y), arithmetic("mod", x, y)


def _num_tiles(array: Memory, axis: int, shape: Any, order: Any = "C") -> Lanes:
    full = memory._shape(shape)
    axes = memory._order(order, array.ndim)
    return made(I32, -(-array.v.shape[axes[axis]] // full[axis]))


def _nothing(*values: Any, **options: Any) -> None:
    """What a kernel says leaves no trace in memory."""


def _each(names: str, function: Any, form: str = "{}") -> dict[str, Any]:
    """Several functions of one kind, each told its own name."""
    return {form.format(name): lambda *a, name=name, **modes: function(name, *a, **modes) for name in names.split()}


def _numpy(names: str, function: Any) -> dict[str, Any]:
    """Functions that NumPy has under the same name."""
    return {name: lambda a, b, name=name, **modes: function(getattr(np, name), a, b) for name in names.split()}


SHIFTS = {"bitwise_lshift": np.left_shift, "bitwise_rshift": np.right_shift}
SHAPING = "reshape permute transpose expand_dims cat extract insert bitcast where full arange reduce scan mma matmul"
CT = {
    **{kind.name: kind for kind in ALL},
    **{name: getattr(cuda.tile, name) for name in "PaddingMode RoundingMode MemoryOrder MemoryScope Constant".split()},
    **_each("add sub mul truediv floordiv mod cdiv", lambda name, a, b, **modes: arithmetic(name, a, b)),
    **_each("sum prod max min", shaping.fold),
    **_each("argmax argmin", shaping.position),
    **_each("cumsum cumprod", shaping.running),
    **_each(" ".join(memory.ATOMIC), memory.atomic, "atomic_{}"),
    **_numpy("maximum minimum", extreme),
    **_numpy("bitwise_and bitwise_or bitwise_xor", bitwise),
    **_numpy("less less_equal greater greater_equal equal not_equal", compare),
    **{name: lambda a, b, way=way: shift(way, a, b) for name, way in SHIFTS.items()},
    **dict.fromkeys("exp exp2 log log2 rsqrt sin cos tan sinh cosh tanh pow atan2".split(), lanes.unsure),
    **{name: getattr(shaping, name) for name in SHAPING.split()},
    "kernel": lambda function: function,
    "abs": abs, "negative": lambda x: -x, "bitwise_not": lambda x: ~x, "isnan": _isnan, "divmod": _divmod,
    "floor": lambda x: moved(x, np.floor), "ceil": lambda x: moved(x, np.ceil), "sqrt": _sqrt, "astype": _astype,
    "broadcast_to": lambda x, shape: lanes.stretched(x, memory._shape(shape)),
    "ones": lambda shape, dtype: shaping.full(shape, 1, dtype),
    "zeros": lambda shape, dtype: shaping.full(shape, 0, dtype),
    "load": memory.load, "store": memory.store, "gather": memory.gather, "scatter": memory.scatter,
    "load_advanced_indexing": memory.load_rows, "store_advanced_indexing": memory.store_rows, "Slice": memory.Slice,
    "atomic_cas": memory.compare_and_swap, "num_tiles": _num_tiles, "assert_": _nothing, "printf": _nothing,
    "assume_divisible_by": lambda x, divisor: x,
}  # fmt: skip


def _range(*bounds: Any) -> Iterator[Lanes]:
    """`range` whose numbers are tiles of type int32, as in a kernel."""
    return (made(I32, number) for number in range(*map(int, bounds)))


def _minmax(function: Any) -> Any:
    return lambda a, b: extreme(function, a, b)


class _Words(ast.NodeTransformer):
    """`not x` as a call: Python makes a plain number of it, and the language a tile."""

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        return ast.Call(ast.Name(NOT, ast.Load()), [node.operand], [])


def namespace(text: str, block: Sequence[int], grid: Sequence[int]) -> dict[str, Any]:
    """The names of a kernel's file, with `ct` as it is in one block."""
    here = {"bid": lambda axis: made(I32, block[axis]), "num_blocks": lambda axis: made(I32, grid[axis])}
    names: dict[str, Any] = {
        "ct": SimpleNamespace(**CT, **here), "range": _range, "min": _minmax(np.minimum), "max": _minmax(np.maximum),
        "math": math, NOT: lanes.negated,
    }  # fmt: skip
    source = ast.parse(text.replace(IMPORT, ""))
    source.body = [node for node in source.body if not isinstance(node, ast.Import)]
    source = ast.fix_missing_locations(_Words().visit(source))
    exec(compile(source, "kernel.py", "exec"), names)
    return names


def run(text: str, kernel: str, arguments: Mapping[str, Any], grid: Sequence[int]) -> bool:
    """Run all blocks, x fastest, on arguments by name; whether control flow was known to the end.

    Arrays are `Memory`, which is changed; scalars are `Lanes`; constants plain numbers.
    """
    full = (*grid, 1, 1)[:3]
    with np.errstate(all="ignore"):
        for z, y, x in itertools.product(*(range(extent) for extent in reversed(full))):
            try:
                namespace(text, (x, y, z), full)[kernel](**arguments)
            except Open:
                return False
    return True
