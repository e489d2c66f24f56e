"""Values have the names of the Python variables that hold them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from xdsl.ir import Operation, SSAValue

from ferrotile.ir.types import TokenType
from ferrotile.lift.source import Annotations, SourceFinder, annotate
from ferrotile.lift.source.spelling import TAKEN

Annotated = Callable[[str], tuple[Operation, Annotations]]


def operations(entry: Operation, mnemonic: str) -> list[Operation]:
    return [op for op in entry.walk() if op.name == f"cuda_tile.{mnemonic}"]


def values(entry: Operation) -> Iterator[SSAValue]:
    for op in entry.walk():
        yield from op.results
        for region in op.regions:
            yield from region.block.args


def names_of(annotations: Annotations, found: list[SSAValue]) -> list[str | None]:
    return [annotations.names.get(value) for value in found if not isinstance(value.type, TokenType)]


def test_the_value_of_an_assignment_has_its_target_s_name(annotated: Annotated) -> None:
    entry, annotations = annotated("rows")
    names = annotations.names
    assert names[operations(entry, "load_view_tko")[0].results[0]] == "logits"
    # keepdims: the reduction itself has no name, what the assignment binds is the reshape.
    assert [names.get(op.results[0]) for op in operations(entry, "reduce")] == [None, None]
    assert names[operations(entry, "exp")[0].results[0]] == "weights"
    assert [names[op.results[0]] for op in operations(entry, "divf")] == ["logits", "weights"]


def test_of_a_result_per_axis_the_used_one_has_the_name(annotated: Annotated) -> None:
    entry, annotations = annotated("rows")
    (block,) = operations(entry, "get_tile_block_id")
    assert names_of(annotations, list(block.results)) == [None, "row", None]


def test_tuple_targets_are_named_by_position(annotated: Annotated) -> None:
    entry, annotations = annotated("loops")
    first, second = operations(entry, "get_tile_block_id")
    assert names_of(annotations, list(first.results)) == ["first", None, None]
    assert names_of(annotations, list(second.results)) == [None, None, "second"]


def test_loop_variables_and_carried_values(annotated: Annotated) -> None:
    entry, annotations = annotated("loops")
    first, second = operations(entry, "for")
    assert names_of(annotations, list(first.regions[0].block.args)) == ["step", "acc", "m_i"]
    assert names_of(annotations, list(first.results)) == ["acc", "m_i"]
    assert names_of(annotations, list(second.regions[0].block.args)) == [None, "acc"]
    assert annotations.name(second.regions[0].block.args[0]) == "i"
    (loop,) = operations(entry, "loop")
    assert names_of(annotations, list(loop.results)) == ["length"]


def test_a_copy_does_not_rename_what_is_carried(annotated: Annotated) -> None:
    entry, annotations = annotated("loops")
    (maximum,) = operations(entry, "maxf")
    assert annotations.names[maximum.results[0]] == "m_new"


def test_if_results_and_conditional_expressions(annotated: Annotated) -> None:
    entry, annotations = annotated("loops")
    conditions = [names_of(annotations, list(op.results)) for op in operations(entry, "if")]
    assert conditions == [["acc", "m_i"], [], ["shift"]]


def test_names_that_rust_spells_alike_are_kept_apart(annotated: Annotated) -> None:
    entry, annotations = annotated("loops")
    assert annotations.parameters[0].rust == "k"
    (load,) = operations(entry, "load_view_tko")
    assert annotations.names[load.results[0]] == "k_tile"


def test_what_a_helper_returns_has_the_caller_s_name(annotated: Annotated) -> None:
    entry, annotations = annotated("helpers")
    names = annotations.names
    assert [names[op.results[0]] for op in operations(entry, "divf")] == ["gate", "mean"]
    assert [names[op.results[0]] for op in operations(entry, "subf")] == ["spread_"], "`spread` is the prelude's"
    assert [names[op.results[0]] for op in operations(entry, "minf")] == ["lower"]
    assert [names[op.results[0]] for op in operations(entry, "maxf")] == ["upper"]


def test_a_chain_of_methods_is_one_expression(annotated: Annotated) -> None:
    entry, annotations = annotated("helpers")
    (load,) = operations(entry, "load_view_tko")
    assert load.results[0] not in annotations.names
    assert annotations.names[operations(entry, "ftof")[0].results[0]] == "tile"


def test_entry_parameters_are_named_after_their_arrays(annotated: Annotated) -> None:
    entry, annotations = annotated("helpers")
    arguments = entry.regions[0].block.args
    # `M = x.shape[0]` in a helper that got x passed on.
    assert names_of(annotations, list(arguments))[:5] == ["x_ptr", "m", "x_shape1", "x_stride0", "x_stride1"]
    (assume, *_) = operations(entry, "assume")
    assert annotations.names[assume.results[0]] == annotations.names[assume.operands[0]]


@pytest.mark.parametrize("kernel", ["rows", "loops", "helpers", "starts", "nested", "_awkward"])
@pytest.mark.parametrize("with_source", [True, False])
def test_every_value_has_a_free_rust_name(
    kernel: str, with_source: bool, entry_of: Callable[[str], Operation], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not with_source:
        monkeypatch.setattr(SourceFinder, "_candidates", lambda self, file: [])
    entry = entry_of(kernel)
    annotations = annotate(entry, SourceFinder())
    assert annotations.names_from == ("source" if with_source else "ir")
    for value in values(entry):
        name = annotations.name(value)
        assert re.fullmatch("[a-z][a-z0-9_]*", name), name
        assert name not in TAKEN


def test_awkward_names_are_spelled_for_rust(annotated: Annotated) -> None:
    entry, annotations = annotated("_awkward")
    assert annotations.kernel == "awkward"
    assert [parameter.rust for parameter in annotations.parameters] == ["type_", "parameter", "in_", "cos_", "TILE"]
    assert [annotations.names.get(op.results[0]) for op in operations(entry, "load_view_tko")] == [
        "fn_",
        "lambda",
        None,
    ]
    assert annotations.names[operations(entry, "mulf")[0].results[0]] == "exp_"
    assert annotations.names[operations(entry, "cos")[0].results[0]] == "hidden"


def test_names_without_a_source_come_from_the_operations(
    entry_of: Callable[[str], Operation], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SourceFinder, "_candidates", lambda self, file: [])
    entry = entry_of("rows")
    annotations = annotate(entry, SourceFinder())
    names = {op.name.rpartition(".")[2]: annotations.name(op.results[-1]) for op in entry.walk() if op.results}
    assert annotations.name(operations(entry, "get_tile_block_id")[0].results[1]) == "block_y"
    assert names["make_partition_view"] == "x1_tiles"
    assert annotations.name(operations(entry, "load_view_tko")[0].results[0]) == "x0_tile"
    assert [annotations.name(op.results[0]) for op in operations(entry, "reduce")] == ["maximum", "sum"]
    assert names["exp"] == "exponential"
    assert [parameter.rust for parameter in annotations.parameters] == ["x0", "x1", "scale", "N"]


def test_an_entry_with_a_foreign_name_is_annotated_too(entry_of: Callable[[str], Operation]) -> None:
    entry = entry_of("rows")
    attribute = entry.properties["sym_name"]
    entry.properties["sym_name"] = type(attribute)("rows")  # type: ignore[call-arg]
    annotations = annotate(entry, SourceFinder())
    assert annotations.kernel == "rows"
    assert annotations.parameters == ()
    assert annotations.docstring is not None


def test_a_value_moved_out_of_its_loop_is_the_start(annotated: Annotated) -> None:
    entry, annotations = annotated("starts")
    (loop,) = operations(entry, "for")
    products = [op for op in operations(entry, "mulf") if op.parent_op() is loop]
    # An unrolled loop gives each round's value the same name.
    assert [annotations.names.get(op.results[0]) for op in products] == ["part", "part"]
    start = products[0].operands[0]
    assert start.owner.name == "cuda_tile.constant"
    assert annotations.names[start] == "part_init"


def test_conversions_and_broadcasts_say_what_became_of_a_name(annotated: Annotated) -> None:
    entry, annotations = annotated("starts")
    assert annotations.name(operations(entry, "ftof")[0].results[0]) == "total_f16"
    wide = [annotations.name(op.results[0]) for op in operations(entry, "broadcast")]
    assert wide == ["peak_tile"]


def test_carried_values_without_a_source_are_named_by_their_update(
    entry_of: Callable[[str], Operation], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SourceFinder, "_candidates", lambda self, file: [])
    entry = entry_of("starts")
    (loop,) = operations(entry, "for")
    annotations = annotate(entry, SourceFinder())
    assert [annotations.name(argument) for argument in loop.regions[0].block.args] == ["i", "acc"]


def test_kernels_made_in_a_function(annotated: Annotated) -> None:
    entry, annotations = annotated("nested")
    assert annotations.docstring == "Leave a loop early, and a helper too."
    assert [parameter.rust for parameter in annotations.parameters] == ["x", "bounds_0", "bounds_1", "out", "B"]
    loops = operations(entry, "loop")
    assert [names_of(annotations, list(loop.results)) for loop in loops] == [["c", "i"], ["z"]]
    comments = [line for op in entry.walk() for line in annotations.comments_before(op)]
    assert comments == ["about the helper"]


def test_a_fused_product_leaves_its_name_to_nobody(annotated: Annotated) -> None:
    entry, annotations = annotated("nested")
    assert "fused" not in set(annotations.names.values())
    assert operations(entry, "fma")
