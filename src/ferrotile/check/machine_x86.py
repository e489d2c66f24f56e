"""Run the launch code of a cubin with symbols for values, to say what it computes however it is laid out.

tileiras embeds x86-64 code that fills TMA descriptors from the kernel's arguments. It first adds up the
offsets of all parameters (constants, though not folded), so the same computation looks different as soon as
the parameters stand in another order. Running it symbolically folds that away: what is left is a tree of
decisions over arguments whose leaves list the bytes stored, each a formula of named arguments.

A formula is an int (a constant) or a tuple: ("sum", width, constant, ((atom, factor), ...)), or an operation
(name, width, operand, ...). Two formulas are equal only if they are the same tree, so equality here is proof.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import capstone
from capstone import x86

Formula = Any
"""An int or a nested tuple; see above."""
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
_SHIFTS = ("shl", "sal", "shr", "sar")
_NEGATED = {"ne": "e", "ae": "b", "a": "be", "ge": "l", "g": "le", "ns": "s"}


class CannotRun(Exception):
    """An instruction, an address or a number of steps beyond this small machine."""


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


def first_difference(a: Formula, b: Formula) -> tuple[str, str] | None:
    """The first store, condition or result in which two meanings differ, as short text."""
    if a[0] != b[0]:
        return a[0], b[0]
    if a[0] == "if":
        if a[1] != b[1]:
            return f"if {shown(a[1])}", f"if {shown(b[1])}"
        return first_difference(a[2], b[2]) or first_difference(a[3], b[3])
    if a[1] != b[1]:
        return f"return {shown(a[1])}", f"return {shown(b[1])}"
    ours, theirs = ({(name, size): value for name, size, value in leaf[2]} for leaf in (a, b))
    for key in sorted({*ours, *theirs}):
        if ours.get(key) != theirs.get(key):
            return f"{key[0]} = {shown(ours.get(key))}", f"{key[0]} = {shown(theirs.get(key))}"
    return None


def shown(value: Formula) -> str:
    """A formula as text."""
    if value is None or isinstance(value, (bool, int)):
        return "nothing" if value is None else str(value) if isinstance(value, bool) else f"{value:#x}"
    if value[0] in ("argument", "initial"):
        return value[2]
    if value[0] == "sum":
        parts = [f"{shown(atom)}" if factor == 1 else f"{_signed(factor, value[1])}*{shown(atom)}" for atom, factor in value[3]]
        constant = [str(_signed(value[2], value[1]))] if value[2] else []
        return "(" + " + ".join(parts + constant) + ")"
    if value[0] in ("zero-extended", "sign-extended"):
        return shown(value[-1])
    return f"{value[0]}({', '.join(part if isinstance(part, str) else shown(part) for part in value[1:] if part is not value[1] or value[0] in ('not', 'is'))})"


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
                condition = _decided(_condition(mnemonic[1:], state.flags), known)
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
        if any(a + size > b for (a, size), (b, _) in zip(spans, spans[1:], strict=False)):
            raise CannotRun("stores overlap")
        stores = tuple(sorted((self.name(at, size), size, value) for (at, size), value in state.stored.items()))
        return ("done", _cut(_get(state, "rax"), 32), stores)

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
            widen = _zero_extended if mnemonic == "movzx" else _sign_extended
            self._write(state, instruction, operands[0], widen(value, operands[1].size * 8, operands[0].size * 8))
        elif mnemonic == "lea":
            self._write(state, instruction, operands[0], _cut(self._address(state, instruction, operands[1]), operands[0].size * 8))
        elif mnemonic.startswith("set"):
            condition = _decided(_condition(mnemonic[3:], state.flags), known)
            self._write(state, instruction, operands[0], int(condition) if isinstance(condition, (bool, int)) else ("bit", 8, condition))
        elif mnemonic.startswith("cmov"):
            self._conditional_move(state, instruction, mnemonic[4:], known)
        else:
            self._compute(state, instruction, mnemonic, operands)

    def _conditional_move(self, state: _State, instruction: Any, suffix: str, known: dict[Formula, bool]) -> None:
        target, source = instruction.operands
        condition = _decided(_condition(suffix, state.flags), known)
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
            value = _and(values[0], values[1], width) if mnemonic == "test" else None
            state.flags = ("compare", width, values[0], values[1]) if value is None else ("result", width, value, 0)
            return
        if mnemonic == "imul" and len(values) == 3:
            values = values[1:]
        result = _operate(mnemonic, width, values)
        self._write(state, instruction, operands[0], result)
        if mnemonic == "not":
            return
        is_clear = mnemonic != "imul" and (mnemonic not in _SHIFTS or (isinstance(values[1], int) and values[1] != 0))
        state.flags = ("result", width, result, 0) if is_clear else None

    def _push_pop(self, state: _State, mnemonic: str, operand: Any, instruction: Any) -> None:
        if mnemonic == "push":
            _set(state, "rsp", _sum(64, _get(state, "rsp"), -8))
            self._store(state, _get(state, "rsp"), 8, self._read(state, instruction, operand))
        else:
            self._write(state, instruction, operand, self._load(state, _get(state, "rsp"), 8))
            _set(state, "rsp", _sum(64, _get(state, "rsp"), 8))

    def _read(self, state: _State, instruction: Any, operand: Any) -> Formula:
        width = operand.size * 8
        if operand.type == x86.X86_OP_IMM:  # sign-extended by the decoder, as wide as the target
            return operand.imm & _mask(64 if instruction.mnemonic == "push" else instruction.operands[0].size * 8)
        if operand.type == x86.X86_OP_REG:
            parent, _ = _register(instruction, operand.reg)
            return _cut(_get(state, parent), width)
        return self._load(state, self._address(state, instruction, operand), operand.size)

    def _write(self, state: _State, instruction: Any, operand: Any, value: Formula) -> None:
        width = operand.size * 8
        if operand.type == x86.X86_OP_MEM:
            self._store(state, self._address(state, instruction, operand), operand.size, value)
            return
        parent, _ = _register(instruction, operand.reg)
        if width == 32:
            value = _zero_extended(value, 32, 64)
        elif width < 32:
            value = _inserted(_get(state, parent), value, width)
        _set(state, parent, value)

    def _address(self, state: _State, instruction: Any, operand: Any) -> Formula:
        memory = operand.mem
        if memory.segment or instruction.reg_name(memory.base) == "rip":
            raise CannotRun(f"address of `{instruction.mnemonic} {instruction.op_str}`")
        base = _get(state, _register(instruction, memory.base)[0]) if memory.base else 0
        index = _get(state, _register(instruction, memory.index)[0]) if memory.index else 0
        return _sum(64, _sum(64, base, _scaled(64, index, memory.scale)), memory.disp)

    def _load(self, state: _State, address: Formula, size: int) -> Formula:
        area, offset = _area(address)
        if area == "rsi":
            return ("argument", size * 8, f"context+{offset:#x}")
        memory = state.stack if area == "rsp" else state.stored
        for whole in (size, 2 * size, 4 * size, 8 * size):
            if (offset, whole) in memory:
                return _cut(memory[offset, whole], size * 8) if whole > size else memory[offset, size]
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
    constant, terms = _terms(64, address)
    known = [("initial", 64, register) for register in ("rcx", "rsi", "rsp")]
    if len(terms) == 1 and terms[0][1] == 1 and terms[0][0] in known:
        return terms[0][0][2], constant - (1 << 64 if constant >> 63 else 0)
    raise CannotRun("an address that is neither an argument nor on the stack")


def _condition(suffix: str, flags: tuple[str, int, Formula, Formula] | None) -> Formula:
    """The truth of a condition code: a bool, or a formula; negated codes are written with `not`."""
    suffix = {"z": "e", "nz": "ne", "c": "b", "nc": "ae", "nb": "ae", "na": "be"}.get(suffix, suffix)
    if suffix in _NEGATED:
        inner = _condition(_NEGATED[suffix], flags)
        return (not inner) if isinstance(inner, (bool, int)) else inner[1] if inner[0] == "not" else ("not", inner)
    if flags is None or (flags[0] == "result" and suffix not in ("e", "s")) or suffix not in ("e", "b", "be", "l", "le", "s"):
        raise CannotRun(f"condition `{suffix}`")
    kind, width, left, right = flags
    if suffix == "s":
        left, right, suffix = (_sum(width, left, _scaled(width, right, -1)) if kind == "compare" else left), 0, "l"
    if isinstance(left, int) and isinstance(right, int):
        signed = suffix in ("l", "le")
        a, b = (_signed(left, width), _signed(right, width)) if signed else (left, right)
        return {"e": a == b, "b": a < b, "be": a <= b, "l": a < b, "le": a <= b}[suffix]
    return ("is", suffix, width, left, right)


def _decided(condition: Formula, known: dict[Formula, bool]) -> Formula:
    """A condition, or what an earlier branch on this path made of it."""
    if isinstance(condition, (bool, int)):
        return condition
    if condition[0] == "not":
        return not known[condition[1]] if condition[1] in known else condition
    return known.get(condition, condition)


def _operate(mnemonic: str, width: int, values: list[Formula]) -> Formula:
    if mnemonic in ("inc", "dec"):
        return _sum(width, values[0], 1 if mnemonic == "inc" else -1)
    if mnemonic == "neg":
        return _scaled(width, values[0], -1)
    if mnemonic == "not":
        return _sum(width, _scaled(width, values[0], -1), -1)
    if len(values) != 2:
        raise CannotRun(f"instruction `{mnemonic}`")
    left, right = values
    if mnemonic in ("add", "sub"):
        return _sum(width, left, right if mnemonic == "add" else _scaled(width, right, -1))
    if mnemonic == "and":
        return _and(left, right, width)
    if mnemonic == "xor" and left == right:
        return 0
    if mnemonic == "imul":
        return _product(width, left, right)
    if mnemonic in ("shl", "sal") and isinstance(right, int):
        return _scaled(width, left, 1 << (right & (63 if width == 64 else 31)))
    return _plain(mnemonic, width, left, right)


def _plain(mnemonic: str, width: int, left: Formula, right: Formula) -> Formula:
    shift = right & (63 if width == 64 else 31) if isinstance(right, int) else None
    if isinstance(left, int) and isinstance(right, int) and shift is not None:
        folded = {"or": left | right, "xor": left ^ right, "shr": left >> shift, "sar": _signed(left, width) >> shift}
        if mnemonic in folded:
            return folded[mnemonic] & _mask(width)
    if mnemonic in ("or", "xor"):
        return left if right == 0 else right if left == 0 else (mnemonic, width, *sorted((left, right), key=repr))
    if mnemonic in ("shr", "sar", "shl"):
        return left if shift == 0 else (mnemonic, width, left, right)
    raise CannotRun(f"instruction `{mnemonic}`")


def _product(width: int, left: Formula, right: Formula) -> Formula:
    if isinstance(right, int):
        return _scaled(width, left, right)
    if isinstance(left, int):
        return _scaled(width, right, left)
    return ("mul", width, *sorted((left, right), key=repr))


def _and(left: Formula, right: Formula, width: int) -> Formula:
    if isinstance(left, int) and isinstance(right, int):
        return left & right
    if left == right or right == _mask(width):
        return left
    if left == _mask(width):
        return right
    return 0 if 0 in (left, right) else ("and", width, *sorted((left, right), key=repr))


def _terms(width: int, value: Formula) -> tuple[int, tuple[tuple[Formula, int], ...]]:
    if isinstance(value, int):
        return value & _mask(width), ()
    if value[0] == "sum" and value[1] == width:
        return value[2], value[3]
    return 0, ((value, 1),)


def _sum(width: int, left: Formula, right: Formula) -> Formula:
    (a, left_terms), (b, right_terms) = _terms(width, left), _terms(width, right)
    factors: dict[Formula, int] = dict(left_terms)
    for atom, factor in right_terms:
        factors[atom] = (factors.get(atom, 0) + factor) & _mask(width)
    return _made_sum(width, (a + b) & _mask(width), factors)


def _scaled(width: int, value: Formula, factor: int) -> Formula:
    constant, terms = _terms(width, value)
    return _made_sum(width, constant * factor & _mask(width), {atom: f * factor & _mask(width) for atom, f in terms})


def _made_sum(width: int, constant: int, factors: dict[Formula, int]) -> Formula:
    terms = tuple(sorted(((atom, factor) for atom, factor in factors.items() if factor), key=repr))
    if not terms:
        return constant
    return terms[0][0] if constant == 0 and len(terms) == 1 and terms[0][1] == 1 else ("sum", width, constant, terms)


def _cut(value: Formula, width: int) -> Formula:
    """The low bits of a 64-bit formula."""
    if width == 64:
        return value
    if isinstance(value, int):
        return value & _mask(width)
    if value[0] in ("zero-extended", "inserted") and value[2] == width:
        return value[-1]
    return ("cut", width, value)


def _zero_extended(value: Formula, width: int, to: int) -> Formula:
    if isinstance(value, int):
        return value
    return value if width == to else ("zero-extended", to, width, value)


def _sign_extended(value: Formula, width: int, to: int) -> Formula:
    if isinstance(value, int):
        return _signed(value, width) & _mask(to)
    return value if width == to else ("sign-extended", to, width, value)


def _inserted(old: Formula, value: Formula, width: int) -> Formula:
    """A 64-bit formula whose low bits were replaced."""
    if isinstance(old, int):
        high = old & ~_mask(width)
        if isinstance(value, int):
            return high | value
        return _zero_extended(value, width, 64) if high == 0 else ("or", 64, high, _zero_extended(value, width, 64))
    return ("inserted", 64, width, old, value)


def _mask(width: int) -> int:
    return (1 << width) - 1


def _signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value
