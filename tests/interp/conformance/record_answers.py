"""Record what a device answers to the probes of `device_kernels`.

`record_answers.py pack FOLDER` compiles them (no GPU needed), `run FOLDER` runs them on a device (needs the driver and
nothing else), `collect FOLDER` puts the answers into `answers/`.
"""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def pack(folder: Path) -> None:
    """Cubins, inputs and a manifest."""
    import numpy as np
    from device_kernels import PROBES

    from ferrotile import ir
    from ferrotile.core import tools

    folder.mkdir(parents=True, exist_ok=True)
    manifest: dict[str, Any] = {}
    for name, make in PROBES.items():
        probe = make()
        cubin = tools.assemble(ir.encode(probe.module()), "sm_90").cubin
        assert cubin is not None, name
        (folder / f"{name}.cubin").write_bytes(cubin)
        (folder / f"{name}.in").write_bytes(b"".join(np.ascontiguousarray(x).tobytes() for x in probe.inputs))
        outputs = probe.arrays()[len(probe.inputs) :]
        manifest[name] = [[x.nbytes for x in probe.inputs], [x.nbytes for x in outputs]]
    (folder / "manifest.json").write_text(json.dumps(manifest))


class Device:
    """The first GPU, through the driver."""

    def __init__(self) -> None:
        self.driver = ctypes.CDLL("libcuda.so.1")
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name: str, *arguments: Any) -> None:
        """A driver function; any status but 0 is an error."""
        status = getattr(self.driver, name)(*arguments)
        if status:
            raise RuntimeError(f"{name} gives {status}")

    def answer(self, cubin: bytes, data: bytes, inputs: list[int], outputs: list[int]) -> bytes:
        """What the kernel leaves in its output arrays."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), cubin)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, b"kernel")
        pointers = [ctypes.c_uint64() for _ in (*inputs, *outputs)]
        at = 0
        for pointer, size in zip(pointers, (*inputs, *outputs), strict=True):
            self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
            if at < len(data):
                self.call("cuMemcpyHtoD_v2", pointer, data[at : at + size], ctypes.c_size_t(size))
                at += size
        packed = (ctypes.c_void_p * len(pointers))(*(ctypes.addressof(pointer) for pointer in pointers))
        self.call("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, None, packed, None)
        self.call("cuCtxSynchronize")
        found = b""
        for pointer, size in zip(pointers[len(inputs) :], outputs, strict=True):
            buffer = ctypes.create_string_buffer(size)
            self.call("cuMemcpyDtoH_v2", buffer, pointer, ctypes.c_size_t(size))
            found += buffer.raw
        return found


def run(folder: Path) -> None:
    """Answers of the first GPU."""
    device = Device()
    for name, (inputs, outputs) in json.loads((folder / "manifest.json").read_text()).items():
        cubin, data = (folder / f"{name}.cubin").read_bytes(), (folder / f"{name}.in").read_bytes()
        (folder / f"{name}.out").write_bytes(device.answer(cubin, data, inputs, outputs))


def collect(folder: Path) -> None:
    """Keep inputs and answers, compressed."""
    import numpy as np

    (HERE / "answers").mkdir(exist_ok=True)
    for path in sorted(folder.glob("*.out")):
        given, answer = (np.frombuffer(p.read_bytes(), np.uint8) for p in (path.with_suffix(".in"), path))
        np.savez_compressed(HERE / "answers" / f"{path.stem}.npz", given=given, answer=answer)


if __name__ == "__main__":
    sys.path[:0] = [str(HERE), str(HERE.parents[1] / "check")]
    {"pack": pack, "run": run, "collect": collect}[sys.argv[1]](Path(sys.argv[2]))
