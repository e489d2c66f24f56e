"""`ferrotile interpret` as a user calls it."""

import json
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from typer.testing import CliRunner

from ferrotile import capture
from ferrotile.cli.main import app
from ferrotile.core import CODES

runner = CliRunner()
EXAMPLES = Path(__file__).parents[2] / "examples"
KERNEL = f"{EXAMPLES / 'vector_add.py'}::vector_add"
WRONG = '''\
import cuda.tile as ct


@ct.kernel
def overlap(x, y):
    """Every block writes the same tile."""
    tile = ct.load(x, index=(ct.bid(0),), shape=(16,))
    ct.store(y, index=(0,), tile=tile)
'''


@pytest.fixture
def arrays(tmp_path: Path) -> Path:
    """Two vectors as files."""
    for name, seed in (("a", 1), ("b", 2)):
        values = np.random.default_rng(seed).standard_normal(1040)
        np.save(tmp_path / f"{name}.npy", values.astype(np.float32))
        np.save(tmp_path / f"{name}16.npy", values[:1033].astype(np.float16))
    return tmp_path


def lines(output: str) -> list[dict]:
    return [json.loads(line) for line in output.splitlines()]


def given(folder: Path, ending: str, total: str) -> list[str]:
    return ["-i", f"a={folder}/a{ending}.npy", "-i", f"b={folder}/b{ending}.npy", "-i", f"total={total}"]


@pytest.mark.parametrize(("ending", "total", "grid"), [("", "1040", "2"), ("16", "1033", "3")])
def test_arrays_go_in_and_come_out(arrays: Path, ending: str, total: str, grid: str):
    arguments = ["interpret", KERNEL, *given(arrays, ending, total), "--grid", grid, "--out", str(arrays / "out")]
    result = runner.invoke(app, [*arguments, "--json"])
    (answer,) = lines(result.stdout)
    assert (result.exit_code, answer["findings"]) == (0, []), result.stdout
    a, b = np.load(arrays / f"a{ending}.npy"), np.load(arrays / f"b{ending}.npy")
    np.testing.assert_array_equal(np.load(arrays / "out" / "total.npy"), a + b)
    assert [array["undetermined"] for array in answer["arrays"]] == [0, 0, 0]


def test_what_nothing_wrote_is_counted(arrays: Path):
    result = runner.invoke(app, ["interpret", KERNEL, *given(arrays, "", "1040"), "--grid", "1"])
    assert result.exit_code == 0
    assert "total: float32 (1040,), 1024 elements changed, 16 undetermined" in result.stdout


def test_bytecode_is_a_kernel_too(arrays: Path):
    (made, *_) = capture.export(EXAMPLES / "vector_add.py")
    (arrays / "k.tileirbc").write_bytes(made.bytecode)
    arguments = ["interpret", str(arrays / "k.tileirbc"), *given(arrays, "", "1040"), "--grid", "2", "--json"]
    assert lines(runner.invoke(app, arguments).stdout)[0]["arrays"][2]["changed"] == 1040


def test_bfloat16_comes_as_numpy_writes_it(tmp_path: Path):
    x = np.random.default_rng(0).standard_normal((2, 64)).astype(ml_dtypes.bfloat16)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "weight.npy", np.ones(64, ml_dtypes.bfloat16))
    kernel = f"{EXAMPLES / 'rms_norm.py'}::rms_norm"
    arrays = ["-i", f"x={tmp_path}/x.npy", "-i", f"weight={tmp_path}/weight.npy", "-i", "y=2x64"]
    arguments = ["interpret", kernel, *arrays, "--scalar", "epsilon=1e-6", "--grid", "2", "--out", str(tmp_path)]
    assert runner.invoke(app, arguments).exit_code == 0
    y = np.load(tmp_path / "y.npy").view(ml_dtypes.bfloat16).astype(np.float32)
    wide = x.astype(np.float32)
    np.testing.assert_allclose(y, wide / np.sqrt((wide**2).mean(1, keepdims=True) + 1e-6), rtol=2**-7)


def test_watched_variable_is_shown_in_every_block(tmp_path: Path):
    x = np.random.default_rng(0).standard_normal((3, 32)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    kernel = f"{EXAMPLES / 'softmax_rows.py'}::softmax_rows"
    arguments = ["interpret", kernel, "-i", f"x={tmp_path}/x.npy", "-i", "y=3x32", "--grid", "3", "--watch", "peak"]
    *values, _ = lines(runner.invoke(app, [*arguments, "--json"]).stdout)
    assert [value["block"] for value in values] == [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
    for row, value in enumerate(values):
        assert np.isclose(float(value["text"].strip("[]")), x[row].max()) and "softmax_rows.py:" in value["place"]
    unknown = runner.invoke(app, [*arguments, "--watch", "paek", "--json"])
    assert (unknown.exit_code, lines(unknown.stdout)[0]["code"]) == (2, "FT807")
    assert "`peak`" in lines(unknown.stdout)[0]["message"]


def test_finding_is_shown_with_its_python_line(tmp_path: Path):
    (tmp_path / "wrong.py").write_text(WRONG)
    rows = '[[specialization]]\nkernel = "overlap"\n[specialization.parameters]\nx = "float32[_]"\ny = "float32[_]"\n'
    (tmp_path / "wrong.toml").write_text(rows)
    np.save(tmp_path / "x.npy", np.arange(64, dtype=np.float32))
    arguments = ["interpret", f"{tmp_path}/wrong.py::overlap", "-i", f"x={tmp_path}/x.npy", "-i", "y=16", "--grid", "4"]
    result = runner.invoke(app, arguments)
    assert result.exit_code == 1
    assert "write-write" in result.stdout and ">    8     ct.store(y, index=(0,), tile=tile)" in result.stdout
    (answer,) = lines(runner.invoke(app, [*arguments, "--json"]).stdout)
    assert "wrong.py:8:" in answer["findings"][0]["place"]


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        ([], "FT806", "array `a` is not given"),
        (["-i", "a=no.npy", "-i", "b=no.npy", "-i", "total=16"], "FT806", "cannot read"),
        (["-i", "a=16x2", "-i", "b=16", "-i", "total=16"], "FT806", "2 axes"),
        (["-i", "a=16", "-i", "b=16", "-i", "total=16", "--scalar", "n=1"], "FT806", "no number `n`"),
        (["-i", "a=16", "-i", "b=16", "-i", "total=16", "-i", "c=16"], "FT806", "no array `c`"),
        (["-i", "a"], "FT902", "NAME=VALUE"),
        (["-i", "a=1", "-i", "a=2"], "FT902", "twice"),
        (["--grid", "0"], "FT902", "positive"),
    ],
)
def test_wrong_argument_is_your_input(arguments: list[str], code: str, word: str):
    result = runner.invoke(app, ["interpret", KERNEL, *arguments, "--json"])
    (answer,) = lines(result.stdout)
    assert (result.exit_code, answer["code"]) == (2, code) and answer["code"] in CODES
    assert word in answer["message"]


@pytest.mark.parametrize(("dtype", "word"), [(np.float64, "float64"), (np.int32, "int32")])
def test_array_of_another_type_is_your_input(tmp_path: Path, dtype: type, word: str):
    np.save(tmp_path / "a.npy", np.zeros(16, dtype))
    arguments = ["-i", f"a={tmp_path}/a.npy", "-i", "b=16", "-i", "total=16"]
    result = runner.invoke(app, ["interpret", KERNEL, *arguments, "--json"])
    assert result.exit_code == 2 and f"`a` is {word}" in lines(result.stdout)[0]["message"]
