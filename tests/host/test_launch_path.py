"""A right call of an exported kernel: what the driver is asked for, how often, by which thread, in which context."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import c_calls as calls
import pytest
from c_library import RELATIONS, Built, Child

from ferrotile.core import ParameterMap
from ferrotile.host.abi import CODES
from ferrotile.host.declaration import ArrayFacts, ScalarFacts
from ferrotile.host.specialization import specialization

NUMBER = {code.name: code.number for code in CODES}
OUT_OF_MEMORY = 2


@pytest.fixture
def fresh(built: Built) -> Iterator[Child]:
    """A process that has launched nothing yet."""
    child = built.child()
    yield child
    child.close()


def right(built: Built, label: str) -> calls.Call:
    return calls.right_call(*built.specialization(label))


def launched(child: Child, call: calls.Call) -> dict[str, Any]:
    """What the driver was asked to launch for a call that succeeds."""
    answer = child.ask("call", *call.command())
    assert answer["code"] == answer["told"] == 0 and answer["message"] == "", answer["message"]
    return child.ask("launches", answer["counts"][0][1], 1)[0]


def words(call: calls.Call, parameters: ParameterMap) -> list[int]:
    """The entry parameters by the roles of the lowered side, as proof.json has them; arguments in Python's order."""
    given = [(fact, call.arguments[name]) for name, fact in call.variant.facts.items()]
    arrays = [value for fact, value in given if isinstance(fact, ArrayFacts)]
    scalars = [value for fact, value in given if isinstance(fact, ScalarFacts)]
    found = []
    for role in parameters.lowered:
        if role.kind == "scalar":
            value = scalars[role.index or 0]
            found.append(struct.unpack("<I", struct.pack("<f", value))[0] if isinstance(value, float) else value)
            continue
        array = arrays[role.array or 0]
        found.append(array["ptr"] if role.kind == "pointer" else array[role.kind][role.axis])
    return found


LABELS = (
    "vector_add.f32", "vector_add.f16-any-length", "softmax_rows.f16-4096-columns", "layer_norm.f16-4-rows-of-1024",
    "rms_norm.bf16", "matmul.f16-tiles-of-128-x-128-x-64", "swiglu.f16", "special.flagged",
)  # fmt: skip


@pytest.mark.parametrize("label", LABELS)
def test_parameters_are_packed_as_the_proof_maps_them(built: Built, child: Child, label: str) -> None:
    call, translated = right(built, label), built.translated(label)
    launch = launched(child, call)
    assert launch["words"] == words(call, translated.parameters)
    assert (launch["label"], launch["entry"]) == (label, f"{call.kernel.name}_entry")
    assert (launch["grid"], launch["stream"], launch["context"]) == ([3, 1, 1], 77, calls.CONTEXT)


def test_another_map_packs_otherwise(built: Built) -> None:
    """The words follow the map: exchanging the roles of two arrays exchanges their addresses."""
    translated = built.translated("vector_add.f32")
    lowered = translated.parameters.lowered
    swapped = tuple(replace(role, array={0: 1, 1: 0}.get(role.array or 0, role.array)) for role in lowered)
    slots = specialization(replace(translated, parameters=ParameterMap(translated.parameters.reference, swapped))).slots
    as_proved = specialization(translated).slots
    assert [slot.argument for slot in slots if slot.part == "Pointer"] != [
        slot.argument for slot in as_proved if slot.part == "Pointer"
    ]


def test_the_most_special_that_fits_is_launched(built: Built, child: Child) -> None:
    call = right(built, "graded.16")
    assert launched(child, call)["label"] == "graded.16"
    for name in call.tensors:
        call.arguments[name]["shape"] = [17]
    assert launched(child, call)["label"] == "graded.any"
    assert launched(child, right(built, "vector_add.f16-any-length"))["label"] == "vector_add.f16-any-length"


def test_arguments_of_every_kind_are_passed(built: Built, child: Child) -> None:
    call = right(built, "options")
    launch = launched(child, call)
    count, factor = launch["words"][-2:]
    assert (count, factor) == (24, struct.unpack("<I", struct.pack("<f", 1.5))[0])


@pytest.mark.parametrize(
    ("name", "value", "code", "says"),
    [
        ("extra", "x", "Absent", "`extra` is a tensor, compiled for none"),
        ("count", 12, "ScalarDivisor", "`count` is 12, compiled for multiples of 8"),
        ("count", -8, "ScalarSign", "`count` is -8, compiled for numbers that are not negative"),
        ("GAIN", 0.25, "Constant", "`GAIN` is 0.25, for which nothing was compiled"),
        ("MODE", "round", "Constant", "`MODE` is a text for which nothing was compiled"),
        ("MODE", None, "Constant", "`MODE` is a text"),
        ("FLAG", False, "Constant", "`FLAG` is 0, for which nothing was compiled; the closest is `options`"),
    ],
)
def test_wrong_scalars_are_refused(built: Built, child: Child, name: str, value: Any, code: str, says: str) -> None:
    call = right(built, "options")
    call.arguments[name] = call.arguments[value] if value in call.tensors else value
    answer = child.ask("call", *call.command())
    assert answer["code"] == NUMBER[code]
    assert says in answer["message"]
    assert answer["counts"][0] == answer["counts"][1]
    child.ask("set", "switch_off", NUMBER[code])
    assert child.ask("call", *call.command())["code"] == 0
    child.ask("set", "switch_off", 0)


def test_each_claim_about_a_launch_is_checked(built: Built, child: Child) -> None:
    """Without the check, what it refused is launched."""
    wrongs = [right(built, "options") for _ in RELATIONS]
    wrongs[0].arguments["count"] = 40
    wrongs[1].grid = [2, 1, 1]
    wrongs[2].arguments["x"]["shape"][0] = 5
    wrongs[3].arguments["x"]["stride"][0] = 100
    wrongs[4].grid = [wrongs[4].grid[0], 3, 100]
    wrongs[5].arguments["x"]["shape"][0] = 9
    for wrong, claim in zip(wrongs, RELATIONS, strict=True):
        answer = child.ask("call", *wrong.command())
        assert (answer["code"], answer["message"]) == (NUMBER["Relation"], f"options: the launch must have {claim}")
        assert answer["counts"][0] == answer["counts"][1]
        child.ask("set", "switch_off", NUMBER["Relation"])
        assert child.ask("call", *wrong.command())["code"] == 0
        child.ask("set", "switch_off", 0)


def test_a_product_that_is_too_large_is_refused_and_not_wrapped(built: Built, child: Child) -> None:
    """2 to the power of 150 is 0 in 128 bits, which is at most 1024."""
    call = right(built, "options")
    call.arguments["x"] |= {"shape": [1 << 30, *call.arguments["x"]["shape"][1:]], "ptr": 1 << 48}
    answer = child.ask("call", *call.command())
    assert (answer["code"], answer["message"]) == (NUMBER["Relation"], f"options: the launch must have {RELATIONS[5]}")
    assert answer["counts"][0] == answer["counts"][1]


BATCHED = "batched_matmul.bf16-tiles-of-64-x-128-x-64"


@pytest.mark.parametrize(
    ("grid", "claim"),
    [
        ([3, 1, 1], None),
        ([4, 1, 1], "grid.x <= c.shape[0]"),
        ([1, 4, 1], "64 * grid.y <= c.shape[1] + 63"),
        ([1, 1, 3], "128 * grid.z <= c.shape[2] + 127"),
    ],
)
def test_a_kernel_without_unsafe_is_launched_only_with_a_grid_that_it_was_proved_for(
    built: Built, child: Child, grid: list[int], claim: str | None
) -> None:
    call = right(built, BATCHED)
    call.arguments["c"] |= {"shape": [3, 192, 256], "stride": [192 * 256, 256, 1]}
    call.grid = grid
    assert len(call.variant.relations) == 3, "cutile's checks and ours say the same"
    if claim is None:
        assert launched(child, call)["words"] == words(call, built.translated(BATCHED).parameters)
        return
    answer = child.ask("call", *call.command())
    assert (answer["code"], answer["message"]) == (NUMBER["Relation"], f"batched_matmul: the launch must have {claim}")
    child.ask("set", "switch_off", NUMBER["Relation"])
    assert child.ask("call", *call.command())["code"] == 0
    child.ask("set", "switch_off", 0)


def test_names_that_are_taken_are_arguments_all_the_same(built: Built, child: Child) -> None:
    call = right(built, "names")
    assert launched(child, call)["words"][0] == call.arguments["register"]["ptr"]
    call.arguments["stream"]["reserved"] = 1
    assert "argument `stream` " in child.ask("call", *call.command())["message"]


def test_arrays_that_may_overlap_do(built: Built, child: Child) -> None:
    call = right(built, "names")
    call.arguments["grid_x"]["ptr"] = call.arguments["register"]["ptr"]
    launched(child, call)
    call.arguments["grid_x"]["ptr"] = call.arguments["stream"]["ptr"]
    answer = child.ask("call", *call.command())
    assert answer["code"] == NUMBER["Overlap"]
    assert answer["message"] == "names: argument `grid_x` overlaps `stream`, and one of them is written to"


def test_rows_that_may_be_one_are(built: Built, child: Child) -> None:
    call = right(built, "options")
    call.arguments["x"]["stride"][0] = 0
    launched(child, call)


def test_extents_are_as_wide_as_the_kernel_takes_them(built: Built, child: Child) -> None:
    call = right(built, "names")
    call.arguments["stream"]["shape"] = [1 << 40]
    call.arguments["register"]["shape"] = [1 << 31]
    for number, name in enumerate(call.tensors):
        call.arguments[name]["ptr"] = (number + 1) << 48
    launch = launched(child, call)
    assert {1 << 40, 1 << 31} < set(launch["words"])
    call.arguments["register"]["shape"] = [1 << 32]
    answer = child.ask("call", *call.command())
    assert answer["code"] == NUMBER["IndexRange"] and "`register` has 4294967296 on axis 0" in answer["message"]


def test_a_message_is_not_needed(built: Built, child: Child) -> None:
    symbol, arguments, launch = right(built, "vector_add.f32").command()
    launch["wants_error"] = False
    assert child.ask("call", symbol, arguments, launch)["code"] == 0
    assert child.ask("call", symbol, [None, *arguments[1:]], launch)["code"] == NUMBER["NullDescriptor"]


def test_empty_tensors_need_no_address(built: Built, child: Child) -> None:
    call = right(built, "vector_add.f32")
    for name in call.tensors:
        call.arguments[name].update(shape=[0], ptr=0)
    launched(child, call)


def test_tensors_that_share_no_element_do_not_overlap(built: Built, child: Child) -> None:
    """Columns of one matrix: their bytes interleave."""
    call = right(built, "rms_norm.bf16")
    x, y = call.arguments["x"], call.arguments["y"]
    columns = x["shape"][1]
    x["stride"] = y["stride"] = [2 * columns, 1]
    y["ptr"] = x["ptr"] + 2 * columns
    launched(child, call)


def test_machine_code_is_loaded_once_for_each_context(built: Built, fresh: Child) -> None:
    call = right(built, "vector_add.f32")
    for _ in range(3):
        launched(fresh, call)
    assert fresh.ask("loads") == [1, 0]
    call.context = calls.OTHER_CONTEXT
    for name in call.tensors:
        call.arguments[name]["device"] = 1
    assert launched(fresh, call)["context"] == calls.OTHER_CONTEXT
    assert fresh.ask("loads") == [2, 0], "and the context that was current is current again"


def test_a_new_context_at_an_old_address_is_not_taken_for_the_old_one(built: Built, fresh: Child) -> None:
    call = right(built, "vector_add.f32")
    launched(fresh, call)
    fresh.ask("set", "reset_contexts")
    launched(fresh, call)
    assert fresh.ask("loads") == [2, 0]


def test_what_does_not_load_is_never_replaced_by_another_specialization(built: Built, fresh: Child) -> None:
    call = right(built, "broken")
    answers = [fresh.ask("call", *call.command()) for _ in range(2)]
    assert [answer["code"] for answer in answers] == [NUMBER["Launch"]] * 2
    assert answers[0]["message"] == "broken: the driver does not load the module: CUDA_ERROR_INVALID_IMAGE"
    assert answers[1]["counts"][1] == [0, 0]
    for name in call.tensors:
        call.arguments[name]["shape"] = [17]
    assert launched(fresh, call)["label"] == "any"


def test_a_failure_stays_one_unless_memory_was_short(built: Built, fresh: Child) -> None:
    first, second = right(built, "vector_add.f32"), right(built, "rms_norm.bf16")
    fresh.ask("set", "fail", OUT_OF_MEMORY, 0)
    assert "CUDA_ERROR_OUT_OF_MEMORY" in fresh.ask("call", *first.command())["message"]
    fresh.ask("set", "fail", 200, 0)
    assert "CUDA_ERROR_INVALID_IMAGE" in fresh.ask("call", *second.command())["message"]
    fresh.ask("set", "fail", 0, 0)
    launched(fresh, first)
    answer = fresh.ask("call", *second.command())
    assert answer["code"] == NUMBER["Launch"] and "CUDA_ERROR_INVALID_IMAGE" in answer["message"]


def test_a_launch_that_the_driver_refuses_is_told_and_not_counted(built: Built, fresh: Child) -> None:
    call = right(built, "vector_add.f32")
    fresh.ask("set", "fail", 0, 201)
    answer = fresh.ask("call", *call.command())
    assert answer["code"] == NUMBER["Launch"]
    assert answer["message"] == "vector_add: the driver does not launch: CUDA_ERROR_INVALID_CONTEXT"
    assert answer["counts"][1] == [0, 0] and fresh.ask("loads")[1] == 0


def test_a_panic_does_not_leave_the_library(built: Built, child: Child) -> None:
    call = right(built, "vector_add.f32")
    child.ask("set", "switch_off", 1)
    answer = child.ask("call", *call.command())
    child.ask("set", "switch_off", 0)
    assert answer["code"] == NUMBER["Panic"] and answer["counts"][0] == answer["counts"][1]
    launched(child, call)


def test_without_a_driver_the_library_loads_and_says_so(built: Built) -> None:
    child = built.child(has_driver=False)
    call = right(built, "vector_add.f32")
    assert child.ask("call", *call.command())["message"] == "vector_add: there is no `libcuda.so.1` on this machine"
    call.arguments["a"]["reserved"] = 1
    assert child.ask("call", *call.command())["code"] == NUMBER["Reserved"]
    child.close()


def test_threads_and_devices_do_not_disturb_each_other(built: Built, fresh: Child) -> None:
    def on(device: int, label: str) -> list[Any]:
        call = right(built, label)
        call.context = (device + 1) << 12
        for name in call.tensors:
            call.arguments[name]["device"] = device
        return call.command()

    labels = ("vector_add.f32", "matmul.f16-tiles-of-128-x-128-x-64")
    answer = fresh.ask("threads", [on(device, label) for device in (0, 1) for label in labels] * 2, 200)
    assert answer == {"codes": [0], "counts": [1600, 1600]}
    assert fresh.ask("loads") == [4, 0]
