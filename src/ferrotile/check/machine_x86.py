"""Run the launch code of a cubin with symbols for values, to say what it computes however it is laid out.

tileiras embeds x86-64 code that fills TMA descriptors from the kernel's arguments. It first adds up the
offsets of all parameters (constants, though not folded), so the same computation looks different as soon as
the parameters stand in another order. Running it symbolically folds that away: what is left is a tree of
decisions over arguments whose leaves list the bytes stored, each a formula (machine_formula.py) of named arguments.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import capstone
from capstone import x86

from ferrotile.check.machine_formula import (
    SHIFTS,
    CannotRun,
    Formula,
    added,
    condition_of,
    conjunction,
    cut,
    decided,
    inserted,
    mask,
    operate,
    scaled,
    sign_extended,
    terms_of,
    zero_extended,
)

_STEPS = 400_000
_PARENTS = {
    **{f"r{n}": (f"r{n}", 64) for n in range(8, 16)},
    **{f"r{n}{s}": (f"r{n}", w) for n in range(8, 16) for s, w in (("d", 32), ("w", 16), ("b", 8))},
    **{f"r{n}": (f"r{n}", 64) for n in ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp")},
    **{f"e{n}": (f"r{n}", 32) for n in ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp")},
    **{n: (f"r{n}", 16) for n in ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp")},
    **{f"{n}l": (f"r{n}x", 8) for n in "abcd"},
    **{f"{n}l": (f"r{n}", 8) for n in ("si", "di", "bp", "sp")},
}


@dataclass
class _State:
    at: int = 0
    registers: dict[str, Formula] = field(default_factory=dict)
    stack: dict[tuple[int, int], Formula] = field(default_factory=dict)
    stored: dict[tuple[int, int], Formula] = field(default_factory=dict)
    flags: tuple[str, int, Formula, Formula] | None = None

    def copy(self) -> _State:
        return _State(self.at, dict(self.registers), dict(self.stack), dict(self.stored), self.flags)


def meaning(code: bytes, name: Callable[[int, int], str]) -> Formula:
    """What a launch function computes: ("if", condition, then, else) or ("done", result, stores).

    `name` says what lies at an offset of the argument block (offset and size in bytes).
    Raises: CannotRun.
    """
    return _Machine(code, name).run()


class _Machine:
    def __init__(self, code: bytes, name: Callable[[int, int], str]) -> None:
        decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
        decoder.detail = True
        self.code = {instruction.address: instruction for instruction in decoder.disasm(code, 0)}
        self.name = name
        self.steps = 0

    def run(self) -> Formula:
        return self._run(_State(), {})

    def _run(self, state: _State, known: dict[Formula, bool]) -> Formula:
        while True:
            self.steps += 1
            instruction = self.code.get(state.at)
            if instruction is None or self.steps > _STEPS:
                raise CannotRun(f"no instruction at {state.at:#x}, or too many steps")
            mnemonic = instruction.mnemonic
            if mnemonic.startswith("ret"):
                return self._leaf(state)
            state.at += instruction.size
            if mnemonic == "jmp":
                state.at = _target(instruction)
            elif mnemonic.startswith("j"):
                condition = decided(condition_of(mnemonic[1:], state.flags), known)
                if not isinstance(condition, (bool, int)):
                    return self._fork(state, condition, _target(instruction), known)
                state.at = _target(instruction) if condition else state.at
            else:
                self._step(state, instruction, known)

    def _fork(self, state: _State, condition: Formula, target: int, known: dict[Formula, bool]) -> Formula:
        taken = state.copy()
        taken.at = target
        if condition[0] == "not":
            condition, taken, state = condition[1], state, taken
        yes = self._run(taken, {**known, condition: True})
        no = self._run(state, {**known, condition: False})
        return yes if yes == no else ("if", condition, yes, no)

    def _leaf(self, state: _State) -> Formula:
        spans = sorted(state.stored)
        if any(a + size > b for (a, size), (b, _) in itertools.pairwise(spans)):
            raise CannotRun("stores overlap")
        stores = tuple(sorted((self.name(at, size), size, value) for (at, size), value in state.stored.items()))
        return ("done", cut(_get(state, "rax"), 32), stores)

    def _step(self, state: _State, instruction: Any, known: dict[Formula, bool]) -> None:
        mnemonic, operands = instruction.mnemonic, instruction.operands
        if mnemonic in ("nop", "endbr64") or mnemonic.endswith("nop"):
            return
        if mnemonic in ("push", "pop"):
            self._push_pop(state, mnemonic, operands[0], instruction)
        elif mnemonic in ("mov", "movabs"):
            self._write(state, instruction, operands[0], self._read(state, instruction, operands[1]))
        elif mnemonic in ("movzx", "movsx", "movsxd"):
            value = self._read(state, instruction, operands[1])
            widen = zero_extended if mnemonic == "movzx" else sign_extended
            self._write(state, instruction, operands[0], widen(value, operands[1].size * 8, operands[0].size * 8))
        elif mnemonic == "lea":
            self._write(
                state,
                instruction,
                operands[0],
                cut(self._address(state, instruction, operands[1]), operands[0].size * 8),
            )
        elif mnemonic.startswith("set"):
            condition = decided(condition_of(mnemonic[3:], state.flags), known)
            self._write(
                state,
                instruction,
                operands[0],
                int(condition) if isinstance(condition, (bool, int)) else ("bit", 8, condition),
            )
        elif mnemonic.startswith("cmov"):
            self._conditional_move(state, instruction, mnemonic[4:], known)
        else:
            self._compute(state, instruction, mnemonic, operands)

    def _conditional_move(self, state: _State, instruction: Any, suffix: str, known: dict[Formula, bool]) -> None:
        target, source = instruction.operands
        condition = decided(condition_of(suffix, state.flags), known)
        new, old = self._read(state, instruction, source), self._read(state, instruction, target)
        if isinstance(condition, (bool, int)):
            value = new if condition else old
        else:
            value = new if new == old else ("choose", target.size * 8, condition, new, old)
        self._write(state, instruction, target, value)

    def _compute(self, state: _State, instruction: Any, mnemonic: str, operands: Any) -> None:
        if not operands:
            raise CannotRun(f"instruction `{mnemonic}`")
        width = operands[0].size * 8
        values = [self._read(state, instruction, operand) for operand in operands]
        if mnemonic in ("cmp", "test"):
            value = conjunction(values[0], values[1], width) if mnemonic == "test" else None
            state.flags = ("compare", width, values[0], values[1]) if value is None else ("result", width, value, 0)
            return
        if mnemonic == "imul" and len(values) == 3:
            values = values[1:]
        result = operate(mnemonic, width, values)
        self._write(state, instruction, operands[0], result)
        if mnemonic == "not":
            return
        is_clear = mnemonic != "imul" and (mnemonic not in SHIFTS or (isinstance(values[1], int) and values[1] != 0))
        state.flags = ("result", width, result, 0) if is_clear else None

    def _push_pop(self, state: _State, mnemonic: str, operand: Any, instruction: Any) -> None:
        if mnemonic == "push":
            _set(state, "rsp", added(64, _get(state, "rsp"), -8))
            self._store(state, _get(state, "rsp"), 8, self._read(state, instruction, operand))
        else:
            self._write(state, instruction, operand, self._load(state, _get(state, "rsp"), 8))
            _set(state, "rsp", added(64, _get(state, "rsp"), 8))

    def _read(self, state: _State, instruction: Any, operand: Any) -> Formula:
        width = operand.size * 8
        if operand.type == x86.X86_OP_IMM:  # sign-extended by the decoder, as wide as the target
            return operand.imm & mask(64 if instruction.mnemonic == "push" else instruction.operands[0].size * 8)
        if operand.type == x86.X86_OP_REG:
            parent, _ = _register(instruction, operand.reg)
            return cut(_get(state, parent), width)
        return self._load(state, self._address(state, instruction, operand), operand.size)

    def _write(self, state: _State, instruction: Any, operand: Any, value: Formula) -> None:
        width = operand.size * 8
        if operand.type == x86.X86_OP_MEM:
            self._store(state, self._address(state, instruction, operand), operand.size, value)
            return
        parent, _ = _register(instruction, operand.reg)
        if width == 32:
            value = zero_extended(value, 32, 64)
        elif width < 32:
            value = inserted(_get(state, parent), value, width)
        _set(state, parent, value)

    def _address(self, state: _State, instruction: Any, operand: Any) -> Formula:
        memory = operand.mem
        if memory.segment or instruction.reg_name(memory.base) == "rip":
            raise CannotRun(f"address of `{instruction.mnemonic} {instruction.op_str}`")
        base = _get(state, _register(instruction, memory.base)[0]) if memory.base else 0
        index = _get(state, _register(instruction, memory.index)[0]) if memory.index else 0
        return added(64, added(64, base, scaled(64, index, memory.scale)), memory.disp)

    def _load(self, state: _State, address: Formula, size: int) -> Formula:
        area, offset = _area(address)
        if area == "rsi":
            return ("argument", size * 8, f"context+{offset:#x}")
        memory = state.stack if area == "rsp" else state.stored
        for whole in (size, 2 * size, 4 * size, 8 * size):
            if (offset, whole) in memory:
                return cut(memory[offset, whole], size * 8) if whole > size else memory[offset, size]
        if area == "rsp" or any(a < offset + size and offset < a + s for a, s in memory):
            raise CannotRun("a load of bytes that were stored in other pieces")
        return ("argument", size * 8, self.name(offset, size))

    def _store(self, state: _State, address: Formula, size: int, value: Formula) -> None:
        area, offset = _area(address)
        if area == "rsi":
            raise CannotRun("a store into the launch context")
        memory = state.stack if area == "rsp" else state.stored
        if any((a, s) != (offset, size) and a < offset + size and offset < a + s for a, s in memory):
            raise CannotRun("a store over a part of another")
        memory[offset, size] = value


def _target(instruction: Any) -> int:
    operand = instruction.operands[0]
    if operand.type != x86.X86_OP_IMM:
        raise CannotRun("an indirect jump")
    return operand.imm


def _register(instruction: Any, number: int) -> tuple[str, int]:
    name = instruction.reg_name(number)
    if name not in _PARENTS:
        raise CannotRun(f"register `{name}`")
    return _PARENTS[name]


def _get(state: _State, register: str) -> Formula:
    return state.registers.get(register, ("initial", 64, register))


def _set(state: _State, register: str, value: Formula) -> None:
    state.registers[register] = value


def _area(address: Formula) -> tuple[str, int]:
    """Which memory an address points to, and the offset: argument block (rcx), launch context (rsi), stack (rsp)."""
    constant, terms = terms_of(64, address)
    known = [("initial", 64, register) for register in ("rcx", "rsi", "rsp")]
    if len(terms) == 1 and terms[0][1] == 1 and terms[0][0] in known:
        return terms[0][0][2], constant - (1 << 64 if constant >> 63 else 0)
    raise CannotRun("an address that is neither an argument nor on the stack")
