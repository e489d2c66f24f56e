"""What cutile's own writer makes: other table orders, padding after functions, constants written again."""

from __future__ import annotations

import pytest

from ferrotile import ir

lower = pytest.importorskip("ferrotile.lower")

TEXT = """\
#[cutile::module]
pub mod add {
    use cutile::core::*;

    #[cutile::entry()]
    pub fn add<const N: i32>(z: &mut Tensor<f32, { [N] }>, x: &Tensor<f32, { [-1] }>) {
        let a = load_tile_like(x, z);
        let half: Tile<f32, { [N] }> = constant(0.5f32, z.shape());
        let again: Tile<f32, { [N] }> = constant(0.5f32, z.shape());
        z.store(a * half + again);
    }
}
"""


@pytest.mark.parametrize("version", [(13, 3), (13, 4), (13, 5)])
def test_cutile_bytecode_comes_back_byte_for_byte(version: tuple[int, int]) -> None:
    dense = lower.TensorSpec((16,), (1,), (True,), 16)
    source = lower.RustSource(
        text=TEXT,
        file="add.rs",
        module="add",
        entry="add",
        generics=("64",),
        strides=(("z", (1,)), ("x", (1,))),
        specs=(("z", dense), ("x", dense)),
    )
    data = lower.lower(source, "sm_90", version).bytecode
    module = ir.decode(data)
    assert module.version == version
    assert ir.encode(module) == data
    ir.verify(module)
    places = [ir.place(op) for op in module.entries[0].walk()]
    assert any(place and place.file.endswith("add.rs") and place.line > 5 for place in places)
