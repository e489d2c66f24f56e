"""A Rust kernel text and its specialization: lift writes it, lower reads it, the launch packs arguments by it."""

from __future__ import annotations

from dataclasses import dataclass


def says_unsafe(text: str) -> bool:
    """Whether the word stands anywhere in a Rust text; in a comment it counts as well, so that nothing can hide it."""
    return "unsafe" in text


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """What is known of one `Tensor` parameter at launch, per axis where there are several.

    Units: `shape_div` and `stride_div` count elements, `base_div` bytes; 1 means nothing is known.
    """

    shape_div: tuple[int, ...]
    stride_div: tuple[int, ...]
    stride_one: tuple[bool, ...]
    base_div: int = 1
    disjoint: bool = True

    @staticmethod
    def unknown(rank: int) -> TensorSpec:
        """Nothing known but that the last axis is dense."""
        ones = (1,) * rank
        dense = tuple(axis == rank - 1 for axis in range(rank))
        return TensorSpec(ones, ones, dense)


@dataclass(frozen=True, slots=True)
class RustSource:
    """A Rust kernel text, which function of it is the entry, and the specialization to lower it for.

    `text` is a whole file holding `#[cutile::module] pub mod <module> {..}`; `file` is the name that debug
    places carry. `generics` are the entry's generic arguments as Rust spells them (`"64"`, `"f16"`, `"true"`).
    In `strides` -1 is a stride known only at launch.
    """

    text: str
    file: str
    module: str
    entry: str
    generics: tuple[str, ...] = ()
    strides: tuple[tuple[str, tuple[int, ...]], ...] = ()
    specs: tuple[tuple[str, TensorSpec], ...] = ()
    scalar_divs: tuple[tuple[str, int], ...] = ()
    grid: tuple[int, int, int] | None = None
    occupancy: int | None = None
    num_cta_in_cga: int | None = None
    max_divisibility: int | None = None
    num_worker_warps_per_cta: int | None = None
