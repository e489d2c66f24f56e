"""Lengths of tiles in generic texts: to rustc `N` is not 64, also in a branch that is taken for 64 only."""

import pytest

from ferrotile.lift.generic.lengths import axis_of, lengths_of, list_start, view_of
from ferrotile.lift.generic.tokens import Token, split
from ferrotile.lift.generic.values import Generics


def tokens(text: str) -> list[Token]:
    return [Token(raw.text) for raw in split(text)]


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("let v = x . partition ( shape ! [ 1 , N ] ) ;", ("x", ["1", "N"])),
        ("let v : Partition < f32 , { [ 1 , N ] } > = x . partition ( const_shape ! [ 1 , N ] ) ;", ("x", ["1", "N"])),
        ("let v = tiles ( y , shape ! [ N ] ) ;", ("y", ["N"])),
        ("let v = x . partition_permuted ( shape ! [ 1 , N ] , order ) ;", None),
        ("let v = load ( x , [ i ] , shape ! [ N ] ) ;", None),
    ],
)
def test_a_view_in_the_order_of_the_axes_has_the_lengths_of_its_list(
    text: str, made: tuple[str, list[str]] | None
) -> None:
    assert view_of(text) == made


def test_lengths_of_a_type() -> None:
    assert lengths_of("Tile < Element , { [ 1 , N ] } >") == ["1", "N"]
    assert lengths_of("i32") == lengths_of("") == []


def test_an_index_and_an_argument_are_no_lengths() -> None:
    words = tokens("let a = load ( x , [ 0 , i ] , shape ! [ 1 , 64 ] , 32 ) ;")
    lengths = [words[at].text for at in range(len(words)) if words[at].text.isdigit() and list_start(words, at)]
    assert lengths == ["1", "64"]


def test_the_axis_of_a_length_is_known_in_the_last_list_and_in_the_type() -> None:
    words = tokens("let a : Tile < f32 , { [ 8 , 64 ] } > = b . reshape ( shape ! [ 8 , 64 ] ) ;")
    places = [at for at, word in enumerate(words) if word.text == "64"]
    assert [axis_of(words, at, 2) for at in places] == [1, 1]
    assert [axis_of(words, at, 3) for at in places] == [None, None]
    inner = tokens("let a = spread ( b . reshape ( shape ! [ 8 , 1 ] ) , shape ! [ 8 , 64 ] ) ;")
    assert axis_of(inner, [word.text for word in inner].index("1"), 2) is None


def test_a_length_of_some_members_is_the_generic_unless_all_members_have_that_number() -> None:
    generics = Generics(3, {})
    made = generics.number({0: 32, 1: 64, 2: 128}, "N")
    assert made is not None and generics.length({0: 32}) is None
    generics.lengths.append(made.name)
    assert generics.length({0: 32}) is made and generics.length({0: 64}) is None
    assert generics.length({0: 32, 1: 64, 2: 128}) is None
    generics.common.add(32)
    assert generics.length({0: 32}) is None and generics.length({1: 64}) is made
    half = generics.element({0: "f16", 1: "f32", 2: "bf16"})
    assert half is not None and generics.narrow({0: "f16"}) is half
    assert generics.narrow({1: "f32"}) is None and generics.narrow({1: "f16"}) is None
