"""Does the harness see what is there: the same kernel twice is equal, a kernel made 2 % slower is found slower.

The kernel is PTX of our own, which the driver compiles: a chain of multiplications whose length is an argument.
"""

from __future__ import annotations

from pathlib import Path

from ferrotile.bench.device.measure import measure_all
from ferrotile.bench.device.plan import ArrayPlan, PairPlan, Parameter, SidePlan
from ferrotile.bench.device.timing import Timing
from ferrotile.core import store

KNOWN = "chain"
"""The name of the kernel whose ratios are known."""
ROUNDS = 20_000
SLOWER = 1.02
MARGIN = 0.005
PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry chain(.param .u64 out, .param .u32 rounds)
{
  .reg .pred %more;
  .reg .u32 %left, %x;
  .reg .u64 %at;
  ld.param.u64 %at, [out];
  ld.param.u32 %left, [rounds];
  mov.u32 %x, %left;
again:
  mad.lo.u32 %x, %x, 1664525, 1013904223;
  sub.u32 %left, %left, 1;
  setp.ne.u32 %more, %left, 0;
  @%more bra again;
  st.global.u32 [%at], %x;
  ret;
}
"""


def pairs() -> list[PairPlan]:
    """The kernel against itself, and against one with 2 % more rounds on either side."""
    slow = round(ROUNDS * SLOWER)
    return [_pair("same twice", ROUNDS, ROUNDS), _pair("ours slower", ROUNDS, slow), _pair("ours faster", slow, ROUNDS)]


def calibrate(folder: Path) -> tuple[list[Timing], list[str]]:
    """Measure the three pairs; also what is wrong with the answers, nothing if the harness can be trusted."""
    store.write_text(folder / "chain.ptx", PTX)
    timings = [timing for _, timing in measure_all(folder, pairs())]
    return timings, complaints(timings)


def complaints(timings: list[Timing]) -> list[str]:
    """What the measured ratios should not be."""
    void = [f"`{timing.name}` is void: {timing.void}" for timing in timings if timing.void]
    if void:
        return void
    same, slower, faster = (timing.ratio for timing in timings)
    assert same is not None and slower is not None and faster is not None
    wrong = [] if same.is_equal_within(MARGIN) else [f"the same kernel twice gives {same}"]
    wrong += [] if slower.is_slower else [f"a kernel 2 % slower was not found: {slower}"]
    return wrong + ([] if faster.is_faster else [f"a kernel 2 % faster was not found: {faster}"])


def _pair(name: str, reference: int, ours: int) -> PairPlan:
    sides = [
        SidePlan(
            image="chain.ptx",
            entry=KNOWN,
            parameters=(Parameter(kind="pointer"), Parameter(kind="number", type="i32", value=rounds)),
        )
        for rounds in (reference, ours)
    ]
    return PairPlan(
        name=name, kernel=KNOWN, grid=(132, 1, 1), arrays=(ArrayPlan(element="i32", size=4),),
        reference=sides[0], ours=sides[1],
    )  # fmt: skip
