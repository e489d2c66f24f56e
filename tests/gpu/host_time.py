"""Host time per launch, in one run: cuLaunchKernel in a C loop, the exported library in a C loop, cuTile Python.

    FERROTILE_PACK=OUT python tests/gpu/host_time.py      OUT is what pack_c_abi.py wrote

Contenders take turns, each launch alternates between two sets of buffers, and the kernel is so small that the device
waits for the host. Prints one JSON object. Units: nanoseconds a launch.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import c_abi  # noqa: E402
import launch  # noqa: E402

EXAMPLE = HERE.parents[1] / "examples" / "vector_add.py"
COUNT, TILE, BATCH, ROUNDS = 1024, 1024, 400, 60


def main() -> None:
    import torch

    pack = Path(os.environ["FERROTILE_PACK"])
    sets = [[torch.randn(COUNT, device="cuda") for _ in range(3)] for _ in range(2)]
    library = c_abi.Library(pack)
    stream = torch.cuda.Stream()
    contenders: dict[str, Callable[[], float]] = {
        "cuLaunchKernel, C loop": _floor(pack, sets, stream),
        "exported function, C loop": _exported(pack, library, sets, stream),
        "exported function, ctypes, descriptors kept": _through_ctypes(library, sets, stream),
    }
    try:
        contenders["cuTile Python"] = _cutile_python(pack, sets, stream)
    except ImportError as error:
        print(f"cuTile Python is not here: {error}", file=sys.stderr)
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(ROUNDS):
        for name, run in contenders.items():
            torch.cuda.synchronize()
            nanoseconds = run()
            assert nanoseconds > 0, f"{name}: {nanoseconds}"
            times[name].append(nanoseconds)
    torch.cuda.synchronize()
    assert all(torch.equal(a + b, total) for a, b, total in sets)
    print(json.dumps(_figures(times, torch.cuda.get_device_name()), indent=2))


def _figures(times: dict[str, list[float]], device: str) -> dict[str, Any]:
    rows = {}
    for name, values in times.items():
        tenths = statistics.quantiles(values, n=10)
        middle = statistics.median(values)
        rows[name] = {"median": round(middle), "p10": round(tenths[0]), "p90": round(tenths[-1])}
    floor, python = rows["cuLaunchKernel, C loop"]["median"], rows.get("cuTile Python", {}).get("median")
    above = {name: row["median"] - floor for name, row in rows.items()}
    half = None if python is None else (python - floor) / 2
    figures = {"ns a launch": rows, "above the floor": above, "half of cuTile Python's above the floor": half}
    return {"device": device, "launches of each": BATCH * ROUNDS, **figures}


def _loops(pack: Path) -> Any:
    loops = ctypes.CDLL(str(pack / "libhost_time.so"))
    loops.floor_ns.restype = loops.exported_ns.restype = ctypes.c_double
    return loops


def _floor(pack: Path, sets: list[list[Any]], stream: Any) -> Callable[[], float]:
    """The loop over cuLaunchKernel, with the reference's cubin and parameters made beforehand."""
    launcher, loops = launch.Launcher(pack), _loops(pack)
    side = launcher.manifest["vector_add"][0]
    function = launcher._function(side)
    packed = []
    for tensors in sets:
        words = [launch._word(role, tensors) for role in side["roles"]]
        packed.append((ctypes.c_void_p * len(words))(*(ctypes.addressof(word) for word in words)))
        packed[-1].kept = words
    pair = (ctypes.c_void_p * 2)(*(ctypes.addressof(parameters) for parameters in packed))
    kernel = ctypes.cast(launcher.driver.cuLaunchKernel, ctypes.c_void_p)
    handle = ctypes.c_void_p(stream.cuda_stream)

    def run(_kept: Any = packed) -> float:
        return loops.floor_ns(kernel, function, pair, handle, COUNT // TILE, BATCH)

    return run


def _exported(pack: Path, library: c_abi.Library, sets: list[list[Any]], stream: Any) -> Callable[[], float]:
    """The loop over the exported function."""
    loops = _loops(pack)
    tensors = [[library.tensor(tensor) for tensor in some] for some in sets]
    addresses = [ctypes.addressof(tensor) for some in tensors for tensor in some]
    pointers = (ctypes.c_void_p * 6)(*addresses)
    exported, error = ctypes.cast(library.c.cutile_vector_add, ctypes.c_void_p), c_abi.FtError()
    context, handle = ctypes.c_uint64(library.context()), ctypes.c_uint64(stream.cuda_stream)

    def run(_kept: Any = tensors) -> float:
        return loops.exported_ns(
            exported, pointers, ctypes.c_int64(TILE), COUNT // TILE, context, handle, ctypes.byref(error), BATCH
        )

    return run


def _through_ctypes(library: c_abi.Library, sets: list[list[Any]], stream: Any) -> Callable[[], float]:
    """A Python loop over the exported function, everything converted beforehand."""
    kept = [[library.tensor(tensor) for tensor in some] for some in sets]
    error = c_abi.FtError()
    one = ctypes.c_uint32(1)
    rest = (
        ctypes.c_int64(TILE),
        one,
        one,
        one,
        ctypes.c_uint64(library.context()),
        ctypes.c_uint64(stream.cuda_stream),
    )
    calls = [(*(ctypes.byref(tensor) for tensor in some), *rest, ctypes.byref(error)) for some in kept]
    function = library.c.cutile_vector_add

    def run(_kept: Any = kept) -> float:
        began = time.perf_counter_ns()
        for turn in range(BATCH):
            if function(*calls[turn % 2]):
                return -1.0
        return (time.perf_counter_ns() - began) / BATCH

    return run


def _cutile_python(pack: Path, sets: list[list[Any]], stream: Any) -> Callable[[], float]:
    """A Python loop over `ct.launch`; what it compiles comes from the pack."""
    os.environ["PATH"] = f"{pack.resolve() / 'bin'}{os.pathsep}{os.environ['PATH']}"
    os.environ["CUDA_TILE_CACHE_DIR"] = "off"
    import cuda.tile as ct

    spec = importlib.util.spec_from_file_location("vector_add", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel, grid = module.vector_add, (COUNT // TILE, 1, 1)
    arguments = [(*tensors, TILE) for tensors in sets]

    def run() -> float:
        began = time.perf_counter_ns()
        for turn in range(BATCH):
            ct.launch(stream, grid, kernel, arguments[turn % 2])
        return (time.perf_counter_ns() - began) / BATCH

    run()
    return run


if __name__ == "__main__":
    main()
