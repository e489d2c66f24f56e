"""Each stage: its artifacts on real kernels, and the verdict that code computes from artifacts."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest
from finished_runs import EXAMPLES, VARIANTS, run
from pydantic import ValidationError

from ferrotile import capture
from ferrotile.core import EnvironmentFault, FerrotileError, MachineKind, Style, VerdictKind
from ferrotile.workflow import run as runs
from ferrotile.workflow.run import artifacts as a
from ferrotile.workflow.run.context import Context, Done, Verdict
from ferrotile.workflow.run.drive import own
from ferrotile.workflow.run.words import Letter, Owner, Word
from ferrotile.workflow.stages import analyst, author, host, ir_diff, performance, preflight, residual
from ferrotile.workflow.stages.facts import roles_of

CORPUS = Path(os.environ.get("FERROTILE_CORPUS", Path(__file__).parents[3] / "shared" / "corpus"))
SLOWER = "layer_norm_legacy.persistent_layer_norm_fwd_kernel.236f80e5d964.tileirbc"
REFUSED = """
import cuda.tile as ct


@ct.kernel
def refused(x, y):
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(16,))
    t = t + ct.reduce(t, 0, lambda a, b: ct.maximum(a, b * ct.bid(1)), 0.0)
    ct.store(y, index=(i,), tile=t)
"""
"""A reduction that cutile cannot say."""
REFUSED_SPEC = '[[specialization]]\nkernel = "refused"\nparameters = { x = "float32[_]", y = "float32[_]" }\n'


def test_analysis_says_what_the_bytecode_says(finished: Path):
    analysis = a.read(finished / "stages/A1/analysis.json", a.Analysis)
    half = analysis.variants[1]
    assert [one.name for one in analysis.variants] == list(VARIANTS)
    assert half.kernel == "vector_add" and half.dtypes == ("f16",) and half.python is not None
    assert half.parameters is not None and {one.kind for one in half.parameters} == {"array", "constant"}
    assert half.structure and half.operations > 10
    assert set(analysis.tolerances) == {"f16", "f32"}
    assert all(one.atol == one.rtol == 0 for one in analysis.tolerances.values())


def test_roles_of_a_symbol_are_those_of_the_map(finished: Path):
    from ferrotile import bundle

    for variant in a.read(finished / "stages/A1/analysis.json", a.Analysis).variants:
        proof = bundle.read(finished / "stages/B1/bundles" / variant.name)
        assert proof.parameters is not None and roles_of(variant.symbol) == proof.parameters.reference
    assert roles_of("not_a_symbol") is None


def test_input_that_does_not_exist_stops_the_run(tmp_path: Path):
    outcome = run(tmp_path / "run", "nowhere.py::f")
    assert (outcome.end, outcome.steps, outcome.exit_code) == ("STOP", ("P1", "A1"), 2)
    assert "nowhere.py" in outcome.gaps[0]
    assert runs.accept(tmp_path / "run").exit_code == 5, "true, but nothing is shown"


def test_kernel_that_is_refused_stops_the_run_with_its_code(tmp_path: Path):
    path = tmp_path / "refused.py"
    path.write_text(REFUSED)
    path.with_suffix(".toml").write_text(REFUSED_SPEC)
    outcome = run(tmp_path / "run", f"{path}::refused")
    assert outcome.steps == ("P1", "A1", "B1") and (outcome.end, outcome.exit_code) == ("STOP", 3)
    assert "FT305" in outcome.gaps[0]
    answer = runs.accept(tmp_path / "run")
    assert (answer.accepted, answer.exit_code) == (False, 5), answer.checks


def test_machine_that_lacks_something_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from ferrotile.workflow.doctor import Finding

    monkeypatch.setattr(preflight, "examine", lambda: (Finding("tileiras", False, "not found", "pip install it"),))
    outcome = run(tmp_path)
    assert (outcome.end, outcome.steps, outcome.exit_code) == ("STOP", ("P1",), 4)
    assert "pip install it" in outcome.gaps[0]


def translation(verdict: VerdictKind, code: str | None = None) -> a.Translation:
    fields = {"name": "k", "message": "m", "style": None, "unsafe": None, "checks_in_kernel": None, "launch_checks": ()}
    return a.Translation.model_validate({**fields, "verdict": verdict, "code": code})


@pytest.mark.parametrize(
    ("rows", "word"),
    [
        ([translation(VerdictKind.EQUAL), translation(VerdictKind.REFINES)], Word.COMPILED),
        ([translation(VerdictKind.EQUAL), translation(VerdictKind.DIFFERS)], Word.FAIL_FIXABLE),
        ([translation(VerdictKind.UNPROVED)], Word.FAIL_FIXABLE),
        ([translation(VerdictKind.REFUSED, "FT404"), translation(VerdictKind.DIFFERS)], Word.FAIL_COMPILE),
        ([translation(VerdictKind.REFUSED, "FT302"), translation(VerdictKind.REFUSED, "FT404")], Word.BLOCKED),
    ],
)
def test_verdict_of_the_author(rows: list[a.Translation], word: Word, tmp_path: Path):
    a.write(tmp_path / author.FILE, a.Author(author="lift", translations=tuple(rows)))
    assert author.verdict(tmp_path).word is word


def numbers(outcome: Any, owner: Owner | None = None) -> a.Compared:
    return a.Compared(name="k", outcome=outcome, owner=owner, sentence="s")


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        ([numbers("held")], (Word.ALL_PASS, None)),
        ([numbers("held"), numbers("skipped", Owner.ENV)], (Word.BLOCKED, Owner.ENV)),
        ([numbers("skipped", Owner.ENV), numbers("FAILED", Owner.KERNEL)], (Word.FAIL, Owner.KERNEL)),
        ([numbers("FAILED", Owner.HOST)], (Word.FAIL, Owner.HOST)),
    ],
)
def test_verdict_of_the_host(rows: list[a.Compared], verdict: tuple[Word, Owner | None], tmp_path: Path):
    a.write(tmp_path / host.FILE, a.Host(results=tuple(rows)))
    found = host.verdict(tmp_path)
    assert (found.word, found.owner) == verdict


def timed(kind: MachineKind, difference: str | None = None) -> a.Timed:
    time: Any = "equal: the same machine code" if kind is MachineKind.IDENTICAL else "not measured"
    return a.Timed(
        name="k", kind=kind, target="sm_90", difference=difference, instructions=(1, 1), note="", device_time=time
    )


@pytest.mark.parametrize("kind", list(MachineKind))
def test_only_the_same_machine_code_is_done(kind: MachineKind, tmp_path: Path):
    a.write(tmp_path / performance.FILE, a.Performance(rows=(timed(MachineKind.IDENTICAL), timed(kind))))
    wanted = {MachineKind.IDENTICAL: Word.DONE, MachineKind.SKIPPED: Word.BLOCKED}
    assert performance.verdict(tmp_path).word is wanted.get(kind, Word.INVESTIGATE)


def test_without_tileiras_speed_is_not_known(finished: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    def missing(*_: Any) -> Any:
        raise EnvironmentFault("FT001", "`tileiras` was not found")

    monkeypatch.setattr(performance.tools, "assemble", missing)
    performance.make(context_of(finished, "PABD"), tmp_path)
    assert performance.verdict(tmp_path).word is Word.BLOCKED
    assert "FT001" in performance.verdict(tmp_path).reasons[0]


@pytest.mark.parametrize("refused", [("sm_90",), ("sm_90", "sm_100")])
def test_what_the_target_refuses_is_compared_for_another_and_said(
    refused: tuple[str, ...], finished: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    assemble = performance.tools.assemble

    def refusing(program: bytes, target: str) -> Any:
        if target in refused:
            return performance.tools.Assembled(None, "too large", False, 0.0)
        return assemble(program, target)

    monkeypatch.setattr(performance.tools, "assemble", refusing)
    performance.make(context_of(finished, "PABD"), tmp_path)
    row, *_ = a.read(tmp_path / performance.FILE, a.Performance).rows
    found = performance.verdict(tmp_path)
    assert "tileiras refuses the reference for sm_90: too large" in row.note
    if len(refused) == 1:
        assert (row.kind, row.target, found.word) == (MachineKind.IDENTICAL, "sm_100", Word.DONE)
        assert "compared for sm_100" in found.reasons[1]
    else:
        assert (row.kind, found.word) == (MachineKind.REFERENCE_REFUSED, Word.INVESTIGATE)


def explained(**changes: Any) -> a.Explained:
    fields: dict[str, Any] = {
        "name": "k", "verdict": "EQUAL", "sentence": "s", "difference": None, "place": None, "rust_place": None,
        "numbers": "held", "machine": "identical", "machine_difference": None, "fault": "none",
    }  # fmt: skip
    return a.Explained.model_validate({**fields, **changes})


NOTE = a.Action(name="k", kind="note", value="sum before the store")


@pytest.mark.parametrize(
    ("row", "actions", "verdict"),
    [
        (explained(), (), (Word.PASS, None)),
        (explained(machine="differs"), (), (Word.PASS_WITH_NOTES, None)),
        (explained(fault="translation"), (), (Word.FAIL_FIXABLE, Owner.KERNEL)),
        (explained(fault="unknown"), (), (Word.BLOCKED, None)),
        (explained(fault="unknown"), (NOTE,), (Word.FAIL_FIXABLE, Owner.KERNEL)),
        (explained(fault="upstream"), (NOTE,), (Word.FAIL_COMPILER_BUG, None)),
    ],
)
def test_verdict_of_the_ir_diff_analyst(row: a.Explained, actions: Any, verdict: Any, tmp_path: Path):
    a.write(tmp_path / ir_diff.FILE, a.IrDiff(asked_by=Letter.PERFORMANCE, rows=(row,), actions=actions))
    found = ir_diff.verdict(tmp_path)
    assert (found.word, found.owner) == verdict


def context_of(root: Path, letters: str) -> Context:
    """A finished run as it was after these stages."""
    request = a.read(root / "request.json", a.Request)
    return Context(root, request, tuple(Done(Letter(letter), 1, Verdict(Word.OK)) for letter in letters))


def with_machine(monkeypatch: pytest.MonkeyPatch, row: a.Timed) -> None:
    """Let the latest performance.json hold this for every variant."""
    rows = tuple(row.model_copy(update={"name": name}) for name in VARIANTS)
    real = Context.latest

    def latest(context: Context, letter: Letter, model: Any) -> Any:
        if letter is Letter.PERFORMANCE:
            return a.Performance(rows=rows)
        return real(context, letter, model)

    monkeypatch.setattr(Context, "latest", latest)


def test_program_that_the_compiler_does_not_take_gets_a_report(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with_machine(monkeypatch, timed(MachineKind.DIFFERS, performance.REFUSED + "internal error"))
    context = context_of(finished, "PABDE")
    ir_diff.make(context, tmp_path)
    ir_diff.confirm(context, tmp_path)
    assert ir_diff.verdict(tmp_path).word is Word.FAIL_COMPILER_BUG
    folder = tmp_path / "upstream" / VARIANTS[0]
    assert "internal error" in (folder / "report.md").read_text()
    assert {path.name for path in folder.iterdir()} == {"report.md", "reference.tileirbc", "lowered.tileirbc"}


def test_style_that_helps_is_asked_for(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The fluent text gets other machine code here; that of the closest style is the reference's."""
    with_machine(monkeypatch, timed(MachineKind.DIFFERS))
    kinds = {Style.EXACT_LOOPS: MachineKind.DIFFERS, Style.LITERAL: MachineKind.IDENTICAL}
    monkeypatch.setattr(
        residual, "_tried", lambda _, one, style: a.Tried(style=style, verdict=VerdictKind.EQUAL, kind=kinds[style])
    )
    context = context_of(finished, "PABDEC")
    residual.make(context, tmp_path)
    residual.confirm(context, tmp_path)
    verdict = residual.verdict(tmp_path)
    assert (verdict.word, verdict.owner) == (Word.FIXABLE, Owner.KERNEL)
    assert verdict.reasons == tuple(f"{name}: style `literal`" for name in VARIANTS)
    report = a.read(tmp_path / residual.FILE, a.Residual)
    useless = a.Action(name=VARIANTS[0], kind="style", value="exact-loops")
    for action in (useless, useless.model_copy(update={"name": "other"})):
        a.write(tmp_path / residual.FILE, report.model_copy(update={"actions": (action,)}))
        with pytest.raises(FerrotileError, match="FT812"):
            residual.confirm(context, tmp_path)


def test_nothing_that_helps_is_said(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with_machine(monkeypatch, timed(MachineKind.DIFFERS))
    tried = a.Tried(style=Style.LITERAL, verdict=VerdictKind.EQUAL, kind=MachineKind.DIFFERS)
    monkeypatch.setattr(residual, "_tried", lambda *_: tried)
    residual.make(context_of(finished, "PABDEC"), tmp_path)
    verdict = residual.verdict(tmp_path)
    assert verdict.word is Word.ALIGNED and "1 and 1 launches, the same hints" in verdict.reasons[0]


def test_numbers_that_differ_go_to_the_analyst_and_end_with_a_gap(tmp_path: Path):
    """Equal by check, other numbers: nobody in the run can mend that, and it must not be complete."""

    def failing(context: Context, folder: Path) -> tuple[Verdict, None]:
        results = tuple(numbers("FAILED", Owner.KERNEL).model_copy(update={"name": name}) for name in VARIANTS)
        a.write(folder / host.FILE, a.Host(results=results))
        return host.verdict(folder), None

    outcome = run(tmp_path, makers={Letter.HOST: failing})
    assert (outcome.end, outcome.steps, outcome.exit_code) == ("GAP", ("P1", "A1", "B1", "D1", "C1"), 1)
    assert any(gap.startswith("C1 BLOCKED") for gap in outcome.gaps)
    answer = runs.accept(tmp_path)
    assert {check.name: check.code for check in answer.checks if not check.holds} == {"D1 verdict": "FT812"}


@pytest.mark.sweep
@pytest.mark.corpus
@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus")
def test_slower_kernel_is_mended_by_the_specialists(tmp_path: Path):
    """Fluent Rust of this kernel gets other machine code: C notes it, F finds the style, B writes it, E is DONE."""
    outcome = run(tmp_path, str(CORPUS / "tilegym-ops" / SLOWER))
    assert outcome.steps == tuple("P1 A1 B1 D1 E1 C1 F1 B2 D2 E2".split()) and outcome.end == "COMPLETE"
    assert runs.accept(tmp_path).accepted


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["softmax_rows", "rms_norm", "layer_norm", "swiglu", "rope", "histogram"])
def test_operator_from_nothing_to_accepted(name: str, tmp_path: Path):
    assert run(tmp_path, str(EXAMPLES / f"{name}.py")).end == "COMPLETE"
    assert runs.accept(tmp_path).accepted


def test_own_stage_gives_the_verdict_of_its_artifacts(finished: Path, tmp_path: Path):
    verdict, agent = own(Letter.ANALYST)(context_of(finished, "P"), tmp_path)
    assert agent is None and verdict == analyst.verdict(tmp_path) and verdict.word is Word.PASS


def test_grids_of_a_capture_are_in_the_analysis(finished: Path, tmp_path: Path):
    """The folder that `ferrotile capture` writes is an input, and its launches say the grids."""
    folder = tmp_path / "captured"
    folder.mkdir()
    program = (finished / "stages/A1/reference/vector_add.f32.tileirbc").read_bytes()
    (folder / "add.tileirbc").write_bytes(program)
    launches = [{"grid": grid, "arguments": []} for grid in ((8, 1, 1), (4, 1, 1), (8, 1, 1))]
    one = {
        "module": "m", "kernel": "vector_add", "symbol": None, "hints": {}, "parameters": [], "source": "m.py",
        "line": 1, "via": "launch", "launches": launches, "launch_count": 3, "name": "add", "file": "add.tileirbc",
        "sha256": hashlib.sha256(program).hexdigest(),
    }  # fmt: skip
    index = {
        "command": [], "exit_code": 0, "target": "sm_90", "tune": "first", "cuda_tile": "1.7.0", "is_pretended": True,
        "has_placeholders": False, "exported": [one], "unexported": [],
    }  # fmt: skip
    (folder / "index.json").write_text(capture.Index.model_validate(index).to_text())
    context = Context(tmp_path, runs.request_of(str(folder), "sm_90", {}))
    made = tmp_path / "made"
    analyst.make(context, made)
    analyst.confirm(context, made)
    analysis = a.read(made / analyst.FILE, a.Analysis)
    assert analysis.grids == {"add": ((4, 1, 1), (8, 1, 1))} and len(analysis.notes) == 1
    assert analyst.verdict(made).word is Word.PASS


@pytest.mark.parametrize("name", ["../B1", ".", "a/b", "/etc", ""])
def test_variant_has_a_plain_name(name: str, finished: Path):
    first = a.read(finished / "stages/A1/analysis.json", a.Analysis).variants[0]
    with pytest.raises(ValidationError):
        a.Variant.model_validate({**first.model_dump(), "name": name})
