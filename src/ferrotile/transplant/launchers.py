"""The two launchers: each launches any program, packing the arguments in its own way.

The reference's is cuTile Python's: `cuda.tile.launch` with a kernel whose compilation gives the program at hand. It
packs in native code, in an order that the signature alone says. Ours is `ferrotile.backend`'s, by the parameter map.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ferrotile import backend, bundle
from ferrotile.lift.source import (
    ArrayParameter,
    ConstantParameter,
    DtypeName,
    EnumName,
    GroupParameter,
    KernelSymbol,
    ListParameter,
    ScalarParameter,
    parse_symbol,
)
from ferrotile.transplant.case import ArrayAt, ArraysAt, Case, Program
from ferrotile.transplant.decision import Side
from ferrotile.transplant.device import TORCH, Device

DTYPES = {"bool": "bool_", "tf32": "tfloat32"}
"""What cuda.tile calls dtypes that torch has under other names."""
Launch = Callable[[], None]
"""Puts one launch on the device's stream."""


class NotMade(Exception):
    """Why a program cannot be put under a launcher; no error of a launch."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What both launchers share: the case and its folder, a device, and the arrays there."""

    case: Case
    folder: Path
    device: Device
    arrays: Sequence[Any]

    def passed(self, symbol: KernelSymbol) -> tuple[Any, ...]:
        """The arguments as host code passes them: tuples as tuples, constants included. Raises: NotMade."""
        given = iter(self.case.arguments)
        return tuple(self._passed(parameter, given) for parameter in symbol.parameters)

    def _passed(self, parameter: object, given: Iterator[Any]) -> Any:
        match parameter:
            case ConstantParameter(value):
                return _constant(value)
            case GroupParameter(items, of):
                if of:
                    raise NotMade(f"an argument is of the dataclass `{of}`, which is not here")
                return tuple(self._passed(item, given) for item in items)
        value = next(given)
        if isinstance(value, ArrayAt):
            return self.arrays[value.array]
        if isinstance(value, ArraysAt):
            return [self.arrays[number] for number in value.arrays]
        return value


def reference_launch(bench: Bench, side: Side) -> Launch:
    """A launch of one side's program by `cuda.tile.launch`. Raises: NotMade it takes other parameters."""
    import cuda.tile as tile

    program, case = bench.case.program(side), bench.case
    if reason := other_parameters(case.reference, program):
        raise NotMade(reason)
    symbol = _symbol(case)
    kernel = _kernel(tile, bench, symbol, program)
    passed = bench.passed(symbol)
    return lambda: tile.launch(_stream(bench), case.grid, kernel, passed)


def our_launch(bench: Bench, side: Side) -> Launch:
    """A launch of one side's program by a launcher of `ferrotile.backend`, hooked as for a user.

    Raises: NotMade; FT609 a fact that no check is made of.
    """
    import cuda.tile as tile

    program, case = bench.case.program(side), bench.case
    symbol = _symbol(case)
    image = (bench.folder / program.image).read_bytes()
    constants = tuple(map(_is_constant, symbol.parameters))
    fixed = backend.Fixed(image, program.entry, program.words, program.facts, constants)
    launcher = backend.FixedLauncher(bench.device.driver, fixed, bundle.read(bench.folder), bench.folder)
    kernel = _kernel(tile, bench, symbol, program)
    passed = bench.passed(symbol)

    def launch() -> None:
        remove = backend.install(launcher)
        try:
            tile.launch(_stream(bench), case.grid, kernel, passed)
        finally:
            remove()

    return launch


LAUNCHERS: dict[Side, Callable[[Bench, Side], Launch]] = {
    Side.REFERENCE: reference_launch,
    Side.OURS: our_launch,
}


def other_parameters(reference: Program, other: Program) -> str | None:
    """Why the words that are packed for one program are not those that another takes, if they are not."""
    for place, (a, b) in enumerate(zip(reference.words, other.words, strict=False)):
        if a != b:
            return f"parameter {place}: {_named(a)} is passed, and the program takes {_named(b)}"
    a, b = len(reference.words), len(other.words)
    return None if a == b else f"{a} parameters are passed, and the program takes {b}"


def _named(word: backend.Word) -> str:
    axis = f" {word.axis}" if word.role in ("shape", "stride") else ""
    of = f" of array {word.index}" if word.role != "scalar" else f" {word.index}"
    return f"{word.role}{axis}{of} as `{word.element}`"


def _symbol(case: Case) -> KernelSymbol:
    symbol = parse_symbol(case.symbol)
    if symbol is None:
        raise NotMade(f"the name `{case.symbol}` spells no signature that cuTile Python could pass arguments for")
    return symbol


def _stream(bench: Bench) -> Any:
    return bench.device.stream


def _kernel(tile: Any, bench: Bench, symbol: KernelSymbol, program: Program) -> Any:
    """A kernel with the parameters of a signature, whose compilation gives a program.

    Raises, when it is launched: NotMade cuTile Python passes other things for these arguments.
    """
    image = (bench.folder / program.image).read_bytes()

    class Transplanted(tile.kernel):
        """Stands for the kernel of the case."""

        def _compile(self, signature: Any, context: Any, compute_capability: Any = None) -> Any:
            found = signature.with_mangled_symbol(symbol.function).symbol
            _require_same_layout(symbol, parse_symbol(found), found)
            return image, program.entry, None, ()

    return Transplanted(_function(tile, symbol))


def _require_same_layout(wanted: KernelSymbol, found: KernelSymbol | None, text: str) -> None:
    if found is None or _layout(found.parameters) != _layout(wanted.parameters):
        raise NotMade(f"cuTile Python takes the arguments for `{text}`, which has other parameters")


def _layout(parameters: Sequence[object]) -> list[object]:
    """What decides which words are passed."""
    return [_kind(parameter) for parameter in parameters]


def _kind(parameter: object) -> object:
    match parameter:
        case ArrayParameter():
            return "array", parameter.dtype, parameter.rank, parameter.index_dtype
        case ListParameter(element):
            return "list", _kind(element)
        case GroupParameter(items):
            return "group", _layout(items)
        case ConstantParameter(value):
            return "constant", repr(value)
    return parameter


def _function(tile: Any, symbol: KernelSymbol) -> Any:
    """A function of the kernel's name with its parameters, annotated as far as the launch depends on it."""
    names = tuple(f"p{number}" for number in range(len(symbol.parameters)))

    def empty() -> None:
        pass

    code = empty.__code__.replace(
        co_argcount=len(names), co_nlocals=len(names), co_varnames=names, co_name=symbol.function
    )
    made = types.FunctionType(code, {}, symbol.function)
    kinds = {name: _annotation(tile, one) for name, one in zip(names, symbol.parameters, strict=True)}
    made.__annotations__ = {name: kind for name, kind in kinds.items() if kind is not None}
    return made


def _annotation(tile: Any, parameter: object) -> Any:
    match parameter:
        case ConstantParameter():
            return tile.Constant[Any]
        case GroupParameter(items) if any(_annotation(tile, item) is not None for item in items):
            return tuple[tuple(_annotation(tile, item) or Any for item in items)]  # type: ignore[misc]
        case ArrayParameter() if parameter.index_dtype == "i64":
            return tile.IndexedWithInt64[Any]
        case ScalarParameter("i64"):
            return tile.ScalarInt64[Any]
    return None


def _is_constant(parameter: object) -> Any:
    if isinstance(parameter, GroupParameter):
        return tuple(map(_is_constant, parameter.items))
    return isinstance(parameter, ConstantParameter)


def _constant(value: Any) -> Any:
    """A constant as Python has it. Raises: NotMade for a member of an enum, whose class is not here."""
    import cuda.tile as tile

    if isinstance(value, DtypeName):
        return getattr(tile, DTYPES.get(value.name) or TORCH[value.name])
    if isinstance(value, EnumName):
        raise NotMade(f"a constant is a member of the enum `{value.enum}`, which is not here")
    return value
