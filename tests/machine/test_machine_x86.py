"""The small x86 machine: equal computations have equal meanings, others do not."""

import pytest

from ferrotile.check.machine_formula import CannotRun, first_difference
from ferrotile.check.machine_x86 import meaning


def block(offset: int, size: int) -> str:
    return f"byte {offset}:{offset + size}"


def code(text: str) -> bytes:
    return bytes.fromhex(text)


RETURN_0 = "31c0 c3"
STORE_FIRST_TWICE = "488b01 4801c0 48894140"  # mov rax,[rcx]; add rax,rax; mov [rcx+0x40],rax
SHIFT_FIRST = "488b11 48d1e2 48895140"  # mov rdx,[rcx]; shl rdx,1; mov [rcx+0x40],rdx
LEA_FIRST = "488b11 488d0412 48894140"  # mov rdx,[rcx]; lea rax,[rdx+rdx]; mov [rcx+0x40],rax
TRIPLE_FIRST = "488b11 488d0452 48894140"  # lea rax,[rdx+2*rdx]
STORE_SECOND = "488b4108 4801c0 48894140"  # mov rax,[rcx+8] ...


@pytest.mark.parametrize("other", [SHIFT_FIRST, LEA_FIRST])
def test_registers_and_instructions_do_not_matter(other):
    assert meaning(code(STORE_FIRST_TWICE + RETURN_0), block) == meaning(code(other + RETURN_0), block)


@pytest.mark.parametrize("other", [TRIPLE_FIRST, STORE_SECOND])
def test_another_value_differs(other):
    a, b = meaning(code(STORE_FIRST_TWICE + RETURN_0), block), meaning(code(other + RETURN_0), block)
    assert a != b and first_difference(a, b) is not None


def test_constant_branch_is_followed():
    # mov eax,0x218; and eax,3; jne +4; mov [rcx+0x40],0 (never jumped); xor eax,eax; ret
    found = meaning(code("b818020000 83e003 7508 48c7414000000000 31c0 c3"), block)
    assert found == ("done", 0, (("byte 64:72", 8, 0),))


def test_signed_constant_comparison_is_folded():
    # mov eax,-1; cmp eax,1; jl +8; mov [rcx+0x40],0; xor eax,eax; ret
    assert meaning(code("b8ffffffff 83f801 7c08 48c7414000000000 31c0 c3"), block) == ("done", 0, ())


def test_branch_with_equal_arms_is_no_branch():
    # mov rax,[rcx]; test rax,rax; je +0; xor eax,eax; ret
    assert meaning(code("488b01 4885c0 7400 31c0 c3"), block) == ("done", 0, ())


def test_branch_that_stores_is_kept():
    # mov rax,[rcx]; test rax,rax; je +4; mov [rcx+0x40],rax; xor eax,eax; ret
    stored = meaning(code("488b01 4885c0 7404 48894140 31c0 c3"), block)
    negated = meaning(code("488b01 4885c0 7504 48894140 31c0 c3"), block)
    assert stored[0] == "if" and stored != negated


def test_partial_overlap_is_not_guessed():
    # mov [rcx],rax; mov eax,[rcx+4]; ret
    with pytest.raises(CannotRun):
        meaning(code("488901 8b4104 c3"), block)


def test_endless_code_is_given_up():
    with pytest.raises(CannotRun):
        meaning(code("ebfe"), block)


def test_short_negative_constant_is_extended():
    # mov rax,[rcx]; add rax,-8; mov [rcx+0x40],rax; xor eax,eax; ret, and the same with a 32-bit constant
    short = meaning(code("488b01 4883c0f8 48894140 31c0 c3"), block)
    assert short == meaning(code("488b01 4805f8ffffff 48894140 31c0 c3"), block)
    assert short[2][0][2] == ("sum", 64, (1 << 64) - 8, ((("argument", 64, "byte 0:8"), 1),))


def test_unknown_instruction_is_given_up():
    with pytest.raises(CannotRun):
        meaning(code("0fa2 c3"), block)  # cpuid
