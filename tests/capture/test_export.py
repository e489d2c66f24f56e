"""Exporting a kernel of a Python file: what is found, what is left behind, what is refused and how."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ferrotile.capture import export, read_spec
from ferrotile.core import EnvironmentFault, FerrotileError, InputError, Unsupported

KERNEL = """\
import cuda.tile as ct


@ct.kernel
def double(x, y, factor, TILE: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, (i,), ct.load(x, (i,), (TILE,)) * factor)
"""
SPEC = """\
[[specialization]]
kernel = "double"
parameters = { x = "float32[*16]", y = "float32[*16]", factor = "float32", TILE = 64 }
"""
SYMBOL = "double_Kt1_A1f32_1i16t1_p16_A1f32_1i16t1_p16_Sf32_I64"

WriteInput = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> WriteInput:
    """Write `double.py` and its spec; give None to leave a file out."""

    def write_files(python: str = KERNEL, spec: str | None = SPEC) -> Path:
        path = tmp_path / "double.py"
        path.write_text(python)
        if spec is not None:
            path.with_suffix(".toml").write_text(spec)
        return path

    return write_files


def _refusal(kind: type[FerrotileError], code: str, *args: object) -> FerrotileError:
    with pytest.raises(kind) as caught:
        export(*args)  # type: ignore[arg-type]
    assert caught.value.code == code
    return caught.value


def test_spec_beside_the_file_is_used(write: WriteInput) -> None:
    (capture,) = export(write())
    assert (capture.kernel, capture.symbol) == ("double", SYMBOL)
    assert capture.name.startswith("double.")


def test_bytecode_version_is_13_4(write: WriteInput) -> None:
    (capture,) = export(write())
    assert tuple(capture.bytecode[8:10]) == (13, 4)


def test_symbol_gives_the_bytes_of_the_spec(write: WriteInput) -> None:
    path = write()
    assert export(path, "double", SYMBOL)[0].bytecode == export(path)[0].bytecode


def test_row_may_give_a_symbol_with_hints(write: WriteInput) -> None:
    row = f'[[specialization]]\nkernel = "double"\nsymbol = "{SYMBOL}"\nhints = {{ occupancy = 5 }}\n'
    (capture,) = export(write(spec=row))
    assert capture.symbol == SYMBOL
    assert dict(capture.hints)["occupancy"] == 5


def test_spec_of_another_place_is_used(write: WriteInput, tmp_path: Path) -> None:
    path = write(spec=None)
    other = tmp_path / "other.toml"
    other.write_text(SPEC)
    assert export(path, "double", str(other))[0].symbol == SYMBOL


def test_hints_of_the_spec_replace_the_decorator(write: WriteInput) -> None:
    spec = SPEC + 'hints = { occupancy = 3, num_ctas = { sm_90 = 2, default = "auto" } }\n'
    (capture,) = export(write(KERNEL.replace("@ct.kernel", "@ct.kernel(occupancy=2)"), spec))
    hints = dict(capture.hints)
    assert (hints["occupancy"], hints["num_ctas"], hints["num_ctas.sm_90"]) == (3, None, 2)


def test_changed_file_is_read_again(write: WriteInput) -> None:
    before = export(write())[0].bytecode
    after = export(write(KERNEL.replace("* factor", "+ factor")))[0].bytecode
    assert before != after


def test_nothing_is_left_behind(write: WriteInput, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "sibling.py").write_text("print('loaded')\n")
    path = write("import sibling\nprint('hello')\n" + KERNEL)
    export(path)
    known, search_path = set(sys.modules), list(sys.path)
    export(path)
    assert set(sys.modules) == known
    assert sys.path == search_path
    assert "sibling" not in sys.modules
    assert not (tmp_path / "__pycache__").exists()
    assert capsys.readouterr().out == ""


def test_file_in_a_package_may_import_relatively(tmp_path: Path) -> None:
    package = tmp_path / "kernels"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "sizes.py").write_text("UNUSED = 1\n")
    (package / "double.py").write_text("from .sizes import UNUSED\n" + KERNEL)
    (package / "double.toml").write_text(SPEC)
    assert export(package / "double.py")[0].symbol == SYMBOL
    assert not [name for name in sys.modules if name.startswith("kernels")]


def test_file_named_like_a_library_does_not_hide_it(tmp_path: Path) -> None:
    path = tmp_path / "json.py"
    path.write_text(KERNEL)
    path.with_suffix(".toml").write_text(SPEC)
    json = sys.modules["json"]
    assert export(path)[0].symbol == SYMBOL
    assert sys.modules["json"] is json


def test_missing_file_is_named(tmp_path: Path) -> None:
    assert "`absent.py`" in _refusal(InputError, "FT101", tmp_path / "absent.py").message


@pytest.mark.parametrize(
    ("text", "cause", "line"),
    [
        ("import cuda.tile as ct\ndef broken(:\n", "invalid syntax", 2),
        ("x = 1\ny = x / 0\n", "ZeroDivisionError", 2),
        ("raise SystemExit(3)\n", "SystemExit", 1),
    ],
)
def test_file_that_fails_to_load_gives_the_line(write: WriteInput, text: str, cause: str, line: int) -> None:
    error = _refusal(InputError, "FT102", write(text))
    assert cause in error.message
    assert error.at is not None and error.at.line == line


def test_missing_library_says_what_to_do(write: WriteInput) -> None:
    error = _refusal(InputError, "FT102", write("import no_such_library\n" + KERNEL))
    assert error.hint is not None and "install `no_such_library`" in error.hint


def test_missing_kernel_lists_those_that_exist(write: WriteInput) -> None:
    error = _refusal(InputError, "FT103", write(), "treble")
    assert error.hint == "its kernels are `double`"


def test_file_without_kernels_says_so(write: WriteInput) -> None:
    error = _refusal(InputError, "FT103", write("x = 1\n", None))
    assert "no function decorated" in error.message


def test_front_end_error_is_one_sentence_with_the_line(write: WriteInput) -> None:
    error = _refusal(InputError, "FT104", write(KERNEL.replace("ct.load(x, (i,)", "ct.load(x, (i, i)")))
    assert "\n" not in error.message
    assert error.at is not None
    assert (Path(error.at.file).name, error.at.line) == ("double.py", 7)


def test_front_end_error_in_a_helper_names_the_caller(write: WriteInput) -> None:
    helper = "def read(x, i, TILE):\n    return ct.load(x, (i, i), (TILE,))\n\n\n"
    text = KERNEL.replace("@ct.kernel", helper + "@ct.kernel").replace(
        "ct.load(x, (i,), (TILE,)) *", "read(x, i, TILE) *"
    )
    error = _refusal(InputError, "FT104", write(text))
    assert error.at is not None and error.at.caller is not None
    assert (error.at.function, error.at.caller.function) == ("read", "double")


def test_constant_parameter_that_gets_a_type_is_refused(write: WriteInput) -> None:
    error = _refusal(InputError, "FT104", write(spec=SPEC.replace("TILE = 64", 'TILE = "int32"')))
    assert error.at is not None and error.at.function == "double"


def test_no_signature_shows_how_to_write_one(write: WriteInput) -> None:
    error = _refusal(InputError, "FT105", write(spec=None))
    assert error.hint is not None
    for line in ('kernel = "double"', 'x = "float32[_, *16]"', "TILE = 64"):
        assert line in error.hint


def test_spec_without_the_kernel_is_named(write: WriteInput) -> None:
    path = write(spec=SPEC.replace('"double"', '"other"'))
    assert "`double.toml`" in _refusal(InputError, "FT105", path, "double").message


def test_unreadable_spec_is_named(write: WriteInput, tmp_path: Path) -> None:
    assert "absent.toml" in _refusal(InputError, "FT106", write(), "double", str(tmp_path / "absent.toml")).message
    error = _refusal(InputError, "FT106", write(spec=SPEC + "x y\n"))
    assert error.at is not None and error.at.line == 4


@pytest.mark.parametrize(
    ("before", "after", "field", "cause"),
    [
        ("TILE = 64", "TILES = 64", "parameters", "no entry for `TILE`; no parameter is named `TILES`"),
        ("float32[*16]", "f32[*16]", "parameters.x.dtype", "`f32` is not a dtype"),
        ("float32[*16]", "float32[16x]", "parameters.x.shape[0]", "`16x` is not a number"),
        ("parameters", "params", "specialization[0].params", "there is no such field"),
        ("parameters", "symbol = 'x'\nparameters", "specialization[0]", "needs either `parameters` or `symbol`"),
        ('kernel = "double"', "", "specialization[0].kernel", "is missing"),
        (
            "parameters",
            "hints = { occupancy = 'two' }\nparameters",
            "hints.occupancy",
            "`two` is not a number or `auto`",
        ),
        ("parameters", "hints = { occupancy = 99 }\nparameters", "hints", "[1, 32]"),
        ("parameters", "grid = 3\nparameters", "specialization[0].grid", "there is no such field"),
    ],
)
def test_wrong_spec_names_the_field_and_the_cause(
    write: WriteInput, before: str, after: str, field: str, cause: str
) -> None:
    error = _refusal(InputError, "FT107", write(spec=SPEC.replace(before, after)))
    assert field in error.message
    assert cause in error.message


def test_wrong_symbol_is_refused(write: WriteInput) -> None:
    _refusal(InputError, "FT108", write(), "double", "double")
    _refusal(InputError, "FT108", write(), "double", "double_Kt1_A1q99")
    assert "`treble`" in _refusal(InputError, "FT108", write(), "double", SYMBOL.replace("double", "treble")).message


def test_front_end_that_breaks_down_is_a_refusal(write: WriteInput, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise AssertionError("unexpected operation")

    monkeypatch.setattr("cuda.tile.compilation.export_kernel", fail)
    assert "unexpected operation" in _refusal(Unsupported, "FT109", write()).message


def test_missing_front_end_says_how_to_install_it(write: WriteInput, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(f"No module named '{name}'")

    monkeypatch.setattr(importlib, "import_module", missing)
    error = _refusal(EnvironmentFault, "FT110", write())
    assert error.hint is not None and error.hint.startswith("pip install cuda-tile")


def test_target_must_look_like_one(write: WriteInput) -> None:
    _refusal(InputError, "FT111", write(), "double", SYMBOL, "hopper")


def test_labels_of_one_kernel_differ(write: WriteInput) -> None:
    spec = SPEC.replace("parameters", 'label = "a"\nparameters')
    path = write(spec=spec + spec)
    with pytest.raises(InputError, match="have the label `a`"):
        read_spec(path.with_suffix(".toml"))
