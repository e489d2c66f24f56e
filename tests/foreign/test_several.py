"""Modules with several kernels: each becomes Rust of its own and is proved; illegal modules are the input's fault."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hand import CASES, Hand, Kernel  # pyright: ignore[reportMissingImports]
from ledger import read  # noqa: F401  # pyright: ignore[reportMissingImports]
from typer.testing import CliRunner, Result

from ferrotile import ir, lower
from ferrotile.cli.main import app
from ferrotile.core import InputError
from ferrotile.workflow import Options, Task, expand, translate


def _run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A file with the kernels `doubled` and `halved`."""
    path = tmp_path / "two.tileirbc"
    path.write_bytes(CASES["two_kernels"].bytes())
    return path


def test_each_kernel_of_a_module_is_translated_and_proved(two: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    found = _run("translate", two, "--out", out, "--jobs", "1", "--json")
    rows = [json.loads(line) for line in found.stdout.splitlines()][:2]
    assert [(row["input"], row["verdict"]) for row in rows] == [
        (f"{two}::doubled", "EQUAL"),
        (f"{two}::halved", "EQUAL"),
    ]
    assert sorted(path.name for path in out.iterdir()) == ["two.doubled", "two.halved"]
    assert _run("verify", out / "two.halved").exit_code == 0
    alone = (out / "two.halved" / "reference.tileirbc").read_bytes()
    assert ir.kernel_names(ir.decode(alone)) == ("halved",)


def test_names_that_are_alike_as_folders_get_numbers() -> None:
    names = ir.kernel_names(ir.decode(CASES["kernels_of_like_names"].bytes()))
    assert names == ("a/b", "a_b", "fn")


def test_folders_of_a_module_are_its_own(tmp_path: Path) -> None:
    path = tmp_path / "like.tileirbc"
    path.write_bytes(CASES["kernels_of_like_names"].bytes())
    assert [task.name for task in expand([str(path)], Options())] == ["like.a_b", "like.a_b.2", "like.fn"]


def test_one_kernel_is_chosen_by_name(two: Path) -> None:
    (task,) = expand([f"{two}::halved"], Options())
    assert task.name == "two.halved" and translate(task, Options()).exit_code == 0
    (wrong,) = expand([f"{two}::third"], Options())
    assert isinstance(wrong.fault, InputError) and wrong.fault.code == "FT226"
    assert wrong.fault.hint == "its kernels are `doubled`, `halved`"


def test_diff_takes_kernels_by_name(two: Path) -> None:
    assert _run("diff", f"{two}::doubled", f"{two}::doubled").exit_code == 0
    assert _run("diff", f"{two}::doubled", f"{two}::halved").exit_code == 1
    refused = _run("diff", two, f"{two}::halved", "--json")
    assert refused.exit_code == 2 and json.loads(refused.stdout)["code"] == "FT502"


def test_bytes_of_several_kernels_ask_for_a_name() -> None:
    row = translate(Task("two", "two", bytecode=CASES["two_kernels"].bytes()), Options())
    assert (row.code, row.exit_code) == ("FT226", 2) and row.hint is not None


def test_a_kernel_keeps_the_globals_that_it_uses() -> None:
    case = CASES["constant_table"]
    module = ir.decode(ir.alone(case.bytes(), "kernel"))
    assert [ir.attribute(op, "sym_name") for op in module.globals] == ["table"]
    assert ir.kernel_count(case.bytes()) == 1


def test_an_illegal_module_is_the_fault_of_the_input() -> None:
    def wrong(k: Kernel) -> None:
        """Adds numbers of 4 bits, which Tile IR does not."""
        cut = k.trunci(k.load(k.tiles("i8"), [k.block_id()[0]])[0], to="16xi4")
        k.store(k.exti(k.addi(cut, cut), to="16xi8"), k.tiles("i8"), [k.block_id()[0]])

    row = translate(Task("wrong", "wrong", bytecode=Hand("wrong", {"kernel": wrong}).bytes()), Options())
    assert (row.code, row.exit_code) == ("FT220", 2)


@pytest.mark.parametrize(("reference", "lowered"), [((13, 1), (13, 3)), ((13, 3), (13, 3)), ((13, 5), (13, 5))])
def test_old_bytecode_is_lowered_to_the_oldest_that_cutile_writes(
    reference: tuple[int, int], lowered: tuple[int, int]
) -> None:
    assert lower.version_for(reference) == lowered


def test_a_bundle_of_old_bytecode_replays(tmp_path: Path) -> None:
    path = tmp_path / "old.tileirbc"
    path.write_bytes(CASES["bytecode_13_1"].bytes())
    assert _run("translate", path, "--out", tmp_path / "out").exit_code == 0
    assert _run("verify", tmp_path / "out").exit_code == 0
    made = ir.decode((tmp_path / "out" / "old" / "lowered.tileirbc").read_bytes())
    assert made.version == (13, 3)
