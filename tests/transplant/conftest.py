"""Bundles that tests transplant, on a device without a GPU."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ferrotile import workflow
from ferrotile.core import VerdictKind, tools
from ferrotile.core.pool import run_all
from ferrotile.transplant import Transplant, make_case
from ferrotile.transplant.cells import Attempt, conclude, dead
from ferrotile.transplant.decision import CELLS

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import fake_device  # noqa: E402
import scenarios  # noqa: E402

EXAMPLES = HERE.parents[1] / "examples"
OWN_KERNELS = HERE.parent / "backend" / "own_kernels.py"
CHOSEN = "chosen_Kt1_LiA1f32_1i16t1_p16_A1f32_1i16t1_p16_Sf32_Si32_I64"


@pytest.fixture(scope="package")
def translated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundles of two examples, and of a kernel that takes a list of arrays."""
    folder = tmp_path_factory.mktemp("translated")
    inputs = [(str(EXAMPLES / f"{name}.py"), workflow.Options(out=folder)) for name in ("vector_add", "rms_norm")]
    for source, options in (*inputs, (f"{OWN_KERNELS}::chosen", workflow.Options(out=folder, signature=CHOSEN))):
        for task in workflow.expand([source], options):
            assert workflow.translate(task, options).verdict is VerdictKind.EQUAL
    return folder


@pytest.fixture
def add(translated: Path, tmp_path: Path) -> Path:
    """A bundle of one's own."""
    return Path(shutil.copytree(translated / "vector_add.f32", tmp_path / "vector_add.f32"))


@pytest.fixture
def unassembled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tile IR stands for machine code."""
    monkeypatch.setattr(tools, "assemble", fake_device.assemble)


@pytest.fixture(scope="package")
def attempts(translated: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, list[Attempt]]]:
    """All scenarios run by two processes, since starting one takes seconds; the death of one costs its own cell."""
    root, items = tmp_path_factory.mktemp("cases"), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tools, "assemble", fake_device.assemble)
        for name, scenario in scenarios.SCENARIOS.items():
            source = next(iter(sorted(translated.glob(f"*{scenario.example}*"))))
            bundle = Path(shutil.copytree(source, root / name / source.name))
            scenario.change(bundle)
            make_case(bundle, root / name / "case", scenario.setting(bundle))
            items += [scenarios.Item(name, root / name / "case", cell) for cell in CELLS]
    outcomes = dict(run_all(scenarios.work, items, 2, lambda item, code: dead(60, item.cell, code), 60))
    return {
        name: (root / name / "case", [outcomes[at] for at, item in enumerate(items) if item.name == name])
        for name in scenarios.SCENARIOS
    }


@pytest.fixture
def run(attempts: dict[str, tuple[Path, list[Attempt]]]) -> Callable[[str], Transplant]:
    """What a scenario comes to."""
    return lambda name: conclude(*attempts[name])
