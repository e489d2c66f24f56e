"""List the `@ct.kernel` functions of an installed tilegym, without importing it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, order=True)
class Kernel:
    """A kernel function. `file`: its path in the package; `name`: qualified as Python does it."""

    file: str
    name: str
    line: int

    @property
    def module(self) -> str:
        """The module of its file, as Python imports it."""
        return "tilegym." + self.file.removesuffix(".py").replace("/", ".")


def kernels_of(package: Path) -> list[Kernel]:
    """The kernels of every Python file of the package, in the order of files and lines."""
    found: list[Kernel] = []
    for path in sorted(package.rglob("*.py")):
        _collect(ast.parse(path.read_text()), path.relative_to(package).as_posix(), "", found)
    return found


def _collect(node: ast.AST, file: str, prefix: str, found: list[Kernel]) -> None:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            if any(map(_is_kernel, child.decorator_list)):
                found.append(Kernel(file, prefix + child.name, child.lineno))
            _collect(child, file, f"{prefix}{child.name}.<locals>.", found)
        elif isinstance(child, ast.ClassDef):
            _collect(child, file, f"{prefix}{child.name}.", found)
        else:
            _collect(child, file, prefix, found)


def _is_kernel(decorator: ast.expr) -> bool:
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(function) in ("ct.kernel", "cuda.tile.kernel", "tile.kernel")
