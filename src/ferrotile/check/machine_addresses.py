"""Which registers hold the address of the parameter block, at every instruction of a kernel.

TMA descriptors lie behind the parameters, and are reached by that address and a number, which moves when a side has
more parameters. A register counts only where it holds the address on every way that leads there.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

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


@dataclass(frozen=True, slots=True)
class _Step:
    """What one line does to the registers that hold the address: which it may write, and which it loads."""

    label: str | None
    targets: tuple[str, ...]
    forgets: State
    gains: State
    leaves: bool
    """Whether nothing goes on to the next line."""

    @property
    def is_plain(self) -> bool:
        """Whether nothing changes here, and nothing arrives or leaves."""
        return not (self.label or self.targets or self.forgets or self.gains or self.leaves)

    def after(self, state: State) -> State:
        """What is known behind the line."""
        return (state - self.forgets) | self.gains if self.forgets or self.gains else state


_NOTHING = _Step(None, (), frozenset(), frozenset(), leaves=False)


def block_addresses(lines: Sequence[str], offset: int | None) -> list[State]:
    """Before each line, the registers that hold the address found at this offset of the bank.

    `lines` are instructions without their addresses, and labels. Where control may go by a number, nothing is known at
    labels.
    """
    everything = frozenset(found.group(1) for line in lines if (found := _base(line, offset)))
    if not everything:
        return [frozenset()] * len(lines)
    steps = [_step(line, everything, offset) for line in lines]
    known = any(step.label for step in steps) and not any(_CALLS.search(line) for line in lines)
    at_label = _at_labels(lines, steps, everything) if known else defaultdict[str, State](frozenset)
    states: list[State] = []
    state: State = frozenset()
    for step in steps:
        state = at_label[step.label] if step.label else state
        states.append(state)
        state = step.after(state)
    return states


def _step(line: str, everything: State, offset: int | None) -> _Step:
    if line.endswith(":"):
        return _Step(line[:-1], (), frozenset(), frozenset(), leaves=False)
    if _CALLS.search(line):
        return _Step(None, (), everything, frozenset(), leaves=bool(_LEAVES.match(line)))
    written = _written(line)
    forgets = frozenset(name for name in everything if not written.isdisjoint(_pair(name)))
    found = _base(line, offset)
    gains = frozenset({found.group(1)}) if found else frozenset[str]()
    targets = tuple(_TARGET.findall(line)) if _BRANCH.match(line) else ()
    return _Step(None, targets, forgets, gains, leaves=bool(_LEAVES.match(line)))


def _at_labels(lines: Sequence[str], steps: Sequence[_Step], everything: State) -> dict[str, State]:
    """What is known at each label, by all branches to it and by what stands before it: the most that agrees with
    itself. A label that something else than a branch names may be reached from anywhere.
    """
    at_label = {
        step.label: everything if _LABEL.match(f"{step.label}:") else frozenset() for step in steps if step.label
    }
    for line in lines:
        if not _BRANCH.match(line):
            at_label.update((name, frozenset()) for name in _TARGET.findall(line))
    moving = [step for before, step in pairwise((_NOTHING, *steps)) if before.leaves or not step.is_plain]
    while True:
        before = dict(at_label)
        state = arriving = frozenset[str]()
        for step in moving:
            if step.label:
                state = at_label[step.label] = at_label[step.label] & arriving
            for name in step.targets:
                at_label[name] = at_label.get(name, frozenset()) & state
            state = step.after(state)
            # Nothing comes by an instruction that always leaves.
            arriving = everything if step.leaves else state
        if at_label == before:
            return at_label


def _base(line: str, offset: int | None) -> re.Match[str] | None:
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
