"""The program that is launched: for a text without `unsafe`, with what its launch must see to, and no check inside.

cutile puts a check of its own before every safe store whose index it cannot follow to the launch: that the tile begins
inside the array. check follows some more, and proves for all stores of such a text that their tiles begin inside, and
that blocks keep apart, under facts of the launch. With these facts the checks always pass, and are taken out.
"""

from __future__ import annotations

from dataclasses import replace

from ferrotile import check, ir
from ferrotile.core import ParameterMap, Unsupported
from ferrotile.core.rust_source import says_unsafe
from ferrotile.lower import Lowered


def launched(text: str, lowered: Lowered, parameters: ParameterMap | None) -> Lowered:
    """The lowered program as it is, if the text says `unsafe`: it answers for its blocks itself. Else without checks of
    indices, and with facts among its launch checks.

    Raises: FT619 its blocks are not proved to keep apart, inside their arrays.
    """
    if says_unsafe(text):
        return lowered
    module = ir.decode(lowered.bytecode)
    checks = [op for op in module.entries[0].walk() if ir.row(op).name == "assert"]
    if len(checks) != lowered.checks_in_kernel:
        raise Unsupported("FT619", "the text has no `unsafe`, and checks more than where its tiles begin")
    for op in checks:
        op.detach()
        op.erase()
    found = check.prove_exclusive(module, () if parameters is None else parameters.lowered)
    if not found.holds:
        raise Unsupported("FT619", f"the text has no `unsafe`, and blocks may meet: {found.why_not}")
    return replace(
        lowered,
        bytecode=ir.encode(module) if checks else lowered.bytecode,
        launch_checks=(*lowered.launch_checks, *found.facts),
        checks_in_kernel=0,
    )
