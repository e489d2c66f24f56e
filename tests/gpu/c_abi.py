"""An exported library through ctypes: tensors of torch in, one C call out, nothing in between."""

from __future__ import annotations

import ctypes
import json
from pathlib import Path
from typing import Any

from launch import Kernel, word_type


class FtTensor(ctypes.Structure):
    """`ft_tensor`."""

    _fields_ = (
        ("ptr", ctypes.c_uint64), ("rank", ctypes.c_int32), ("dtype", ctypes.c_int32), ("device", ctypes.c_int32),
        ("reserved", ctypes.c_int32), ("shape", ctypes.c_int64 * 8), ("stride", ctypes.c_int64 * 8),
    )  # fmt: skip


class FtError(ctypes.Structure):
    """`ft_error`."""

    _fields_ = (("code", ctypes.c_int32), ("message", ctypes.c_char * 256))


class Refused(RuntimeError):
    """A call that the library refused."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code, self.message = code, message


class Library:
    """The packed library: `functions.json` says how each argument is passed."""

    def __init__(self, folder: Path) -> None:
        self.functions = json.loads((folder / "functions.json").read_text())
        self.c = ctypes.CDLL(str(folder / "libcutile_kernels.so"))
        self.driver = ctypes.CDLL("libcuda.so.1")
        self.c.cutile_launch_count.restype = ctypes.c_uint64

    @property
    def launch_count(self) -> int:
        """How many kernels the library has launched."""
        return self.c.cutile_launch_count()

    def context(self) -> int:
        """The context that is current on this thread."""
        handle = ctypes.c_void_p()
        assert self.driver.cuCtxGetCurrent(ctypes.byref(handle)) == 0
        return handle.value or 0

    def tensor(self, value: Any) -> FtTensor:
        """A tensor of torch as the library takes it."""
        shape, stride = tuple(value.shape), value.stride()
        dtype = self.functions["dtypes"][str(value.dtype).removeprefix("torch.")]
        eight = ctypes.c_int64 * 8
        return FtTensor(value.data_ptr(), value.dim(), dtype, value.device.index or 0, 0, eight(*shape), eight(*stride))

    def call(
        self, name: str, values: dict[str, Any], grid: tuple[int, ...], stream: int, context: int | None = None
    ) -> None:
        """Call a function with arguments by name. Raises: Refused."""
        packed: list[Any] = []
        for argument, passed in self.functions["kernels"][name]:
            value = values[argument]
            if passed != "tensor":
                packed.append(word_type(passed)(value))
                continue
            given = value if value is None or isinstance(value, FtTensor) else self.tensor(value)
            packed.append(None if given is None else ctypes.byref(given))
        x, y, z = (*grid, 1, 1)[:3]
        error = FtError()
        where = ctypes.c_uint64(self.context() if context is None else context)
        code = getattr(self.c, f"cutile_{name}")(
            *packed, ctypes.c_uint32(x), ctypes.c_uint32(y), ctypes.c_uint32(z), where, ctypes.c_uint64(stream),
            ctypes.byref(error),
        )  # fmt: skip
        if code:
            raise Refused(code, error.message.decode())

    def launch(self, stream: Any, grid: tuple[int, ...], kernel: Kernel, args: tuple[Any, ...]) -> None:
        """Stands for `ct.launch`."""
        self.call(kernel.name, dict(zip(kernel.parameters, args, strict=True)), grid, stream.cuda_stream)
