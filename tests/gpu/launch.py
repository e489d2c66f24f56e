"""Launch packed cubins through the driver: a stand-in for `cuda.tile` under which the examples' host functions run.

Nothing is compiled: `launch` takes the cubin of the kernel's name and packs the arguments by the roles of the manifest.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import sys
import types
from pathlib import Path
from typing import Any

LIBRARY = "libcuda.so.1"


class Constant:
    """Stands for `ct.Constant` in annotations."""

    def __class_getitem__(cls, item: Any) -> type[Constant]:
        return cls


class Kernel:
    """Stands for a kernel: its name and which parameters are constants."""

    def __init__(self, function: Any) -> None:
        self.name = function.__name__
        code = function.__code__
        self.parameters = code.co_varnames[: code.co_argcount]
        self.is_constant = [function.__annotations__.get(name) is Constant for name in self.parameters]


class Launcher:
    """Launches one side (0 reference, 1 lowered) of the packed kernels."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = json.loads((folder / "manifest.json").read_text())
        self.side = 0
        self.driver = ctypes.CDLL(LIBRARY)
        self.functions: dict[str, ctypes.c_void_p] = {}

    def has(self, kernel: str, side: int) -> bool:
        """Whether this side of a kernel was packed."""
        return len(self.manifest.get(kernel, ())) > side

    def launch(self, stream: Any, grid: tuple[int, ...], kernel: Kernel, args: tuple[Any, ...]) -> None:
        """Stands for `ct.launch`."""
        side = self.manifest[kernel.name][self.side]
        given = [value for value, fixed in zip(args, kernel.is_constant, strict=True) if not fixed]
        values = [_word(role, given) for role in side["roles"]]
        packed = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        x, y, z = (*grid, 1, 1)[:3]
        stream_handle = ctypes.c_void_p(stream.cuda_stream)
        function = self._function(side)
        self._check(self.driver.cuLaunchKernel(function, x, y, z, 1, 1, 1, 0, stream_handle, packed, None))

    def _function(self, side: dict[str, Any]) -> ctypes.c_void_p:
        if side["cubin"] not in self.functions:
            image = (self.folder / side["cubin"]).read_bytes()
            module, function = ctypes.c_void_p(), ctypes.c_void_p()
            self._check(self.driver.cuModuleLoadData(ctypes.byref(module), image))
            self._check(self.driver.cuModuleGetFunction(ctypes.byref(function), module, side["entry"].encode()))
            self.functions[side["cubin"]] = function
        return self.functions[side["cubin"]]

    def _check(self, status: int) -> None:
        if status:
            text = ctypes.c_char_p()
            self.driver.cuGetErrorString(status, ctypes.byref(text))
            raise RuntimeError(f"driver error {status}: {(text.value or b'').decode()}")


def word_type(passed: str) -> Any:
    """The type of ctypes for an argument that a C function takes as `i32`, `f32` and so on."""
    kinds = {"f32": ctypes.c_float, "f64": ctypes.c_double, "bool": ctypes.c_uint8}
    return kinds.get(passed) or getattr(ctypes, f"c_{'u' * passed.startswith('u')}int{passed[1:]}")


def load_example(path: Path, launcher: Any) -> types.ModuleType:
    """An example's module, with the stand-in as its `cuda.tile`."""
    tile = types.ModuleType("cuda.tile")
    tile.Constant = Constant  # type: ignore[attr-defined]
    tile.kernel = lambda function=None, **_: Kernel(function) if function else Kernel  # type: ignore[attr-defined]
    tile.cdiv = lambda a, b: -(-a // b)  # type: ignore[attr-defined]
    tile.launch = launcher.launch  # type: ignore[attr-defined]
    package = types.ModuleType("cuda")
    package.tile = tile  # type: ignore[attr-defined]
    before = {name: sys.modules.get(name) for name in ("cuda", "cuda.tile")}
    sys.modules.update({"cuda": package, "cuda.tile": tile})
    try:
        spec = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        for name, known in before.items():
            if known is None:
                sys.modules.pop(name)
            else:
                sys.modules[name] = known


def _word(role: dict[str, Any], given: list[Any]) -> Any:
    """The value of one entry parameter."""
    arrays = [value for value in given if hasattr(value, "data_ptr")]
    if role["kind"] == "scalar":
        value = [value for value in given if not hasattr(value, "data_ptr")][role["index"]]
        return ctypes.c_float(value) if isinstance(value, float) else ctypes.c_int32(value)
    array = arrays[role["array"]]
    if role["kind"] == "pointer":
        return ctypes.c_uint64(array.data_ptr())
    return ctypes.c_int32((array.shape if role["kind"] == "shape" else array.stride())[role["axis"]])
