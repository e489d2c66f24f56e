"""From a specialization or a mangled symbol to the signature that the front end compiles for."""

from __future__ import annotations

from typing import Any

from cuda import tile as ct
from cuda.tile import compilation

from ferrotile.capture.spec import ArraySpec, Extent, Hints, ScalarSpec, Specialization
from ferrotile.core import InputError


def from_specialization(kernel: Any, row: Specialization) -> compilation.KernelSignature:
    """The signature for a row of a spec file. Raises: FT107 when names do not fit or the front end refuses."""
    if row.symbol is not None:
        return from_symbol(row.symbol, row.kernel)
    given = row.parameters or {}
    names = list(kernel._annotated_function.pysig.parameters)
    missing = [name for name in names if name not in given]
    unknown = [name for name in given if name not in names]
    if missing or unknown:
        faults = [f"no entry for `{name}`" for name in missing] + [
            f"no parameter is named `{name}`" for name in unknown
        ]
        raise InputError("FT107", f"`parameters` of `{row.kernel}`: {'; '.join(faults)}")
    constraints = [_named_constraint(name, given[name]) for name in names]
    # Version 2 of the calling convention only where something needs it: this is the JIT's own rule, so
    # exported symbols are those of a launch.
    versions = (compilation.CallingConvention.cutile_python_v1(), compilation.CallingConvention.cutile_python_v2())
    version = versions[_needs_version_2(constraints)]
    try:
        return compilation.KernelSignature(constraints, version).with_mangled_symbol(row.kernel)
    except (TypeError, ValueError) as error:
        raise InputError("FT107", f"`parameters` of `{row.kernel}`: {_sentence(error)}") from None


def from_symbol(symbol: str, kernel: str | None = None) -> compilation.KernelSignature:
    """The signature that a mangled symbol of a kernel spells. Raises: FT108."""
    name = kernel_of(symbol)
    if kernel is not None and kernel != name:
        raise InputError("FT108", f"the symbol is one of `{name}`, and the input names `{kernel}`")
    return compilation.demangle_kernel_name(symbol)[1]


def kernel_of(symbol: str) -> str:
    """The kernel that a mangled symbol names. Raises: FT108."""
    try:
        return compilation.demangle_kernel_name(symbol)[0]
    except (ValueError, TypeError, AssertionError, IndexError, KeyError) as error:
        raise InputError("FT108", f"`{symbol}` is not a mangled kernel symbol: {_sentence(error)}") from None


def with_hints(kernel: Any, hints: Hints) -> Any:
    """The kernel with the hints of a row in place of its own. Raises: FT107."""
    given = {name: _hint(value) for name, value in hints.model_dump().items() if value is not None}
    if not given:
        return kernel
    try:
        return kernel.replace_hints(**given)
    except (TypeError, ValueError) as error:
        raise InputError("FT107", f"`hints`: {_sentence(error)}") from None


def hints_of(kernel: Any) -> tuple[tuple[str, int | None], ...]:
    """The hints a kernel is compiled with, as (name, value) pairs; values per target are named `hint.target`."""
    return tuple(
        (name if target == "default" else f"{name}.{target}", value)
        for target, values in sorted(kernel._compiler_options.hints_by_target().items())
        for name, value in sorted(values.items())
    )


def _named_constraint(name: str, entry: Any) -> Any:
    try:
        return _constraint(entry)
    except (TypeError, ValueError, NotImplementedError) as error:
        raise InputError("FT107", f"`parameters.{name}`: {_sentence(error)}") from None


def _constraint(entry: Any) -> Any:
    if isinstance(entry, ArraySpec):
        return _array(entry)
    if isinstance(entry, ScalarSpec):
        return compilation.ScalarConstraint(getattr(ct, entry.scalar))
    if isinstance(entry, tuple):
        return compilation.TupleConstraint(tuple(_constraint(item) for item in entry))
    return compilation.ConstantConstraint(entry)


def _array(entry: ArraySpec) -> compilation.ArrayConstraint:
    strides = entry.strides()
    return compilation.ArrayConstraint(
        getattr(ct, entry.dtype),
        len(entry.shape),
        index_dtype=getattr(ct, entry.index),
        stride_lower_bound_incl=[None if stride.value is not None else 0 for stride in strides],
        alias_groups=entry.alias_groups,
        may_alias_internally=entry.overlaps,
        stride_constant=[stride.value for stride in strides],
        shape_constant=[extent.value for extent in entry.shape],
        stride_divisible_by=[_factor(stride) for stride in strides],
        shape_divisible_by=[_factor(extent) for extent in entry.shape],
        base_addr_divisible_by=entry.align,
    )


def _factor(extent: Extent) -> int:
    return 1 if extent.value is not None else extent.factor


def _needs_version_2(constraints: list[Any]) -> bool:
    return any(
        isinstance(constraint, compilation.TupleConstraint)
        or any(extent is not None for extent in getattr(constraint, "shape_constant", ()))
        for constraint in constraints
    )


def _hint(value: Any) -> Any:
    if isinstance(value, dict):
        return ct.ByTarget(**{target: _hint(entry) for target, entry in value.items()})
    return None if value == "auto" else value


def _sentence(error: BaseException) -> str:
    """The first line of an exception's text, in our form of messages."""
    line = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
    return line[:1].lower() + line[1:]
