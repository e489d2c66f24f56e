"""CUDA tensors of torch on a machine without a GPU: they have shapes and types, lie nowhere, and say `cuda:0`.

A `TorchFunctionMode` sees every call of torch. What is asked to be on `cuda` is made on torch's `meta` device, which
holds no values, and its `device` is answered as `cuda:0`. With `values` all tensors are made on the CPU instead, and
all say `cuda:0`: host code then reads real numbers, as far as no kernel had to compute them.
"""

from __future__ import annotations

import contextlib
import threading
import types
from typing import Any

from .journal import Journal
from .settings import Settings


def install(torch: Any, settings: Settings, journal: Journal) -> None:
    """Replace what host code asks of torch.cuda, and let tensors pretend in every thread from now on."""
    _replace_device_functions(torch, settings)
    _replace_generator(torch)
    answers = _Answers(torch, "cpu" if settings.values else "meta", journal)
    _let_comparisons_hold(torch, answers)
    mode = _mode_class(torch, answers)
    mode().__enter__()
    _enter_in_threads(mode)
    _enter_in_backward(torch, mode)


def _enter_in_threads(mode: Any) -> None:
    """Modes belong to a thread; a new thread gets one of its own."""
    original = threading.Thread.start

    def start(thread: threading.Thread) -> None:
        run = thread.run

        def run_in_mode() -> None:
            with mode():
                run()

        thread.run = run_in_mode  # type: ignore[method-assign]
        original(thread)

    threading.Thread.start = start  # type: ignore[method-assign]


def _enter_in_backward(torch: Any, mode: Any) -> None:
    """A mode sleeps while torch runs a function that it was asked about, such as `Tensor.backward`; the backward
    functions of the program are called from there.
    """
    backward = torch.autograd.function.BackwardCFunction
    original = backward.apply

    def apply(self: Any, *args: Any) -> Any:
        with mode():
            return original(self, *args)

    backward.apply = apply


def _let_comparisons_hold(torch: Any, answers: _Answers) -> None:
    """No kernel ran: what `assert_close` would find says nothing. It is no function that a mode is asked about."""
    original = torch.testing.assert_close

    def assert_close(*args: Any, **kwargs: Any) -> None:
        if not answers.holds_pretended((args, kwargs)):
            original(*args, **kwargs)

    torch.testing.assert_close = assert_close


def _mode_class(torch: Any, answers: _Answers) -> Any:
    class PretendCuda(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return answers.call(func, args, dict(kwargs or {}))

    return PretendCuda


class _Answers:
    """What is answered otherwise than by torch itself."""

    def __init__(self, torch: Any, backing: str, journal: Journal) -> None:
        tensor = torch.Tensor
        self._torch, self._backing, self._journal = torch, backing, journal
        self._is_told = False
        self._to = tensor.to
        self._by_function = {
            tensor.device.__get__: lambda one: torch.device("cuda", 0) if self._pretends(one) else NotImplemented,
            tensor.is_cuda.__get__: lambda one: self._pretends(one) or NotImplemented,
            tensor.is_meta.__get__: lambda one: False,
            tensor.is_cpu.__get__: lambda one: False if self._pretends(one) else NotImplemented,
            tensor.get_device: lambda one, *rest: 0 if self._pretends(one) else NotImplemented,
            tensor.cuda: lambda one, *rest, **named: self._moved(one, self._backing),
            tensor.cpu: lambda one, *rest, **named: self._moved(one, "cpu"),
            tensor.item: lambda one: self._unknown(one, 0.0 if one.dtype.is_floating_point else 0),
            tensor.__bool__: lambda one: self._unknown(one, True),
            tensor.__int__: lambda one: self._unknown(one, 0),
            tensor.__float__: lambda one: self._unknown(one, 0.0),
            tensor.__index__: lambda one: self._unknown(one, 0),
            tensor.tolist: lambda one: self._unknown(one, self._nested_zeros(one)),
        }
        self._comparisons = (torch.allclose, torch.equal)

    def call(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """Answer a call of torch, or let torch do so with the devices exchanged."""
        if func in self._comparisons and self.holds_pretended((args, kwargs)):
            return True
        if func in self._by_function:
            answer = self._by_function[func](*args, **kwargs)
            if answer is not NotImplemented:
                return answer
        if kwargs.get("pin_memory"):
            kwargs["pin_memory"] = False
        if func is self._to and (device := self._asked_device(args[1:], kwargs)) is not None:
            kwargs.pop("device", None)
            others = [one for one in args[1:] if not self._is_device(one)]
            moved = self._moved(args[0], device)
            return func(moved, *others, **kwargs) if others or kwargs else moved
        if kwargs.get("device") is not None:
            kwargs["device"] = self._real(kwargs["device"])
        return func(*args, **kwargs)

    def holds_pretended(self, value: Any) -> bool:
        """Whether a tensor in a value, or in its items, pretends."""
        items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
        return self._pretends(value) or any(map(self.holds_pretended, items))

    def _asked_device(self, args: Any, kwargs: dict[str, Any]) -> str | None:
        for one in (*args, kwargs.get("device")):
            if one is not None and self._is_device(one):
                return self._real(one)
        return None

    def _is_device(self, value: Any) -> bool:
        if isinstance(value, self._torch.device):
            return True
        return isinstance(value, str) and value.split(":")[0] in ("cuda", "cpu", "meta")

    def _real(self, device: Any) -> Any:
        """The device that takes the place of the one that is asked for."""
        is_cuda = isinstance(device, int) or str(device).split(":")[0] == "cuda"
        return self._backing if is_cuda or self._backing == "cpu" else device

    def _pretends(self, value: Any) -> bool:
        if not isinstance(value, self._torch.Tensor):
            return False
        with self._torch._C.DisableTorchFunction():
            return bool(value.is_cpu if self._backing == "cpu" else value.is_meta)

    def _holds_nothing(self, value: Any) -> bool:
        with self._torch._C.DisableTorchFunction():
            return bool(value.is_meta)

    def _moved(self, tensor: Any, device: str) -> Any:
        """A tensor on another device. What no kernel computed is 0 once it is on the CPU."""
        if str(device) != "cpu" or not self._holds_nothing(tensor):
            return self._to(tensor, device)
        self._tell()
        return self._torch.zeros(tuple(tensor.shape), dtype=tensor.dtype)

    def _unknown(self, tensor: Any, value: Any) -> Any:
        """A number that the host reads: nothing can be known of it if the tensor holds no values."""
        if not self._holds_nothing(tensor):
            return NotImplemented
        self._tell()
        return value

    def _nested_zeros(self, tensor: Any) -> Any:
        zero: Any = 0.0 if tensor.dtype.is_floating_point else 0
        for extent in reversed(tensor.shape):
            zero = [zero] * int(extent)
        return zero

    def _tell(self) -> None:
        if not self._is_told:
            self._is_told = True
            self._journal.write({"row": "placeholder"})


def _replace_generator(torch: Any) -> None:
    original = torch.Generator

    class Generator(original):
        """A generator of random numbers; one of the GPU is one of the CPU."""

        def __new__(cls, device: Any = "cpu") -> Any:
            return original.__new__(cls, "cpu")

    torch.Generator = Generator


class _Nothing:
    """An object whose methods do nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *args, **kwargs: None


class _Stream(_Nothing):
    cuda_stream = 0


class _Event(_Nothing):
    def elapsed_time(self, other: Any) -> float:
        return 1.0

    def query(self) -> bool:
        return True


def _replace_device_functions(torch: Any, settings: Settings) -> None:
    """The functions of torch.cuda that host code calls on its way to a launch."""
    major, minor = settings.capability
    properties = types.SimpleNamespace(
        name=f"pretended {settings.target}",
        major=major,
        minor=minor,
        multi_processor_count=settings.multiprocessors,
        total_memory=140 << 30,
        warp_size=32,
        shared_memory_per_block=48 << 10,
        shared_memory_per_block_optin=227 << 10,
        shared_memory_per_multiprocessor=228 << 10,
        L2_cache_size=50 << 20,
        max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=65536,
    )
    stream = _Stream()
    answers = {
        "get_device_properties": properties,
        "get_device_capability": (major, minor),
        "get_device_name": properties.name,
        "mem_get_info": (139 << 30, 140 << 30),
        "current_stream": stream,
        "default_stream": stream,
        "current_device": 0,
        "device_count": 1,
    }
    answers |= dict.fromkeys(("is_available", "is_bf16_supported", "is_initialized"), True)
    answers |= dict.fromkeys(("stream", "device"), contextlib.nullcontext())
    answers |= dict.fromkeys("memory_allocated max_memory_allocated memory_reserved max_memory_reserved".split(), 0)
    nothing = "synchronize empty_cache manual_seed manual_seed_all set_device set_stream reset_peak_memory_stats"
    answers |= dict.fromkeys((*nothing.split(), "init", "_lazy_init", "ipc_collect"))
    for name, answer in answers.items():
        setattr(torch.cuda, name, lambda *args, _answer=answer, **kwargs: _answer)
    torch.cuda.Stream = torch.cuda.ExternalStream = _Stream
    torch.cuda.Event = _Event
    if torch.version.cuda is None:
        torch.version.cuda = "13.2"
