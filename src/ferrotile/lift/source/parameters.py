"""The kernel's Python parameters, and the entry parameters that each of them became."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ferrotile.lift.source.comments import parameter_comments
from ferrotile.lift.source.spelling import constant_name, suffixed, variable_name
from ferrotile.lift.source.symbol import (
    ArrayParameter,
    ConstantParameter,
    GroupParameter,
    KernelSymbol,
    ListParameter,
    Parameter,
    ScalarParameter,
)
from ferrotile.lift.source.syntax import Syntax


@dataclass(frozen=True, slots=True)
class ParameterName:
    """One Python parameter: its Rust name, what the symbol says of it, and its range of entry parameters.

    `python` is empty when no source was found. A tuple parameter gives one record a leaf (`python` is `pair[0]`).
    """

    rust: str
    python: str
    symbol: Parameter
    first: int
    annotation: str = ""
    comment: str = ""

    @property
    def is_constant(self) -> bool:
        """Folded into the kernel: no entry parameter, a candidate for a const generic."""
        return isinstance(self.symbol, ConstantParameter)

    @property
    def is_array(self) -> bool:
        """A pointer with extents and strides."""
        return isinstance(self.symbol, ArrayParameter)

    @property
    def entry_range(self) -> range:
        """The indices of the entry parameters that belong to it: pointer, extents, strides; or the one scalar."""
        return range(self.first, self.first + self.symbol.entry_count)

    @property
    def entry_names(self) -> tuple[str, ...]:
        """A name for each entry parameter: of array x they are `x_ptr`, `x_shape0`, `x_stride1` and so on."""
        match self.symbol:
            case ArrayParameter(rank=rank):
                parts = ["ptr", *(f"shape{axis}" for axis in range(rank)), *(f"stride{axis}" for axis in range(rank))]
            case ListParameter():
                parts = ["table", "length"]
            case _:
                return (self.rust,) * self.symbol.entry_count
        return tuple(suffixed(self.rust, part) for part in parts)


def name_parameters(
    symbol: KernelSymbol | None, function: ast.FunctionDef | None, syntax: Syntax | None, entry_count: int
) -> tuple[ParameterName, ...]:
    """The parameters in order; none when the symbol does not describe an entry with that many parameters."""
    if symbol is None or symbol.entry_count != entry_count:
        return ()
    arguments = _arguments(function) if function is not None else []
    if len(arguments) != len(symbol.parameters):
        return _distinct(_leaves(symbol.parameters, _invented(symbol.parameters)))
    comments = parameter_comments(syntax, function) if syntax is not None and function is not None else {}
    spelled = (
        replace(
            leaf,
            python=leaf.python,
            annotation=ast.unparse(arguments[index].annotation) if arguments[index].annotation else "",  # type: ignore[arg-type]
            comment=comments.get(arguments[index].arg, ""),
        )
        for index, leaf in _indexed_leaves(symbol.parameters, [argument.arg for argument in arguments])
    )
    return _distinct(spelled)


def _arguments(function: ast.FunctionDef) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def _leaves(parameters: Sequence[Parameter], names: Sequence[str]) -> Iterator[ParameterName]:
    for _, leaf in _indexed_leaves(parameters, names):
        yield replace(leaf, python="")


def _indexed_leaves(parameters: Sequence[Parameter], names: Sequence[str]) -> Iterator[tuple[int, ParameterName]]:
    """Each leaf with the index of the parameter it belongs to."""
    first = 0
    for index, (parameter, name) in enumerate(zip(parameters, names, strict=True)):
        for python, leaf in _flat(parameter, name):
            spell = constant_name if isinstance(leaf, ConstantParameter) else variable_name
            yield index, ParameterName(spell(python, "parameter"), python, leaf, first)
            first += leaf.entry_count


def _flat(parameter: Parameter, name: str) -> Iterator[tuple[str, Parameter]]:
    if not isinstance(parameter, GroupParameter):
        yield name, parameter
        return
    for index, item in enumerate(parameter.items):
        yield from _flat(item, f"{name}_{index}")


def _invented(parameters: Sequence[Parameter]) -> list[str]:
    """Names for parameters without a source: by what they are, numbered where there are several."""
    stems = [_stem(parameter) for parameter in parameters]
    names: list[str] = []
    for index, stem in enumerate(stems):
        number = stems[:index].count(stem)
        names.append(stem if stems.count(stem) == 1 else f"{stem}{number}")
    return names


def _stem(parameter: Parameter) -> str:
    match parameter:
        case ArrayParameter():
            return "x"
        case ListParameter():
            return "list"
        case ConstantParameter(value=bool()):
            return "FLAG"
        case ConstantParameter():
            return "N"
        case ScalarParameter(dtype=dtype):
            return "scale" if dtype.startswith(("f", "bf", "tf")) else "n"
    return "parameter"


def _distinct(parameters: Iterator[ParameterName]) -> tuple[ParameterName, ...]:
    """The same parameters with a number behind a Rust name that an earlier one has."""
    taken: set[str] = set()
    distinct: list[ParameterName] = []
    for parameter in parameters:
        name, number = parameter.rust, 2
        while name in taken:
            name, number = f"{parameter.rust}_{number}", number + 1
        taken.add(name)
        distinct.append(replace(parameter, rust=name))
    return tuple(distinct)
