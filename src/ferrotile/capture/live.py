"""What a launch would compile, in the process that launches: signature and bytecode, from the arguments themselves."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ferrotile.capture.front_end import BYTECODE_VERSION


@dataclass(frozen=True, slots=True)
class Launched:
    """A kernel for the signature of one launch. `constants`: which arguments are part of the program, and of a tuple
    which of its items.
    """

    symbol: str
    bytecode: bytes
    constants: tuple[Any, ...]


def signature_of(kernel: Any, arguments: Sequence[Any]) -> Any:
    """All that the program of a launch depends on beside the kernel and its hints; equal ones are the same.

    Raises: what cuda.tile raises for an argument that it refuses; a launch raises the same.
    """
    from cuda.tile import compilation

    versions = compilation.CallingConvention
    of = compilation.KernelSignature.from_kernel_args
    found = of(kernel, tuple(arguments), versions.cutile_python_v2())
    if not _needs_version_2(found.parameters):
        found = of(kernel, tuple(arguments), versions.cutile_python_v1())
    return found


def specialize(kernel: Any, signature: Any, target: str) -> Launched:
    """Export a kernel for the signature of a launch.

    Raises: what cuda.tile raises for a kernel that it refuses; a launch raises the same.
    """
    from cuda.tile import compilation

    buffer = io.BytesIO()
    compilation.export_kernel(
        kernel, [signature], buffer, gpu_code=target, output_format="tileir_bytecode", bytecode_version=BYTECODE_VERSION
    )
    return Launched(str(signature.symbol), buffer.getvalue(), tuple(map(_is_constant, signature.parameters)))


def _needs_version_2(parameters: Sequence[Any]) -> bool:
    """The JIT's rule: a tuple, or an array with a constant extent."""
    from cuda.tile import compilation

    elements = [getattr(parameter, "element", parameter) for parameter in parameters]
    return any(
        isinstance(one, compilation.TupleConstraint)
        or any(extent is not None for extent in getattr(one, "shape_constant", ()))
        for one in elements
    )


def _is_constant(constraint: Any) -> Any:
    from cuda.tile import compilation

    if isinstance(constraint, compilation.TupleConstraint):
        return tuple(_is_constant(item) for item in constraint.items)
    return isinstance(constraint, compilation.ConstantConstraint)
