"""`ferrotile transplant` on a GPU: proved kernels are right in all four cells, and planted faults find their owners.

Needs a GPU, torch, cuda-tile, ferrotile with its native extension, and a pack (tests/gpu/pack_transplant.py); no
tileiras and no network.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
pytest.importorskip("cuda.tile")
room: Any = pytest.importorskip("ferrotile.transplant")
HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
CASES = Path(os.environ.get("FERROTILE_PACK", "")) / "transplant"
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(
        not CASES.is_dir() or not torch.cuda.is_available(), reason="needs FERROTILE_PACK with cases and a GPU"
    ),
]

import planted  # noqa: E402

RIGHT, WRONG, FAILED = "right", "WRONG", "FAILED"


def run(name: str, make_device: Any = room.TorchDevice) -> Any:
    """The table of a case; printed, so that `-s` shows it."""
    found = room.transplant(CASES / name, make_device)
    print(f"\n{name}, {found.device}: {found.decision.answer} {found.decision.owners}: {found.decision.sentence}")
    for one in found.cells:
        print(f"  {one.cell}: {one.state}: {one.sentence}")
    return found


def states(found: Any) -> list[str]:
    return [str(one.state) for one in found.cells]


@pytest.mark.parametrize("name", ["right-sum", "right-softmax", "right-product", "right-list"])
def test_a_proved_kernel_is_right_in_all_cells(name: str) -> None:
    found = run(name)
    assert states(found) == [RIGHT] * 4 and str(found.decision.answer) == "NOT REPRODUCED"


def test_launches_that_python_answers_are_right_too() -> None:
    assert states(run("right-sum", planted.answered_in_python)) == [RIGHT] * 4


def test_an_edited_kernel_is_the_owner() -> None:
    found = run("wrong-kernel")
    assert states(found) == [RIGHT, RIGHT, WRONG, WRONG]
    assert [str(owner) for owner in found.decision.owners] == ["kernel"]


def test_wrong_packing_makes_the_host_the_owner() -> None:
    found = run("right-sum", planted.wrong_packing)
    assert states(found) == [RIGHT, WRONG, RIGHT, WRONG]
    assert [str(owner) for owner in found.decision.owners] == ["host"]


def test_an_error_of_the_gpu_is_no_wrong_number_and_has_an_owner_too() -> None:
    found = run("right-sum", planted.stray_pointers)
    assert states(found) == [RIGHT, FAILED, RIGHT, FAILED]
    assert [str(owner) for owner in found.decision.owners] == ["host"]


def test_both_faults_are_both_named() -> None:
    found = run("wrong-kernel", planted.wrong_packing)
    assert {str(owner) for owner in found.decision.owners} == {"kernel", "host"}
