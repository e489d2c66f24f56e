"""Host time per launch, in one run: a C loop, the exported library, our backend, cuTile Python, cutile.

    FERROTILE_PACK=OUT CUTILE_TILEIRAS_PATH=... python tests/gpu/host_time.py      OUT is what pack_c_abi.py wrote

cutile compiles when it first launches, with the real tileiras; without that variable it is left out.

Two kernels that compute next to nothing, of three and of ten arrays, so that the device waits for the host. Contenders
take turns, and each launch alternates between two sets of buffers. Prints one JSON object. Units: nanoseconds a launch.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.metadata
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

HERE = Path(__file__).parent
FOLDERS = (HERE, HERE / "kernels", HERE.parents[1] / "examples", HERE.parent / "backend" / "fake_tilegym")
sys.path[:0] = map(str, FOLDERS)

import c_abi  # noqa: E402

COUNT, TILE, BATCH, ROUNDS = 1024, 1024, 400, 100
GRID = (COUNT // TILE, 1, 1)
FLOOR, PYTHON = "cuLaunchKernel, C loop", "cuTile Python"
KERNELS = {"vector_add": 3, "add_nine": 10}
"""Arrays of each kernel: all but the last are added up to the last."""


@dataclass(frozen=True)
class Bench:
    """What the contenders of one kernel share. `arguments`: those of `ct.launch`, for each set of buffers."""

    name: str
    kernel: Any
    stream: Any
    sets: list[list[Any]]
    loops: Any
    library: c_abi.Library

    @property
    def arguments(self) -> list[tuple[Any, ...]]:
        return [(*tensors, TILE) for tensors in self.sets]


def main() -> None:
    import torch

    pack = Path(os.environ["FERROTILE_PACK"])
    loops = ctypes.CDLL(str(pack / "libhost_time.so"))
    loops.floor_ns.restype = loops.exported_ns.restype = ctypes.c_double
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        backends = Backends(Path(folder))
        for name, arrays in KERNELS.items():
            sets = [[torch.randn(COUNT, device="cuda") for _ in range(arrays)] for _ in range(2)]
            kernel = getattr(importlib.import_module(name), name)
            bench = Bench(name, kernel, torch.cuda.Stream(), sets, loops, c_abi.Library(pack))
            figures[name] = _figures(_times(bench, backends))
            torch.cuda.synchronize()
            for *added, total in sets:
                torch.testing.assert_close(total, torch.stack(added).sum(0))
        launched = {ran.kernel: count for ran, count in backends.tilegym.report().kernels.items()}
    versions = {name: importlib.metadata.version(name) for name in ("torch", "cuda-tile")}
    about = {"device": torch.cuda.get_device_name(), "python": platform.python_version(), **versions}
    print(json.dumps({**about, "launches of each": BATCH * ROUNDS, "rust kernels": launched, **figures}, indent=2))


def _times(bench: Bench, backends: Backends) -> dict[str, list[float]]:
    import torch

    contenders = {
        FLOOR: _floor(bench, backends),
        "exported function, C loop": _exported(bench),
        "exported function, ctypes, descriptors kept": _through_ctypes(bench),
        PYTHON: _launches(bench, backends.original),
        "ferrotile.backend": _launches(bench, backends.always),
        "ferrotile.tilegym, in an operator": backends.in_operator(_launches(bench, backends.by_tilegym)),
        "ferrotile.tilegym, outside": _launches(bench, backends.by_tilegym),
        **_late(bench),
        **_cutile(bench),
    }
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(ROUNDS):
        for name, run in contenders.items():
            torch.cuda.synchronize()
            nanoseconds = run()
            assert nanoseconds > 0, f"{name}: {nanoseconds}"
            times[name].append(nanoseconds)
    return times


def _figures(times: dict[str, list[float]]) -> dict[str, Any]:
    rows = {}
    for name, values in times.items():
        tenths = statistics.quantiles(values, n=10)
        middle = statistics.median(values)
        rows[name] = {"median": round(middle), "p10": round(tenths[0]), "p90": round(tenths[-1])}
    above = {name: row["median"] - rows[FLOOR]["median"] for name, row in rows.items() if name != FLOOR}
    half = above[PYTHON] / 2
    # Paired by round, so that a machine that changes its speed changes both sides.
    ratios = {
        name: round(statistics.median(
            (one - floor) / (python - floor)
            for one, floor, python in zip(times[name], times[FLOOR], times[PYTHON], strict=True)
        ), 3)
        for name in above
    }  # fmt: skip
    return {
        "ns a launch": rows,
        "above the floor": above,
        "half of cuTile Python's": half,
        "ratio of overheads": ratios,
    }


class Backends:
    """The launch functions that are compared: cuTile Python's, ours, and ours as TileGym's host code reaches it.

    TileGym is the stand-in of tests/backend: its registries and its question which backend is current.
    """

    def __init__(self, folder: Path) -> None:
        import cuda.tile as ct

        from ferrotile import backend

        class Recording(backend.CudaDriver):
            """Keeps what was launched from Python last."""

            def launch(self, function: int, grid: Any, stream: int, words: Any) -> None:
                self.last = function, tuple(words)
                super().launch(function, grid, stream, words)

        os.environ["FERROTILE_KERNELS"] = str(folder)
        self.original = ct.launch
        self.driver = Recording()
        self.launcher = backend.Launcher(self.driver, backend.Shelf(folder), backend.Counters())
        remove = backend.install(self.launcher)
        self.always = ct.launch
        remove()
        self.tilegym: Any = importlib.import_module("ferrotile.tilegym")
        self.by_tilegym = ct.launch
        importlib.import_module("tilegym").set_backend("cutile-rs")
        importlib.import_module("tilegym.backend").register_impl("measured", backend="cutile")(lambda run: run())

    def in_operator(self, run: Callable[[], float]) -> Callable[[], float]:
        """The same as a part of an operator's host code, one call for all launches."""
        dispatch = importlib.import_module("tilegym.backend").dispatch
        return lambda: dispatch("measured", run)


def _floor(bench: Bench, backends: Backends) -> Callable[[], float]:
    """The loop over cuLaunchKernel, with our program, and parameters made beforehand."""
    packed, function = [], 0
    for arguments in bench.arguments:
        backends.launcher.launch(bench.stream, GRID, bench.kernel, arguments, lambda: None)
        function, words = backends.driver.last
        values = (ctypes.c_uint64 * len(words))(*words)
        packed.append((ctypes.c_void_p * len(words))(*(ctypes.addressof(values) + 8 * at for at in range(len(words)))))
        packed[-1].kept = values
    pair = (ctypes.c_void_p * 2)(*(ctypes.addressof(parameters) for parameters in packed))
    kernel = ctypes.cast(bench.library.driver.cuLaunchKernel, ctypes.c_void_p)
    handles = ctypes.c_void_p(function), ctypes.c_void_p(bench.stream.cuda_stream)

    def run(_kept: Any = packed) -> float:
        return bench.loops.floor_ns(kernel, handles[0], pair, handles[1], GRID[0], BATCH)

    return run


def _exported(bench: Bench) -> Callable[[], float]:
    """The loop over the exported function."""
    library = bench.library
    tensors = [[library.tensor(tensor) for tensor in some] for some in bench.sets]
    sets = [(ctypes.c_void_p * len(some))(*map(ctypes.addressof, some)) for some in tensors]
    pair = (ctypes.c_void_p * 2)(*map(ctypes.addressof, sets))
    exported, error = ctypes.cast(getattr(library.c, f"cutile_{bench.name}"), ctypes.c_void_p), c_abi.FtError()
    context, handle = ctypes.c_uint64(library.context()), ctypes.c_uint64(bench.stream.cuda_stream)

    def run(_kept: Any = (tensors, sets)) -> float:
        return bench.loops.exported_ns(
            exported, len(sets[0]), pair, ctypes.c_int64(TILE), GRID[0], context, handle, ctypes.byref(error), BATCH
        )

    return run


def _late(bench: Bench) -> dict[str, Callable[[], float]]:
    """The same of the library that compiles at the first call; by the stand-in of the pack, for that call alone."""
    pack = Path(os.environ["FERROTILE_PACK"]) / "late"
    run = _exported(replace(bench, library=c_abi.Library(pack)))
    with patch.dict(os.environ, FERROTILE_TOOLS=str(pack / "bin")):
        assert run() > 0, "the program was not compiled"
    return {"exported function, compiled at the first call, C loop": run}


def _through_ctypes(bench: Bench) -> Callable[[], float]:
    """A Python loop over the exported function, everything converted beforehand."""
    kept = [[bench.library.tensor(tensor) for tensor in some] for some in bench.sets]
    error = c_abi.FtError()
    one = ctypes.c_uint32(1)
    where = ctypes.c_uint64(bench.library.context()), ctypes.c_uint64(bench.stream.cuda_stream)
    rest = (ctypes.c_int64(TILE), one, one, one, *where, ctypes.byref(error))
    calls = [(*(ctypes.byref(tensor) for tensor in some), *rest) for some in kept]
    function = getattr(bench.library.c, f"cutile_{bench.name}")

    def run(_kept: Any = kept) -> float:
        began = time.perf_counter_ns()
        for turn in range(BATCH):
            if function(*calls[turn % 2]):
                return -1.0
        return (time.perf_counter_ns() - began) / BATCH

    return run


def _cutile(bench: Bench) -> dict[str, Callable[[], float]]:
    """cutile's own launcher (tests/gpu/cutile_launcher): loops in Rust and over a C function."""
    if "CUTILE_TILEIRAS_PATH" not in os.environ:
        return {}
    launcher = ctypes.CDLL(os.environ["FERROTILE_PACK"] + "/libcutile_launcher.so")
    launcher.cutile_bench.restype, launcher.cutile_ns.restype = ctypes.c_void_p, ctypes.c_double
    pointers = [tensor.data_ptr() for tensors in bench.sets for tensor in tensors]
    arrays = ctypes.c_size_t(len(bench.sets[0]))
    handle = ctypes.c_void_p(launcher.cutile_bench(
        ctypes.c_void_p(bench.library.context()), ctypes.c_void_p(bench.stream.cuda_stream),
        (ctypes.c_uint64 * len(pointers))(*pointers), arrays, COUNT,
    ))  # fmt: skip
    turns = [(handle, ctypes.c_size_t(turn)) for turn in range(2)]

    def one_by_one() -> float:
        began = time.perf_counter_ns()
        for turn in range(BATCH):
            if launcher.cutile_launch(*turns[turn % 2]):
                return -1.0
        return (time.perf_counter_ns() - began) / BATCH

    def in_rust() -> float:
        return launcher.cutile_ns(handle, ctypes.c_size_t(BATCH))

    assert one_by_one() > 0, "cutile's launcher failed"  # compiles
    return {"cutile's launcher, Rust loop": in_rust, "cutile's launcher, ctypes": one_by_one}


def _launches(bench: Bench, launch: Callable[..., Any]) -> Callable[[], float]:
    """A Python loop over a launch function; everything is compiled before."""
    stream, kernel, arguments = bench.stream, bench.kernel, bench.arguments

    def run() -> float:
        began = time.perf_counter_ns()
        for turn in range(BATCH):
            launch(stream, GRID, kernel, arguments[turn % 2])
        return (time.perf_counter_ns() - began) / BATCH

    run()
    return run


if __name__ == "__main__":
    main()
