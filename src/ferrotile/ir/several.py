"""Modules with several kernels: how many there are, and one of them as a module of its own."""

from __future__ import annotations

from ferrotile.core import InputError
from ferrotile.ir.access import attribute
from ferrotile.ir.binary import Reader
from ferrotile.ir.decode import decode
from ferrotile.ir.encode import encode
from ferrotile.ir.module import Module
from ferrotile.ir.sections import FUNCTION, read_header, read_sections


def kernel_count(data: bytes) -> int:
    """How many kernels bytecode holds, from its section headers alone.

    Raises: InputError FT200 to FT204.
    """
    reader = Reader(data)
    read_header(reader)
    section = read_sections(reader).get(FUNCTION)
    return Reader(data, section.start, section.end).varint() if section is not None else 0


def kernel_names(module: Module) -> tuple[str, ...]:
    """The symbols of a module's kernels, in order."""
    return tuple(attribute(entry, "sym_name") for entry in module.entries)


def alone(data: bytes, name: str) -> bytes:
    """Bytecode of one kernel, with the globals that it uses, as a module of its own and of the same version.

    Raises: InputError FT2xx for bytecode that cannot be read, FT226 for a name that no kernel has.
    """
    module = decode(data)
    names = kernel_names(module)
    if name not in names:
        raise InputError("FT226", f"no kernel is called `{name}`", hint=f"its kernels are {_listed(names)}")
    kept = module.entries[names.index(name)]
    for entry in module.entries:
        if entry is not kept:
            entry.detach()
    used = {attribute(op, "name") for op in kept.walk() if op.name == "cuda_tile.get_global"}
    for op in module.globals:
        if attribute(op, "sym_name") not in used:
            op.detach()
    return encode(Module(module.version, module.op, module.preview))


def _listed(names: tuple[str, ...]) -> str:
    shown = [f"`{name}`" for name in names[:8]]
    return ", ".join(shown) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
