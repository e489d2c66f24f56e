"""Run cuTile Python's front end on a kernel and keep the Tile IR bytecode."""

from __future__ import annotations

import hashlib
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ferrotile.capture.load import cuda_tile, kernels_of, loaded
from ferrotile.capture.spec import Specialization, read_spec
from ferrotile.core import InputError, Place, Unsupported

BYTECODE_VERSION = "13.4"
"""What cuda-tile 1.7.0 chooses for tileiras 13.5; given by name, so that an export runs no tool."""


@dataclass(frozen=True, slots=True)
class Capture:
    """One exported specialization: its bytecode and where it came from.

    `name` serves as a folder name: kernel and label, or kernel and a digest of symbol and hints. `parameters`
    are the names of the Python function's parameters, constants included, in order.
    """

    name: str
    symbol: str
    bytecode: bytes
    signature: Any
    source: Path
    kernel: str
    parameters: tuple[str, ...]
    hints: tuple[tuple[str, int | None], ...]


def export(
    path: Path | str, kernel: str | None = None, signature: str | Specialization | None = None, target: str = "sm_90"
) -> list[Capture]:
    """Export a kernel of a Python file to bytecode, once for each specialization.

    `signature` is a mangled symbol, the path of a spec file, or a row of one; without it the spec file beside
    the Python file (same name, `.toml`) is used. Without `kernel` all kernels that it names are exported.
    Raises: FT101 to FT110 (docs/codes.md).
    """
    path = Path(path)
    if re.fullmatch(r"sm_\d+[af]?", target) is None:
        raise InputError("FT111", f"`{target}` is not a target; targets look like `sm_90`")
    cuda_tile()
    with loaded(path) as module:
        kernels = kernels_of(module)
        if kernel is not None:
            _require_kernel(kernel, kernels, path)
        return [_export_one(path, kernels, request, target) for request in _requests(path, kernel, signature, kernels)]


def _requests(
    path: Path, kernel: str | None, signature: str | Specialization | None, kernels: dict[str, Any]
) -> list[Specialization]:
    """What to export, as rows of a spec file."""
    if isinstance(signature, Specialization):
        return [signature]
    if signature is not None and not _is_spec_path(signature):
        from ferrotile.capture.signature import kernel_of

        return [Specialization(kernel=kernel or kernel_of(signature), symbol=signature)]
    spec_path = Path(signature) if signature is not None else path.with_suffix(".toml")
    if signature is None and not spec_path.is_file():
        raise _no_signature(path, kernel, kernels)
    rows = [row for row in read_spec(spec_path).specialization if kernel is None or row.kernel == kernel]
    if not rows:
        raise InputError(
            "FT105", f"`{spec_path.name}` has no specialization of `{kernel}`", hint=_template(kernel or "", kernels)
        )
    return rows


def _export_one(path: Path, kernels: dict[str, Any], row: Specialization, target: str) -> Capture:
    from ferrotile.capture import signature as signatures

    _require_kernel(row.kernel, kernels, path)
    kernel = signatures.with_hints(kernels[row.kernel], row.hints)
    signature = signatures.from_specialization(kernel, row)
    hints = signatures.hints_of(kernel)
    symbol = signature.symbol or row.kernel
    return Capture(
        name=_name(path, row.kernel, row.label, (symbol, hints)),
        symbol=symbol,
        bytecode=_compile(path, kernel, signature, target),
        signature=signature,
        source=path,
        kernel=row.kernel,
        parameters=tuple(kernel._annotated_function.pysig.parameters),
        hints=hints,
    )


def _compile(path: Path, kernel: Any, signature: Any, target: str) -> bytes:
    """Bytecode for one signature. Raises: FT104 with cuda.tile's message and the Python line, FT109."""
    ct = cuda_tile()
    buffer = io.BytesIO()
    try:
        ct.compilation.export_kernel(
            kernel,
            [signature],
            buffer,
            gpu_code=target,
            output_format="tileir_bytecode",
            bytecode_version=BYTECODE_VERSION,
        )
    except Exception as error:  # whatever the front end raises becomes a code
        raise _compile_error(path, kernel, error) from None
    return buffer.getvalue()


def _compile_error(path: Path, kernel: Any, error: Exception) -> InputError | Unsupported:
    """Whose fault a failed compilation is: the kernel's (FT104), or that of the front end itself (FT109)."""
    ct, title, place = cuda_tile(), kernel._pyfunc.__name__, _place(error)
    is_refusal = isinstance(error, (ct.TileError, TypeError, ValueError)) and not isinstance(
        error, ct.TileInternalError
    )
    if not is_refusal:
        return Unsupported("FT109", f"the front end failed on `{title}`: {_message(error)}", at=place)
    # A signature that does not fit the annotations is refused without a place.
    place = place or Place(str(path), kernel._pyfunc.__code__.co_firstlineno, 0, title)
    return InputError("FT104", f"cuda.tile refuses `{title}`: {_message(error)}", at=place)


def _require_kernel(name: str, kernels: dict[str, Any], path: Path) -> None:
    if name in kernels:
        return
    found = ", ".join(f"`{other}`" for other in kernels)
    raise InputError(
        "FT103",
        f"`{path.name}` has no kernel `{name}`",
        hint=f"its kernels are {found}" if found else "it has no function decorated with `ct.kernel`",
    )


def _no_signature(path: Path, kernel: str | None, kernels: dict[str, Any]) -> InputError:
    name = kernel or next(iter(kernels), None)
    if name is None:
        return InputError("FT103", f"`{path.name}` has no function decorated with `ct.kernel`")
    return InputError(
        "FT105", f"nothing says for which types to compile `{name}` of `{path.name}`", hint=_template(name, kernels)
    )


def _template(name: str, kernels: dict[str, Any]) -> str:
    """How to write a spec for a kernel: the real parameter names with placeholders to edit."""
    if name not in kernels:
        return "docs/signatures.md shows how to write one"
    function = kernels[name]._annotated_function
    entries = [
        f"{parameter} = {'64' if getattr(node, 'constant', False) else chr(34) + 'float32[_, *16]' + chr(34)}"
        for parameter, node in zip(function.pysig.parameters, function.parameter_annotations, strict=True)
    ]
    row = f'[[specialization]]\nkernel = "{name}"\n[specialization.parameters]\n' + "\n".join(entries)
    return f"give --signature, or write a .toml file of the same name beside it, with your types:\n{row}"


def _is_spec_path(text: str) -> bool:
    return text.endswith(".toml") or "/" in text


def _name(path: Path, kernel: str, label: str, identity: tuple[object, ...]) -> str:
    digest = hashlib.sha256(repr(identity).encode()).hexdigest()[:12]
    slug = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")
    head = kernel if path.stem == kernel else f"{path.stem}.{kernel}"
    return f"{head}.{slug or digest}"


def _message(error: BaseException) -> str:
    """One sentence: the first line of the front end's message, without a full stop."""
    text = getattr(error, "message", None) or str(error)
    lines = str(text).strip().splitlines() or [type(error).__name__]
    return (lines[0][:1].lower() + lines[0][1:]).rstrip(".:")


def _place(error: BaseException) -> Place | None:
    """The place of a front-end error with the helpers that lead there; it counts columns from 0 as we do."""
    return _from_loc(getattr(error, "loc", None))


def _from_loc(loc: Any) -> Place | None:
    if loc is None or not loc.filename:
        return None
    function = getattr(loc.function, "name", None) or ""
    return Place(loc.filename, loc.line, loc.col, function, _from_loc(loc.call_site))
