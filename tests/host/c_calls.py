"""Calls of exported kernels: a right one for each specialization, and every kind of wrong one made of it."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ferrotile.host.abi import DTYPE_NUMBER, DTYPES
from ferrotile.host.declaration import ArrayFacts, ConstantFacts, Kernel, Passed, Variant

CONTEXT, OTHER_CONTEXT, OLD_CONTEXT, DESTROYED = 0x1000, 0x2000, 0x3000, 0x4000
SIZES = {dtype.name: dtype.size_bytes for dtype in DTYPES}


@dataclass
class Call:
    """What one call passes, by name, and what its specialization asks for."""

    kernel: Kernel
    variant: Variant
    arguments: dict[str, Any]
    grid: list[int] = field(default_factory=lambda: [3, 1, 1])
    context: int = CONTEXT
    stream: int = 77

    def command(self) -> list[Any]:
        """As `c_caller.py` takes it."""
        values = [self.arguments[argument.name] for argument in self.kernel.arguments]
        return [self.kernel.symbol, values, {"grid": self.grid, "context": self.context, "stream": self.stream}]

    @property
    def tensors(self) -> list[str]:
        return [a.name for a in self.kernel.arguments if a.passed is Passed.TENSOR and self.arguments[a.name]]

    def array(self, name: str) -> ArrayFacts:
        fact = self.variant.facts[name]
        assert isinstance(fact, ArrayFacts)
        return fact


def right_call(kernel: Kernel, variant: Variant) -> Call:
    """A call that fits a specialization: row-major tensors far apart, with everything that it asks for."""
    arguments: dict[str, Any] = {}
    for number, argument in enumerate(kernel.arguments):
        fact = variant.facts[argument.name]
        if isinstance(fact, ArrayFacts):
            arguments[argument.name] = _tensor(fact, (number + 1) << 32)
        elif isinstance(fact, ConstantFacts):
            arguments[argument.name] = fact.value
        else:
            arguments[argument.name] = 1.5 if argument.passed.startswith("f") else 3 * fact.divisor
    return Call(kernel, variant, arguments)


def _tensor(fact: ArrayFacts, address: int) -> dict[str, Any]:
    shape = [axis.extent or math.lcm(axis.extent_divisor, 4) for axis in fact.axes]
    shape[-1] = fact.axes[-1].extent or math.lcm(shape[-1], 16)
    stride = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    rank = len(shape)
    return {"ptr": address, "rank": rank, "dtype": DTYPE_NUMBER[fact.dtype], "device": 0, "reserved": 0,
            "shape": shape, "stride": stride}  # fmt: skip


@dataclass(frozen=True)
class Wrong:
    """One kind of wrong call: how to make it of a right one (the argument that is at fault, or None where this kernel
    cannot be called so), and the code that refuses it."""

    name: str
    code: str
    spoil: Callable[[Call], str | None]

    def of(self, call: Call) -> tuple[Call, str] | None:
        """The wrong call, and the name that the message must have; empty where no argument is at fault."""
        wrong = copy.deepcopy(call)
        at_fault = self.spoil(wrong)
        return None if at_fault is None else (wrong, at_fault)


def _set(part: str, value: Any) -> Callable[[Call], str | None]:
    """Put a value into the first tensor."""

    def spoil(call: Call) -> str:
        call.arguments[call.tensors[0]][part] = value
        return call.tensors[0]

    return spoil


def _of_call(part: str, value: Any) -> Callable[[Call], str | None]:
    def spoil(call: Call) -> str:
        setattr(call, part, value)
        return ""

    return spoil


def _no_tensor(call: Call) -> str:
    name = call.tensors[-1]
    call.arguments[name] = None
    return name


def _dtype(call: Call) -> str:
    call.arguments[call.tensors[0]]["dtype"] = DTYPE_NUMBER["u64"]
    return call.tensors[0]


def _rank(call: Call) -> str:
    tensor = call.arguments[call.tensors[0]]
    tensor["rank"] += 1
    tensor["shape"].append(1)
    tensor["stride"].append(1)
    return call.tensors[0]


def _on_axis(part: str, wants: str, value: Callable[[Any, int], int]) -> Callable[[Call], str | None]:
    """Change an extent or stride of the first axis of which something is known."""

    def spoil(call: Call) -> str | None:
        for name in call.tensors:
            for axis, facts in enumerate(call.array(name).axes):
                if getattr(facts, wants) not in (None, 1) or (wants == "stride" and facts.stride == 1):
                    now = call.arguments[name][part]
                    now[axis] = value(facts, now[axis])
                    return name
        return None

    return spoil


def _least_stride(call: Call) -> str | None:
    for name in call.tensors:
        for axis, facts in enumerate(call.array(name).axes):
            if facts.stride is None:
                call.arguments[name]["stride"][axis] *= -1
                return name
    return None


def _index_range(part: str) -> Callable[[Call], str | None]:
    def spoil(call: Call) -> str | None:
        for name in call.tensors:
            for axis, facts in enumerate(call.array(name).axes):
                if (facts.extent if part == "shape" else facts.stride) is None:
                    call.arguments[name][part][axis] = 1 << 31
                    call.arguments[name]["ptr"] = 1 << 50
                    return name
        return None

    return spoil


def _self_overlap(call: Call) -> str | None:
    for name in call.tensors:
        for axis, facts in enumerate(call.array(name).axes):
            if facts.stride is None:
                call.arguments[name]["stride"][axis] = 0
                return name
    return None


def _written(call: Call) -> str:
    return next(name for name in reversed(call.tensors) if call.array(name).is_written)


def _overlap(call: Call) -> str:
    first, written = call.tensors[0], _written(call)
    tensor = call.arguments[first]
    last = sum((extent - 1) * stride for extent, stride in zip(tensor["shape"], tensor["stride"], strict=True))
    align = call.array(written).align
    call.arguments[written]["ptr"] = (tensor["ptr"] + last * SIZES[call.array(first).dtype]) // align * align
    return written


def _in_place(call: Call) -> str:
    call.arguments[_written(call)]["ptr"] = call.arguments[call.tensors[0]]["ptr"]
    return _written(call)


def _constant(call: Call) -> str | None:
    for argument in call.kernel.arguments:
        if argument.is_constant:
            value = call.arguments[argument.name]
            call.arguments[argument.name] = (not value) if isinstance(value, bool) else value + 1
            return argument.name
    return None


def _misaligned(call: Call) -> str:
    name = next(name for name in call.tensors if call.array(name).align > 1)
    call.arguments[name]["ptr"] += SIZES[call.array(name).dtype]
    return name


def _half_element(call: Call) -> str:
    call.arguments[call.tensors[0]]["ptr"] += 1
    return call.tensors[0]


def _other_device(call: Call) -> str:
    call.arguments[call.tensors[-1]]["device"] = 1
    return call.tensors[-1]


def _old_device(call: Call) -> str:
    call.context = OLD_CONTEXT
    for name in call.tensors:
        call.arguments[name]["device"] = 2
    return ""


def _relation(call: Call) -> str | None:
    call.grid = [3, 2, 1]
    return "" if call.variant.relations else None


KINDS = (
    Wrong("no tensor", "NullDescriptor", _no_tensor),
    Wrong("other dtype", "Dtype", _dtype),
    Wrong("unknown dtype", "Dtype", _set("dtype", 99)),
    Wrong("one axis more", "Rank", _rank),
    Wrong("rank above 8", "Rank", _set("rank", 9)),
    Wrong("negative rank", "Rank", _set("rank", -1)),
    Wrong("reserved field", "Reserved", _set("reserved", 1)),
    Wrong("negative extent", "NegativeExtent", lambda call: _set("shape", [-16, 16])(call)),
    Wrong("null address", "NullData", _set("ptr", 0)),
    Wrong("beyond 64 bits", "AddressRange", _set("ptr", (1 << 64) - 16)),
    Wrong("extent beyond 32 bits", "IndexRange", _index_range("shape")),
    Wrong("stride beyond 32 bits", "IndexRange", _index_range("stride")),
    Wrong("other extent", "Extent", _on_axis("shape", "extent", lambda facts, now: now - 1)),
    Wrong("extent no multiple", "ExtentDivisor", _on_axis("shape", "extent_divisor", lambda facts, now: now + 1)),
    Wrong("other stride", "Stride", lambda call: _dense(call)),
    Wrong("stride no multiple", "StrideDivisor", _on_axis("stride", "stride_divisor", lambda facts, now: now + 1)),
    Wrong("negative stride", "LeastStride", _least_stride),
    Wrong("misaligned", "Alignment", _misaligned),
    Wrong("within an element", "Alignment", _half_element),
    Wrong("output reaches into an input", "Overlap", _overlap),
    Wrong("output in place", "Overlap", _in_place),
    Wrong("rows on each other", "SelfOverlap", _self_overlap),
    Wrong("other constant", "Constant", _constant),
    Wrong("tensor on another device", "Device", _other_device),
    Wrong("negative device", "Device", _set("device", -1)),
    Wrong("empty grid", "GridLimit", _of_call("grid", [0, 1, 1])),
    Wrong("grid too deep", "GridLimit", _of_call("grid", [1, 1, 65536])),
    Wrong("grid too long", "GridLimit", _of_call("grid", [1 << 31, 1, 1])),
    Wrong("fact of the proof", "Relation", _relation),
    Wrong("null context", "NullContext", _of_call("context", 0)),
    Wrong("destroyed context", "Context", _of_call("context", DESTROYED)),
    Wrong("device without machine code", "Target", _old_device),
)


def _dense(call: Call) -> str:
    """The elements of the last axis are no neighbours."""
    tensor = call.arguments[call.tensors[0]]
    tensor["stride"] = [2 * stride for stride in tensor["stride"]]
    return call.tensors[0]
