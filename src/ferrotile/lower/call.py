"""The call into the native extension, and its faults turned into codes with a Rust line."""

from __future__ import annotations

import os
import time
from types import ModuleType
from typing import Any, NoReturn

from ferrotile.core import EnvironmentFault, FerrotileError, InputError, Place, Unsupported
from ferrotile.lower.message import one_sentence
from ferrotile.lower.record import Lowered, RustSource, TensorSpec

DEFAULT_VERSION = (13, 4)
OLDEST_VERSION = (13, 3)
"""The oldest bytecode that cutile 0.5.0 writes; older references are lowered to it."""

# cutile reads these at each compile; with one of them set, a kernel lowers to other code than at a launch.
_CHANGES_CODE = ("CUTILE_FORCE_DEVICE_CHECKS", "CUTILE_DISABLE_CHECK_HOISTING")
_FAULTS: dict[str, tuple[type[FerrotileError], str]] = {
    "input": (InputError, "FT402"),
    "syntax": (InputError, "FT403"),
    "refused": (Unsupported, "FT404"),
    "panic": (Unsupported, "FT405"),
    "deep": (Unsupported, "FT407"),
}


def lower(kernel: RustSource, target: str, version: tuple[int, int] = DEFAULT_VERSION) -> Lowered:
    """Lower one entry of a kernel text to Tile IR bytecode of `version` for `target` (such as `sm_90`).

    Raises: FT401 no extension, FT402 no such module or entry, FT403 the text does not parse, FT404 the compiler
    refuses it, FT405 the compiler broke off, FT406 an environment variable would change the code, FT407 it nests
    too deeply.
    """
    native = _native()
    _require_plain_environment()
    begin = time.perf_counter()
    try:
        reply = native.lower(_request(kernel, target, version))
    except native.LowerError as error:
        _raise(kernel, error.args)
    return Lowered(
        bytecode=reply["bytecode"],
        launch_checks=tuple(_check_text(check) for check in reply["launch_checks"]),
        checks_in_kernel=reply["hoisted"] + reply["in_place"],
        seconds=time.perf_counter() - begin,
    )


def version_for(reference: tuple[int, int]) -> tuple[int, int]:
    """The bytecode version to lower to, for a reference of another: the same one, or the oldest that cutile writes."""
    return max(reference, OLDEST_VERSION)


def _native() -> ModuleType:
    try:
        from ferrotile import _native as native  # pyright: ignore[reportMissingModuleSource]
    except ImportError as error:
        message = f"the native extension cannot be loaded ({one_sentence(str(error))})"
        raise EnvironmentFault("FT401", message, hint="run `make build`") from None
    return native


def _require_plain_environment() -> None:
    for name in _CHANGES_CODE:
        if os.environ.get(name) == "1":
            raise EnvironmentFault("FT406", f"`{name}=1` changes what kernels lower to", hint=f"unset {name}")


def _request(kernel: RustSource, target: str, version: tuple[int, int]) -> dict[str, Any]:
    return {
        "source": kernel.text,
        "file": kernel.file,
        "module": kernel.module,
        "entry": kernel.entry,
        "generics": list(kernel.generics),
        "strides": [(name, list(strides)) for name, strides in kernel.strides],
        "specs": [(name, _spec(spec)) for name, spec in kernel.specs],
        "scalar_divs": list(kernel.scalar_divs),
        "grid": kernel.grid,
        "target": target,
        "bytecode_version": version,
        "occupancy": kernel.occupancy,
        "num_cta_in_cga": kernel.num_cta_in_cga,
        "max_divisibility": kernel.max_divisibility,
        "num_worker_warps_per_cta": kernel.num_worker_warps_per_cta,
    }


def _spec(spec: TensorSpec) -> dict[str, Any]:
    return {
        "shape_div": list(spec.shape_div),
        "stride_div": list(spec.stride_div),
        "stride_one": list(spec.stride_one),
        "base_div": spec.base_div,
        "disjoint": spec.disjoint,
    }


def _raise(kernel: RustSource, fault: tuple[str, str, str, int, int]) -> NoReturn:
    kind, message, file, line, column = fault
    place = Place(file, line, column) if line > 0 and file else _entry_place(kernel)
    error, code = _FAULTS[kind]
    raise error(code, one_sentence(message), at=place)


def _entry_place(kernel: RustSource) -> Place:
    """Where the entry function stands, for faults that the compiler reports without a line."""
    for number, line in enumerate(kernel.text.splitlines(), start=1):
        column = line.find(f"fn {kernel.entry}")
        if column >= 0 and not line[column + 3 + len(kernel.entry) :][:1].isalnum():
            return Place(kernel.file, number, column, kernel.entry)
    return Place(kernel.file, 1, 0)


def _check_text(cause: str) -> str:
    """One line of a launch check: what must hold, and the innermost place that needs it."""
    condition, _, places = cause.partition("\n")
    innermost = places.strip().split("\n")[0].removeprefix("at ").strip()
    return f"`{condition.strip()}` at {innermost}" if innermost else f"`{condition.strip()}`"
