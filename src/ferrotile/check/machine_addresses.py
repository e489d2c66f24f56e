"""Which registers hold the address of the parameter block, at every instruction of a kernel.

TMA descriptors lie behind the parameters, and are reached by that address and a number, which moves when a side has
more parameters. A register counts only where it holds the address on every way that leads there.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

BASE_LOAD = re.compile(r"^(?:U?LDCU?)\.64 (U?R\d+), c\[0x0\]\[(0x[0-9a-f]+)\]$")
_LABEL = re.compile(r"^(\.L_x_\d+):$")
_TARGET = re.compile(r"`\((\.L_x_\d+)\)")
_BRANCH = re.compile(r"^(@!?U?P\d+ )?BRA\b")
_LEAVES = re.compile(r"^(EXIT|RET\S*|BRA\S*|BRX\S*|JMP\S*|JMX\S*)\b")
_CALLS = re.compile(r"\b(CALL|RET|BRX|JMX|JMP)\b")
_ONE_REGISTER = re.compile(
    r"^(?:@!?U?P\d+ )?(?:U?SHF\b|(?!\S*(?:64|128|WIDE))(?:R2UR|S2U?R|U?MOV|U?IADD3|U?LEA|U?SEL|U?ISETP|U?LOP3|U?PRMT|"
    r"U?IMNMX|U?SGXT|FMUL|FADD|FFMA|FSEL|FSETP|FMNMX|MUFU|I2FP?|F2I|U?IMAD|U?LDCU?|ELECT|U?FLO|U?POPC|IABS|"
    r"VIADD|VIMNMX|HADD2|HMUL2|HFMA2|HSETP2|F2FP|P2R|SHFL|VOTEU?|REDUX|BMSK|LEPC)\b)"
)
"""Instructions that are known to write one register; a shift takes 64 bits, and gives 32."""
_WHOLE_TILES = re.compile(r"\b[A-Z]GMMA\b")
_MOST_REGISTERS = 256

State = frozenset[str]


def block_addresses(lines: Sequence[str], offset: int | None) -> list[State]:
    """Before each line, the registers that hold the address found at this offset of the bank.

    `lines` are instructions without their addresses, and labels. Where control may go by a number, nothing is known.
    """
    if offset is None or any(_CALLS.search(line) for line in lines):
        return _within(lines, offset, defaultdict(frozenset))
    everything = _loaded(lines, offset)
    at_label: dict[str, State] = {found.group(1): everything for line in lines if (found := _LABEL.match(line))}
    for line in lines:
        if not _BRANCH.match(line):
            at_label.update((name, frozenset()) for name in _TARGET.findall(line))
    while True:
        states = _within(lines, offset, at_label)
        arriving = _arriving(lines, states, at_label, offset)
        if arriving == at_label:
            return states
        at_label = arriving


def _loaded(lines: Sequence[str], offset: int) -> State:
    """The registers that hold the address anywhere."""
    return frozenset(found.group(1) for line in lines if (found := _base(line, offset)))


def _within(lines: Sequence[str], offset: int | None, at_label: Mapping[str, State]) -> list[State]:
    states: list[State] = []
    state: State = frozenset()
    for line in lines:
        if found := _LABEL.match(line):
            state = at_label[found.group(1)]
        elif line.endswith(":"):
            state = frozenset()
        states.append(state)
        state = _after(line, state, offset)
    return states


def _arriving(
    lines: Sequence[str], states: Sequence[State], at_label: Mapping[str, State], offset: int
) -> dict[str, State]:
    """What is known at each label, by all branches to it and by what stands before it."""
    everything = _loaded(lines, offset)
    arriving = dict(at_label)
    before: State = frozenset()
    for line, state in zip(lines, states, strict=True):
        if found := _LABEL.match(line):
            arriving[found.group(1)] &= before
        elif _BRANCH.match(line):
            for name in _TARGET.findall(line):
                arriving[name] = arriving.get(name, frozenset()) & state
        known = at_label[found.group(1)] if found else _after(line, state, offset)
        # Nothing comes by an instruction that always leaves.
        before = everything if _LEAVES.match(line) else known
    return arriving


def _after(line: str, state: State, offset: int | None) -> State:
    if line.endswith(":"):
        return state
    if _CALLS.search(line):
        return frozenset()
    written = _written(line)
    state = frozenset(name for name in state if written.isdisjoint(_pair(name)))
    found = None if offset is None else _base(line, offset)
    return state | {found.group(1)} if found else state


def _base(line: str, offset: int) -> re.Match[str] | None:
    found = BASE_LOAD.match(line)
    return found if found and int(found.group(2), 16) == offset else None


def _pair(name: str) -> set[str]:
    kind, number = name.rstrip("0123456789"), int(name.lstrip("UR"))
    return {name, f"{kind}{number + 1}"}


def _written(line: str) -> set[str]:
    """The registers that an instruction may write: those of its first two operands, and ones that follow them."""
    width = 1 if _ONE_REGISTER.match(line) else _MOST_REGISTERS if _WHOLE_TILES.search(line) else 4
    first = re.findall(r"\b(U?R)(\d+)\b", ",".join(line.split(",")[:2]))
    if _ONE_REGISTER.match(line):  # the second operand is written only where the first is a predicate
        first = re.findall(r"\b(U?R)(\d+)\b", ",".join(line.split(",")[: 2 if re.search(r"^\S+ U?P", line) else 1]))
    return {f"{kind}{int(number) + further}" for kind, number in first for further in range(width)}
