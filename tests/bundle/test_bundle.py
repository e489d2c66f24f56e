"""A bundle is replayed from its files alone, and every tampering is caught, also by one who seals it anew."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ferrotile import bundle, ir, lower
from ferrotile.bundle import numbers
from ferrotile.bundle.replay import unsafe_blocks
from ferrotile.core import VerdictKind
from ferrotile.interp import Options, interpret
from ferrotile.lift.source import parse_symbol

Copy = Callable[..., Path]


def change(folder: Path, **claims: Any) -> None:
    """Edit proof.json by hand: the seal stays as it was."""
    path = folder / bundle.PROOF
    path.write_text(json.dumps({**json.loads(path.read_text()), **claims}))


def seal_anew(folder: Path, **claims: Any) -> None:
    """Edit proof.json as somebody does who knows this program: all digests and the seal are right afterwards."""
    digests = {name: bundle.digest((folder / name).read_bytes()) for name in bundle.FILES}
    change(folder, **{"sha256": digests, **claims})
    bundle.write(folder, bundle.read(folder))


def outcomes(replay: bundle.Replay) -> dict[str, str]:
    assert replay.fault is None, replay.fault
    return {str(step.name): step.code or str(step.outcome) for step in replay.steps}


def reasons(replay: bundle.Replay) -> str:
    return "; ".join(step.sentence for step in replay.failures)


def test_bundle_holds_wherever_it_is(copy: Copy) -> None:
    found = bundle.replay(copy(sass=True), with_numbers=True)
    assert found.holds
    assert outcomes(found) == {
        "files": "held", "seal": "held", "python source": "skipped", "kernel.rs": "held", "verdict": "held",
        "machine code": "held", "numbers": "held",
    }  # fmt: skip


def test_python_file_is_compared_where_it_is(copy: Copy) -> None:
    folder = copy()
    source = Path(__file__).parents[2] / "examples" / "vector_add.py"
    assert outcomes(bundle.replay(folder, find_source=lambda _: source.read_bytes()))["python source"] == "held"
    found = bundle.replay(folder, find_source=lambda _: b"other text")
    assert outcomes(found)["python source"] == "skipped" and found.holds
    assert any("changed since" in step.sentence for step in found.steps)


def test_edited_rust_is_caught_by_its_digest_and_by_lowering(copy: Copy) -> None:
    folder = copy()
    text = (folder / "kernel.rs").read_text()
    (folder / "kernel.rs").write_text(text.replace(" + ", " - "))
    assert text != (folder / "kernel.rs").read_text()
    found = outcomes(bundle.replay(folder))
    assert (found["files"], found["kernel.rs"], found["verdict"]) == ("FT613", "FT615", "held")
    seal_anew(folder)
    found = bundle.replay(folder)
    assert outcomes(found)["files"] == outcomes(found)["seal"] == "held"
    assert outcomes(found)["kernel.rs"] == "FT615" and "lowers to other bytecode" in reasons(found)


def test_rust_that_does_not_lower_is_caught(copy: Copy) -> None:
    folder = copy()
    (folder / "kernel.rs").write_bytes(b"\xff\xfe not Rust")
    seal_anew(folder)
    assert outcomes(bundle.replay(folder))["kernel.rs"].startswith("FT4")


def test_swapped_lowered_is_caught_by_lowering_and_by_check(copy: Copy, made: Path) -> None:
    folder = copy(sass=True)
    (folder / "lowered.tileirbc").write_bytes((made / "vector_add.f16-any-length" / "lowered.tileirbc").read_bytes())
    assert outcomes(bundle.replay(folder))["files"] == "FT613"
    seal_anew(folder)
    found = bundle.replay(folder)
    assert outcomes(found) | {"python source": ""} == {
        "files": "held", "seal": "held", "python source": "", "kernel.rs": "FT615", "verdict": "FT616",
        "machine code": "FT617",
    }  # fmt: skip
    assert "proof.json says EQUAL, and the files are DIFFERS" in reasons(found)


def test_swapped_reference_is_caught_by_check(copy: Copy, made: Path) -> None:
    folder = copy()
    (folder / "reference.tileirbc").write_bytes((made / "swiglu.f16" / "reference.tileirbc").read_bytes())
    assert outcomes(bundle.replay(folder))["files"] == "FT613"
    seal_anew(folder)
    assert outcomes(bundle.replay(folder))["verdict"] in ("FT616", "FT501")


def test_reference_that_is_no_bytecode_is_caught(copy: Copy) -> None:
    folder = copy()
    (folder / "reference.tileirbc").write_bytes(b"nothing")
    seal_anew(folder)
    assert outcomes(bundle.replay(folder))["verdict"].startswith("FT2")


def test_claim_of_equal_is_not_believed(copy: Copy, made: Path) -> None:
    folder = copy()
    (folder / "lowered.tileirbc").write_bytes((made / "vector_add.f16-any-length" / "lowered.tileirbc").read_bytes())
    seal_anew(folder, verdict="DIFFERS")
    change(folder, verdict="EQUAL")
    found = bundle.replay(folder)
    assert outcomes(found)["seal"] == "FT614" and outcomes(found)["verdict"] == "FT616"
    seal_anew(folder)
    found = bundle.replay(folder)
    assert outcomes(found)["seal"] == "held" and outcomes(found)["verdict"] == "FT616"


@pytest.mark.parametrize(
    ("claims", "step", "code"),
    [
        ({"laws": []}, "verdict", "FT616"),
        ({"assumptions": ["the grid is 1"]}, "verdict", "FT616"),
        ({"verdict": "REFINES"}, "verdict", "FT616"),
        ({"kernel": "another"}, "verdict", "FT616"),
        ({"unsafe": 0}, "kernel.rs", "FT615"),
        ({"checks_in_kernel": 7}, "kernel.rs", "FT615"),
        ({"launch_checks": ["`x > 0`"]}, "kernel.rs", "FT615"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_each_claim_is_replayed(copy: Copy, claims: dict[str, Any], step: str, code: str) -> None:
    folder = copy()
    change(folder, **claims)
    assert outcomes(bundle.replay(folder))["seal"] == "FT614"
    seal_anew(folder, **claims)
    found = outcomes(bundle.replay(folder))
    assert (found["seal"], found[step]) == ("held", code)


def test_other_parameter_map_is_caught(copy: Copy) -> None:
    folder = copy()
    parameters = json.loads((folder / bundle.PROOF).read_text())["parameters"]
    swap = {0: 2, 2: 0}
    for role in parameters["lowered"]:
        role["array"] = swap.get(role["array"], role["array"])
    seal_anew(folder, parameters=parameters)
    assert outcomes(bundle.replay(folder))["verdict"] == "FT616"


@pytest.mark.parametrize("changed", [{"sha256": ["0" * 64] * 2}, {"kind": "differs"}, {"instructions": [1, 1]}])
def test_machine_code_is_made_again(copy: Copy, changed: dict[str, Any]) -> None:
    folder = copy(sass=True)
    sass = json.loads((folder / bundle.PROOF).read_text())["sass"]
    seal_anew(folder, sass={**sass, **changed})
    assert outcomes(bundle.replay(folder))["machine code"] == "FT617"


def test_absent_tool_is_said_and_skipped(copy: Copy) -> None:
    folder = copy(sass=True)
    versions = json.loads((folder / bundle.PROOF).read_text())["versions"]
    seal_anew(folder, versions={**versions, "tileiras": "99.1"})
    found = bundle.replay(folder)
    assert found.holds and found.is_whole and outcomes(found)["machine code"] == "skipped"
    sentences = [step.sentence for step in found.steps]
    assert any(sentence.startswith("tileiras 99.1 is not here (13.5.") for sentence in sentences), sentences


def test_another_version_is_no_way_around_the_replay(copy: Copy) -> None:
    folder = copy()
    versions = {**json.loads((folder / bundle.PROOF).read_text())["versions"], "cutile": "9.9.9"}
    seal_anew(folder, versions=versions)
    assert outcomes(bundle.replay(folder))["kernel.rs"] == "held"
    text = (folder / "kernel.rs").read_text()
    (folder / "kernel.rs").write_text(text.replace(" + ", " - "))
    seal_anew(folder, versions=versions)
    found = bundle.replay(folder)
    assert found.holds and not found.is_whole and outcomes(found)["kernel.rs"] == "skipped"


def test_unsafe_blocks_are_counted_outside_of_comments_and_strings() -> None:
    text = 'unsafe { a }; // unsafe { b }\nlet c = "// unsafe { ";\nlet d = unsafe{ d };\npub unsafe fn e() {}'
    assert unsafe_blocks(text) == 2


def test_missing_file_is_caught(copy: Copy) -> None:
    folder = copy()
    (folder / "kernel.rs").unlink()
    found = bundle.replay(folder)
    assert outcomes(found)["files"] == "FT613" and "`kernel.rs` is missing" in reasons(found)


@pytest.mark.parametrize(
    ("content", "code", "word"),
    [
        (None, "FT610", "cannot read"),
        (b"{ not json", "FT610", "not JSON"),
        (b"[1, 2]", "FT610", "no `format`"),
        (b"\xff\xff", "FT610", "not JSON"),
        (b'{"format": 3}', "FT611", "a newer ferrotile"),
        (b'{"format": 1}', "FT611", "an older ferrotile"),
        (b'{"format": 2}', "FT612", "field required"),
    ],
)
def test_what_is_no_proof_is_said(copy: Copy, content: bytes | None, code: str, word: str) -> None:
    folder = copy()
    if content is None:
        (folder / bundle.PROOF).unlink()
    else:
        (folder / bundle.PROOF).write_bytes(content)
    found = bundle.replay(folder)
    assert found.fault is not None and not found.holds
    assert (found.fault.code, word in found.fault.message) == (code, True), found.fault.message


@pytest.mark.parametrize(
    "claims",
    [
        {"parameters": None},
        {"specialization": {"entry": 1}},
        {"sha256": {}},
        {"sha256": {"../secret": "0"}},
        {"verdict": "PROVED"},
        {"verdict": "REFUSED"},
        {"unknown": 1},
    ],
    ids=str,
)
def test_verdict_needs_its_evidence(copy: Copy, claims: dict[str, Any]) -> None:
    folder = copy()
    change(folder, **claims)
    found = bundle.replay(folder)
    assert found.fault is not None and found.fault.code == "FT612"


def test_numbers_find_what_a_wrong_claim_hides(copy: Copy) -> None:
    folder = copy()
    proof = bundle.read(folder)
    files = {name: (folder / name).read_bytes() for name in bundle.FILES}
    text = files["kernel.rs"].decode().replace(" + ", " - ")
    files["lowered.tileirbc"] = lower.lower(proof.rust_source(text), proof.target).bytecode
    assert "differ" in str(numbers.replay(proof, files))


def test_a_kernel_of_many_rounds_is_given_smaller_arrays_and_the_answer_tells(
    copy: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy("softmax_rows.f32-1024-columns-no-hint")
    proof, files = bundle.read(folder), {name: (folder / name).read_bytes() for name in bundle.FILES}
    assert "divided" not in str(numbers.replay(proof, files))
    monkeypatch.setattr(numbers, "ENOUGH_ROUNDS", 8)  # 64 rows over two blocks are 32 rounds
    assert "divided by up to 4: else a block has more than 8 loop rounds" in str(numbers.replay(proof, files))
    monkeypatch.setattr(numbers, "ENOUGH_ROUNDS", 1)
    monkeypatch.setattr(numbers, "SHRINKS", (1, 2))
    assert "divided by up to 2" in str(numbers.replay(proof, files)), "the last of them has the usual limit"
    text = files["kernel.rs"].decode().replace(" - ", " + ")
    wrong = {**files, "lowered.tileirbc": lower.lower(proof.rust_source(text), proof.target).bytecode}
    assert "differ" in str(numbers.replay(proof, wrong))


@pytest.mark.parametrize("variant", bundle.VARIANTS)
@pytest.mark.parametrize("name", ["swiglu.f16", "vector_add.f32", "vector_add.f16-any-length"])
def test_inputs_are_what_the_kernel_assumes(made: Path, name: str, variant: str) -> None:
    reference = ir.decode((made / name / "reference.tileirbc").read_bytes())
    symbol = parse_symbol(str(ir.attribute(reference.entries[0], "sym_name")))
    given = None if symbol is None else bundle.arguments(symbol, variant)
    assert given is not None
    result = interpret(reference, given, (2, 2, 1), options=Options(races=False))
    assert not result.found("assume"), "\n".join(map(str, result.findings))


def test_refusal_is_a_bundle_that_claims_nothing(copy: Copy) -> None:
    folder = copy()
    seal_anew(folder, verdict="REFUSED", code="FT302", parameters=None, specialization=None)
    found = bundle.replay(folder)
    assert found.proof is not None and found.proof.verdict is VerdictKind.REFUSED
    assert outcomes(found)["verdict"] == "skipped"
