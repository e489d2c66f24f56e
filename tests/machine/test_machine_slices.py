"""Machine code of one kernel whose slice bound varies, and of kernels whose parameters stand in another order."""

from itertools import combinations

import pytest

from ferrotile.check.machine import compare_cubins, compare_machine_code
from ferrotile.core import FerrotileError, MachineKind, ParameterMap, Role, tools

BOUNDS = {"n": "stop_at_n", "m": "stop_at_m", "n + 1": "stop_at_n_plus_1", "n * m": "stop_at_n_times_m"}
TARGETS = ["sm_90", "sm_100"]


def array_roles(array: int) -> tuple[Role, ...]:
    shape = tuple(Role.shape(array, axis) for axis in range(2))
    return (Role.pointer(array), *shape, *(Role.stride(array, axis) for axis in range(2)))


REFERENCE = (*array_roles(0), *array_roles(1), *array_roles(2), Role.scalar(0), Role.scalar(1))
OTHER_ORDER = (Role.scalar(0), *array_roles(2), Role.scalar(2), *array_roles(1), Role.scalar(1), *array_roles(0))
SWAPPED = (Role.scalar(0), *array_roles(2), Role.scalar(2), *array_roles(0), Role.scalar(1), *array_roles(1))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("pair", list(combinations(BOUNDS, 2)), ids=" against ".join)
def test_another_slice_bound_is_never_identical(kernels, pair, target):
    a, b = (kernels.export(BOUNDS[bound], "aaaii", target) for bound in pair)
    verdict = compare_machine_code(a, b, None, target)
    assert verdict.kind in (MachineKind.DEVICE_IDENTICAL, MachineKind.DIFFERS)
    assert (
        verdict.first_difference is not None and verdict.first_difference.reference != verdict.first_difference.lowered
    )


def test_slice_bounds_share_their_device_code_on_sm_90(kernels):
    a, b = (kernels.export(BOUNDS[bound], "aaaii", "sm_90") for bound in ("n", "n * m"))
    verdict = compare_machine_code(a, b, ParameterMap(REFERENCE, REFERENCE), "sm_90")
    assert verdict.kind is MachineKind.DEVICE_IDENTICAL and verdict.counts[0] == verdict.counts[1] > 100
    assert (
        "scalar 0" in verdict.first_difference.reference
        and "mul(scalar 0, scalar 1)" in verdict.first_difference.lowered
    )


@pytest.mark.parametrize("target", TARGETS)
def test_debug_places_do_not_matter(kernels, kernels_elsewhere, target):
    a, b = kernels.export("stop_at_n", "aaaii", target), kernels_elsewhere.export("stop_at_n", "aaaii", target)
    assert a != b
    assert compare_machine_code(a, b, None, target).kind is MachineKind.IDENTICAL


@pytest.mark.parametrize("target", TARGETS)
def test_order_of_parameters_does_not_matter_under_the_right_map(kernels, target):
    a, b = kernels.export("stop_at_n", "aaaii", target), kernels.export("other_order", "iafaia", target)
    assert compare_machine_code(a, b, ParameterMap(REFERENCE, OTHER_ORDER), target).kind is MachineKind.IDENTICAL
    assert compare_machine_code(b, a, ParameterMap(OTHER_ORDER, REFERENCE), target).kind is MachineKind.IDENTICAL


@pytest.mark.parametrize("target", TARGETS)
def test_wrong_map_differs(kernels, target):
    a, b = kernels.export("stop_at_n", "aaaii", target), kernels.export("other_order", "iafaia", target)
    assert compare_machine_code(a, b, ParameterMap(REFERENCE, SWAPPED), target).kind is MachineKind.DIFFERS
    assert (
        compare_machine_code(
            a, a, ParameterMap(REFERENCE, (*array_roles(1), *array_roles(0), *REFERENCE[10:])), target
        ).kind
        is MachineKind.DIFFERS
    )


@pytest.mark.parametrize("target", TARGETS)
def test_slice_bound_is_seen_through_another_order(kernels, target):
    a, b = kernels.export("stop_at_n", "aaaii", target), kernels.export("other_order_stop_at_m", "iafaia", target)
    verdict = compare_machine_code(a, b, ParameterMap(REFERENCE, OTHER_ORDER), target)
    assert verdict.kind is MachineKind.DEVICE_IDENTICAL
    assert "scalar 0" in verdict.first_difference.reference and "scalar 1" in verdict.first_difference.lowered


def test_map_of_another_length_is_refused(kernels):
    cubin = tools.assemble(kernels.export("stop_at_n", "aaaii", "sm_90"), "sm_90").cubin
    with pytest.raises(FerrotileError) as caught:
        compare_cubins(cubin, cubin, ParameterMap(REFERENCE, REFERENCE[:-1]))
    assert caught.value.code == "FT005"


def test_module_of_two_kernels_is_refused(kernels):
    both = kernels.export("stop_at_n", "aaaii", "sm_90", ("one", "two"))
    with pytest.raises(FerrotileError) as caught:
        compare_machine_code(both, both, None, "sm_90")
    assert caught.value.code == "FT008"


def test_translation_that_only_tileiras_refuses_differs(kernels):
    good = kernels.export("stop_at_n", "aaaii", "sm_90")
    verdict = compare_machine_code(good, good[:200], None, "sm_90")
    assert verdict.kind is MachineKind.DIFFERS and verdict.first_difference.part == "tileiras"


def test_reference_that_tileiras_refuses_everywhere_is_said(kernels):
    verdict = compare_machine_code(b"no program", b"no program", None, "sm_90")
    assert verdict.kind is MachineKind.REFERENCE_REFUSED and "sm_90" in verdict.note and "sm_100" in verdict.note


@pytest.mark.parametrize("cut", [0, 3, 64, 500, 5000])
def test_cut_cubin_is_refused(kernels, cut):
    cubin = tools.assemble(kernels.export("stop_at_n", "aaaii", "sm_90"), "sm_90").cubin
    with pytest.raises(FerrotileError) as caught:
        compare_cubins(cubin[:cut], cubin)
    assert caught.value.code == "FT006"
