"""Lines and names of kernels, Python against Rust: `python docs/counting.py FOLDER [--source-map FROM=TO]`.

FOLDER is what `ferrotile translate --out` or `ferrotile generalize --out` wrote. Counted are code lines (no comments,
docstrings, blank lines) of functions, with attributes and decorators, after `ruff format` and rustfmt at width 100,
rustfmt with `use_small_heuristics = "Max"`: else it breaks calls of more than 60 characters, which ruff does not:

- Rust: the entries of all variants, the constants and functions beside them; `use` lines and the brackets of a module
  are left out, as Python's imports are;
- Python: the kernel's function and the functions of the same package that it calls, each once;
- names: parameters and local variables of the kernel's Python function, and how many of them are defined under the
  same name (up to what Rust wants of capitals and of leading underscores) in the Rust.

The prelude is counted once, apart.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import statistics
import subprocess
import sys
import textwrap
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ferrotile import ir
from ferrotile.core import tools
from ferrotile.lift import SourceFinder
from ferrotile.lift.source.spelling import rust_name

WIDTH = 100
PRELUDE = Path(__file__).parents[1] / "runtime" / "prelude" / "src"
NOT_CODE = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
)
Function = ast.FunctionDef


@dataclass(frozen=True, slots=True)
class Source:
    """A Python function and its text, decorators included, without the indentation of where it stands."""

    node: Function
    text: str


@dataclass(frozen=True, slots=True)
class Count:
    """What one Python kernel comes to. `lost`: names of the author that the Rust does not have."""

    kernel: str
    python: int
    rust: int
    names: int
    lost: tuple[str, ...]

    @property
    def ratio(self) -> float:
        """Lines of Rust for a line of Python."""
        return self.rust / max(self.python, 1)


def rust_lines(text: str) -> int:
    """Code lines of the functions of a kernel.rs as it is laid out; imports and module brackets left out."""
    lines = [line.strip() for line in text.splitlines()]
    code = [line for line in lines if line and not line.startswith("//")]
    around = [line for line in code if re.match(r"#\[cutile::module\]|pub mod \w+ \{|use ", line)]
    return len(code) - len(around) - len(re.findall(r"^(?:pub )?mod \w+ \{", text, re.MULTILINE))


def python_lines(functions: Iterable[Source]) -> int:
    """Code lines of functions after `ruff format` at width 100. Raises: CalledProcessError."""
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", str(WIDTH), "-"]
    total = 0
    for function in functions:
        laid_out = subprocess.run(command, input=function.text, capture_output=True, text=True, check=True).stdout
        total += len(_code_lines(laid_out))
    return total


def _code_lines(text: str) -> set[int]:
    documents = {
        (node.body[0].lineno, node.body[0].end_lineno or 0)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, Function) and ast.get_docstring(node, clean=False) is not None
    }
    return {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in NOT_CODE
        for line in range(token.start[0], token.end[0] + 1)
        if not any(first <= line <= last for first, last in documents)
    }


def names_of(function: Function) -> list[str]:
    """Parameters and local variables of a function, those of functions inside it left out."""
    arguments = function.args
    found = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    for node in _own_nodes(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.append(node.id)
    return [name for name in dict.fromkeys(found) if name.strip("_")]


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(function):
        if isinstance(child, ast.FunctionDef | ast.Lambda | ast.GeneratorExp | ast.ListComp):
            continue
        yield child
        yield from _own_nodes(child)


def defined_names(text: str) -> set[str]:
    """Names that Rust text defines: parameters, generics, `let`, `for`, closures; in small letters."""
    code = re.sub(r"//[^\n]*", "", text)
    found = set(re.findall(r"\b(\w+)\s*:(?!:)", code))
    for pattern in re.findall(r"\b(?:let|for)\s+([^=:{]*?)\s*(?:=|:|\bin\b|;)", code):
        found |= set(re.findall(r"\w+", pattern))
    for pattern in re.findall(r"\blet\s+\(([^=]*?)\)\s*(?::|=)", code):
        found |= set(re.findall(r"\w+", pattern))
    return {_plain(name) for name in found}


def _plain(name: str) -> str:
    return rust_name(name).lower().rstrip("_")


def lost_names(function: Function, text: str) -> tuple[str, ...]:
    """The author's names that the Rust text does not define."""
    defined = defined_names(text)
    return tuple(name for name in names_of(function) if _plain(name) not in defined)


def kernel_functions(bytecode: bytes, finder: SourceFinder) -> list[Source]:
    """The Python function that a program was made from, and those of its package that it calls; none without source."""
    entry = ir.decode(bytecode).entries[0]
    place = ir.place(entry)
    syntax = None if place is None else finder.find(place.file)
    if place is None or syntax is None:
        return []
    functions = [one for one in ast.walk(syntax.tree) if isinstance(one, Function) and one.name == place.function]
    before = [one for one in functions if one.lineno <= place.line + 1]
    if not before:
        return []
    return _with_helpers(max(before, key=lambda one: one.lineno), Path(syntax.path))


def _with_helpers(kernel: Function, file: Path) -> list[Source]:
    found: dict[tuple[Path, str], Source] = {}
    waiting = [(file, kernel)]
    while waiting:
        path, function = waiting.pop(0)
        if (path, function.name) in found:
            continue
        found[path, function.name] = Source(function, _text(function, path.read_text().splitlines()))
        used = [node.id for node in ast.walk(function) if isinstance(node, ast.Name)]
        waiting += [known for name in dict.fromkeys(used) if (known := _resolved(path, name)) is not None]
    return list(found.values())


def _text(function: Function, lines: list[str]) -> str:
    first = min([function.lineno, *(one.lineno for one in function.decorator_list)])
    return textwrap.dedent("\n".join(lines[first - 1 : function.end_lineno])) + "\n"


def _resolved(path: Path, name: str, depth: int = 0) -> tuple[Path, Function] | None:
    """The function that a name of a file means, followed through imports from the files beside it."""
    if depth > 4:
        return None
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, Function) and node.name == name:
            return path, node
        if not isinstance(node, ast.ImportFrom):
            continue
        for alias in node.names:
            if (alias.asname or alias.name) == name:
                other = _imported(path, node)
                return None if other is None else _resolved(other, alias.name, depth + 1)
    return None


def _imported(path: Path, node: ast.ImportFrom) -> Path | None:
    parts = (node.module or "").split(".") if node.module else []
    roots = [path.parents[node.level - 1]] if node.level else list(path.parents)
    for root in roots:
        for candidate in (root.joinpath(*parts).with_suffix(".py"), root.joinpath(*parts, "__init__.py")):
            if parts and candidate.is_file():
                return candidate
    return None


def count_folder(folder: Path, finder: SourceFinder) -> Count | None:
    """Lines and names of one folder: a bundle, or a generic kernel with a bundle for each specialization."""
    references = sorted(folder.glob("reference.tileirbc")) or sorted(folder.glob("*/reference.tileirbc"))
    if not references or not (folder / "kernel.rs").is_file():
        return None
    text = tools.format_rust((folder / "kernel.rs").read_text())
    functions = kernel_functions(references[0].read_bytes(), finder)
    if not functions:
        return None
    kernel = functions[0].node
    return Count(
        folder.name, python_lines(functions), rust_lines(text), len(names_of(kernel)), lost_names(kernel, text)
    )


def prelude_lines() -> int:
    """Code lines of the prelude."""
    files = [path.read_text() for path in sorted(PRELUDE.glob("*.rs"))]
    lines = (line.strip() for text in files for line in text.splitlines())
    return sum(1 for line in lines if line and not line.startswith("//"))


def summary(counts: Sequence[Count]) -> dict[str, object]:
    """Median and largest ratio, and the share of the names that are kept."""
    names = sum(one.names for one in counts)
    return {
        "kernels": len(counts),
        "python": sum(one.python for one in counts),
        "rust": sum(one.rust for one in counts),
        "median": round(statistics.median(one.ratio for one in counts), 2),
        "largest": round(max(one.ratio for one in counts), 2),
        "above_3": sum(1 for one in counts if one.ratio > 3),
        "names_kept": round(1 - sum(len(one.lost) for one in counts) / max(names, 1), 3),
        "prelude": prelude_lines(),
    }


def main(arguments: list[str]) -> int:
    """Count every folder below the one given; a JSON line each, then a summary."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--source-map", action="append", default=[], metavar="FROM=TO")
    given = parser.parse_args(arguments)
    finder = SourceFinder([tuple(one.split("=", 1)) for one in given.source_map])
    counted = [count_folder(folder, finder) for folder in sorted(given.folder.iterdir()) if folder.is_dir()]
    counts = [one for one in counted if one is not None]
    if not counts:
        print(f"`{given.folder}` has no kernel with its Python source", file=sys.stderr)
        return 2
    for one in counts:
        row = {"python": one.python, "rust": one.rust, "ratio": round(one.ratio, 2), "names": one.names}
        print(json.dumps({"kernel": one.kernel, **row, "lost": one.lost}))
    print(json.dumps({"summary": summary(counts)}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
