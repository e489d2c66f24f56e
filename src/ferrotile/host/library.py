"""A crate that becomes libcutile_kernels.so: one small crate for each kernel, so that a changed one compiles alone."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from ferrotile.core import EnvironmentFault, InputError, store, tools
from ferrotile.host.declaration import Argument, ArrayFacts, ConstantFacts, Kernel, Library, Passed, Translated, Variant
from ferrotile.host.grouping import kernels_of
from ferrotile.host.specialization import specialization
from ferrotile.host.templating import render
from ferrotile.host.types import SPELLED, parameter_name
from ferrotile.lift.source import SourceFinder

RUNTIME = Path("runtime") / "launch"
LIBRARY = "libcutile_kernels.so"
BUILD_LIMIT_S = 900


def export_library(
    translations: Sequence[Translated], folder: Path, tree: Path, finder: SourceFinder | None = None
) -> Library:
    """Write the library of some translations, as `write_library` does.

    Raises: FT601 no translation; FT603, FT604, FT609 what cannot be exported; FT606 no runtime; FT004.
    """
    if not translations:
        raise InputError("FT601", "there is nothing to export")
    return write_library(kernels_of(specialization(given, finder) for given in translations), folder, tree)


def write_library(kernels: tuple[Kernel, ...], folder: Path, tree: Path) -> Library:
    """Write the crate, C header and cffi cdef of a library; files that would not change keep their time stamps.

    `tree` is where `runtime/launch` is copied from: the folder needs nothing outside it afterwards.
    Raises: FT606 no runtime; FT004.
    """
    _copy_runtime(tree / RUNTIME, folder / "launch")
    for kernel in kernels:
        _write_kernel(kernel, folder / "kernels" / kernel.name)
    _write(folder / "Cargo.toml", render("workspace.toml.j2", kernels=kernels))
    _write(folder / "library" / "Cargo.toml", render("library.toml.j2", kernels=kernels))
    _write(folder / "library" / "src" / "lib.rs", _rust("library.rs.j2", kernels=kernels))
    declared = render("declarations.h.j2", kernels=kernels, parameters=_parameters)
    _write(folder / "include" / "cutile_kernels.cdef", declared)
    _write(folder / "include" / "cutile_kernels.h", render("header.h.j2", declarations=declared))
    return Library(folder, kernels)


def build_library(library: Library, *, features: Sequence[str] = ()) -> Path:
    """Compile the crate with cargo, without a network; the library that it makes. Raises: FT001, FT002, FT607."""
    folder = Path(library.folder)
    arguments = ["build", "--release", "--offline", "--quiet", "--manifest-path", str(folder.resolve() / "Cargo.toml")]
    arguments += ["--target-dir", str(folder.resolve() / "target"), "--features", ",".join(features)]
    ran = tools.run("cargo", arguments, timeout_s=BUILD_LIMIT_S, folder=folder)
    made = folder / "target" / "release" / LIBRARY
    if ran.code != 0 or not made.is_file():
        raise EnvironmentFault("FT607", f"cargo does not build the library: {ran.first_line}")
    return made


def _copy_runtime(source: Path, target: Path) -> None:
    files = [path for path in sorted(source.rglob("*")) if path.suffix in (".rs", ".toml") and path.is_file()]
    if not files:
        raise EnvironmentFault("FT606", f"there is no runtime in `{source}`", hint="give `--runtime TREE`")
    for path in files:
        _write(target / path.relative_to(source), path.read_text())


def _write_kernel(kernel: Kernel, folder: Path) -> None:
    cubins = {variant.label: f"{re.sub(r'[^A-Za-z0-9_.-]', '_', variant.label)}.cubin" for variant in kernel.variants}
    for variant in kernel.variants:
        _write_bytes(folder / "cubins" / cubins[variant.label], variant.cubin)
    numbers = {argument.name: number for number, argument in enumerate(kernel.arguments)}
    text = _rust(
        "kernel.rs.j2", kernel=kernel, cubins=cubins, numbers=numbers, spelled=SPELLED, parameters=_rust_parameters,
        words=_words, text=json.dumps,
        arrays=lambda variant: _arrays(kernel, variant), scalars=lambda variant: _scalars(kernel, variant),
    )  # fmt: skip
    _write(folder / "Cargo.toml", render("kernel.toml.j2", kernel=kernel))
    _write(folder / "src" / "lib.rs", text)


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


def _parameters(kernel: Kernel) -> list[str]:
    """The parameters of the C function that are arguments of the kernel."""
    return [f"{SPELLED[argument.passed].c}{parameter_name(argument.name)}" for argument in kernel.arguments]


def _rust_parameters(kernel: Kernel) -> list[str]:
    return [f"{parameter_name(argument.name)}: {SPELLED[argument.passed].rust}" for argument in kernel.arguments]


def _words(kernel: Kernel) -> list[str]:
    return [SPELLED[argument.passed].word.format(parameter_name(argument.name)) for argument in kernel.arguments]


def _rust(template: str, **values: object) -> str:
    return tools.format_rust(render(template, **values), edition="2021")


def _write(path: Path, text: str) -> None:
    _write_bytes(path, text.encode())


def _write_bytes(path: Path, data: bytes) -> None:
    """Write what is new: cargo goes by time stamps, and compiles again what was written again."""
    if not path.is_file() or path.read_bytes() != data:
        store.write_bytes(path, data)
