"""What a cell needs of a GPU: a driver to launch with, and arrays that both launchers take. Torch keeps the memory."""

from __future__ import annotations

import importlib
from typing import Any, Protocol

import numpy as np

from ferrotile.backend import CudaDriver, Driver
from ferrotile.core import EnvironmentFault
from ferrotile.transplant.case import CaseArray

TORCH = {
    "bool": "bool", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "tf32": "float32", "f64": "float64",
    "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2", "f8e8m0fnu": "float8_e8m0fnu",
    **{f"i{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)},
}  # fmt: skip
"""Dtypes as symbols name them -> as torch does."""


class Device(Protocol):
    """A GPU with a stream. `driver` is what our launcher launches with; the reference's launcher brings its own."""

    driver: Driver
    stream: Any
    about: str

    def array(self, array: CaseArray, data: bytes) -> Any:
        """An array on the device, as host code passes it: cuda.tile and our launcher take it."""
        ...

    def fill(self, made: Any, data: bytes) -> None:
        """Put the bytes from its first element to its last into an array."""
        ...

    def bytes_of(self, made: Any) -> bytes:
        """The bytes from its first element to its last."""
        ...

    def wait(self) -> None:
        """Wait for all that was launched. Raises: what the launches did wrong, in the words of the driver."""
        ...


class TorchDevice:
    """The current GPU of torch. Raises: FT642 there is none, or no torch."""

    def __init__(self) -> None:
        try:
            self._torch: Any = importlib.import_module("torch")
        except ImportError:
            message = "torch is not installed: the cells need it for arrays on the GPU"
            raise EnvironmentFault("FT642", message, hint="pip install torch") from None
        if not self._torch.cuda.is_available():
            raise EnvironmentFault(
                "FT642", "torch finds no GPU here", hint="write the case with `--pack` and take it to one"
            )
        self._torch.zeros(1, device="cuda")  # makes the context
        self.driver: Driver = CudaDriver()
        self.stream = self._torch.cuda.current_stream()
        self.about = str(self._torch.cuda.get_device_name())

    def array(self, array: CaseArray, data: bytes) -> Any:
        """A view of memory that holds exactly the array; memory of torch begins at multiples of 512."""
        kind = getattr(self._torch, TORCH[array.dtype])
        memory = self._torch.empty(array.offset + max(len(data), 16), dtype=self._torch.uint8, device="cuda")
        whole = memory[array.offset : array.offset + len(data)]
        made = whole.view(kind).as_strided(array.shape, array.strides)
        made.whole = whole
        self.fill(made, data)
        return made

    def fill(self, made: Any, data: bytes) -> None:
        """Copy from the host, in the order of the stream."""
        if data:
            made.whole.copy_(self._torch.from_numpy(np.frombuffer(data, np.uint8).copy()))

    def bytes_of(self, made: Any) -> bytes:
        """Copy to the host, after all that was launched."""
        return made.whole.cpu().numpy().tobytes()

    def wait(self) -> None:
        """All streams of the GPU."""
        self._torch.cuda.synchronize()
