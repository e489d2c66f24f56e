"""The whole of ferrotile for five operations: lift, lower and check, in one file that runs alone.

    reference  a list of operations, as a front end emits it     (the real thing: CUDA Tile IR bytecode)
    lift       operations -> Rust text                           (ferrotile.lift)
    lower      Rust text -> operations                           (cutile's own compiler, ferrotile.lower)
    check      both are one program, or where they first differ  (ferrotile.check)

Run it: `python docs/mini.py`. Each part stands where its room stands in src/ferrotile (docs/map.md).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass


# ---------------------------------------------------------------------------------------------------- ir
# An operation is declared once. Lift reads only `rust` and `binds`, check reads only `effect`.
@dataclass(frozen=True)
class Row:
    """One operation: how Rust spells it, how tightly that binds, and whether it touches memory."""

    rust: str
    binds: int
    effect: bool = False


TABLE = {
    "constant": Row("{0}", 3),
    "load": Row("{0}.load()", 3),
    "add": Row("{0} + {1}", 1),
    "mul": Row("{0} * {1}", 2),
    "store": Row("{0}.store({1});", 0, effect=True),
}


@dataclass(frozen=True)
class Op:
    """`result = name(operands)`; an operand is a result, a parameter or a literal. `line` is its source line."""

    name: str
    operands: tuple[str, ...]
    result: str
    line: int


@dataclass(frozen=True)
class Program:
    """A straight-line kernel."""

    parameters: tuple[str, ...]
    ops: tuple[Op, ...]


# -------------------------------------------------------------------------------------------------- lift
def lift(program: Program, names: dict[str, str]) -> str:
    """Rust text for a program. `names` are what the Python source calls its values.

    A value that is used once and has no name of its own is folded into the expression that uses it.
    """
    uses = Counter(operand for op in program.ops for operand in op.operands)
    text: dict[str, tuple[str, int]] = {parameter: (parameter, 3) for parameter in program.parameters}
    lines = []
    for op in program.ops:
        row = TABLE[op.name]
        # Equal strength needs brackets on the right: (a + b) + c and a + (b + c) differ in their bits.
        parts = [
            _bracketed(*text.get(operand, (operand, 3)), least=row.binds + (position > 0))
            for position, operand in enumerate(op.operands)
        ]
        expression = row.rust.format(*parts)
        if row.effect:
            lines.append(expression)
        elif op.result in names or uses[op.result] > 1:
            name = names.get(op.result, f"v{op.result}")
            lines.append(f"let {name} = {expression};")
            text[op.result] = (name, 3)
        else:
            text[op.result] = (expression, row.binds)
    head = ", ".join(f"{parameter}: &Tensor" for parameter in program.parameters)
    return "\n".join([f"fn kernel({head}) {{", *(f"    {line}" for line in lines), "}"])


def _bracketed(expression: str, binds: int, least: int) -> str:
    return expression if binds >= least else f"({expression})"


# ------------------------------------------------------------------------------------------------- lower
class Lower:
    """A compiler for that Rust, written without a look at lift: text in, operations out."""

    def __init__(self, text: str) -> None:
        self.ops: list[Op] = []
        self.values: dict[str, str] = {}
        head, *body = text.splitlines()
        self.parameters = tuple(re.findall(r"(\w+): &Tensor", head))
        for self.line, statement in enumerate(body[:-1], start=2):
            self.words = re.findall(r"\w+\.\w+\(\)|\d+\.\d+|\w+|[^\s\w]", statement)
            self.statement()

    def statement(self) -> None:
        """`let name = sum;` or `array.store(sum);`"""
        if self.words[0] == "let":
            name, self.words = self.words[1], self.words[3:]
            self.values[name] = self.sum()
        else:
            array, self.words = self.words[0], self.words[4:]
            self.emit("store", array, self.sum())

    def sum(self) -> str:
        """Products joined by `+`."""
        left = self.product()
        while self.words[0] == "+":
            self.words.pop(0)
            left = self.emit("add", left, self.product())
        return left

    def product(self) -> str:
        """Atoms joined by `*`."""
        left = self.atom()
        while self.words[0] == "*":
            self.words.pop(0)
            left = self.emit("mul", left, self.atom())
        return left

    def atom(self) -> str:
        """A bracket, a literal, a load or a variable."""
        word = self.words.pop(0)
        if word == "(":
            value = self.sum()
            self.words.pop(0)
            return value
        if word.endswith(".load()"):
            return self.emit("load", word.removesuffix(".load()"))
        return self.emit("constant", word) if word[0].isdigit() else self.values[word]

    def emit(self, name: str, *operands: str) -> str:
        """Append an operation and give its result."""
        self.ops.append(Op(name, operands, f"v{len(self.ops)}", self.line))
        return self.ops[-1].result


def lower(text: str) -> Program:
    """The program that a Rust text means."""
    compiler = Lower(text)
    return Program(compiler.parameters, tuple(compiler.ops))


# ------------------------------------------------------------------------------------------------- check
def check(reference: Program, lowered: Program, parameters: tuple[int, ...]) -> str:
    """EQUAL, or DIFFERS with the first place. `parameters[i]`: which reference parameter the i-th lowered one is.

    Values are numbered by what they are (operation, operands), not by where they stand, in one table for both
    sides: equal numbers mean equal values. What has an effect must match in order; the rest must not.
    """
    numbers: dict[tuple[object, ...], int] = {}
    left = _effects(reference, tuple(range(len(parameters))), numbers)
    right = _effects(lowered, parameters, numbers)
    for (a, place_a), (b, place_b) in zip(left, right, strict=False):
        if a != b:
            return f"DIFFERS: the store of line {place_a} stores another value in Rust line {place_b}"
    return "EQUAL" if len(left) == len(right) else f"DIFFERS: {len(left)} stores against {len(right)}"


def _effects(program: Program, roles: tuple[int, ...], numbers: dict[tuple[object, ...], int]) -> list[tuple[int, int]]:
    known: dict[str, object] = {name: f"parameter {role}" for name, role in zip(program.parameters, roles, strict=True)}
    memory, effects = 0, []
    for op in program.ops:
        # A load also depends on every store before it.
        state = (memory,) if op.name in ("load", "store") else ()
        key = (op.name, *(known.get(operand, operand) for operand in op.operands), *state)
        known[op.result] = numbers.setdefault(key, len(numbers))
        if TABLE[op.name].effect:
            memory = numbers[key]
            effects.append((memory, op.line))
    return effects


# -------------------------------------------------------------------------------------------------- main
REFERENCE = Program(
    ("x", "y", "out"),
    (
        Op("load", ("x",), "0", 3),
        Op("constant", ("2.0",), "1", 3),
        Op("mul", ("0", "1"), "2", 3),
        Op("load", ("y",), "3", 4),
        Op("add", ("2", "3"), "4", 4),
        Op("mul", ("4", "2"), "5", 5),
        Op("store", ("out", "5"), "6", 5),
    ),
)

if __name__ == "__main__":
    rust = lift(REFERENCE, {"2": "scaled"})
    print(rust)
    print("as lifted          ", check(REFERENCE, lower(rust), (0, 1, 2)))
    print("2.0 became 3.0     ", check(REFERENCE, lower(rust.replace("2.0", "3.0")), (0, 1, 2)))
    print("brackets lost      ", check(REFERENCE, lower(re.sub(r"\((scaled[^)]*\(\))\)", r"\1", rust)), (0, 1, 2)))
    print("arrays x, y swapped", check(REFERENCE, lower(rust), (1, 0, 2)))
