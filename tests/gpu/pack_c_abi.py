"""Export the examples as a C library for a GPU machine that has no compiler.

    python tests/gpu/pack_c_abi.py OUT TRANSLATED [MORE ..]

TRANSLATED is a folder that `ferrotile translate examples` wrote, MORE are others to export. OUT gets
the library, the same kernels as a library that compiles at the first call (pack_late.py), the cubins of
pack_examples.py, the timing loops, and a stand-in for tileiras that knows the cubins of the examples, so that cuTile
Python runs them there. Its wheel for that machine may be put into OUT too (`pip download
--python-version`). Then, on the machine with the GPU and torch:

    FERROTILE_PACK=OUT python -m pytest tests/gpu/test_c_abi_on_device.py tests/gpu/test_late_on_device.py
    FERROTILE_PACK=OUT python tests/gpu/host_time.py
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from pack_examples import ROOT, pack
from pack_late import pack_late

from ferrotile import workflow
from ferrotile.core import store, tools
from ferrotile.host import DTYPES

TORCH_NAMES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16", "i32": "int32", "i64": "int64"}
STAND_IN = """\
#!/bin/sh
# Stands for tileiras where there is none: the cubin of the kernel that the input is named after.
PATH=/usr/bin:/bin
case "$*" in *--version*) cat "$(dirname "$0")/tileiras.version"; exit 0 ;; esac
out=; kernel=
while [ $# -gt 0 ]; do
    case "$1" in
        -o) out=$2; shift ;;
        *.bytecode) kernel=$(basename "$1") ;;
    esac
    shift
done
for cubin in "$(dirname "$0")"/../*.reference.cubin; do
    name=$(basename "$cubin" .reference.cubin)
    case "$kernel" in "$name"*) cp "$cubin" "$out"; exit 0 ;; esac
done
cp "$(dirname "$0")/../vector_add.reference.cubin" "$out"
"""


def main(folder: Path, translated: Path, *more: Path) -> None:
    """Write everything that the GPU machine needs."""
    pack(folder, translated)
    exported = workflow.export_c([translated, *more], ROOT / "build" / "c-abi", workflow.ExportOptions())
    assert exported.binary is not None
    shutil.copy2(exported.binary, folder / exported.binary.name)
    kernels = exported.library.kernels
    functions = {kernel.name: [(a.name, str(a.passed)) for a in kernel.arguments] for kernel in kernels}
    dtypes = {TORCH_NAMES[dtype.name]: dtype.number for dtype in DTYPES if dtype.name in TORCH_NAMES}
    pack_late(folder / "late", [translated, *more])
    for place in (folder, folder / "late"):
        store.write_json(place / "functions.json", {"kernels": functions, "dtypes": dtypes})
    source = Path(__file__).parent / "host_time.c"
    loops = ["cc", "-O2", "-shared", "-fPIC", "-o", str(folder / "libhost_time.so"), str(source)]
    subprocess.run(loops, check=True)
    _build_cutile_launcher(folder / "libcutile_launcher.so")
    store.write_text(folder / "bin" / "tileiras", STAND_IN)
    (folder / "bin" / "tileiras").chmod(0o755)
    store.write_bytes(folder / "bin" / "tileiras.version", tools.run("tileiras", ["--version"], timeout_s=60).stdout)


def _build_cutile_launcher(library: Path) -> None:
    """cutile's own launcher around the two kernels of host_time.py; minutes, once, since all of cutile is compiled."""
    builder = [sys.executable, ROOT / "build_backend" / "extension.py"]
    subprocess.run([*builder, "cargo", "build", "--release", "--locked", "--package", "cutile-launcher"], check=True)
    sys.path.insert(0, str(ROOT / "build_backend"))
    import extension

    shutil.copy2(extension.cache_folder() / "target" / "release" / "libcutile_launcher.so", library)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
