"""Kernels that the lower tests share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ferrotile.lower import RustSource, TensorSpec

_TEXT = """\
#[cutile::module]
pub mod scale {{
    use cutile::core::*;
    use ferrotile_prelude::prelude::*;

    #[cutile::entry()]
    pub unsafe fn scale(x: &Tensor<f32, {{ [-1] }}>, z: &Tensor<f32, {{ [-1] }}>) {{
        let pid: (i32, i32, i32) = get_tile_block_id();
        let px: Partition<f32, {{ [256] }}> =
            make_partition_view(x, const_shape![256], padding::None, dim_map::Identity, get_tensor_token(x));
        let a: Tile<f32, {{ [256] }}> =
            load_view_tko(&px, [pid.0], ordering::Weak, scope::TileBlock, None, tma::Enabled);
        {body}
        let mut pz: PartitionMut<f32, {{ [256] }}> = z.partition_full_mut(const_shape![256]);
        store_view_tko_mut(&mut pz, a, [pid.0], ordering::Weak, scope::TileBlock, None, tma::Enabled);
    }}
}}
"""
BODY_LINE = 13


@pytest.fixture
def scale() -> Callable[..., RustSource]:
    """A kernel that loads one tile as `a` and stores `a`; the body between stands at line 13, column 8."""

    def make(body: str = "", **changes: object) -> RustSource:
        dense = TensorSpec((16,), (1,), (True,), 16)
        fields: dict[str, object] = {
            "text": _TEXT.format(body=body),
            "file": "kernel.rs",
            "module": "scale",
            "entry": "scale",
            "strides": (("x", (1,)), ("z", (1,))),
            "specs": (("x", dense), ("z", dense)),
        }
        return RustSource(**(fields | changes))  # pyright: ignore[reportArgumentType]

    return make


@pytest.fixture
def safe_add() -> RustSource:
    """Vector addition with safe partitions, generic in its tile size."""
    text = """\
#[cutile::module]
pub mod vector_add {
    use cutile::core::*;

    #[cutile::entry()]
    pub fn vector_add<const N: i32>(
        x: &Tensor<f32, { [-1] }>,
        y: &Tensor<f32, { [-1] }>,
        z: &mut Tensor<f32, { [N] }>,
    ) {
        let pid: (i32, i32, i32) = get_tile_block_id();
        let px = x.partition(const_shape![N]);
        let py = y.partition(const_shape![N]);
        let a = px.load([pid.0]);
        let b = py.load([pid.0]);
        z.store(a + b);
    }
}
"""
    dense = TensorSpec((16,), (1,), (True,), 16)
    names = ("x", "y", "z")
    return RustSource(
        text=text,
        file="kernel.rs",
        module="vector_add",
        entry="vector_add",
        generics=("256",),
        strides=tuple((name, (1,)) for name in names),
        specs=tuple((name, dense) for name in names),
    )
