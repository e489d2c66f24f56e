"""Comments, docstrings, statements, parameters and constants of the source find their operations."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation

from ferrotile.lift.source import Annotations, ArrayParameter, ConstantParameter

Annotated = Callable[[str], tuple[Operation, Annotations]]


def operations(entry: Operation, mnemonic: str) -> list[Operation]:
    return [op for op in entry.walk() if op.name == f"cuda_tile.{mnemonic}"]


def all_comments(entry: Operation, annotations: Annotations) -> list[str]:
    return [line for op in entry.walk() for line in annotations.comments_before(op)]


def test_docstring_and_header_are_the_kernel_s(annotated: Annotated) -> None:
    _, annotations = annotated("rows")
    assert annotations.docstring == "Write the softmax of row `bid(0)`.\n\nPadded lanes are minus infinity."
    assert annotations.header == ("Softmax of one row.", "The maximum is taken out first.")


def test_helpers_keep_their_docstrings(annotated: Annotated) -> None:
    _, annotations = annotated("helpers")
    assert annotations.docstring == "Leave everything to a helper."
    assert annotations.helper_docstrings == {
        "body": "Do the work of two kernels.",
        "sigmoid": "Logistic function.",
        "centred": "Take out the mean.\n\nIt is the plain one.",
    }


def test_comments_stand_before_and_behind_their_statement(annotated: Annotated) -> None:
    entry, annotations = annotated("rows")
    (view, _) = operations(entry, "make_partition_view")
    assert annotations.comments_before(view) == ("Read the whole row", "in one tile.")
    division = operations(entry, "divf")[0]
    assert annotations.comment_behind(division) == "(1, WIDTH)"


def test_comments_for_tools_bars_and_dead_branches_are_left_out(annotated: Annotated) -> None:
    entry, annotations = annotated("rows")
    assert all_comments(entry, annotations) == ["Read the whole row", "in one tile."]
    assert [op for op in entry.walk() if annotations.comment_behind(op)] == [operations(entry, "divf")[0]]


def test_comments_in_branches_and_helpers_come_along(annotated: Annotated) -> None:
    entry, annotations = annotated("loops")
    (multiply,) = operations(entry, "mulf")[:1]
    assert all_comments(entry, annotations) == ["a long one"]
    assert annotations.comments_before(multiply) == () and multiply.parent_op() in operations(entry, "if")
    entry, annotations = annotated("helpers")
    assert all_comments(entry, annotations) == ["the mean over all lanes"]


def test_a_statement_holds_the_operations_of_its_expression(annotated: Annotated) -> None:
    entry, annotations = annotated("rows")
    first, second = operations(entry, "reduce")
    statement = annotations.statement_of(first)
    assert statement is not None and statement is not annotations.statement_of(second)
    assert statement.text == "peak = ct.max(logits, axis=1, keepdims=True)"
    assert statement.targets == ("peak",)
    assert statement.first_line == statement.last_line
    members = [op.name.rpartition(".")[2] for op in annotations.statements.operations[statement]]
    assert members == ["reduce", "maxf", "yield", "reshape"]


def test_headers_of_compound_statements_are_statements(annotated: Annotated) -> None:
    entry, annotations = annotated("loops")
    texts = [annotations.statement_of(op) for op in (*operations(entry, "for"), *operations(entry, "loop"))]
    assert [statement.text if statement else None for statement in texts] == [
        "for step in range(first, N, GROUP):",
        "for _ in range(length):",
        "while length < 100:",
    ]


def test_one_line_helpers_belong_to_the_statement_that_calls_them(annotated: Annotated) -> None:
    entry, annotations = annotated("helpers")
    exponential = annotations.statement_of(operations(entry, "exp")[0])
    assert exponential is not None and exponential.text == "gate = sigmoid(tile)"
    minimum = operations(entry, "minf")[0]
    inner = annotations.statement_of(minimum)
    outer = annotations.kernel_statement_of(minimum)
    assert inner is annotations.inner_statement_of(minimum)
    assert inner is not None and inner.text == "low = ct.minimum(v, bound)" and inner.depth == 2
    assert outer is not None and outer.text == "body(x, y, WIDTH)" and outer.depth == 0


def test_parameters_say_what_they_are(annotated: Annotated) -> None:
    _, annotations = annotated("rows")
    x, y, temperature, width = annotations.parameters
    assert isinstance(x.symbol, ArrayParameter) and x.is_array and x.symbol.rank == 2
    assert [list(parameter.entry_range) for parameter in (x, y, temperature, width)] == [
        [0, 1, 2, 3, 4],
        [5, 6, 7, 8, 9],
        [10],
        [],
    ]
    assert temperature.comment == "divides the logits" and temperature.annotation == "float"
    assert width.is_constant and width.symbol == ConstantParameter(64)
    assert width.annotation == "ct.Constant[int]"


def test_numbers_are_traced_to_named_constants(annotated: Annotated) -> None:
    entry, annotations = annotated("loops")
    named = {
        found.python: (found.value, found.is_parameter)
        for op in operations(entry, "constant")
        if (found := annotations.constant_of(op)) is not None
    }
    assert named["N"] == (96, True)
    assert named["GROUP"] == (8, False)
    assert named["SCALE"][1] is False
    assert set(named) == {"N", "GROUP", "SCALE"}


def test_extents_are_traced_to_named_constants_through_helpers(annotated: Annotated) -> None:
    entry, annotations = annotated("helpers")
    (load,) = operations(entry, "load_view_tko")
    extent = annotations.extent_of(load, 128)
    assert extent is not None and extent.rust == "WIDTH" and extent.is_parameter
    assert annotations.extent_of(load, 64) is None
