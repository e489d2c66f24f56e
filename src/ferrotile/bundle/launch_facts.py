"""What a launch must see to: cutile's own checks, and what keeps the blocks of a text without `unsafe` apart."""

from __future__ import annotations

from ferrotile import check, ir
from ferrotile.core import ParameterMap, Unsupported
from ferrotile.core.rust_source import says_unsafe
from ferrotile.lower import Lowered


def launch_facts(text: str, lowered: Lowered, parameters: ParameterMap | None) -> tuple[str, ...]:
    """The sentences, as proof.json lists them. A text that says `unsafe` answers for its blocks itself.

    Raises: FT619 the text says nothing of the kind, and its blocks are not proved to keep apart.
    """
    if says_unsafe(text):
        return lowered.launch_checks
    if (left := lowered.checks_in_kernel) > 0:
        raise Unsupported("FT619", f"the text has no `unsafe`, and leaves {left} checks of its indices in the kernel")
    roles = () if parameters is None else parameters.lowered
    found = check.prove_exclusive(ir.decode(lowered.bytecode), roles)
    if not found.holds:
        raise Unsupported("FT619", f"the text has no `unsafe`, and blocks may meet: {found.why_not}")
    return (*lowered.launch_checks, *found.facts)
