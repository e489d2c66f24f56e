"""The spec format: what each notation says about an array, and that it is what the JIT would assume."""

from __future__ import annotations

from pathlib import Path

import pytest

from ferrotile.capture import ArraySpec, discover, export, read_spec
from ferrotile.capture.spec import Extent
from ferrotile.core import InputError


def _array(text: str, tmp_path: Path) -> ArraySpec:
    spec = tmp_path / "one.toml"
    spec.write_text(f'[[specialization]]\nkernel = "k"\nparameters = {{ x = {text} }}\n')
    array = (read_spec(spec).specialization[0].parameters or {})["x"]
    assert isinstance(array, ArraySpec)
    return array


def _mangled(text: str, tmp_path: Path) -> str:
    """The symbol cuda.tile gives a kernel with this one parameter, without the kernel's name."""
    path = tmp_path / "k.py"
    path.write_text("import cuda.tile as ct\n\n\n@ct.kernel\ndef k(x):\n    pass\n")
    path.with_suffix(".toml").write_text(f'[[specialization]]\nkernel = "k"\nparameters = {{ x = {text} }}\n')
    (capture,) = export(path)
    return capture.symbol


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        # Symbols of kernels that TileGym's tests launch: the notation spells what the JIT assumed there.
        ('"float32[_]"', "k_Kt1_A1f32_1t1_p16"),
        ('"float16[*16]"', "k_Kt1_A1f16_1i16t1_p16"),
        ('"float16[_, _, *16, *16]"', "k_Kt1_A4f16_7v8l0_8t1_ci16_p16"),
        ('"float32[_, _]"', "k_Kt1_A2f32_1l0_2t1_p16"),
        ('"float32[_, *16]"', "k_Kt1_A2f32_1v4l0_2i16t1_p16"),
        ('"float64[_, *2]"', "k_Kt1_A2f64_1v2l0_2i2t1_p16"),
        # Both strides of a single column are 1, and the JIT makes either a constant.
        ('"float32[_, 1]"', "k_Kt2_A2f32_2s1_3t1_p16"),
    ],
)
def test_row_major_text_assumes_what_the_jit_assumes(text: str, symbol: str, tmp_path: Path) -> None:
    assert _mangled(text, tmp_path) == symbol


def test_table_gives_everything_by_hand(tmp_path: Path) -> None:
    text = '{ dtype = "int8", shape = ["_", 64], stride = ["*32", "_"], align = 4, overlaps = true }'
    assert _mangled(text, tmp_path) == "k_Kt2_A2i8_1v32_2s64_3l0_p4i"


def test_columns_first_needs_strides(tmp_path: Path) -> None:
    array = _array('{ dtype = "float32", shape = ["*16", "_"], stride = [1, "*4"] }', tmp_path)
    assert array.strides() == (Extent(value=1), Extent(factor=4))


def test_discover_lists_rows_in_order_and_loads_nothing(tmp_path: Path) -> None:
    row = '[[specialization]]\nkernel = "k{0}"\nparameters = {{}}\n'
    (tmp_path / "b.py").write_text("raise RuntimeError\n")
    (tmp_path / "b.toml").write_text(row.format(1) + row.format(2))
    (tmp_path / "a.py").write_text("raise RuntimeError\n")
    (tmp_path / "a.toml").write_text(row.format(3))
    (tmp_path / "helper.py").write_text("")
    assert [(path.name, kernel) for path, kernel, _ in discover(tmp_path)] == [
        ("a.py", "k3"),
        ("b.py", "k1"),
        ("b.py", "k2"),
    ]


def test_discover_refuses_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="FT101"):
        discover(tmp_path / "absent")
