"""The count of lines and names: what is a line of code, whose functions are counted, which names are kept."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]

RUST = """\
// a header
#[cutile::module]
pub mod add {
    use cutile::core::*;

    /// Adds.
    #[cutile::entry()]
    #[allow(clippy::too_many_arguments)]
    pub unsafe fn add<const TILE: i32>(x: &Tensor<f32, { [-1] }>, d_o: f32) {
        // where
        let row = get_tile_block_id().0;
        for i in 0..4 {
            let (a, _token): (Tile<f32, { [4] }>, Token) = load(x, [row], shape![4]);
        }
    }
}
"""

PYTHON = '''\
from helper import doubled


def add(x, dO, TILE):
    """Adds."""
    # where
    row = bid(0)

    for i in range(4):
        a, lost = doubled(
            x,
        )
'''


def _counting() -> ModuleType:
    spec = importlib.util.spec_from_file_location("counting", ROOT / "docs" / "counting.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["counting"] = module
    spec.loader.exec_module(module)
    return module


COUNTING = _counting()


def test_rust_lines_are_those_of_functions() -> None:
    assert COUNTING.rust_lines(RUST) == 8
    assert COUNTING.rust_lines(RUST + "\n" + RUST.replace("mod add", "mod add_form2")) == 16


@pytest.fixture
def functions(tmp_path: Path) -> list[object]:
    """The kernel and its helper, found through the import."""
    (tmp_path / "helper.py").write_text("def doubled(x):\n    return x + x\n")
    (tmp_path / "kernel.py").write_text(PYTHON)
    node = next(one for one in ast.parse(PYTHON).body if isinstance(one, ast.FunctionDef))
    return COUNTING._with_helpers(node, tmp_path / "kernel.py")


def test_python_lines_are_those_of_the_kernel_and_its_helpers(functions: list[object]) -> None:
    assert len(functions) == 2
    assert COUNTING.python_lines(functions[:1]) == 6  # the author's last comma keeps a call in three lines
    assert COUNTING.python_lines(functions) == 8


def test_names_are_compared_as_rust_spells_them() -> None:
    node = ast.parse(PYTHON).body[1]
    assert isinstance(node, ast.FunctionDef)
    assert COUNTING.names_of(node) == ["x", "dO", "TILE", "row", "i", "a", "lost"]
    assert COUNTING.lost_names(node, RUST) == ("lost",)


def test_median_and_largest_ratio() -> None:
    counts = [COUNTING.Count("a", 10, 10, 4, ()), COUNTING.Count("b", 10, 40, 4, ("x", "y"))]
    found = COUNTING.summary(counts)
    assert (found["median"], found["largest"], found["above_3"], found["names_kept"]) == (2.5, 4.0, 1, 0.75)


def test_folder_without_kernels_is_refused(tmp_path: Path) -> None:
    assert COUNTING.main([str(tmp_path)]) == 2
