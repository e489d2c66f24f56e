"""The tool runner: finding, cleaning the environment, time limits, the cubin cache."""

import os
import stat
from pathlib import Path

import pytest

from ferrotile.core import EnvironmentFault, tools


@pytest.fixture
def own_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A folder of pretended tools; `make(name, script)` adds one."""
    folder = tmp_path / "tools"
    folder.mkdir()
    monkeypatch.setenv("FERROTILE_TOOLS", str(folder))
    monkeypatch.setenv("FERROTILE_CACHE", str(tmp_path / "cache"))

    def make(name: str, script: str) -> None:
        path = folder / name
        path.write_text(f'#!/bin/sh\nif [ "$1" = --version ]; then echo "tool V1.2.3"; exit 0; fi\n{script}\n')
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    yield make
    tools._found.cache_clear()


def test_missing_tool_tells_its_cure(own_tools):
    with pytest.raises(EnvironmentFault) as caught:
        tools.find("tileiras")
    assert caught.value.code == "FT001" and "pip install nvidia-cuda-tileiras" in (caught.value.hint or "")


def test_version_is_recorded(own_tools):
    own_tools("ptxas", "")
    assert tools.find("ptxas").version == "1.2.3"


def test_environment_of_a_tool_names_no_other_toolkit(own_tools, monkeypatch: pytest.MonkeyPatch):
    for name in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "LD_LIBRARY_PATH"):
        monkeypatch.setenv(name, "/older/toolkit")
    own_tools("nvdisasm", "env")
    seen = tools.run("nvdisasm", [], timeout_s=10).stdout.decode()
    assert "/older/toolkit" not in seen
    assert f"PATH={os.environ['FERROTILE_TOOLS']}{os.pathsep}" in seen


def test_tool_that_hangs_is_ended(own_tools):
    own_tools("nvdisasm", "sleep 60")
    with pytest.raises(EnvironmentFault) as caught:
        tools.run("nvdisasm", [], timeout_s=0.2)
    assert caught.value.code == "FT002"


def test_tool_that_fails_is_told_by_its_first_line(own_tools):
    own_tools("nvdisasm", "echo 'cannot read' >&2; echo more >&2; exit 3")
    with pytest.raises(EnvironmentFault) as caught:
        tools.disassemble_cubin(b"")
    assert caught.value.code == "FT003" and "cannot read" in caught.value.message and "more" not in caught.value.message


def test_refusal_of_the_assembler_is_an_outcome(own_tools):
    own_tools("tileiras", "echo 'error: failed to compile Tile IR program' >&2; exit 5")
    made = tools.assemble(b"program", "sm_90")
    assert made.cubin is None and made.refusal == "error: failed to compile Tile IR program"


def test_crash_of_the_assembler_is_an_outcome(own_tools):
    own_tools("tileiras", "kill -SEGV $$")
    assert tools.assemble(b"program", "sm_90").refusal == "ended by signal 11"


def test_cubin_is_made_once_and_kept_by_content(own_tools, tmp_path: Path):
    count = tmp_path / "count"
    own_tools("tileiras", f'echo x >> {count}; printf "\\177ELF%s" "$*" > kernel.cubin')
    first = tools.assemble(b"program", "sm_90")
    again = tools.assemble(b"program", "sm_90")
    assert (first.cached, again.cached) == (False, True) and first.cubin == again.cubin
    assert tools.assemble(b"program", "sm_100").cubin != first.cubin
    assert tools.assemble(b"another", "sm_90").cached is False
    assert tools.assemble(b"program", "sm_90", opt_level=0).cached is False
    assert len(count.read_text().splitlines()) == 4


def test_spoiled_cache_entry_is_made_again(own_tools, tmp_path: Path):
    own_tools("tileiras", 'printf "\\177ELF" > kernel.cubin')
    tools.assemble(b"program", "sm_90")
    (entry,) = (tmp_path / "cache").rglob("*.cubin")
    entry.write_bytes(b"half")
    assert tools.assemble(b"program", "sm_90").cubin == b"\x7fELF"


def test_rustfmt_lays_text_out():
    assert tools.format_rust("fn  a( ){ }") == "fn a() {}\n"
