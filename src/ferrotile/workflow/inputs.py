"""From what the user typed to a list of tasks: files, folders, and kernels in Python files."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from ferrotile import capture, ir, lift
from ferrotile.core import FerrotileError, InputError
from ferrotile.workflow.comparison import read
from ferrotile.workflow.record import Options, Task

SUFFIX = ".tileirbc"


def expand(inputs: list[str], options: Options) -> list[Task]:
    """One task per bytecode file and per specialization; an input that is wrong becomes a task with its fault."""
    tasks: list[Task] = []
    for text in inputs:
        try:
            tasks += _expand_one(text, options)
        except FerrotileError as error:
            tasks.append(Task(text, Path(text).stem or "input", fault=error))
    return _with_own_names(tasks)


def python_file(file: str, finder: lift.SourceFinder) -> bytes | None:
    """The Python file that a place names, as bytes, if it is at hand."""
    syntax = finder.find(file)
    try:
        return None if syntax is None else Path(syntax.path).read_bytes()
    except OSError:
        return None


def _expand_one(text: str, options: Options) -> list[Task]:
    head, separator, kernel = text.partition("::")
    if separator and head.endswith(SUFFIX):
        return [_kernel_of(text, Path(head), kernel)]
    if separator or head.endswith(".py"):
        return _captured(text, head, kernel, options)
    path = Path(text)
    if path.is_dir():
        return _folder(text, path, options)
    if not path.is_file():
        raise InputError("FT801", f"`{text}` does not exist", hint="a kernel in Python is written `file.py::kernel`")
    return _kernels(text, path)


def _kernels(text: str, path: Path) -> list[Task]:
    """A bytecode file, or each kernel of a module with several; what cannot be read is left to the translation."""
    try:
        data = path.read_bytes()
        names = ir.kernel_names(ir.decode(data)) if ir.kernel_count(data) > 1 else ()
    except (OSError, FerrotileError):
        names = ()
    if len(set(names)) < 2 or len(set(names)) < len(names):
        return [Task(text, _stem(path), path)]
    return [_kernel_of(f"{text}::{name}", path, name) for name in names]


def _kernel_of(text: str, path: Path, kernel: str) -> Task:
    """One kernel of a module. Raises: FT226, FT2xx, FT801."""
    return Task(text, f"{_stem(path)}.{folder_name(kernel)}", bytecode=ir.alone(read(path), kernel))


def folder_name(symbol: str) -> str:
    """A symbol as part of a folder's name: letters, digits, `_` and `-`, the first 80.

    Example:
        >>> folder_name("a.b$c/d")
        'a_b_c_d'
    """
    return re.sub(r"[^A-Za-z0-9_-]", "_", symbol)[:80]


def _folder(text: str, path: Path, options: Options) -> list[Task]:
    if capture.is_capture(path):
        return _recorded(path)
    files = sorted(path.glob(f"*{SUFFIX}"))
    if files:
        return [task for file in files for task in _kernels(str(file), file)]
    specified = capture.discover(path)
    if not specified:
        raise InputError("FT801", f"`{text}` holds no `{SUFFIX}` file and no Python kernel with a spec file")
    tasks: list[Task] = []
    for file, kernel, row in specified:
        name = f"{file}::{kernel}"
        try:
            made = capture.export(file, kernel, row, options.target)
            tasks += [Task(f"{name}[{one.name}]", one.name, bytecode=one.bytecode) for one in made]
        except FerrotileError as error:
            tasks.append(Task(name, kernel, fault=error))
    return tasks


def _recorded(path: Path) -> list[Task]:
    """What `ferrotile capture` wrote: a task for each specialization, those that were not exported with their fault."""
    index = capture.read_index(path)
    tasks = [Task(str(path / one.file), one.name, path / one.file) for one in index.exported]
    for one in index.unexported:
        if one.via == "launch":
            name = f"{one.module}:{one.kernel}"
            tasks.append(Task(name, one.kernel.rpartition(".")[2], fault=one.fault()))
    return tasks


def _captured(text: str, file: str, kernel: str, options: Options) -> list[Task]:
    made = capture.export(file, kernel or None, options.signature, options.target)
    return [
        Task(
            f"{file}::{one.kernel}" if len(made) == 1 else f"{file}::{one.kernel}[{one.name}]",
            one.name,
            bytecode=one.bytecode,
        )
        for one in made
    ]


def _stem(path: Path) -> str:
    return path.name.removesuffix(SUFFIX) if path.name.endswith(SUFFIX) else path.stem


def _with_own_names(tasks: list[Task]) -> list[Task]:
    """Give tasks of one name numbers, so that each writes a folder of its own."""
    seen: Counter[str] = Counter()
    named: list[Task] = []
    for task in tasks:
        seen[task.name] += 1
        number = seen[task.name]
        name = task.name if number == 1 else f"{task.name}.{number}"
        named.append(task if number == 1 else Task(task.input, name, task.path, task.bytecode, task.fault))
    return named
