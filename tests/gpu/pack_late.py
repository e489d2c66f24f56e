"""A library that compiles at the first call, and a stand-in for tileiras for a GPU machine that has none.

pack_c_abi.py calls this; OUT/late gets both. The stand-in knows the machine code of each program by its digest, for the
architecture of the pack; it fails for every other. Where the real tileiras is, the tests use that too.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path

from pack_examples import ROOT, TARGET

from ferrotile import host, workflow
from ferrotile.core import store, tools

STAND_IN = """\
#!/bin/sh
# Stands for tileiras where there is none: the machine code of the program with this digest.
here=$(cd "$(dirname "$0")" && pwd)
PATH=/usr/bin:/bin
case "$*" in *--version*) cat "$here/version"; exit 0 ;; esac
out=; input=; target=
while [ $# -gt 0 ]; do
    case "$1" in
        -o) out=$2; shift ;;
        --gpu-name) target=$2; shift ;;
        *.tileirbc) input=$1 ;;
    esac
    shift
done
digest=$(sha256sum "$input" | cut -d ' ' -f 1)
exec cp "$here/$digest.$target.cubin" "$out"
"""


def pack_late(folder: Path, bundles: list[Path]) -> host.Library:
    """Write the library of some bundles to `folder`, and the stand-in to `folder/bin`."""
    options = workflow.ExportOptions(is_late=True)
    exported = workflow.export_c(bundles, ROOT / "build" / "c-abi-late", options)
    assert exported.binary is not None
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy2(exported.binary, folder / exported.binary.name)
    variants = [variant for kernel in exported.library.kernels for variant in kernel.variants]
    write_stand_in(folder / "bin", (variant.program for variant in variants if variant.program is not None))
    return exported.library


def write_stand_in(folder: Path, programs: Iterable[bytes]) -> None:
    """Write a `tileiras` that knows these programs."""
    for program in programs:
        made = tools.assemble(program, TARGET)
        assert made.cubin is not None, f"tileiras refuses a program: {made.refusal}"
        store.write_bytes(folder / f"{hashlib.sha256(program).hexdigest()}.{TARGET}.cubin", made.cubin)
    store.write_bytes(folder / "version", tools.run("tileiras", ["--version"], timeout_s=60).stdout)
    store.write_text(folder / "tileiras", STAND_IN)
    (folder / "tileiras").chmod(0o755)
