"""The prelude: generated files are what the generator writes, files are short, and lift knows every function."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from ferrotile.host.unsafe_reasons import reasons
from ferrotile.lift.source.spelling import PRELUDE_FUNCTIONS, RUST_FUNCTIONS

PRELUDE = Path(__file__).resolve().parents[2] / "runtime" / "prelude"
SOURCES = sorted((PRELUDE / "src").glob("*.rs"))
LONGEST_FILE = 400
FUNCTION = re.compile(r"^    pub (?:unsafe )?fn (\w+)", re.MULTILINE)


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    """runtime/prelude/generate.py."""
    spec = importlib.util.spec_from_file_location("ferrotile_prelude_generator", PRELUDE / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def exported() -> set[str]:
    """Functions that `use ferrotile_prelude::prelude::*` brings into scope, by the uses of that module."""
    names: set[str] = set()
    for file, item in re.findall(r"pub use crate::(\w+)::\w+::([\w*]+);", (PRELUDE / "src" / "lib.rs").read_text()):
        names |= set(FUNCTION.findall((PRELUDE / "src" / f"{file}.rs").read_text())) if item == "*" else {item}
    return names


def test_generated_files_are_up_to_date(generator: ModuleType) -> None:
    for name, text in generator.files().items():
        assert (PRELUDE / "src" / name).read_text() == text, f"{name}: run python runtime/prelude/generate.py"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_files_are_short(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= LONGEST_FILE


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_every_unsafe_block_argues(path: Path) -> None:
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        if "unsafe {" in line and not line.lstrip().startswith("//"):
            before = lines[max(0, number - 4) : number]
            assert any("// SAFETY: " in earlier for earlier in before), f"{path.name}:{number + 1}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_every_function_has_a_document(path: Path) -> None:
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        if match := FUNCTION.match(line):
            above = [earlier.strip() for earlier in lines[max(0, number - 14) : number]]
            start = max((i for i, earlier in enumerate(above) if earlier in ("", "}")), default=0)
            assert any(earlier.startswith("///") for earlier in above[start:]), f"{path.name}: {match[1]}"


def test_no_variable_hides_a_prelude_function() -> None:
    assert exported() == PRELUDE_FUNCTIONS


def test_names_that_rust_brings_are_kept_apart() -> None:
    assert not PRELUDE_FUNCTIONS & RUST_FUNCTIONS


def test_every_unsafe_function_has_a_reason() -> None:
    texts = (path.read_text() for path in SOURCES)
    functions = {name for text in texts for name in re.findall(r"^    pub unsafe fn (\w+)", text, re.MULTILINE)}
    assert "write_element_after" in functions
    assert reasons("".join(f"unsafe {{ {name}(x) }};" for name in functions)).total() == len(functions)
