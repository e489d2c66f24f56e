"""A stage given to a command: good ones are accepted, and each bad one is caught by name."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from finished_runs import EXAMPLES, copied
from typer.testing import CliRunner
from xdsl.ir import Operation

from ferrotile import ir
from ferrotile.cli.main import app
from ferrotile.core import FerrotileError, Unsupported, tools
from ferrotile.core.confined import Confinement, strongest
from ferrotile.lift import emit
from ferrotile.workflow import run as runs
from ferrotile.workflow.agents import reply
from ferrotile.workflow.run import artifacts as a
from ferrotile.workflow.run.context import Context, Verdict
from ferrotile.workflow.run.drive import own
from ferrotile.workflow.run.journal import Journal, trusted
from ferrotile.workflow.run.words import Letter, Word

SCRIPT = Path(__file__).parent / "scripted_agent.py"
NEEDS_LANDLOCK = pytest.mark.skipif(strongest() is Confinement.NONE, reason="nothing confines a command here")
NAME = "add"


@dataclass
class Desk:
    """A run whose author is next: one variant, and its input in a folder of its own."""

    root: Path
    source: Path
    request: a.Request

    def given(self, how: str, **limits: Any) -> tuple[Verdict, a.AgentWork]:
        """The verdict of a scripted author."""
        return self.command(f"{shlex.quote(sys.executable)} {SCRIPT} {how} {{prompt}} {self.source}", **limits)

    def command(self, command: str, stage: str = "author", **limits: Any) -> tuple[Verdict, a.AgentWork]:
        """The verdict of a command."""
        fields = {"time_s": 600.0, "tries": 1, **limits}
        request = self.request.model_copy(update={"agents": {stage: command}, "limits": a.AgentLimits(**fields)})
        context = self.context(request)
        letter = {name: key for key, name in runs.STAGE_NAMES.items()}[stage]
        folder = self.root / "stages" / f".{letter}1.partial"
        folder.mkdir(exist_ok=True)
        verdict, work = runs.makers_of(request)[letter](context, folder)
        assert work is not None
        return verdict, work

    def context(self, request: a.Request) -> Context:
        """The run so far."""
        return trusted(Journal.of(self.root), Context(self.root, request))

    @property
    def kernel(self) -> str:
        """The text that the author left."""
        return (self.root / f"stages/.B1.partial/bundles/{NAME}/kernel.rs").read_text()


@pytest.fixture(scope="module")
def prepared(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was cut off before its author, on one bytecode file."""
    folder = tmp_path_factory.mktemp("agents")
    source = folder / f"{NAME}.tileirbc"
    source.write_bytes((finished / "stages/A1/reference/vector_add.f32.tileirbc").read_bytes())

    def stop(*_: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runs.run(folder / "run", runs.request_of(str(source), "sm_90", {}), {Letter.AUTHOR: stop})
    return folder


@pytest.fixture
def desk(prepared: Path, tmp_path: Path) -> Desk:
    """A copy of that run."""
    folder = copied(prepared, tmp_path / "desk")
    request = a.read(folder / "run/request.json", a.Request)
    source = folder / f"{NAME}.tileirbc"
    request = request.model_copy(update={"input": str(source)})
    a.write(folder / "run/request.json", request)
    return Desk(folder / "run", source, request)


def test_good_author_is_accepted_and_its_cost_is_kept(desk: Desk):
    verdict, work = desk.given("good")
    assert verdict.word is Word.COMPILED and desk.kernel.startswith("// written by hand")
    assert (work.tries, work.repairs, work.tokens, work.cost_usd, work.faults) == (1, 0, 120, 0.5, ())
    assert "writes only in its folder; no network" in work.confinement or strongest() is Confinement.NONE
    prompt = (desk.root / "agents/B1.1/prompt.txt").read_text()
    paths = [line.split(": ", 1)[1] for line in prompt.splitlines()[1:-1]]
    assert all(Path(path).exists() for path in paths) and len(prompt) < 2000, "paths, and nothing of what is in them"


def test_cost_is_read_from_what_a_coding_agent_prints(desk: Desk):
    _, work = desk.given("tells_its_cost")
    assert (work.tokens, work.cost_usd) == (77, 0.25)


def test_second_try_is_told_what_was_wrong(desk: Desk):
    verdict, work = desk.given("second_try", tries=2)
    assert verdict.word is Word.COMPILED and (work.tries, work.tokens) == (2, 20)
    assert "FAIL_FIXABLE" in work.faults[0] and "FT827" not in work.faults[0]
    assert "failure.json" in (desk.root / "agents/B1.2/prompt.txt").read_text()


def test_hole_is_given_alone(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    plain = emit.Writer.plain

    def refusing(self: emit.Writer, op: Operation) -> None:
        if ir.row(op).name == "addf":
            raise Unsupported("FT302", "`addf` is refused for this test")
        plain(self, op)

    monkeypatch.setattr(emit.Writer, "plain", refusing)
    verdict, _ = desk.given("fills_the_hole")
    assert verdict.word is Word.COMPILED and "fn hole_1(" in desk.kernel and "unfilled" not in desk.kernel
    draft = desk.root / "agents/B1.1/inputs/draft" / NAME
    assert {path.name for path in draft.iterdir()} == {"kernel.rs", "launch.json", "holes.json"}


def test_wrong_numbers_are_a_failure_whatever_the_author_says(desk: Desk):
    verdict, work = desk.given("wrong_numbers", tries=2)
    assert (verdict.word, work.tries) == (Word.FAIL_FIXABLE, 2) and "DIFFERS" in verdict.reasons[0]


def test_form_is_repaired_once(desk: Desk):
    verdict, work = desk.given("repaired_verdict")
    assert (verdict.word, work.repairs, work.tries) == (Word.COMPILED, 1, 1)


def test_form_is_not_repaired_twice_in_a_run(desk: Desk):
    verdict, work = desk.given("soup", tries=2)
    assert (verdict.word, work.repairs) == (Word.MALFORMED, 1)
    assert [fault.split(": ")[1] for fault in work.faults] == ["FT823", "FT823"]


CAUGHT = {
    "missing_verdict": "FT823",
    "soup": "FT823",
    "word_of_another_stage": "FT823",
    "block_of_another_stage": "FT823",
    "repair_changes_the_kernel": "FT821",
    "gives_up": "FT811",
    "too_modest": "FT827",
    "stray_file": "FT821",
    "own_proof": "FT821",
    "edits_its_inputs": "FT820",
    "link_out": "FT821",
    "linked_folder": "FT821",
    "calls_the_reference": "FT826",
    "includes_the_reference": "FT826",
    "swaps_arrays": "FT812",
    "broken_launch": "FT811",
    "fails": "FT820",
    "fills_no_hole": "FT821",
    "prints_much": "FT825",
}


@NEEDS_LANDLOCK
@pytest.mark.parametrize("how", sorted(CAUGHT))
def test_bad_author_is_caught(how: str, desk: Desk):
    verdict, work = desk.given(how)
    assert verdict.word is Word.MALFORMED
    assert [fault.split(": ")[1] for fault in work.faults] == [CAUGHT[how]], work.faults
    assert not list((desk.root / "stages/.B1.partial").iterdir()), "nothing of it is kept"


def test_true_word_of_failure_is_taken(desk: Desk):
    verdict, _ = desk.given("does_not_compile")
    assert verdict.word is Word.FAIL_COMPILE and "FT403" in verdict.reasons[0]


def test_hanging_command_is_ended_in_time(desk: Desk):
    verdict, work = desk.given("hangs", time_s=3.0)
    assert verdict.word is Word.MALFORMED and "FT824" in work.faults[0]
    assert (desk.root / "agents/B1.1/prompt.stdout.txt").exists(), "what it printed is kept"


def test_child_that_would_live_on_is_ended(desk: Desk):
    verdict, _ = desk.given("leaves_a_child")
    assert verdict.word is Word.COMPILED
    scratch = str(desk.root / "agents/B1.1/tmp").encode()
    assert not [path for path in Path("/proc").glob("[0-9]*/cmdline") if scratch in _read(path)]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@NEEDS_LANDLOCK
def test_reference_and_input_cannot_be_edited(desk: Desk):
    """The edit fails, the rest of the work counts."""
    before = desk.source.read_bytes()
    verdict, _ = desk.given("edits_the_reference")
    assert verdict.word is Word.COMPILED and desk.source.read_bytes() == before
    assert (desk.root / "agents/B1.1/prompt.stdout.txt").read_text().count("may not write") == 2


def test_edit_of_reference_or_input_is_found_where_nothing_confines(desk: Desk):
    """Then the run stops there, and what was changed is made again by the next `ferrotile run`."""
    with pytest.raises(FerrotileError, match="FT822"):
        desk.given("edits_the_reference", confinement=Confinement.NONE)
    journal = Journal.of(desk.root)
    assert not trusted(journal, Context(desk.root, desk.request)).has(Letter.ANALYST)
    assert "A1 is not trusted: FT813" in journal.notes[0]


def test_edit_of_its_own_inputs_is_found_where_nothing_confines(desk: Desk):
    verdict, work = desk.given("edits_its_inputs", confinement=Confinement.NONE)
    assert verdict.word is Word.MALFORMED and "FT822" in work.faults[0]


@pytest.mark.parametrize(
    ("command", "word"), [("no-such-command {prompt}", "does not start"), (f"{SCRIPT} x", "does not start")]
)
def test_command_that_does_not_start_is_said(command: str, word: str, desk: Desk):
    verdict, work = desk.command(command)
    assert verdict.word is Word.MALFORMED and "FT820" in work.faults[0] and word in work.faults[0]


@pytest.mark.parametrize(("stage", "command"), [("router", "x"), ("preflight", "x"), ("author", "'"), ("author", "")])
def test_agent_for_no_stage_is_refused(stage: str, command: str):
    with pytest.raises(FerrotileError, match="FT828"):
        runs.makers_of(runs.request_of("in", "sm_90", {"agents": {stage: command}}))


COPIES = "import shutil,sys,json,pathlib as p; d=dict(l.split(': ',1) for l in sys.argv[1].splitlines() if ': ' in l); "
COPIES += "w=p.Path(d['write in']); f=next((p.Path(d['inputs'])/'draft').glob('*.json')); t=f.read_text(); "
CLAIMS = "(w/'verdict.json').write_text(json.dumps({'stage':sys.argv[2],'verdict':sys.argv[3]}))"


def copying(edit: str, stage: str, word: str) -> str:
    """A command that hands in the draft of a stage, edited."""
    code = f"{COPIES}{edit}; (w/f.name).write_text(t); {CLAIMS}"
    return shlex.join([sys.executable, "-c", code, "{prompt}", stage, word])


def test_analyst_may_choose_tolerances_and_not_facts(desk: Desk):
    folder = desk.root / "stages/A1"
    context = desk.context(desk.request)
    again = desk.root / "again"
    for path in (desk.root / "stages").iterdir():
        path.rename(desk.root / f"kept-{path.name}")
    assert context.has(Letter.ANALYST) and not folder.exists()
    (again / "stages").mkdir(parents=True)
    other = Desk(again, desk.source, desk.request)
    verdict, _ = other.command(copying("t=t.replace('\"atol\": 0.0','\"atol\": 0.001')", "analyst", "PASS"), "analyst")
    assert verdict.word is Word.PASS
    verdict, work = other.command(copying("t=t.replace('vector_add','other')", "analyst", "PASS"), "analyst")
    assert verdict.word is Word.MALFORMED and "FT812" in work.faults[0]


def test_numbers_that_a_host_types_are_not_taken(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tools, "assemble_afresh", tools.assemble)
    step(desk, Letter.AUTHOR)
    verdict, _ = desk.command(copying("pass", "host", "ALL_PASS"), "host")
    assert verdict.word is Word.ALL_PASS
    verdict, work = desk.command(copying("t=t.replace('same bits in','same bits in 9')", "host", "ALL_PASS"), "host")
    assert verdict.word is Word.MALFORMED and "FT812" in work.faults[0]


def step(desk: Desk, letter: Letter) -> None:
    """Let our own stage run, and then no further."""

    def stop(*_: Any) -> Any:
        raise KeyboardInterrupt

    others = {one: stop for one in Letter if one is not letter}
    with pytest.raises(KeyboardInterrupt):
        runs.run(desk.root, desk.request, {**others, letter: own(letter)})


@pytest.mark.parametrize(
    ("printed", "found"),
    [
        (b"", (None, None)),
        (b"total_cost_usd 5", (None, None)),
        (b'{"usage": {"output_tokens": 3, "cached_input_tokens": 2, "input_tokens": 4}}\n', (7, None)),
        (b'{"type": "x"}\n{"total_cost_usd": 1, "usage": null}\nbye', (None, 1.0)),
        (b'{"usage": {"output_tokens": "many"}, "total_cost_usd": true}', (None, None)),
    ],
)
def test_usage_is_taken_from_json_only(printed: bytes, found: tuple[int | None, float | None]):
    assert reply.usage(printed) == found


@pytest.mark.sweep
def test_whole_run_with_an_author_from_outside(tmp_path: Path):
    author = f"author={shlex.quote(sys.executable)} {SCRIPT} second_try {{prompt}}"
    options = ["--out", str(tmp_path / "run"), "--agent", author, "--json"]
    result = CliRunner().invoke(app, ["run", str(EXAMPLES / "vector_add.py"), *options])
    assert result.exit_code == 0, result.output
    manifest = a.read(tmp_path / "run/stages/B1/manifest.json", a.Manifest)
    assert manifest.agent is not None and manifest.agent.tries == 2
    assert runs.accept(tmp_path / "run").accepted


def test_option_for_a_command_is_checked(tmp_path: Path):
    wrong = CliRunner().invoke(app, ["run", "x", "--out", str(tmp_path / "other"), "--agent", "author", "--json"])
    assert wrong.exit_code == 2 and "FT902" in wrong.output
