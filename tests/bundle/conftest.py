"""One bundle to copy and to tamper with."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ferrotile import bundle
from ferrotile.workflow import Options, expand, translate_all

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Bundles of three kernels, one with machine code."""
    folder = tmp_path_factory.mktemp("bundles")
    for name in ("vector_add", "swiglu", "softmax_rows"):
        options = Options(out=folder, sass=name == "vector_add")
        rows = list(translate_all(expand([str(EXAMPLES / f"{name}.py")], options), options))
        assert all(row.exit_code == 0 for row in rows), rows
    return folder


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Callable[..., Path]:
    """Makes a copy of a bundle to change; without the claim about machine code, which takes a second to replay."""

    def copied(name: str = "vector_add.f32", *, sass: bool = False) -> Path:
        folder = Path(shutil.copytree(made / name, tmp_path / name))
        if not sass:
            bundle.write(folder, bundle.read(folder).model_copy(update={"sass": None}))
        return folder

    return copied
