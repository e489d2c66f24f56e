"""Facts of a launch: of which array each is, and of numbers as the kernel reads them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from ferrotile import bundle
from ferrotile.backend.arguments import ArrayGiven, Passed
from ferrotile.backend.facts import LaunchFacts
from ferrotile.core import ParameterMap, Role, Unsupported


def facts(*sentences: str, names: tuple[str, ...] = ("x", "y")) -> LaunchFacts:
    """Of a kernel of two arrays of one axis and a number; `names`: those that its text takes whole."""
    arrays = (part for array in (0, 1) for part in (Role.pointer(array), Role.shape(array, 0), Role.stride(array, 0)))
    roles = (*arrays, Role.scalar(0))
    specs = [(name, {"shape_div": [1]}) for name in names]
    proof = SimpleNamespace(
        kernel="k", parameters=ParameterMap(roles, roles), specialization={"specs": specs}, launch_checks=()
    )
    return LaunchFacts.of(cast(bundle.Proof, proof), sentences)


def require(found: LaunchFacts, *extents: int, number: int = 0, grid: int = 1) -> None:
    arrays = tuple(ArrayGiven(0, None, (extent,), (1,)) for extent in extents)
    found.require((grid,), Passed(arrays, (number,)))


def refused(found: LaunchFacts, *extents: int, **more: Any) -> str:
    with pytest.raises(Unsupported) as caught:
        require(found, *extents, **more)
    assert caught.value.code == "FT627"
    return caught.value.message


@pytest.mark.parametrize("names", [("x", "y"), ("y",), ()])
def test_a_number_is_of_that_array_whatever_the_text_takes_whole(names: tuple[str, ...]) -> None:
    found = facts("grid.x <= array(1).shape[0]", names=names)
    require(found, 0, 2, grid=2)
    assert "of its launch" in refused(found, 2, 0, grid=2)


def test_a_name_is_of_no_array_where_the_text_takes_some_apart() -> None:
    """Which array it is cannot be told: the first that is taken whole need not be the first of the kernel."""
    sentence = "`num_tile_blocks(0) <= ceil(extent(y, 0)/1)`"
    assert "y.shape[0]" in refused(facts(sentence), 2, 1, grid=2)
    for names in (("y",), ("x",)):
        with pytest.raises(Unsupported) as caught:
            facts(sentence, names=names)
        assert caught.value.code == "FT609"


def test_an_axis_that_there_is_not_is_in_no_fact() -> None:
    for names in (("x", "y"), ("y",)):
        with pytest.raises(Unsupported) as caught:
            facts("grid.x <= array(1).shape[1]", names=names)
        assert caught.value.code == "FT609"


@pytest.mark.parametrize("large", [2**31, 2**32 - 1, 2**40])
def test_what_the_kernel_reads_as_another_number_is_refused(large: int) -> None:
    """`scalar(0) >= 0` holds of 4294967295, which is -1 to the kernel."""
    found = facts("scalar(0) >= 0", "grid.x <= array(0).shape[0]")
    require(found, 2**31 - 1, 1, number=2**31 - 1)
    assert f"`{large}` is none of 32 bits" in refused(found, 1, 1, number=large)
    assert f"`{large}` is none of 32 bits" in refused(found, large, 1)
    require(found, 1, large)
