"""Builds the Rust extension and puts it beside the Python package; standard library only.

    python build_backend/extension.py            build, and copy to src/ferrotile/_native.abi3.so
    python build_backend/extension.py cargo ...   run cargo with the same environment (fmt, clippy, test)

The CUDA headers and libclang come from wheels of the running interpreter. They are copied to the
user's cache folder under names that hold their versions, and crates are compiled there too: another
clone then sees the same paths, environment and time stamps, and cargo rebuilds only what changed. The
finished extension is kept there as well, by the content of its sources.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXTENSION = ROOT / "src" / "ferrotile" / "_native.abi3.so"
LIBRARY = "lib_native.so"
# A toolkit or a clang named in the user's environment must not leak into the build.
FOREIGN = ("CUDA_HOME", "CUDA_PATH", "CUDA_TOOLKIT_TARGET_DIR", "CUDA_RUST_DEBUG", "LLVM_CONFIG_PATH", "PYO3_PYTHON")


class BuildFault(SystemExit):
    """Something that the build needs is missing; the text says what and how to get it."""


def cache_folder() -> Path:
    """The user's cache folder for ferrotile, the same that `core.tools` uses."""
    if chosen := os.environ.get("FERROTILE_CACHE"):
        return Path(chosen).resolve()
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "ferrotile"


def _wheel_files(distribution: str, marker: str) -> tuple[str, Path]:
    """The version of an installed wheel and the folder that its file `marker` lies in."""
    try:
        found = importlib.metadata.distribution(distribution)
    except importlib.metadata.PackageNotFoundError:
        raise BuildFault(f"`{distribution}` is not installed for {sys.executable}; run `make setup`") from None
    for file in found.files or ():
        if file.as_posix().endswith(marker):
            return found.version, Path(str(found.locate_file(file))).parent
    raise BuildFault(f"`{distribution}` {found.version} holds no `{marker}`; run `make setup` again")


def _kept_copy(source: Path, target: Path, pattern: str) -> None:
    """Copies a folder once; the copy appears whole or not at all."""
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=target.parent))
    for entry in source.glob(pattern):
        copy = shutil.copytree if entry.is_dir() else shutil.copy2
        copy(entry, scratch / entry.name)
    scratch.chmod(0o755)
    try:
        scratch.rename(target)
    except OSError:  # another build was faster
        shutil.rmtree(scratch)


def _compiler_include() -> str:
    """The folder of the C compiler's own headers; the libclang wheel has none (no stddef.h)."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise BuildFault("no C compiler found: install gcc")
    asked = subprocess.run([compiler, "-print-file-name=include"], capture_output=True, text=True, check=True)
    return asked.stdout.strip()


def build_environment() -> dict[str, str]:
    """The environment in which cargo builds the native crate, the same for every clone of one user."""
    for tool in ("cargo", "rustc"):
        if shutil.which(tool) is None:
            raise BuildFault(f"`{tool}` not found: install Rust 1.89 or newer (rustup.rs)")
    cuda, cuda_include = _wheel_files("nvidia-cuda-runtime", "/include/cuda_runtime.h")
    curand, _ = _wheel_files("nvidia-curand", "/include/curand.h")
    clang, clang_folder = _wheel_files("libclang", "/native/libclang.so")
    kept = cache_folder() / "build"
    toolkit = kept / f"cuda-{cuda}-curand-{curand}"
    _kept_copy(cuda_include, toolkit / "include", "*")
    _kept_copy(clang_folder, kept / f"libclang-{clang}", "*")
    environment = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    environment |= {
        "CUDA_TOOLKIT_PATH": str(toolkit),
        "LIBCLANG_PATH": str(kept / f"libclang-{clang}"),
        "BINDGEN_EXTRA_CLANG_ARGS": f"-isystem {_compiler_include()}",
        "CARGO_TARGET_DIR": str(cache_folder() / "target"),
        "PYO3_NO_PYTHON": "1",
        "PYO3_BUILD_EXTENSION_MODULE": "1",
    }
    return environment


def run_cargo(arguments: list[str], environment: dict[str, str]) -> None:
    """Runs cargo in the tree; its own messages go through."""
    ended = subprocess.run(["cargo", *arguments], cwd=ROOT, env=environment)
    if ended.returncode:
        raise BuildFault(ended.returncode)


def _source_key(environment: dict[str, str]) -> str:
    """Names a build by all that goes into it: the sources of our crates, the locked crates, the compiler."""
    digest = hashlib.sha256()
    files = [ROOT / "Cargo.toml", ROOT / "Cargo.lock"]
    for folder in ("native", "runtime"):
        files += [path for path in (ROOT / folder).rglob("*") if path.suffix in (".rs", ".toml")]
    for path in sorted(files):
        digest.update(f"{path.relative_to(ROOT)}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    rustc = subprocess.run(["rustc", "-vV"], capture_output=True, check=True, cwd=ROOT, env=environment)
    digest.update(rustc.stdout)
    digest.update(environment["CUDA_TOOLKIT_PATH"].encode())
    return digest.hexdigest()[:32]


def build_extension() -> Path:
    """Puts the extension for this tree's sources in place, compiling it unless any clone did before."""
    environment = build_environment()
    kept = cache_folder() / "native" / f"{_source_key(environment)}.so"
    if not kept.exists():
        _compile_extension(environment, kept)
    scratch = EXTENSION.with_suffix(".new")
    shutil.copy2(kept, scratch)
    scratch.replace(EXTENSION)
    return EXTENSION


@contextlib.contextmanager
def alone_in_target(environment: dict[str, str]) -> Iterator[Path]:
    """Keeps other clones out of the shared target folder and removes the last library built there.

    Cargo gives the library of each clone the same file name; one could take another's for its own.
    """
    target = Path(environment["CARGO_TARGET_DIR"])
    target.mkdir(parents=True, exist_ok=True)
    with open(target / "ferrotile.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for built in (target / "release" / LIBRARY, target / "release" / "deps" / LIBRARY):
            built.unlink(missing_ok=True)
        yield target


def _compile_extension(environment: dict[str, str], kept: Path) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    with alone_in_target(environment) as target:
        run_cargo(["build", "--release", "--locked", "--package", "ferrotile-native"], environment)
        scratch = kept.with_suffix(f".{os.getpid()}")
        shutil.copy2(target / "release" / LIBRARY, scratch)
        scratch.replace(kept)


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["cargo"]:
        run_cargo(arguments[1:], build_environment())
    else:
        build_extension()


if __name__ == "__main__":
    main(sys.argv[1:])
