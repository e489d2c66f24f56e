"""The commands as a user calls them: JSON lines, exit codes, messages."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ferrotile import capture
from ferrotile.cli.main import app
from ferrotile.core import CODES, ParameterMap, tools
from ferrotile.workflow import Options, Row, coverage, translation
from ferrotile.workflow.batch import Task

runner = CliRunner()
EXAMPLES = Path(__file__).parents[2] / "examples"
PROMISED = ["input", "kernel", "target", "verdict", "sass", "code", "place", "unsafe", "checks_in_kernel", "seconds"]


@pytest.fixture(scope="session")
def vector_add(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Bytecode of an example."""
    folder = tmp_path_factory.mktemp("bytecode")
    for made in capture.export(EXAMPLES / "vector_add.py"):
        (folder / f"{made.name}.tileirbc").write_bytes(made.bytecode)
    return sorted(folder.iterdir())[0]


def lines(output: str) -> list[dict]:
    return [json.loads(line) for line in output.splitlines()]


def test_translate_writes_four_files_and_says_so(vector_add: Path, tmp_path: Path):
    result = runner.invoke(app, ["translate", str(vector_add), "--out", str(tmp_path), "--json", "--sass"])
    row, summary = lines(result.stdout)
    assert list(row)[:10] == PROMISED
    assert (result.exit_code, row["verdict"], row["sass"], row["code"]) == (0, "EQUAL", "identical", None)
    assert {"decode", "lift", "lower", "check", "sass", "total"} == row["seconds"].keys()
    assert summary["summary"]["inputs"] == 1 and summary["summary"]["exit_code"] == 0
    folder = tmp_path / vector_add.stem
    assert {path.name for path in folder.iterdir()} == {
        "kernel.rs",
        "reference.tileirbc",
        "lowered.tileirbc",
        "proof.json",
    }
    assert (folder / "reference.tileirbc").read_bytes() == vector_add.read_bytes()


def test_proof_says_what_was_proved_of_which_files(vector_add: Path, tmp_path: Path):
    import hashlib

    runner.invoke(app, ["translate", str(vector_add), "--out", str(tmp_path), "--sass", "--json"])
    folder = tmp_path / vector_add.stem
    proof = json.loads((folder / "proof.json").read_text())
    assert proof["verdict"] == "EQUAL" and proof["sass"]["kind"] == "identical"
    for name, digest in proof["sha256"].items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    assert len(proof["sha256"]) == 3
    assert proof["versions"]["cutile"] == "0.5.0" and all(proof["versions"].values())
    parameters = ParameterMap.from_json((folder / "proof.json").read_text())
    assert len(parameters.reference) > 0 and proof["specialization"]["entry"]
    assert "/" not in proof["specialization"]["file"]


def test_proof_serves_diff_as_parameter_map(vector_add: Path, tmp_path: Path):
    runner.invoke(app, ["translate", str(vector_add), "--out", str(tmp_path)])
    folder = tmp_path / vector_add.stem
    files = [str(folder / "reference.tileirbc"), str(folder / "lowered.tileirbc")]
    result = runner.invoke(app, ["diff", *files, "--params", str(folder / "proof.json"), "--sass", "--json"])
    (answer,) = lines(result.stdout)
    assert (result.exit_code, answer["verdict"], answer["sass"]) == (0, "EQUAL", "identical")


def test_refusal_leaves_no_file_of_an_earlier_run(vector_add: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from ferrotile.core import Place, Unsupported

    def refuses(module: object, sources: object, **_: object) -> None:
        raise Unsupported("FT109", "not today", at=Place("kernel.py", 3, 4))

    options = Options(out=tmp_path)
    task = Task("in", "in", vector_add)
    assert translation.translate(task, options).exit_code == 0
    monkeypatch.setattr(translation.lift, "lift", refuses)
    row = translation.translate(task, options)
    assert (row.exit_code, row.code, str(row.place)) == (3, "FT109", "kernel.py:3:4")
    assert {path.name for path in (tmp_path / "in").iterdir()} == {"reference.tileirbc", "proof.json"}
    assert json.loads((tmp_path / "in" / "proof.json").read_text())["verdict"] == "REFUSED"


def test_python_kernel_is_an_input(tmp_path: Path):
    result = runner.invoke(app, ["translate", f"{EXAMPLES / 'vector_add.py'}::vector_add", "--json", "--jobs", "2"])
    *rows, summary = lines(result.stdout)
    assert len(rows) == summary["summary"]["inputs"] > 1
    assert all(row["kernel"] == "vector_add" and row["verdict"] == "EQUAL" for row in rows), rows


def test_bad_inputs_are_rows_and_the_worst_decides(vector_add: Path, tmp_path: Path):
    bad = {"empty.tileirbc": b"", "text.tileirbc": b"hello", "cut.tileirbc": vector_add.read_bytes()[:200]}
    for name, data in bad.items():
        (tmp_path / name).write_bytes(data)
    arguments = [str(vector_add), *(str(tmp_path / name) for name in bad), str(tmp_path / "missing.tileirbc")]
    result = runner.invoke(app, ["translate", *arguments, "--json", "--jobs", "2"])
    *rows, summary = lines(result.stdout)
    assert result.exit_code == summary["summary"]["exit_code"] == 2
    assert [row["input"] for row in rows] == arguments
    assert [row["verdict"] for row in rows] == ["EQUAL", *["REFUSED"] * 4]
    assert all(row["code"] in CODES for row in rows[1:])


@pytest.mark.parametrize(
    "arguments",
    [
        ["translate", "x.tileirbc", "--target", "h100"],
        ["translate", "x.tileirbc", "--sample", "some"],
        ["translate", "x.tileirbc", "--source-map", "nowhere"],
        ["translate", "no such file"],
        ["diff", "no such file", "no such file"],
        ["explain", "FT999"],
        ["trace", "no such file"],
    ],
)
def test_wrong_argument_is_your_input(arguments: list[str]):
    result = runner.invoke(app, [*arguments, "--json"])
    assert result.exit_code == 2
    answer = lines(result.stdout)[0]
    assert answer["code"] in CODES and answer["message"][0].islower() | (answer["message"][0] == "`")


def test_missing_assembler_is_the_environment(vector_add: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "rustfmt").symlink_to(tools.find("rustfmt").path)
    monkeypatch.setenv("FERROTILE_TOOLS", str(tmp_path))
    result = runner.invoke(app, ["translate", str(vector_add), "--sass", "--json"])
    row = lines(result.stdout)[0]
    assert (result.exit_code, row["verdict"], row["sass"], row["code"]) == (4, "EQUAL", "skipped", "FT001")
    assert "pip install" in row["hint"]


def test_diff_of_a_file_with_itself_is_equal(vector_add: Path):
    result = runner.invoke(app, ["diff", str(vector_add), str(vector_add), "--json"])
    assert (result.exit_code, lines(result.stdout)[0]["verdict"]) == (0, "EQUAL")
    assert runner.invoke(app, ["diff", str(vector_add), str(vector_add)]).stdout.startswith("EQUAL")


def test_diff_of_other_constants_differs(vector_add: Path):
    other = sorted(vector_add.parent.iterdir())[1]
    result = runner.invoke(app, ["diff", str(vector_add), str(other), "--json"])
    answer = lines(result.stdout)[0]
    assert (result.exit_code, answer["verdict"]) == (1, "DIFFERS") and answer["place"] and answer["sentence"]


def test_trace_shows_every_form(vector_add: Path):
    result = runner.invoke(app, ["trace", str(vector_add), "--json"])
    assert result.exit_code == 0, result.stdout
    titles = " ".join(line["form"] for line in lines(result.stdout))
    for word in (
        "reference Tile IR",
        "decoded",
        "verifier",
        "parameter map",
        "kernel.rs",
        "lowered",
        "checks",
        "verdict",
    ):
        assert word in titles


def test_trace_shows_what_was_made_before_a_fault(vector_add: Path, tmp_path: Path):
    (tmp_path / "cut.tileirbc").write_bytes(vector_add.read_bytes()[:200])
    result = runner.invoke(app, ["trace", str(tmp_path / "cut.tileirbc"), "--json"])
    *forms, fault = lines(result.stdout)
    assert result.exit_code == 2 and forms and fault["code"].startswith("FT2")


def test_ops_counts_what_is_missing():
    result = runner.invoke(app, ["ops", "--json"])
    answer = lines(result.stdout)[0]
    assert len(answer["operations"]) == len(coverage()) >= 109
    assert result.exit_code == (1 if answer["missing"] else 0)
    for column, names in answer["missing"].items():
        assert answer["covered"][column] == len(coverage()) - len(names)


def test_explain_knows_every_code():
    assert len(lines(runner.invoke(app, ["explain", "--json"]).stdout)) == len(CODES)
    assert "cure:" in runner.invoke(app, ["explain", "ft005"]).stdout


def test_error_shows_python_and_rust_side_by_side(tmp_path: Path):
    from rich.console import Console

    from ferrotile.core import Place, VerdictKind
    from ferrotile.report import row_text

    (tmp_path / "kernel.py").write_text("def k():\n    total = a + b\n")
    python = Place("/elsewhere/kernel.py", 2, 12, "k")
    rust = Place("runtime/prelude/src/lib.rs", 900, 4, "gather", Place("kernel.rs", 1, 0, "k"))
    row = Row(
        "in", "in", "sm_90", VerdictKind.DIFFERS, 1, place=python, rust_place=rust,
        message="`lhs` of `addf` is `a` in the reference", rust="let total = a - b;",
    )  # fmt: skip
    console = Console(width=160, record=True, file=io.StringIO())
    for part in row_text(row, (("/elsewhere", str(tmp_path)),)):
        console.print(part)
    shown = console.export_text()
    (beside,) = [line for line in shown.splitlines() if "total = a + b" in line]
    assert ">    2     total = a + b" in beside
    assert ">    1 let total = a - b;" in shown


@pytest.mark.parametrize("missing", ["xdsl", "capstone", "cuda", "ferrotile._native"])
def test_doctor_and_explain_run_without_a_package(missing: str):
    code = f"import sys; sys.modules[{missing!r}] = None; from ferrotile.cli import main; main()"
    for command in (["doctor", "--json"], ["explain", "FT005"]):
        ran = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=False)
        assert ran.returncode in (0, 4) and "Traceback" not in ran.stderr, ran.stderr
