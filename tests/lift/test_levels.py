"""The level without `unsafe`: which kernels have it, that it is the same program, and what is another one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ferrotile import bundle, ir, lift, lower
from ferrotile.check import check
from ferrotile.cli.main import app
from ferrotile.core import Level, MachineKind, ParameterMap, Role, Unsupported, VerdictKind
from ferrotile.lower import Lowered
from ferrotile.workflow import Options, Row, expand, translate
from ferrotile.workflow.translation import compare_machine

KERNELS = Path(__file__).parent / "levels" / "kernels.py"
SAFE = Options(level=Level.SAFE)


def bytecode(kernel: str) -> bytes:
    (task,) = expand([f"{KERNELS}::{kernel}"], Options())
    assert task.bytecode is not None
    return task.bytecode


def translated(kernel: str, options: Options = SAFE) -> Row:
    (task,) = expand([f"{KERNELS}::{kernel}"], Options())
    return translate(task, options)


def lifted(kernel: str) -> lift.RustKernel:
    return lift.lift(ir.decode(bytecode(kernel)), lift.SourceFinder([]), level=Level.SAFE)


def lowered(kernel: lift.RustKernel, text: str) -> Lowered:
    return lower.lower(replace(kernel.source, text=text), "sm_90")


FACTS = {
    "own": ("grid.z == 1", "8 * grid.y <= array(1).shape[0] + 7", "64 * grid.x <= array(1).shape[1] + 63"),
    "over_rows": (
        "grid.y == 1",
        "grid.z == 1",
        "array(0).shape[0] + grid.x <= 2147483647",
        "array(0).shape[0] <= array(1).shape[0]",
        "array(1).shape[1] > 0",
    ),
    "by_threes": ("grid.y == 1", "grid.z == 1", "grid.x <= 3", "array(1).shape[0] > 36", "array(1).shape[1] > 0"),
    "hinted": (
        "grid.y == 1",
        "grid.z == 1",
        *(f for k in (1, 2, 3) for f in (f"grid.x <= array({k}).shape[0]", f"array({k}).shape[1] > 0")),
    ),
    "in_place": ("grid.y == 1", "grid.z == 1", "grid.x <= array(0).shape[0]", "array(0).shape[1] > 0"),
    "row": ("grid.y == 1", "grid.z == 1", "grid.x <= array(1).shape[0]", "array(1).shape[1] > 0"),
}


@pytest.mark.parametrize("kernel", FACTS)
def test_stores_at_block_ids_and_numbers_need_no_unsafe(kernel: str) -> None:
    row = translated(kernel)
    assert row.rust is not None and "unsafe" not in row.rust and f"pub fn {kernel}(" in row.rust
    assert (row.verdict, row.unsafe, row.checks_in_kernel) == (VerdictKind.EQUAL, 0, 0)
    assert row.launch_checks[-len(FACTS[kernel]) :] == FACTS[kernel]


@pytest.mark.parametrize("kernel", ["next_to_it", "neighbour", "of_rank_four", "in_order"])
def test_other_stores_stay_as_they_are(kernel: str) -> None:
    safe, faithful = translated(kernel), translated(kernel, Options())
    assert safe.rust == faithful.rust and safe.verdict is VerdictKind.EQUAL and safe.unsafe
    assert not safe.launch_checks, "who writes `unsafe` answers for the launch"


def test_each_hint_is_kept() -> None:
    text, kernel = lifted("hinted").text, lifted("hinted")
    calls = ("put_without_tma(&mut y_part, ", "put_ahead(&mut z_part, ", "put_ahead_without_tma(&mut w_part, ")
    assert all(call in text for call in calls)
    for right, wrong in (("Some(3i32)", "Some(4i32)"), ("put_ahead_without_tma(", "put_ahead(")):
        made = lowered(kernel, text.replace(right, wrong))
        verdict = check(bytecode("hinted"), made.bytecode, kernel.parameters, "sm_90")
        assert (verdict.kind, verdict.difference) == (VerdictKind.DIFFERS, "hint")


def test_what_is_read_before_it_is_written_is_waited_for() -> None:
    kernel = lifted("in_place")
    assert "put_after(&mut x_part, " in kernel.text
    early = kernel.text.replace(", [block_x, 0i32], token)", ", [block_x, 0i32], start)")
    assert early != kernel.text
    verdict = check(bytecode("in_place"), lowered(kernel, early).bytecode, kernel.parameters, "sm_90")
    assert (verdict.kind, verdict.difference) == (VerdictKind.DIFFERS, "order")


@pytest.mark.parametrize(("label", "is_free"), [("others", False), ("itself", False), ("apart", True)])
def test_arrays_that_may_share_elements_keep_their_unsafe(label: str, is_free: bool) -> None:
    """Tiles that are apart by their indices may be the same memory there."""
    (task,) = (one for one in expand([f"{KERNELS}::shared"], Options()) if one.name.endswith(label))
    row = translate(task, SAFE)
    assert (row.verdict, row.unsafe) == (VerdictKind.EQUAL, 0 if is_free else 1)


def test_the_faithful_level_is_what_is_made_unless_asked() -> None:
    row = translated("own", Options())
    assert row.unsafe == 1 and row.rust is not None and "&mut" not in row.rust


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("[block_y, block_x]);", "[block_x, block_y]);"),
        ("[block_y, block_x]);", "[block_y, 0i32]);"),
        ("y.partition_mut(shape![8, 64])", "y.partition_mut(shape![8, 32])"),
        ("tile + tile", "tile"),
    ],
)
def test_another_store_is_another_program(right: str, wrong: str) -> None:
    kernel = lifted("own")
    assert kernel.text.count(right) == 1, kernel.text
    try:
        made = lowered(kernel, kernel.text.replace(right, wrong))
    except Unsupported:
        return
    assert check(bytecode("own"), made.bytecode, kernel.parameters, "sm_90").kind is VerdictKind.DIFFERS


def test_a_map_that_exchanges_arrays_or_axes_is_another_program() -> None:
    kernel = lifted("own")
    made, roles = lowered(kernel, kernel.text).bytecode, kernel.parameters.lowered
    assert len(roles) == len(kernel.parameters.reference) + 4, "what is lent has extents and strides of its own"
    other = {Role.pointer(0): Role.pointer(1), Role.pointer(1): Role.pointer(0)}
    axes = {Role.shape(1, 0): Role.shape(1, 1), Role.shape(1, 1): Role.shape(1, 0)}
    for swapped in (other, axes):
        given = ParameterMap(kernel.parameters.reference, tuple(swapped.get(role, role) for role in roles))
        assert check(bytecode("own"), made, given, "sm_90").kind is VerdictKind.DIFFERS


def refused(text: str, made: Lowered, parameters: ParameterMap) -> str:
    with pytest.raises(Unsupported) as caught:
        bundle.launched(text, made, parameters)
    assert caught.value.code == "FT619"
    return caught.value.message


def test_a_text_without_unsafe_whose_blocks_may_meet_is_refused() -> None:
    """And one with checks that are not of indices; a text with `unsafe` says that it is not for us to prove."""
    kernel = lifted("own")
    store = "y.partition_mut(shape![8, 64]).store(y_tile, [block_y, block_x]);"
    twice = lowered(kernel, kernel.text.replace(store, store + store.replace("block_y, block_x", "block_x, block_y")))
    assert "in more than one way" in refused(kernel.text, twice, kernel.parameters)
    beside = lowered(kernel, kernel.text.replace("[block_y, block_x]);", "[block_y + 1, block_x]);"))
    assert beside.checks_in_kernel == 1 and "other numbers" in refused(kernel.text, beside, kernel.parameters)
    assert bundle.launched(f"// unsafe\n{kernel.text}", beside, kernel.parameters) == beside
    said = kernel.text.replace(store, f'cuda_tile_assert!(block_x < 7, "far"); {store}')
    assert "checks more than" in refused(said, lowered(kernel, said), kernel.parameters)


def test_facts_follow_the_text_and_not_what_lift_meant() -> None:
    kernel = lifted("own")
    both = lowered(kernel, kernel.text.replace("[block_y, block_x]);", "[block_y, block_y]);"))
    assert "grid.x == 1" in bundle.launched(kernel.text, both, kernel.parameters).launch_checks


@pytest.mark.parametrize("kernel", ["over_rows", "by_threes"])
def test_checks_that_always_pass_are_taken_out(kernel: str) -> None:
    made = lifted(kernel)
    checked = lowered(made, made.text)
    assert checked.checks_in_kernel == 1, "cutile leaves a check of the row in the kernel"
    assert check(bytecode(kernel), checked.bytecode, made.parameters, "sm_90").kind is VerdictKind.DIFFERS
    proved = bundle.launched(made.text, checked, made.parameters)
    assert (proved.checks_in_kernel, proved.launch_checks[-len(FACTS[kernel]) :]) == (0, FACTS[kernel])
    assert check(bytecode(kernel), proved.bytecode, made.parameters, "sm_90").kind is VerdictKind.EQUAL


def test_facts_that_proof_json_leaves_out_are_found_by_a_replay(tmp_path: Path) -> None:
    folder = translated("own", replace(SAFE, out=tmp_path)).folder
    assert folder is not None
    assert CliRunner().invoke(app, ["verify", str(folder)]).exit_code == 0
    proof = bundle.read(folder)
    bundle.write(folder, proof.model_copy(update={"launch_checks": proof.launch_checks[:-1]}))
    result = CliRunner().invoke(app, ["verify", str(folder)])
    assert "FT615" in result.output and result.exit_code != 0


def test_auto_takes_what_has_the_machine_code_of_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the faithful text otherwise."""
    auto = Options(level=Level.AUTO, sass=True)
    for kind, unsafe in ((MachineKind.IDENTICAL, 0), (MachineKind.DIFFERS, 1)):
        monkeypatch.setattr(
            "ferrotile.workflow.translation._compare_machine", lambda row, options, kind=kind: replace(row, sass=kind)
        )
        assert compare_machine(translated("own", auto), auto).unsafe == unsafe
    assert compare_machine(translated("own", SAFE), replace(SAFE, sass=True)).unsafe == 0, "safe is what was asked for"


def test_the_command_line_takes_a_level() -> None:
    inputs = [f"{KERNELS}::own", "--json", "--level"]
    lines = CliRunner().invoke(app, ["translate", *inputs, "safe"]).output.splitlines()
    assert json.loads(lines[0])["unsafe"] == 0
    refused = CliRunner().invoke(app, ["translate", *inputs, "auto"])
    assert refused.exit_code == 2 and "FT902" in refused.output
