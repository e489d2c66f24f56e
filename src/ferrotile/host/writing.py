"""What every exported crate has: a copy of the runtime, machine code, and the declaration of its kernels as Rust."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
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


def write_code(kernel: Kernel, cubins: Path, programs: Path) -> None:
    """The machine code of each specialization, and the program where it is compiled late. Raises: FT004."""
    for variant in kernel.variants:
        if variant.cubin is not None:
            write_bytes(cubins / f"{file_stem(variant)}.cubin", variant.cubin)
        if variant.program is not None:
            write_bytes(programs / f"{file_stem(variant)}.tileirbc", variant.program)


def features(kernels: Iterable[Kernel]) -> list[str]:
    """The cargo features of a crate: `aot` where machine code is embedded, `jit` where programs are."""
    variants = [variant for kernel in kernels for variant in kernel.variants]
    has_machine_code = any(variant.cubin is not None for variant in variants)
    has_programs = any(variant.program is not None for variant in variants)
    return ["aot"] * has_machine_code + ["jit"] * has_programs


def declaration_values(kernel: Kernel, folders: str) -> dict[str, Any]:
    """What `variants.rs.j2` needs of a kernel; `folders`: the path to `{}`, cubins or programs, from where it is."""
    return {
        "code": lambda variant: (
            ("aot", "machine", _machine(variant, folders.format("cubins")), "Machine::NONE"),
            ("jit", "program", _program(kernel, variant, folders.format("programs")), "Program::NONE"),
        ),
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


def _machine(variant: Variant, folder: str) -> str:
    """Embedded machine code, as Rust."""
    if variant.cubin is None:
        return "Machine::NONE"
    return f'Machine {{ target: {variant.capability}, cubin: cubin!("{folder}/{file_stem(variant)}.cubin") }}'


def _program(kernel: Kernel, variant: Variant, folder: str) -> str:
    """The program for the compiler, as Rust; cached machine code goes by the digest that is taken here."""
    if variant.program is None:
        return "Program::NONE"
    first, last = kernel.covers(variant)
    digest = hashlib.sha256(variant.program).hexdigest()
    return (
        f'Program {{ bytecode: include_bytes!("{folder}/{file_stem(variant)}.tileirbc"), sha256: "{digest}", '
        f"first: {first}, last: {'u32::MAX' if last is None else last} }}"
    )


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
