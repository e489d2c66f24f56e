"""Device code as text: parameters by role, names and descriptor addresses out of the way, and nothing else."""

import pytest

from ferrotile.check.machine_layout import Layout, Parameter
from ferrotile.check.machine_sass import instruction_count, normalise, plain_names
from ferrotile.core import Role


def layout(*roles_and_sizes: tuple[Role, int], base: int = 0x210) -> Layout:
    offset, parameters = 0, []
    for role, size in roles_and_sizes:
        offset = -(-offset // size) * size
        parameters.append(Parameter(role, offset, size, 0))
        offset += size
    return Layout(base, offset + 256, tuple(parameters))


FIRST = layout((Role.pointer(0), 8), (Role.shape(0, 0), 4), (Role.stride(0, 0), 4), (Role.scalar(0), 4))
OTHER = layout(
    (Role.scalar(0), 4), (Role.scalar(1), 4), (Role.pointer(0), 8), (Role.shape(0, 0), 4), (Role.stride(0, 0), 4)
)


def texts(code: str, of: Layout, kernel: str = "k") -> list[str]:
    return [line.text for line in normalise(code, kernel, of)]


def test_parameter_is_named_by_its_role():
    assert texts("        /*0000*/   LDC R1, c[0x0][0x218] ;", FIRST) == ["LDC R1, c[shape 0 of array 0]"]
    assert texts("        /*0000*/   LDC R1, c[0x0][0x220] ;", OTHER) == ["LDC R1, c[shape 0 of array 0]"]


def test_wide_load_names_all_it_covers():
    wide = "        /*0000*/   ULDC.64 UR4, c[0x0][0x218] ;"
    assert texts(wide, FIRST) == texts(wide.replace("0x218", "0x220"), OTHER)
    assert texts(wide, FIRST) != texts(wide, OTHER)


def test_part_of_a_parameter_is_told():
    assert texts("        /*0000*/   LDC R1, c[0x0][0x214] ;", FIRST) == ["LDC R1, c[{pointer of array 0[4:8]@0}]"]


def test_constants_outside_the_parameters_stay():
    assert texts("        /*0000*/   LDC R1, c[0x0][0x28] ;", FIRST) == ["LDC R1, c[0x0][0x28]"]
    assert texts("        /*0000*/   LDC R1, c[0x3][0x218] ;", FIRST) == ["LDC R1, c[0x3][0x218]"]


def test_indexed_load_depends_on_the_order_of_parameters():
    code = "        /*0000*/   LDC R1, c[0x0][R2+0x218] ;"
    assert texts(code, FIRST) == texts(code, FIRST) != texts(code, OTHER)
    assert texts("        /*0000*/   LDC R1, c[0x0][R2+0xa0] ;", FIRST) == texts(
        "        /*0000*/   LDC R1, c[0x0][R2+0xa0] ;", OTHER
    )


BASE = "        /*0000*/   ULDC.64 UR4, c[0x0][0x198] ;\n"
ADD = "        /*0010*/   UIADD3 UR6, UP0, UR4, {:#x}, URZ ;\n"


def test_address_of_a_descriptor_is_counted_from_the_first_one():
    assert texts(BASE + ADD.format(FIRST.tail), FIRST) == texts(BASE + ADD.format(OTHER.tail), OTHER)
    assert texts(BASE + ADD.format(FIRST.tail), FIRST) != texts(BASE + ADD.format(OTHER.tail + 64), OTHER)


JUMP = "        /*0004*/   @P0 BRA `(.L_x_1) ;\n"
OTHER_WRITES = (
    "UMOV UR4, 0x10", "UMOV UR5, 0x10", "ULDC.64 UR4, c[0x0][0x208]", "@P0 UIADD3 UR4, UR4, 0x1, URZ",
    "HGMMA.64x64x16.F32 UR4, R2", "CALL.REL.NOINC 0x40",
)  # fmt: skip


def is_counted_from_the_first(code: str) -> bool:
    return "tail" in texts(code + ADD.format(FIRST.tail), FIRST)[-1]


@pytest.mark.parametrize("write", OTHER_WRITES)
def test_address_is_not_guessed_behind_another_write(write: str):
    assert not is_counted_from_the_first(BASE + f"        /*0008*/   {write} ;\n")


def test_address_is_known_behind_a_label_where_every_way_there_has_loaded_it():
    assert is_counted_from_the_first(BASE + JUMP + ".L_x_1:\n")
    assert is_counted_from_the_first(BASE + ".L_x_1:\n" + JUMP)
    assert not is_counted_from_the_first(JUMP + BASE + ".L_x_1:\n")


def test_address_is_not_guessed_where_a_loop_overwrites_it():
    loop = BASE + ".L_x_1:\n" + ADD.format(FIRST.tail) + "        /*0008*/   UMOV UR4, 0x10 ;\n" + JUMP
    assert not any("tail" in line for line in texts(loop, FIRST))


@pytest.mark.parametrize("way", ["BSSY B0, `(.L_x_1)", "WARPSYNC.COLLECTIVE R3, `(.L_x_1)"])
def test_address_is_not_guessed_at_a_label_that_is_reached_otherwise(way: str):
    assert not is_counted_from_the_first(BASE + f"        /*0004*/   {way} ;\n.L_x_1:\n")


@pytest.mark.parametrize("way", ["CALL.REL.NOINC 0x40", "BRX R2 -0x10", "RET.REL.NODEC R2 0x0"])
def test_address_is_not_guessed_at_any_label_where_control_goes_by_numbers(way: str):
    assert not is_counted_from_the_first(f"        /*0000*/   {way} ;\n" + BASE + ".L_x_1:\n")


def test_what_is_not_known_at_one_label_is_not_known_at_any_of_the_thousands_behind_it():
    """Some kernels have 14,000 lines; a round for each label took ten minutes."""
    behind = "".join(f".L_x_{number}:\n        /*0008*/   NOP ;\n" for number in range(2, 4000))
    lost = "        /*0004*/   BSSY B0, `(.L_x_1) ;\n.L_x_1:\n"
    assert not is_counted_from_the_first(BASE + lost + behind)
    assert is_counted_from_the_first(BASE + ".L_x_1:\n" + behind)


def test_name_of_the_kernel_is_replaced_as_a_whole_word_only():
    assert (
        plain_names(".text.mul $mul$__internal mul_2 IMUL mul", "mul")
        == ".text.kernel $kernel$__internal mul_2 IMUL kernel"
    )


def test_labels_count_but_are_no_instructions():
    lines = normalise(".L_x_1:\n        /*0000*/   NOP ;\n\t.target sm_90a\n// note\n", "k", FIRST)
    assert [line.text for line in lines] == [".L_x_1:", "NOP"] and instruction_count(lines) == 1
