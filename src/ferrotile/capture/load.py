"""Load a user's Python file and find its kernels, without leaving traces in this process."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import linecache
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from ferrotile.core import EnvironmentFault, InputError, Place


@contextlib.contextmanager
def loaded(path: Path) -> Iterator[ModuleType]:
    """The module of a file, for as long as the block runs.

    Its folder (for a package: the folder above it) is on the import path meanwhile. Afterwards the import
    path is as before and modules that came from that folder are forgotten; libraries stay, because
    extension modules cannot be loaded twice. What the file prints goes to stderr.
    Raises: FT101 when there is no such file, FT102 when it fails to load.
    """
    path = path.resolve()
    if not path.is_file():
        raise InputError("FT101", f"there is no Python file `{path.name}` in `{path.parent}`")
    root, name = _import_name(path)
    known, search_path = set(sys.modules), list(sys.path)
    sys.path.insert(0, str(root))
    linecache.checkcache(str(path))
    with _no_bytecode_files(), contextlib.redirect_stdout(sys.stderr):
        try:
            yield _run(path, name)
        finally:
            sys.path[:] = search_path
            _forget(root, name, known)


def kernels_of(module: ModuleType) -> dict[str, Any]:
    """The `ct.kernel` objects of a module by the name they are bound to, in order of appearance."""
    kernel_class = cuda_tile().kernel
    return {name: value for name, value in vars(module).items() if isinstance(value, kernel_class)}


def cuda_tile() -> ModuleType:
    """The package cuda.tile. Raises: FT110 when it is not installed."""
    try:
        return importlib.import_module("cuda.tile")
    except ImportError as error:
        raise EnvironmentFault(
            "FT110", f"the front end `cuda.tile` cannot be imported: {error}", hint="pip install cuda-tile==1.7.0"
        ) from None


def _import_name(path: Path) -> tuple[Path, str]:
    """The folder to import from and the module name: dotted inside a package, so that relative imports work."""
    parts = [path.stem]
    folder = path.parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    if len(parts) == 1:
        # A name of its own: a file may be called like a library, `softmax.py` or even `torch.py`.
        return folder, f"_ferrotile_input_{path.stem}"
    return folder, ".".join(parts)


def _run(path: Path, name: str) -> ModuleType:
    try:
        if "." in name:
            return importlib.import_module(name)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module
    except (Exception, SystemExit) as error:  # a user's file may raise anything
        raise _load_error(path, error) from None


def _load_error(path: Path, error: BaseException) -> InputError:
    hint = None
    if isinstance(error, ModuleNotFoundError) and error.name:
        hint = f"install `{error.name}`, or move the import into the function that needs it"
    if isinstance(error, SyntaxError):
        place = Place(error.filename or str(path), error.lineno or 1, max((error.offset or 1) - 1, 0))
        cause = error.msg
    else:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        place = Place(str(path), (frames[-1].lineno or 1) if frames else 1, (frames[-1].colno or 0) if frames else 0)
        text = (str(error).strip().splitlines() or [""])[0]
        cause = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return InputError("FT102", f"`{path.name}` fails to load: {cause}", at=place, hint=hint)


def _forget(root: Path, name: str, known: set[str]) -> None:
    """Drop the input module and what it imported from its own folder."""
    inside = str(root) + "/"
    for other in set(sys.modules) - known:
        file = getattr(sys.modules[other], "__file__", None) or ""
        is_ours = other == name or (file.startswith(inside) and "site-packages" not in file[len(inside) :])
        if is_ours:
            del sys.modules[other]


@contextlib.contextmanager
def _no_bytecode_files() -> Iterator[None]:
    """Keep Python from writing `__pycache__` beside the user's file."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before
