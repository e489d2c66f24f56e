"""What every exported crate has: a copy of the runtime, machine code, and the declaration of its kernels as Rust."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from ferrotile.core import EnvironmentFault, store, tools
from ferrotile.host.declaration import Argument, ArrayFacts, ConstantFacts, Kernel, Passed, Variant
from ferrotile.host.templating import render
from ferrotile.host.types import SPELLED

RUNTIME = Path("runtime") / "launch"


def file_stem(variant: Variant) -> str:
    """A specialization as the name of a file: its label, and its target."""
    return f"{re.sub(r'[^A-Za-z0-9_.-]', '_', variant.label)}.{variant.target}"


def write_cubins(kernel: Kernel, folder: Path) -> None:
    """The machine code of each specialization. Raises: FT004."""
    for variant in kernel.variants:
        write_bytes(folder / f"{file_stem(variant)}.cubin", variant.cubin)


def declaration_values(kernel: Kernel, cubin_folder: str) -> dict[str, Any]:
    """What `variants.rs.j2` needs of a kernel; `cubin_folder` counts from the file that it stands in."""
    return {
        "cubin": lambda variant: f"{file_stem(variant)}.cubin",
        "cubin_folder": cubin_folder,
        "numbers": {argument.name: number for number, argument in enumerate(kernel.arguments)},
        "spelled": SPELLED,
        "text": json.dumps,
        "arrays": lambda variant: _arrays(kernel, variant),
        "scalars": lambda variant: _scalars(kernel, variant),
    }


def render_rust(template: str, **values: Any) -> str:
    """The Rust text of a template, laid out. Raises: FT001, FT002, FT003."""
    return tools.format_rust(render(template, **values), edition="2021", layout="")


def copy_runtime(source: Path, target: Path) -> None:
    """Copy the sources of a crate of the runtime. Raises: FT606 there are none; FT004."""
    files = [path for path in sorted(source.rglob("*")) if path.suffix in (".rs", ".toml") and path.is_file()]
    if not files:
        raise EnvironmentFault("FT606", f"there is no runtime in `{source}`", hint="give `--runtime TREE`")
    for path in files:
        write(target / path.relative_to(source), path.read_text())


def _arrays(kernel: Kernel, variant: Variant) -> list[tuple[Argument, ArrayFacts | None]]:
    """Each tensor argument with what is needed of it; None: it must be null."""
    tensors = [argument for argument in kernel.arguments if argument.passed is Passed.TENSOR]
    facts = [(argument, variant.facts[argument.name]) for argument in tensors]
    return [(argument, fact if isinstance(fact, ArrayFacts) else None) for argument, fact in facts]


def _scalars(kernel: Kernel, variant: Variant) -> list[str]:
    """The checks of the arguments that are no tensors, as Rust."""
    rows: list[str] = []
    for number, argument in enumerate(kernel.arguments):
        fact, of = variant.facts[argument.name], f"argument: {number}"
        if argument.passed is Passed.TENSOR or isinstance(fact, ArrayFacts):
            continue
        if isinstance(fact, ConstantFacts):
            rows.append(_constant(fact, argument, of))
            continue
        if fact.divisor > 1:
            rows.append(f"Scalar::DivisibleBy {{ {of}, divisor: {fact.divisor} }}")
        if fact.is_not_negative and argument.passed.startswith("i"):
            rows.append(f"Scalar::NotNegative {{ {of} }}")
    return rows


def _constant(fact: ConstantFacts, argument: Argument, of: str) -> str:
    match fact.value:
        case str(text):
            return f"Scalar::Text {{ {of}, value: c{json.dumps(text)} }}"
        case float(value):
            return f"Scalar::Constant {{ {of}, bits: {value!r}_f64.to_bits() }}"
        case value:
            return f"Scalar::Constant {{ {of}, bits: {int(value or 0)}_i64 as u64 }}"


def write(path: Path, text: str) -> None:
    """Write a text that is new. Raises: FT004."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, data: bytes) -> None:
    """Write what is new: cargo goes by time stamps, and compiles again what was written again. Raises: FT004."""
    if not path.is_file() or path.read_bytes() != data:
        store.write_bytes(path, data)
