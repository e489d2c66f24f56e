"""Short calls for elements of contiguous arrays: where they stand, what they lower to, and where they must not."""

from dataclasses import replace
from pathlib import Path

from ferrotile import ir, lift, lower
from ferrotile.check import check
from ferrotile.workflow import Options, expand

KERNELS = Path(__file__).parent / "elements" / "kernels.py"


def lifted(kernel: str) -> tuple[bytes, ir.Module, lift.RustKernel]:
    (task,) = expand([f"{KERNELS}::{kernel}"], Options())
    assert task.bytecode is not None
    module = ir.decode(task.bytecode)
    return task.bytecode, module, lift.lift(module, lift.SourceFinder([]))


def is_the_reference(reference: bytes, module: ir.Module, kernel: lift.RustKernel, text: str) -> bool:
    lowered = lower.lower(replace(kernel.source, text=text), "sm_90", lower.version_for(module.version))
    return check(reference, lowered.bytecode, kernel.parameters, "sm_90").holds


def test_contiguous_elements_are_short_calls_and_the_same_program():
    reference, module, kernel = lifted("short")
    calls = ("element::<_, 4>(lengths, row)", "gather_row_masked(", "write_element::<_, 4>(lasts, row, ")
    assert all(call in kernel.text for call in (*calls, "scatter_elements(y, "))
    assert is_the_reference(reference, module, kernel, kernel.text)


def test_another_row_or_width_is_another_program():
    reference, module, kernel = lifted("short")
    for right, wrong in (("(lengths, row)", "(lengths, row + 1)"), ("_, 4>(lengths", "_, 8>(lengths")):
        assert not is_the_reference(reference, module, kernel, kernel.text.replace(right, wrong))


def test_other_paddings_and_strides_are_spelled_out():
    reference, module, kernel = lifted("long")
    assert "element::<" not in kernel.text and "gather_row" not in kernel.text and "gather_masked_2d(" in kernel.text
    assert is_the_reference(reference, module, kernel, kernel.text)
