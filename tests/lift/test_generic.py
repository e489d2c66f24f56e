"""Generic kernels: several specializations as one text, and what lowering and checking must catch."""

from dataclasses import replace
from pathlib import Path

import pytest

from ferrotile import lower
from ferrotile.check import check
from ferrotile.core import FerrotileError, VerdictKind, store
from ferrotile.lift import generic
from ferrotile.lift.generic.formulas import Formula, find_formula
from ferrotile.lift.generic.generalize import has_unused
from ferrotile.lift.generic.tokens import Kind, common_number, kinds
from ferrotile.lift.generic.tree import NotUnderstood, parse
from ferrotile.lift.source.marks import Line, marked
from ferrotile.lower import RustSource
from ferrotile.workflow import GenericKernel, Options, exit_code_of, expand, generalize, verify
from ferrotile.workflow import generalization as steps
from ferrotile.workflow.variants import Case, find_plans, without

KERNELS = Path(__file__).parent / "generic" / "kernels.py"
OPTIONS = Options()


def cases(kernel: str) -> list[Case]:
    """The specializations of a kernel, lifted."""
    finder = steps.lift.SourceFinder([])
    tasks = expand([f"{KERNELS}::{kernel}"], OPTIONS)
    return [steps._case(index, task, OPTIONS, finder) for index, task in enumerate(tasks)]


@pytest.fixture(scope="module")
def scaled() -> list[Case]:
    return cases("scaled")


@pytest.fixture(scope="module")
def row_sums() -> list[Case]:
    return cases("row_sums")


@pytest.fixture(scope="module")
def thinned() -> list[Case]:
    return cases("thinned")


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> GenericKernel:
    options = replace(OPTIONS, out=tmp_path_factory.mktemp("copied"))
    return next(generalize(expand([f"{KERNELS}::copied"], options), options))


def unified(found: list[Case]) -> generic.Unified:
    one = generic.unify([case.specimen for case in found], range(len(found)))
    assert one is not None
    return one


def holds(case: Case, source: RustSource) -> bool:
    """Whether a text with its generic arguments is the kernel that was captured."""
    try:
        lowered = lower.lower(source, OPTIONS.target, lower.version_for(case.version))
    except FerrotileError:
        return False
    return check(case.reference, lowered.bytecode, case.kernel.parameters, OPTIONS.target).holds


def test_types_constants_and_branches_share_one_text(scaled: list[Case]):
    one = unified(scaled)
    assert [(g.name, g.kind) for g in one.generics] == [
        ("Element", "element"), ("BLOCK", "const"), ("HAS_BIAS", "const"),
    ]  # fmt: skip
    assert "if HAS_BIAS {" in one.text and "cast_for(y, " in one.text
    assert one.text.count("// A gather gives 0 outside of the array.") == 1
    assert [source.generics for source in one.sources] == [
        ("f16", "128", "true"), ("f32", "256", "true"), ("bf16", "64", "false"), ("f32", "128", "false"),
    ]  # fmt: skip
    assert all(holds(case, source) for case, source in zip(scaled, one.sources, strict=True))


def test_a_branch_for_one_length_names_it_as_the_others_do():
    found = cases("picked")
    one = unified(found)
    assert "let a: Tile<f32, { [1, N] }> = if" in one.text
    assert "load(x, [0, block], shape![1, N])" in one.text and "load(x, [block, 0], shape![1, N])" in one.text
    assert all(holds(case, source) for case, source in zip(found, one.sources, strict=True))


def test_numbers_that_follow_from_constants_have_a_formula(row_sums: list[Case]):
    one = unified(row_sums)
    derived = next(g for g in one.generics if g.kind == "derived")
    assert (derived.name, str(derived.formula), derived.values) == ("COLUMNS_OVER_TILE", "COLUMNS / TILE", (8, 16, 4))
    assert "for j in 0i32..COLUMNS_OVER_TILE" in one.text
    assert all(holds(case, source) for case, source in zip(row_sums, one.sources, strict=True))


@pytest.mark.parametrize("place", [1, 2, 3])
def test_another_generic_argument_is_another_kernel(row_sums: list[Case], place: int):
    source = unified(row_sums).sources[0]
    wrong = [*source.generics]
    wrong[place] = str(2 * int(wrong[place]))
    assert not holds(row_sums[0], replace(source, generics=tuple(wrong)))


def test_exchanged_generics_are_another_kernel(row_sums: list[Case]):
    one = unified(row_sums)
    rows, tile = "const ROWS: i32", "const TILE: i32"
    assert rows in one.text and tile in one.text
    text = one.text.replace(rows, "?").replace(tile, rows).replace("?", tile)
    assert not holds(row_sums[0], replace(one.sources[0], text=text))


@pytest.mark.parametrize(("place", "wrong"), [(0, "bf16"), (0, "f32"), (2, "false")])
def test_another_type_or_branch_is_another_kernel(scaled: list[Case], place: int, wrong: str):
    source = unified(scaled).sources[0]
    arguments = [*source.generics]
    arguments[place] = wrong
    assert not holds(scaled[0], replace(source, generics=tuple(arguments)))


def test_a_changed_branch_is_caught_for_the_members_that_take_it(scaled: list[Case]):
    one = unified(scaled)
    text = one.text.replace("gathered_f32 * constant(2.0f32", "gathered_f32 * constant(3.0f32")
    assert text != one.text
    found = [holds(case, replace(own, text=text)) for case, own in zip(scaled, one.sources, strict=True)]
    assert found == [True, True, False, False]


def test_kernels_of_other_ranks_are_variants_with_a_guard(copied: GenericKernel):
    assert [(v.module, v.entry, v.guard, v.members) for v in copied.variants] == [
        ("copied", "copied", "rank(x) == 2", (1, 2)),
        ("copied_form2", "copied", None, (0,)),
    ]
    assert {one.verdict for one in copied.specializations} == {VerdictKind.EQUAL} and copied.exit_code == 0
    assert [one.variant for one in copied.specializations] == [1, 0, 0]


def test_each_specialization_is_a_bundle_that_replays(copied: GenericKernel):
    assert copied.folder is not None
    names = {one.name for one in copied.specializations}
    assert {path.name for path in copied.folder.iterdir()} == {*names, "kernel.rs", "generic.json"}
    replays = list(verify([copied.folder], OPTIONS, offline=True))
    assert len(replays) == 3 and {exit_code_of(replay) for replay in replays} == {0}


def test_a_kernel_of_that_name_from_another_file_gets_a_folder_of_its_own(tmp_path: Path):
    """Whether in the same run or in a later one; the same kernel again takes its own place."""
    files = []
    for folder in ("first", "second"):
        for name in ("kernels.py", "kernels.toml"):
            store.write_bytes(tmp_path / folder / name, KERNELS.with_name(name).read_bytes())
        files.append(f"{tmp_path / folder / 'kernels.py'}::copied")
    options = replace(OPTIONS, out=tmp_path / "out")
    made = [next(generalize(expand([file], options), options)).folder for file in (*files, *files)]
    assert [folder.name for folder in made if folder] == ["copied", "copied.2"] * 2
    assert [one.folder for one in generalize(expand(files, options), options)] == made[:2]


def test_a_changed_text_does_not_replay(copied: GenericKernel, tmp_path: Path):
    assert copied.folder is not None
    bundle = copied.folder / copied.specializations[1].name
    for path in bundle.iterdir():
        store.write_bytes(tmp_path / path.name, path.read_bytes())
    text = (tmp_path / "kernel.rs").read_text()
    store.write_text(tmp_path / "kernel.rs", text.replace("[block, 0]", "[0, block]", 1))
    assert [exit_code_of(replay) for replay in verify([tmp_path], OPTIONS, offline=True)] != [0]


def test_texts_that_nothing_holds_for_stay_as_they_were_lifted(scaled: list[Case]):
    plans = find_plans(scaled, lambda _case, _source: False)
    assert sorted(member for plan in plans for member in plan.members) == [0, 1, 2, 3]
    assert all(source is scaled[m].kernel.source for p in plans for m, source in zip(p.members, p.sources, strict=True))


def test_members_that_a_text_fails_get_their_own(scaled: list[Case]):
    plans = find_plans(scaled, lambda _case, _source: True)
    assert len(plans) == 1 and sorted(plans[0].members) == [0, 1, 2, 3]
    parted = without(plans, [2], scaled)
    assert sorted(parted[0].members) == [0, 1, 3] and parted[1].members == (2,) and parted[1].generics == ()


def test_an_input_that_is_not_there_is_refused(tmp_path: Path):
    made = next(generalize(expand([str(tmp_path / "none.tileirbc")], OPTIONS), OPTIONS))
    assert [(one.code, one.exit_code) for one in made.specializations] == [("FT801", 2)] and made.variants == ()


def test_text_of_another_form_is_not_unified(scaled: list[Case]):
    with pytest.raises(NotUnderstood):
        parse("fn main() {}")
    foreign = replace(scaled[0].specimen, source=replace(scaled[0].specimen.source, text="fn main() {}"))
    assert generic.unify([scaled[0].specimen, foreign], [0, 1]) is None
    assert generic.shapes([foreign, scaled[0].specimen]) == [[0], [1]]


def test_formulas_are_found_and_no_others():
    constants = {"A": (64, 128, 32, 64), "B": (16, 16, 8, 32)}
    found = find_formula({0: 4, 1: 8, 2: 4, 3: 2}, constants)
    assert found == Formula("div", ("A", "B")) and found.value({"A": 256, "B": 4}) == 64
    assert str(find_formula({0: 65, 1: 129, 2: 33, 3: 65}, constants)) == "A + 1"
    assert find_formula({0: 5, 1: 8, 2: 4, 3: 2}, constants) is None


def test_a_number_of_its_own_must_hold_for_three_values():
    assert find_formula({0: 65, 1: 129}, {"A": (64, 128)}) is None
    assert str(find_formula({0: 32, 1: 64}, {"A": (64, 128)})) == "A / 2"


def test_numbers_where_only_a_literal_can_stand_are_no_generics():
    words = "x . shape ( ) [ 1 ] + f ( 2 , Some ( 3 ) , const_array ! [ 0 , 1 ] , shape ! [ 4 ] , 5i64 ) . 0".split()
    numbers = [word for word, kind in zip(words, kinds(words), strict=True) if kind is Kind.INTEGER]
    assert numbers == ["2", "4"]


def test_guards_ask_flags_before_ranks_and_types():
    facts = {"FLAG": (True, True, False), "rank(x)": (1, 1, 2), "N": (4, 5, 6)}
    everything = frozenset({0, 1, 2})
    assert generic.explain(frozenset({0, 1}), everything, facts) == "FLAG == True"
    assert generic.explain(frozenset({1}), everything, facts) == "N == 5"
    assert generic.explain(frozenset({0, 2}), everything, {"FLAG": (True, True, False)}) is None


def test_kernel_that_takes_too_long_is_refused() -> None:
    made = next(generalize(expand([f"{KERNELS}::copied"], OPTIONS), OPTIONS, limit_s=0))
    assert {one.code for one in made.specializations} == {"FT805"} and not made.variants


def test_fillings_of_several_element_types_are_one(thinned: list[Case]):
    one = unified(thinned[:2])
    assert "constant_for(x, f64::NEG_INFINITY, shape![TILE])" in one.text
    assert "constant_for(x, 0.25, shape![TILE])" in one.text and "if " not in one.text
    assert all(holds(case, source) for case, source in zip(thinned[:2], one.sources, strict=True))


def test_numbers_that_differ_are_chosen_where_they_fill(thinned: list[Case]):
    one = unified(thinned)
    assert one.text.count("if FORM {") == 2 and one.text.count("gather_row_padded(") == 1
    assert [source.generics for source in one.sources] == [("f16", "false"), ("f32", "false"), ("f32", "true")]
    assert all(holds(case, source) for case, source in zip(thinned, one.sources, strict=True))
    exchanged = replace(one.sources[2], generics=("f32", "false"))
    assert not holds(thinned[2], exchanged)


def test_what_a_branch_gives_needs_no_variable(thinned: list[Case]):
    text = unified(thinned).text
    assert "{\n            values * constant_from(0.1, shape![TILE])\n        }" in text
    assert "constant_value_tile\n        } else {" not in text


def test_constants_of_one_value_keep_their_names(thinned: list[Case]):
    one = unified(thinned)
    assert "const TILE: i32 = 64;" in one.text and "const EPS: f32 = 1e-05;" in one.text
    wrong = one.text.replace("const TILE: i32 = 64;", "const TILE: i32 = 32;")
    assert not holds(thinned[0], replace(one.sources[0], text=wrong))


def test_a_number_is_named_only_after_the_parameter_that_it_came_from():
    named = ((64, "TILE_M"), (64, "TILE_N"))
    assert marked(Line("load(a, [i, 0], shape![64, 64, 64]);", named)) == (
        "load(a, [i, 0], shape![64@TILE_M, 64@TILE_N, 64]);"
    )
    assert marked(Line("let x = a.64 + 65;", named)) == "let x = a.64 + 65;"
    assert marked("let x = 64;") == "let x = 64;"


def test_fillings_that_no_type_holds_alike_are_no_number():
    assert common_number({"0.7978846f32", "0.798"}) == "0.7978846"
    assert common_number({"0.1f32", "0.2"}) is None
    assert common_number({"f16", "f32"}) == "f64"


def test_unused_variables_are_seen():
    assert has_unused(["let a = b + c ;", "d = b ;"])
    assert has_unused(["let a = b ;", "let a = c ;", "f ( a ) ;"])
    assert not has_unused(["let a = b ;", "let a = g ( a ) ;", "f ( a ) ;"])
    assert not has_unused(["let _token = b ;"])
