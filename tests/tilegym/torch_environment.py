"""An environment with torch and tilegym, 2 GB, for a machine without a GPU.

The torch wheel alone lacks the CUDA libraries that it is linked to, more than two gigabytes that nobody calls without
a GPU. In their place stand small libraries with the same names, which define the functions that torch asks for.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

FULL = "cuda-tile==1.7.0 nvidia-cuda-tileiras==13.5.37 numpy sympy filelock fsspec jinja2 networkx".split()
FULL += "pytest pytest-timeout transformers==5.3.0".split()
ALONE = "torch==2.15.0 tilegym==1.5.1".split()
"""What is installed without its dependencies."""
PREFIXES = {
    "libcublas.": "cublas",
    "libcublasLt.": "cublasLt",
    "libcudnn.": "cudnn",
    "libcufft.": "cufft",
    "libcufile.": "cuFile",
    "libcupti.": "cupti",
    "libcusolver.": "cusolver",
    "libcusparse.": "cusparse",
    "libcusparseLt.": "cusparseLt",
    "libnccl.": "nccl",
    "libnvrtc.": "nvrtc",
    "libnvshmem_host.": "nvshmem",
}
"""The libraries that are replaced, and how the names of their functions begin."""


def make(folder: Path) -> Path:
    """Make the environment unless it is there; its Python. Needs the package index, gcc and binutils."""
    python = folder / "bin" / "python"
    done = folder / "made"
    if not done.is_file():
        _call(sys.executable, "-m", "venv", str(folder))
        install = (str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        _call(*install, *FULL)
        _call(*install, "--no-deps", *ALONE)
        site = next((folder / "lib").glob("python3*/site-packages"))
        make_libraries(site / "torch" / "lib", site / "nvidia" / "cu13" / "lib")
        done.write_text("\n".join([*FULL, *ALONE]) + "\n")
    return python


def package(folder: Path) -> Path:
    """Where tilegym lies in the environment."""
    return next((folder / "lib").glob("python3*/site-packages/tilegym"))


def make_libraries(torch_libraries: Path, out: Path) -> None:
    """Write a stand-in for every library of PREFIXES that torch's libraries need."""
    out.mkdir(parents=True, exist_ok=True)
    defined: set[str] = set()
    wanted: set[str] = set()
    needed: set[str] = set()
    for library in sorted(torch_libraries.iterdir()):
        if re.search(r"\.so(\.|$)", library.name):
            for line in _output("nm", "-D", str(library)).splitlines():
                kind, name = line.split()[-2:]
                (wanted if kind in "Uwv" else defined).add(name)
            needed |= set(re.findall(r"NEEDED.*\[(.*)\]", _output("readelf", "-d", str(library))))
    for name in sorted(needed):
        prefix = next((prefix for start, prefix in PREFIXES.items() if name.startswith(start)), None)
        if prefix is not None:
            _make_library(out / name, *functions_of(name, prefix, wanted - defined))


def functions_of(library: str, prefix: str, wanted: set[str]) -> tuple[set[str], dict[str, set[str]]]:
    """Of the functions that torch asks for, those of a library: without a version, and by version."""
    plain: set[str] = set()
    versioned: dict[str, set[str]] = {}
    for symbol in wanted:
        name, _, version = symbol.partition("@")
        version = version.lstrip("@")
        if version == library or (version == "NVSHMEM" and prefix == "nvshmem"):
            versioned.setdefault(version, set()).add(name)
        elif not version and name.startswith(prefix):
            plain.add(name)
    return plain, versioned


def _make_library(path: Path, plain: set[str], versioned: dict[str, set[str]]) -> None:
    """Every function returns 1, an error to all that call it."""
    source, script = path.with_suffix(".c"), path.with_suffix(".map")
    names = sorted(plain.union(*versioned.values()))
    source.write_text("".join(f"int {name}(void){{return 1;}}\n" for name in names))
    script.write_text(
        "".join(f"{version} {{ global: {'; '.join(sorted(of))}; }};\n" for version, of in versioned.items())
    )
    options = "-shared -fPIC -nostdlib -w -fno-builtin".split()
    versions = [f"-Wl,--version-script={script}"] if versioned else []
    _call("gcc", *options, f"-Wl,-soname,{path.name}", "-o", str(path), str(source), *versions)
    source.unlink()
    script.unlink()


def _call(*command: str) -> None:
    subprocess.run(command, check=True)


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
