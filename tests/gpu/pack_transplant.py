"""Cases for test_transplant_on_device.py: proved kernels, and one whose kernel.rs was edited into another program.

    python tests/gpu/pack_transplant.py OUT TRANSLATED

TRANSLATED is a folder that `ferrotile translate examples` wrote. On the machine with the GPU, torch, cuda-tile and
ferrotile with its native extension, but no compiler: `FERROTILE_PACK=OUT python -m pytest -m gpu
tests/gpu/test_transplant_on_device.py`, or `ferrotile transplant OUT/transplant/NAME` for one table.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np

from ferrotile import workflow
from ferrotile.core import VerdictKind, store
from ferrotile.transplant import Asked, Case, Setting, make_case
from ferrotile.workflow import Given

ROOT = Path(__file__).parents[2]
FOLDER = "transplant"
CHOSEN = "chosen_Kt1_LiA1f32_1i16t1_p16_A1f32_1i16t1_p16_Sf32_Si32_I64"
ADD, SOFTMAX, MATMUL = "vector_add.f32", "softmax_rows.f32-1024-columns-no-hint", "matmul.f16-tiles-of-128-x-128-x-64"
EDIT = ("left + right", "left - right")


def pack(folder: Path, translated: Path) -> dict[str, Case]:
    """Write the cases; each by its name."""
    rng = np.random.default_rng(0)
    with store.scratch() as scratch:
        files = {}
        for name, dtype, shape in (("a", np.float32, (100_000,)), ("b", np.float32, (100_000,)),
                                   ("x", np.float32, (300, 1000)),
                                   ("left", np.float16, (208, 336)), ("right", np.float16, (336, 272))):  # fmt: skip
            files[name] = str(scratch / f"{name}.npy")
            np.save(files[name], rng.standard_normal(shape).astype(dtype))
        sums = Asked(Given({"a": files["a"], "b": files["b"], "total": "100000"}), grid=(98,))
        rows = Asked(Given({"x": files["x"], "y": "300x1000"}), grid=(300,))
        product = Asked(Given({"a": files["left"], "b": files["right"], "c": "208x272"}), grid=(2 * 3,))
        edited = Path(shutil.copytree(translated / ADD, scratch / ADD))
        text = (edited / "kernel.rs").read_text()
        assert EDIT[0] in text, "vector_add.rs has another sum"
        store.write_text(edited / "kernel.rs", text.replace(*EDIT))
        bundles = {
            "right-sum": (translated / ADD, sums), "right-softmax": (translated / SOFTMAX, rows),
            "right-product": (translated / MATMUL, product), "wrong-kernel": (edited, sums),
        }  # fmt: skip
        bundles["right-list"] = _list_of_arrays(scratch, files)
        return {
            name: make_case(bundle, folder / FOLDER / name, Setting(asked)) for name, (bundle, asked) in bundles.items()
        }


def _list_of_arrays(scratch: Path, files: dict[str, str]) -> tuple[Path, Asked]:
    """A kernel that takes one array of a list: a table in the GPU's memory, and numbers of two types."""
    options = workflow.Options(out=scratch / "own", signature=CHOSEN)
    (task,) = workflow.expand([f"{ROOT / 'tests' / 'backend' / 'own_kernels.py'}::chosen"], options)
    row = workflow.translate(task, options)
    (bundle,) = (scratch / "own").iterdir()
    assert row.verdict is VerdictKind.EQUAL, row.message
    given = Given({"arrays": f"{files['a']},{files['b']}", "out": "100000"}, {"factor": "0.5", "which": "1"})
    return bundle, Asked(given, grid=(100_000 // 64 + 1,))


if __name__ == "__main__":
    for name, case in pack(*map(Path, sys.argv[1:])).items():
        print(f"{name}: {case.name}, grid {case.grid}, oracle {case.oracle}", *case.notes)
