"""The translatability matrix: every public name of cuda.tile against cutile, each cell with the kernels that prove it.

Names come from the module itself, uses from the syntax of the zoo's kernels, verdicts from `tests/zoo/results.json`,
which `python tests/zoo/record.py` writes and `tests/lift/test_zoo.py` holds to.
"""

from __future__ import annotations

import ast
import enum
import inspect
import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import cuda.tile as ct

from ferrotile import ir
from ferrotile.core import CODES

ROOT = Path(__file__).parents[2]
ZOO = ROOT / "tests" / "zoo"
KERNELS = ZOO / "kernels"
RESULTS = ZOO / "results.json"
CUTILE = "0.5.0"

CLASSES = ("Array", "RawArrayMemory", "Tile", "TiledView", "Slice")
"""Classes whose methods kernels call; `RawArrayMemory` is what `Array.get_raw_memory` gives."""

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "lshift", ast.RShift: "rshift",
    ast.MatMult: "matmul", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
    ast.USub: "neg", ast.Invert: "invert",
}  # fmt: skip
SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "and": "&",
    "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>", "matmul": "@", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "eq": "==", "ne": "!=", "neg": "-x", "invert": "~x", "divmod": "divmod()", "getitem": "x[..]",
}  # fmt: skip
STATEMENTS: dict[str, type[ast.AST]] = {
    "if": ast.If, "for": ast.For, "while": ast.While, "break": ast.Break, "continue": ast.Continue,
    "return": ast.Return, "x if c else y": ast.IfExp, "and, or": ast.BoolOp, "x += y": ast.AugAssign,
}  # fmt: skip
FRONT_END = {
    "MemoryScope.CLUSTER": "ct.atomic_add(x, 0, 1.0, memory_scope=ct.MemoryScope.CLUSTER)",
    "RoundingMode.RZI": "t = ct.add(t, 1.0, rounding_mode=ct.RoundingMode.RZI)",
    "float8_e5m3fnu": "t = t + ct.full((16,), 1, ct.float8_e5m3fnu).astype(ct.float32)",
}
"""Names that cuda.tile itself refuses wherever they could stand for sm_90; tests/zoo tries each."""

ANNOTATIONS = ("Constant", "IndexedWithInt64", "ScalarInt64")
"""Annotations of kernel parameters that change what a kernel is compiled to."""

REWRITES = ("packed-fold", "scan-axis", "narrow-fold")
"""Laws by which an operation may be written as another one; all others are about what stands around it."""

FOLDS = frozenset("argmax argmin cumprod cumsum max min prod reduce scan sum".split())


SECTIONS = (
    "Functions", "Methods", "Operators", "Statements", "Choices", "Element types", "Annotations", "Not for kernels",
)  # fmt: skip


def names() -> dict[str, str]:
    """Every public name that a kernel can use, and its section of the page; and those that no kernel can use."""
    found: dict[str, str] = {}
    for name in ct.__all__:
        value = getattr(ct, name)
        if isinstance(value, ct.DType):
            found[name] = "Element types"
        elif inspect.isclass(value) and issubclass(value, enum.Enum):
            found |= {f"{name}.{member}": "Choices" for member in value.__members__}
        elif inspect.isfunction(value) and value.__module__ == "cuda.tile._stub":
            found[name] = "Functions"
        elif name in ANNOTATIONS:
            found[name] = "Annotations"
        elif name not in CLASSES:
            found[name] = "Not for kernels"
    for owner in CLASSES:
        found |= dict.fromkeys(_methods(owner), "Methods")
    found |= {f"`{SIGNS[word]}`": "Operators" for word in _operators()}
    return found | dict.fromkeys(("`arrays[i]`", *(f"`{word}`" for word in STATEMENTS)), "Statements")


def _class(name: str) -> type:
    from cuda.tile import _stub

    return getattr(_stub, name)


def _methods(owner: str) -> Iterator[str]:
    yield from (f"{owner}.{name}" for name in vars(_class(owner)) if not name.startswith("_"))


def _operators() -> Iterator[str]:
    """Operators of tiles and numbers by what their methods are called; `__radd__` is `__add__`."""
    words = [name.strip("_") for owner in ("Tile",) for name in vars(_class(owner)) if re.fullmatch(r"__\w+__", name)]
    yield from dict.fromkeys(word for word in words if word in SIGNS)


# ---- what a kernel uses -------------------------------------------------------------------------------------------


@dataclass
class Use:
    """One use of a public name in a kernel, with the place that an error about it would have."""

    name: str
    line: int
    column: int


@cache
def _functions(path: Path) -> dict[str, ast.FunctionDef]:
    tree = ast.parse(path.read_text())
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


@cache
def uses(path: Path, kernel: str) -> list[Use]:
    """Every public name that a kernel and its helpers use."""
    functions, found = _functions(path), list[Use]()
    todo, seen = [kernel], set[str]()
    while todo:
        function = functions[todo.pop()]
        seen.add(function.name)
        found += _Reader(function).read()
        calls = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        todo += [name for name in calls & functions.keys() if name not in seen]
    return found


class _Reader:
    def __init__(self, function: ast.FunctionDef) -> None:
        self.function = function
        annotated = {a.arg: a.annotation for a in function.args.args}
        self.kinds = {name: "Array" for name, note in annotated.items() if "Constant" not in _text(note)}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign):
                self._assigned(node.targets[0], node.value)

    def read(self) -> list[Use]:
        """Uses in this function alone."""
        return [
            Use(name, getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
            for node in ast.walk(self.function)
            for name in self._names(node)
        ]

    def _assigned(self, target: ast.AST, value: ast.AST) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for one, other in zip(target.elts, value.elts, strict=False):
                self._assigned(one, other)
        elif isinstance(target, ast.Name):
            self.kinds[target.id] = self._kind(value)

    def _kind(self, node: ast.AST) -> str:
        """Of which class a value is."""
        if isinstance(node, ast.Name):
            return self.kinds.get(node.id, "Tile")
        if isinstance(node, ast.Subscript):
            return "Array" if self._kind(node.value) == "Array" else "Tile"
        called = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
        kinds = {
            "tiled_view": "TiledView",
            "get_raw_memory": "RawArrayMemory",
            "slice": "Array",
            "from_foreign": "Array",
        }
        return kinds.get(called, "Tile")

    def _names(self, node: ast.AST) -> Iterator[str]:
        match node:
            case ast.Call(func=ast.Name(id="divmod" | "abs" | "min" | "max" as name)):
                yield "`divmod()`" if name == "divmod" else name
            case ast.Attribute(value=ast.Name(id="ct"), attr=name):
                yield name
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id="ct"), attr=owner), attr=name):
                yield f"{owner}.{name}"
            case ast.Attribute(value=value, attr=name):
                yield f"{self._kind(value)}.{name}"
            case ast.BinOp(op=op) | ast.UnaryOp(op=op) | ast.AugAssign(op=op) if type(op) in OPERATORS:
                yield f"`{SIGNS[OPERATORS[type(op)]]}`"
            case ast.Compare(ops=ops):
                yield from (f"`{SIGNS[OPERATORS[type(op)]]}`" for op in ops if type(op) in OPERATORS)
            case ast.Subscript(value=ast.Name() | ast.Call() as value):
                yield "`arrays[i]`" if self._kind(value) == "Array" else "`x[..]`"
            case _:
                pass
        yield from (f"`{word}`" for word, kind in STATEMENTS.items() if isinstance(node, kind))


# ---- cells --------------------------------------------------------------------------------------------------------


@dataclass
class Cell:
    """What is known of one name: cases by how they ended."""

    exact: list[str] = field(default_factory=list[str])
    equivalent: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    refused: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    front_end: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether no case uses the name."""
        return not (self.exact or self.equivalent or self.refused or self.front_end)


@cache
def cases() -> dict[str, tuple[Path, str, str]]:
    """Every specialization of the zoo: its file, its kernel, and its parameters as text."""
    found: dict[str, tuple[Path, str, str]] = {}
    for spec in sorted(KERNELS.glob("*.toml")):
        for row in tomllib.loads(spec.read_text())["specialization"]:
            name = f"{spec.stem}-{row['kernel']}-{row.get('label', '')}"
            found[name] = (spec.with_suffix(".py"), row["kernel"], str(row.get("parameters", "")))
    return found


def cells(results: dict[str, Any]) -> dict[str, Cell]:
    """The cell of every public name that kernels can use."""
    usable = [name for name, section in names().items() if section != "Not for kernels"]
    found = {name: Cell(front_end=name in FRONT_END) for name in usable}
    for case, (path, kernel, parameters) in cases().items():
        result, used = results[case], uses(path, kernel)
        known = {use.name for use in used} | set(re.findall(r"\w+", parameters))
        if "refused" in result:
            blamed = {use.name for use in used if [use.line, use.column] == result["at"]}
            for name in blamed & found.keys():
                found[name].refused.setdefault(result["refused"], []).append(case)
            continue
        laws = [law for law in result["laws"] if law in REWRITES]
        for name in known & found.keys():
            if laws and name in FOLDS:
                found[name].equivalent.setdefault(", ".join(f"`{law}`" for law in laws), []).append(case)
            else:
                found[name].exact.append(case)
    return found


def _cell_text(cell: Cell) -> tuple[str, str]:
    words, proofs = list[str](), list[str]()
    if cell.front_end:
        return "refused by cuda.tile (FT104)", "test_front_end_refuses"
    if cell.exact:
        words.append("exact")
        proofs.append(_some(cell.exact))
    for laws, found in cell.equivalent.items():
        words.append(f"equivalent ({laws})")
        proofs.append(_some(found))
    for code, found in cell.refused.items():
        words.append(f"refused ({code})")
        proofs.append(_some(found))
    return "; ".join(words), "; ".join(proofs)


def _some(found: list[str]) -> str:
    rest = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return f"{found[0].rstrip('-')}{rest}"


HEAD = """\
# What of cuTile Python translates

Generated by `python docs/generate.py` from the public names of `cuda.tile` {cuda}, the kernels in `tests/zoo/kernels`
and their verdicts in `tests/zoo/results.json`. {cases} specializations of {kernels} kernels: {proved} proved equal,
{refused} refused.

**exact**: the Rust for cutile {cutile} has the same operation, and check proves the programs equal. **equivalent**:
it is written as another operation, and equal by the law named, see [laws.md](laws.md). **refused**: there is no Rust
for it where the code says so, see [codes.md](codes.md); the reasons are at the end. The last column names a case that
proves the cell, and how many more use the name. The table is made by reading the kernels, so a cell of a name speaks
of the ways in which these use it.
"""


def _text(node: ast.AST | None) -> str:
    return ast.unparse(node) if node is not None else ""


def page() -> str:
    """The page docs/matrix.md."""
    results: dict[str, Any] = json.loads(RESULTS.read_text())
    table, sections = cells(results), names()
    refused = {case: result for case, result in results.items() if "refused" in result}
    head = HEAD.format(
        cuda=ct.__version__, cutile=CUTILE, cases=len(results), kernels=len({cases()[c][:2] for c in results}),
        proved=len(results) - len(refused), refused=len(refused),
    )  # fmt: skip
    lines = [head]
    for section in SECTIONS:
        mine = [name for name, own in sections.items() if own == section]
        lines += [f"## {section}", ""]
        if section == "Not for kernels":
            lines += [", ".join(f"`{name}`" for name in mine) + ": of the host or of annotations.", ""]
            continue
        lines += [f"| {section.lower()} | cutile {CUTILE} | proved by |", "|---|---|---|"]
        for name in mine:
            word, proof = _cell_text(table[name])
            shown = (name if name.startswith("`") else f"`{name}`").replace("|", "\\|")
            lines.append(f"| {shown} | {word} | {proof} |")
        lines.append("")
    lines += ["## Refusals", "", "| case | code | why | instead |", "|---|---|---|---|"]
    lines += [
        f"| {case.rstrip('-')} | {r['refused']} | {r['why']} | {r['hint'] or CODES[r['refused']].cure} |"
        for case, r in refused.items()
    ]
    lines += ["", "## Operations of Tile IR that no public name of cuda.tile gives, and that have no Rust form", ""]
    lines += ["| operation | code | why |", "|---|---|---|"]
    lines += [
        f"| `{row.name}` | {row.rust.code} | {row.rust.why} |" for row in ir.table() if isinstance(row.rust, ir.Refusal)
    ]
    return "\n".join(lines) + "\n"
