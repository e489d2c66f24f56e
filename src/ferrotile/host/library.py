"""A crate that becomes libcutile_kernels.so: one small crate for each kernel, so that a changed one compiles alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ferrotile.core import EnvironmentFault, InputError, tools
from ferrotile.host.declaration import Kernel, Library, Translated
from ferrotile.host.grouping import kernels_of
from ferrotile.host.specialization import specialization
from ferrotile.host.templating import render
from ferrotile.host.types import SPELLED, parameter_name
from ferrotile.host.writing import RUNTIME, copy_runtime, declaration_values, features, render_rust, write, write_code
from ferrotile.lift.source import SourceFinder

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
    copy_runtime(tree / RUNTIME, folder / "launch")
    found = features(kernels)
    for kernel in kernels:
        _write_kernel(kernel, found, folder / "kernels" / kernel.name)
    write(folder / "Cargo.toml", render("workspace.toml.j2", kernels=kernels))
    write(folder / "library" / "Cargo.toml", _manifest(kernels, found))
    write(folder / "library" / "src" / "lib.rs", render_rust("library.rs.j2", kernels=kernels))
    declared = render("declarations.h.j2", kernels=kernels, parameters=_parameters)
    write(folder / "include" / "cutile_kernels.cdef", declared)
    write(folder / "include" / "cutile_kernels.h", render("header.h.j2", declarations=declared))
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


def check_crate(folder: Path) -> None:
    """Let cargo check a crate with its tests and example, without a network. Raises: FT001, FT002, FT607."""
    arguments = ["check", "--offline", "--quiet", "--all-targets"]
    ran = tools.run("cargo", arguments, timeout_s=BUILD_LIMIT_S, folder=folder.resolve())
    if ran.code != 0:
        raise EnvironmentFault("FT607", f"cargo does not build the crate: {ran.first_line}")


def _manifest(kernels: Sequence[Kernel], found: Sequence[str]) -> str:
    """The library's Cargo.toml: its features are those of the kernels, where they can choose, and of the runtime."""

    def forwarded(feature: str) -> list[str]:
        chosen = [f"kernel-{kernel.name}/{feature}" for kernel in kernels if len(found) > 1]
        return ["ferrotile-launch/jit", *chosen] if feature == "jit" else chosen

    return render("library.toml.j2", kernels=kernels, features=found, forwarded=forwarded)


def _write_kernel(kernel: Kernel, found: Sequence[str], folder: Path) -> None:
    write_code(kernel, folder / "cubins", folder / "programs")
    values = {"kernel": kernel, "features": found, **declaration_values(kernel, "../{}")}
    text = render_rust("kernel.rs.j2", parameters=_rust_parameters, words=_words, **values)
    write(folder / "Cargo.toml", render("kernel.toml.j2", kernel=kernel, features=found))
    write(folder / "src" / "lib.rs", text)


def _parameters(kernel: Kernel) -> list[str]:
    """The parameters of the C function that are arguments of the kernel."""
    return [f"{SPELLED[argument.passed].c}{parameter_name(argument.name)}" for argument in kernel.arguments]


def _rust_parameters(kernel: Kernel) -> list[str]:
    return [f"{parameter_name(argument.name)}: {SPELLED[argument.passed].rust}" for argument in kernel.arguments]


def _words(kernel: Kernel) -> list[str]:
    return [SPELLED[argument.passed].word.format(parameter_name(argument.name)) for argument in kernel.arguments]
