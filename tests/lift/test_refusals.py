"""Every refusal code of lift, raised by Python that a user could write, with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from surround import Surround

from ferrotile import ir
from ferrotile.capture import Specialization, export
from ferrotile.core import InputError, Unsupported
from ferrotile.ir.enums import Signedness
from ferrotile.ir.types import ScalarType, TileType
from ferrotile.lift import SourceFinder, lift

PYTHON = """\
import cuda.tile as ct


@ct.kernel
def refused(x, y):
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(16,))
    {statement}
    ct.store(y, index=(i,), tile=t)
"""
LINE = 8

STATEMENTS = {
    "FT302": "t = ct.truediv(t, t + 1, rounding_mode=ct.RoundingMode.FULL, flush_to_zero=True)",
    "FT303": "t = t + ct.astype(ct.full((16,), 1, ct.tfloat32), ct.float32)",
    "FT305": "t = t + ct.reduce(t, 0, lambda a, b: ct.maximum(a, b * ct.bid(1)), 0.0)",
}


def _refused(folder: Path, statement: str) -> Unsupported:
    path = folder / "refused.py"
    path.write_text(PYTHON.format(statement=statement))
    parameters = {"x": "float32[_]", "y": "float32[_]"}
    (capture,) = export(path, "refused", Specialization.model_validate({"kernel": "refused", "parameters": parameters}))
    with pytest.raises(Unsupported) as caught:
        lift(ir.decode(capture.bytecode), SourceFinder([]))
    return caught.value


@pytest.mark.parametrize("code", sorted(STATEMENTS))
def test_a_refusal_has_its_code_and_its_python_line(code: str, tmp_path: Path) -> None:
    error = _refused(tmp_path, STATEMENTS[code])
    assert error.code == code
    assert error.at is not None
    assert (Path(error.at.file).name, error.at.line) == ("refused.py", LINE)


def test_an_unsigned_half_byte_has_no_rust_type() -> None:
    kernel = Surround()
    kinds = {"from": [TileType(ScalarType("i4"), (4,))]}
    kernel.around("exti", kinds, {"signedness": Signedness.Unsigned}, [TileType(ScalarType("i8"), (4,))])
    with pytest.raises(Unsupported) as caught:
        lift(ir.decode(kernel.bytes()))
    assert caught.value.code == "FT301"
    assert caught.value.at is not None and caught.value.at.line == 1


def test_a_loop_with_an_unsigned_bound_is_refused_at_its_line() -> None:
    kernel = Surround()
    kernel.line = 3
    with kernel.for_(*kernel.parameters("i32", "i32", "i32"), kernel.given("4xf32"), unsignedCmp=True) as loop:
        kernel.end("continue", kernel.absf(loop.values[0]))
    kernel.keep(loop.results[0])
    with pytest.raises(Unsupported) as caught:
        lift(ir.decode(kernel.bytes()))
    assert caught.value.code == "FT304"
    assert caught.value.at is not None and caught.value.at.line == 3


def test_a_module_with_another_number_of_kernels_is_refused() -> None:
    kernel = Surround()
    kernel.keep(kernel.given("4xf32"))
    module = kernel.module()
    module.entries[0].detach()
    with pytest.raises(InputError) as caught:
        lift(module)
    assert caught.value.code == "FT206"
