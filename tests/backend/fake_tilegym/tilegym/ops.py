"""Host code of operators, of which the kernels are in examples/."""

from typing import Any

import cuda.tile as ct
import softmax_rows
import vector_add

from tilegym.backend import dispatch, get_current_backend, register_impl


@register_impl("softmax", backend="cutile")
def softmax_cutile(x: Any, y: Any) -> None:
    """A block for every row."""
    ct.launch(7, (x.shape[0],), softmax_rows.softmax_rows, (x, y, 1024))


@register_impl("add_softmax", backend="cutile")
def add_softmax_cutile(x: Any, y: Any) -> None:
    """An operator that calls another one."""
    ct.launch(7, (8,), vector_add.vector_add, (x, x, y, 1024))
    dispatch("softmax", x, y)


def tile_size() -> int:
    """Host code that depends on the backend, as TileGym's mixture of experts has it."""
    return {"cutile": 128, "tilecpp": 64}[get_current_backend()]
