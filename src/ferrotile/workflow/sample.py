"""Which rows of a batch have their machine code compared: one a kernel, some by a seed, or both."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ferrotile.core import InputError

if TYPE_CHECKING:
    from ferrotile.workflow.record import Row

_TEXT = re.compile(r"(?:(?P<kernels>1-per-kernel)(?:\+(?P<more>\d+))?|(?P<count>\d+))(?:@(?P<seed>\d+))?")


@dataclass(frozen=True, slots=True)
class Sample:
    """The first specialization of each kernel if `one_per_kernel`, and `count` of the others, drawn with `seed`."""

    one_per_kernel: bool
    count: int = 0
    seed: int = 0

    @staticmethod
    def parse(text: str) -> Sample:
        """Read `1-per-kernel`, `100`, `1-per-kernel+100`, each with `@SEED` behind. Raises: FT902."""
        match = _TEXT.fullmatch(text)
        count = int(match["more"] or match["count"] or 0) if match else 0
        if match is None or (count == 0 and (match["count"] or match["more"])):
            raise InputError("FT902", f"`--sample {text}` is neither a number, `1-per-kernel` nor `1-per-kernel+N`")
        return Sample(match["kernels"] is not None, count, int(match["seed"] or 0))

    def choose(self, rows: Sequence[Row]) -> list[int]:
        """The chosen rows by number, in order, among those whose translation holds."""
        kernels = {k: row.evidence.kernel for k, row in enumerate(rows) if row.evidence is not None}
        first: dict[str, int] = {}
        for k, kernel in kernels.items():
            first.setdefault(kernel, k)
        chosen = set(first.values()) if self.one_per_kernel else set()
        others = [k for k in kernels if k not in chosen]
        chosen.update(random.Random(self.seed).sample(others, min(self.count, len(others))))
        return sorted(chosen)
