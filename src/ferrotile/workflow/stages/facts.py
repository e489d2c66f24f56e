"""What the bytecode of one variant says about it: parameters, dtypes, constants, hints, and where it came from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from ferrotile import ir
from ferrotile.bundle import digest
from ferrotile.core import InputError, Role
from ferrotile.lift.source import ArrayParameter, ConstantParameter, KernelSymbol, ScalarParameter, parse_symbol
from ferrotile.workflow.run.artifacts import ArrayFacts, ConstantFacts, Facts, OtherFacts, ScalarFacts, Variant


def variant_of(name: str, source: str, bytecode: bytes) -> Variant:
    """The facts of one variant. Raises: FT2xx, FT804."""
    module = ir.decode(bytecode)
    if not module.entries:
        raise InputError("FT804", f"`{source}` holds no kernel")
    entry = module.entries[0]
    symbol = str(ir.attribute(entry, "sym_name"))
    signature, place = parse_symbol(symbol), ir.place(entry)
    return Variant(
        name=name,
        input=source,
        kernel=place.function if place is not None and place.function else symbol,
        symbol=symbol,
        structure=hashlib.sha256("\n".join(op.name for op in entry.walk()).encode()).hexdigest()[:16],
        reference=f"reference/{name}.tileirbc",
        sha256=digest(bytecode),
        operations=module.op_count,
        python=None if place is None else f"{place.file}:{place.line}",
        parameters=None if signature is None else tuple(_facts(one) for one in signature.parameters),
        dtypes=() if signature is None else tuple(dict.fromkeys(_dtypes(signature))),
        hints=hints_of(module),
    )


def hints_of(module: ir.Module) -> dict[str, dict[str, int]]:
    """The hints of a module's entry, by target."""
    groups = ir.attribute(module.entries[0], "optimization_hints") or ()
    return {target: {name: int(value) for name, value in entries} for target, entries in groups}


def effective_hints(module: ir.Module, target: str) -> dict[str, int]:
    """The hints that count for a target: its own where it has one, else those for any."""
    groups = hints_of(module)
    return {**groups.get("default", {}), **groups.get(target, {})}


def roles_of(symbol: str) -> tuple[Role, ...] | None:
    """What each entry parameter of a reference carries, as its symbol spells it; None when it spells no signature."""
    signature = parse_symbol(symbol)
    if signature is None:
        return None
    roles: list[Role] = []
    arrays = scalars = 0
    for parameter in _leaves(signature.parameters):
        if isinstance(parameter, ArrayParameter):
            axes = range(parameter.rank)
            roles += [Role.pointer(arrays), *(Role.shape(arrays, axis) for axis in axes)]
            roles += [Role.stride(arrays, axis) for axis in axes]
            arrays += 1
            continue
        count = parameter.entry_count
        roles += [Role.scalar(scalars + k) for k in range(count)]
        scalars += count
    return tuple(roles)


def _leaves(parameters: tuple) -> Iterator:
    for parameter in parameters:
        items = getattr(parameter, "items", None)
        yield from (parameter,) if items is None else _leaves(items)


def _facts(parameter: object) -> Facts:
    match parameter:
        case ArrayParameter():
            return ArrayFacts(
                dtype=parameter.dtype,
                shape=parameter.static_shape,
                stride=parameter.static_stride,
                shape_divisor=parameter.shape_divisor,
                stride_divisor=parameter.stride_divisor,
                align=parameter.base_divisor,
            )
        case ScalarParameter(dtype):
            return ScalarFacts(dtype=dtype)
        case ConstantParameter(value):
            return ConstantFacts(value=repr(value))
    return OtherFacts(of=type(parameter).__name__.removesuffix("Parameter").lower())


def _dtypes(signature: KernelSymbol) -> Iterator[str]:
    for parameter in _leaves(signature.parameters):
        element = getattr(parameter, "element", parameter)
        if isinstance(dtype := getattr(element, "dtype", None), str):
            yield dtype
