"""Names that the source gives to array extents: `M = A.shape[0]` names the entry parameter of that extent."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xdsl.ir import Block

from ferrotile.lift.source.binding import Binding, Bindings, scope_of
from ferrotile.lift.source.calls import passed_name
from ferrotile.lift.source.locate import Sites
from ferrotile.lift.source.parameters import ParameterName
from ferrotile.lift.source.symbol import ArrayParameter
from ferrotile.lift.source.syntax import Function


def bind_shapes(block: Block, sites: Sites, parameters: tuple[ParameterName, ...], bindings: Bindings) -> None:
    """Bind entry parameters to the variables that the kernel, or a helper, reads them into."""
    arrays = {parameter.python: parameter for parameter in parameters if parameter.is_array}
    seen: set[tuple[Function, object]] = set()
    for place, site in sites.by_place.items():
        function = site.spots[0].function
        if not isinstance(function, ast.FunctionDef) or (function, place.caller) in seen:
            continue
        seen.add((function, place.caller))
        for variable, array, field, axis in _reads(function):
            python = passed_name(array, site, sites)
            parameter = arrays.get(python) if python else None
            if parameter is not None:
                _bind(block, parameter, (field, axis), Binding(variable, scope_of(site.spots[0], place)), bindings)


def _bind(block: Block, parameter: ParameterName, what: tuple[str, int], binding: Binding, bindings: Bindings) -> None:
    field, axis = what
    assert isinstance(parameter.symbol, ArrayParameter)
    rank = parameter.symbol.rank
    if -rank <= axis < rank:
        offset = 1 + axis % rank + (rank if field == "strides" else 0)
        bindings.add(block.args[parameter.first + offset], binding)


def _reads(function: ast.FunctionDef) -> Iterator[tuple[str, str, str, int]]:
    """(variable, array, `shape` or `strides`, axis) for each assignment that reads an extent or all of them."""
    for node in ast.walk(function):
        match node:
            case ast.Assign(
                targets=[ast.Name(id=variable)],
                value=ast.Subscript(
                    value=ast.Attribute(value=ast.Name(id=array), attr="shape" | "strides" as field), slice=index
                ),
            ) if (axis := _integer(index)) is not None:
                yield variable, array, field, axis
            case ast.Assign(
                targets=[ast.Tuple(elts=elements)],
                value=ast.Attribute(value=ast.Name(id=array), attr="shape" | "strides" as field),
            ):
                for axis, element in enumerate(elements):
                    if isinstance(element, ast.Name) and element.id.strip("_"):
                        yield element.id, array, field, axis


def _integer(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            return -number
    return None
