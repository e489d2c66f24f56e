"""The C ABI as text and as bytes: header, cdef, Rust and documentation say the same; kernels compile one by one."""

from __future__ import annotations

import ctypes
import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import c_calls as calls
import cffi
import pytest
from c_library import BUILD, ROOT, Built, Child, alone, image

from ferrotile import host
from ferrotile.host.abi import ABI_VERSION, CODES, DTYPES
from ferrotile.host.library import write_library
from ferrotile.host.render_codes import codes_rust

LAYOUT = """\
#include <stddef.h>
#include "cutile_kernels.h"
#ifdef __cplusplus
#define _Static_assert static_assert
#endif
_Static_assert(sizeof(ft_tensor) == 152 && offsetof(ft_tensor, device) == 16, "ft_tensor");
_Static_assert(offsetof(ft_tensor, shape) == 24 && offsetof(ft_tensor, stride) == 88, "ft_tensor");
_Static_assert(sizeof(ft_error) == 260 && offsetof(ft_error, message) == 4, "ft_error");
_Static_assert(FT_F32 == 0 && FT_F8E4M3FN == 7 && FT_BOOL == 16 && FT_DTYPE_ERROR == -2, "numbers");
int call(const ft_tensor *a, const ft_tensor *b, const ft_tensor *total, ft_error *error);
int call(const ft_tensor *a, const ft_tensor *b, const ft_tensor *total, ft_error *error) {
    return cutile_vector_add(a, b, total, 1024, 1, 1, 1, 0, 0, error);
}
"""


@pytest.mark.parametrize("command", [["cc", "-std=c11", "-x", "c"], ["c++", "-std=c++17", "-x", "c++"]])
def test_header_compiles_and_has_the_frozen_layout(built: Built, tmp_path: Path, command: list[str]) -> None:
    source = tmp_path / "layout.c"
    source.write_text(LAYOUT)
    flags = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-I", str(built.folder / "include")]
    ran = subprocess.run([*command, *flags, str(source)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_cdef_has_the_layout_of_the_header(built: Built) -> None:
    ffi = cffi.FFI()
    ffi.cdef((built.folder / "include" / "cutile_kernels.cdef").read_text())
    assert (ffi.sizeof("ft_tensor"), ffi.offsetof("ft_tensor", "shape"), ffi.offsetof("ft_tensor", "stride")) == (
        152, 24, 88,
    )  # fmt: skip
    assert ffi.sizeof("ft_error") == 260


def test_library_exports_what_the_header_declares_and_nothing_else(built: Built) -> None:
    library = built.folder / "target" / "release" / "libcutile_kernels.so"
    listed = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True)
    exported = {line.split()[-1] for line in listed.stdout.splitlines()}
    declared = set(re.findall(r"\b(cutile_\w+)\(", (built.folder / "include" / "cutile_kernels.h").read_text()))
    assert exported == declared | {"cutile_switch_off"}
    assert {kernel.symbol for kernel in built.library.kernels} < declared
    assert ctypes.CDLL(str(library)).cutile_abi_version() == ABI_VERSION


def test_rust_has_the_tables_of_the_abi() -> None:
    """After a change of abi.py: `python -m ferrotile.host.render_codes runtime/launch/src/codes.rs`."""
    assert (ROOT / "runtime" / "launch" / "src" / "codes.rs").read_text() == codes_rust()
    lib = (ROOT / "runtime" / "launch" / "src" / "lib.rs").read_text()
    assert f"pub const ABI_VERSION: u32 = {ABI_VERSION};" in lib


def test_documentation_has_the_tables_of_the_abi() -> None:
    page = (ROOT / "docs" / "c-abi.md").read_text()
    assert all(f"| {code.number} | `{code.constant}_ERROR` | {code.meaning} |" in page for code in CODES)
    assert all(f"{dtype.number} {dtype.name}" in page for dtype in DTYPES)


def test_numbers_are_used_once() -> None:
    assert len({code.number for code in CODES}) == len({code.constant for code in CODES}) == len(CODES)
    assert len({dtype.number for dtype in DTYPES}) == len(DTYPES)
    assert all(code.number in range(-6, -1) or code.number <= -101 for code in CODES)


def built_again(folder: Path) -> set[str]:
    """Build as `build_library` does; the packages that cargo compiled."""
    command = ["cargo", "build", "--release", "--offline", "--message-format=json", "--target-dir", "target"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    messages = [json.loads(line) for line in ran.stdout.splitlines()]
    fresh = {message["target"]["name"]: message["fresh"] for message in messages if "fresh" in message}
    return {name for name, is_fresh in fresh.items() if not is_fresh}


def test_runtime_passes_its_own_tests(built: Built) -> None:
    """Spans and overlaps of random tensors against all their bytes."""
    command = ["cargo", "test", "--release", "--offline", "-q", "-p", "ferrotile-launch", "--lib"]
    with alone(BUILD):
        ran = subprocess.run([*command, "--target-dir", "target"], cwd=built.folder, capture_output=True, text=True)
    assert ran.returncode == 0 and "7 passed" in ran.stdout, ran.stdout + ran.stderr


def test_a_changed_kernel_compiles_alone_and_what_is_shipped_works(built: Built) -> None:
    """The library without switches; exported again with other machine code for one kernel."""
    kernels = tuple(built.kernel(name) for name in ("rms_norm", "softmax_rows", "vector_add"))
    folder, first = BUILD / "shipped", kernels[0].variants[0]
    with alone(folder):
        host.build_library(write_library(kernels, folder, ROOT))
        changed = replace(first, cubin=image("changed", len(first.slots)))
        (shipped,) = (folder / "kernels/rms_norm/cubins").glob(f"{first.label}.*cubin")
        if image("changed", 0)[:12] in shipped.read_bytes():
            changed = first
        library = write_library((replace(kernels[0], variants=(changed,)), *kernels[1:]), folder, ROOT)
        assert built_again(folder) == {"kernel_rms_norm", "cutile_kernels"}
        assert built_again(folder) == set()
        child = Child(folder, built.driver)
        for kernel in library.kernels:
            answer = child.ask("call", *calls.right_call(kernel, kernel.variants[0]).command())
            assert answer["code"] == 0, answer["message"]
        assert child.ask("launches", 0, 1)[0]["label"] == changed.cubin[4:].split()[0].decode()
        child.close()
