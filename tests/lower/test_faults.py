"""Every fault of the compiler comes back as a code, one sentence and a Rust line; nothing ends the process."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ferrotile.core import EnvironmentFault, FerrotileError, InputError, Unsupported
from ferrotile.lower import RustSource, lower
from ferrotile.lower.message import one_sentence

Scale = Callable[..., RustSource]


def fault_of(kernel: RustSource, target: str = "sm_90", version: tuple[int, int] = (13, 4)) -> FerrotileError:
    with pytest.raises(FerrotileError) as caught:
        lower(kernel, target, version)
    message = caught.value.message
    assert "\n" not in message and "Ident {" not in message and "__cutile" not in message
    assert caught.value.at is not None and caught.value.at.file == "kernel.rs"
    return caught.value


def test_unknown_module(scale: Scale) -> None:
    fault = fault_of(scale(module="other"))
    assert isinstance(fault, InputError)
    assert (fault.code, fault.message) == ("FT402", "the text has no module `other`")


def test_unknown_entry(scale: Scale) -> None:
    fault = fault_of(scale(entry="other"))
    assert (fault.code, fault.message) == ("FT402", "module `scale` has no function `other`")
    assert fault.at is not None and fault.at.line == 2


@pytest.mark.parametrize(
    ("body", "line", "column"),
    [
        ("let b a;", 13, 14),
        ("let b = a ++ a;", 13, 19),
        ("let b = (a;", 16, 4),  # the bracket that does not close it
        ('let b = "open', 13, 16),
    ],
)
def test_syntax_error_is_located(scale: Scale, body: str, line: int, column: int) -> None:
    fault = fault_of(scale(body))
    assert isinstance(fault, InputError) and fault.code == "FT403"
    assert fault.at is not None and (fault.at.line, fault.at.column) == (line, column)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("let b = nothing(a);", "call to `nothing` is not supported"),
        ("let b = c;", "undefined variable `c`"),
        ("let b: Tile<f32, { [3] }> = constant(1.0f32, const_shape![3]);", "powers of two"),
        ("let b = a.reshape(const_shape![16, 32]);", "reshape"),
        ("let b = constant(1, const_shape![256]);", "return type required for constant"),
    ],
)
def test_refusal_names_the_line(scale: Scale, body: str, words: str) -> None:
    fault = fault_of(scale(body))
    assert isinstance(fault, Unsupported) and fault.code == "FT404"
    assert words in fault.message
    assert fault.at is not None and fault.at.line == 13


def test_operation_without_its_attribute_names_the_line(scale: Scale) -> None:
    body = "let q: Tile<i32, { [] }> = scalar_to_tile(pid.0); let r: Tile<i32, { [] }> = muli(q, q, overflow::None);"
    fault = fault_of(scale(body))
    assert fault.code == "FT404" and "missing attribute 'overflow'" in fault.message
    assert fault.at is not None and fault.at.line == 13


PANICS = "let s: f32 = tile_to_scalar(a);"
IN_LOOP = """let mut b: Tile<f32, { [256] }> = a;
        for i in 0i32..4i32 {
            b = b + a;
            let s: f32 = tile_to_scalar(a);
            b = b * a;
        }"""


@pytest.mark.parametrize(
    ("body", "code", "line"),
    [
        ("let b: Tile<f32, { [N] }> = a;", "FT404", 13),
        (
            f"let b: Tile<f32, {{ [256] }}> = a;\n        {PANICS}\n        let c: Tile<f32, {{ [256] }}> = a;",
            "FT405",
            14,
        ),
        (IN_LOOP, "FT405", 16),
    ],
)
def test_fault_without_a_place_gets_its_statement(scale: Scale, body: str, code: str, line: int) -> None:
    fault = fault_of(scale(body))
    assert fault.code == code
    assert fault.at is not None and fault.at.line == line


def test_fault_of_the_signature_gets_the_entry_line(scale: Scale) -> None:
    fault = fault_of(scale(generics=("7",)))
    assert fault.at is not None and (fault.at.line, fault.at.column, fault.at.function) == (7, 15, "scale")


@pytest.mark.parametrize(
    ("changes", "words"), [({"strides": ()}, "Option::unwrap"), ({"body": PANICS}, "index out of bounds")]
)
def test_panic_is_a_code_and_the_next_call_works(scale: Scale, changes: dict[str, object], words: str) -> None:
    fault = fault_of(scale(**changes))
    assert isinstance(fault, Unsupported) and fault.code == "FT405"
    assert words in fault.message and "/" not in fault.message
    assert lower(scale(), "sm_90").bytecode


def test_panics_do_not_write_to_stderr(scale: Scale, capfd: pytest.CaptureFixture[str]) -> None:
    fault_of(scale(strides=()))
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("nest", ["(" * 600 + "a" + ")" * 600, "a" + " + a" * 600, "(" * 20_000 + "a" + ")" * 20_000])
def test_deep_nesting_is_refused(scale: Scale, nest: str) -> None:
    assert fault_of(scale(f"let b = {nest};")).code == "FT407"


@pytest.mark.parametrize("nest", ["(" * 500 + "a" + ")" * 500, "a" + " + a" * 450, "absf(" * 450 + "a" + ")" * 450])
def test_nesting_short_of_the_limit_lowers(scale: Scale, nest: str) -> None:
    assert lower(scale(f"let b: Tile<f32, {{ [256] }}> = {nest};"), "sm_90").bytecode


@pytest.mark.parametrize("version", [(13, 0), (13, 1), (13, 2), (13, 6), (14, 0)])
def test_other_bytecode_versions_are_refused(scale: Scale, version: tuple[int, int]) -> None:
    assert fault_of(scale(), version=version).code == "FT404"


def test_unknown_target_is_refused(scale: Scale) -> None:
    assert fault_of(scale(), target="sm_70").code == "FT404"


def test_variables_that_change_code_are_refused(scale: Scale, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUTILE_DISABLE_CHECK_HOISTING", "1")
    with pytest.raises(EnvironmentFault) as caught:
        lower(scale(), "sm_90")
    assert caught.value.code == "FT406"


def test_missing_extension_says_what_to_do(scale: Scale, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    import ferrotile

    monkeypatch.setitem(sys.modules, "ferrotile._native", None)
    monkeypatch.delattr(ferrotile, "_native", raising=False)
    with pytest.raises(EnvironmentFault) as caught:
        lower(scale(), "sm_90")
    assert caught.value.code == "FT401" and caught.value.hint == "run `make build`"


def test_long_messages_are_cut_at_a_word() -> None:
    assert one_sentence("Word " * 200).endswith("Word ...")
    assert len(one_sentence("Word " * 200)) < 310
