"""The one place that writes files: each file appears whole or not at all (temporary file, then rename)."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ferrotile.core.errors import EnvironmentFault


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file atomically, making its folders. Raises: FT004."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.chmod(name, 0o644)
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise EnvironmentFault("FT004", f"cannot write `{path}`: {(error.strerror or str(error)).lower()}") from None


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically as UTF-8. Raises: FT004."""
    write_bytes(path, text.encode())


def write_json(path: Path, value: Any) -> None:
    """Write a value atomically as indented JSON. Raises: FT004."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def replace_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make a folder with exactly these files, in place of one of this name; it appears whole. Raises: FT004."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            for name, data in files.items():
                (made / name).write_bytes(data)
            made.chmod(0o755)
            if folder.exists():
                _exchange(folder, made)
            else:
                os.replace(made, folder)
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise
    except OSError as error:
        raise EnvironmentFault("FT004", f"cannot write `{folder}`: {(error.strerror or str(error)).lower()}") from None


def _exchange(folder: Path, made: Path) -> None:
    """Put a folder in the place of another, which comes back if that fails."""
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        os.replace(folder, aside / "old")
        try:
            os.replace(made, folder)
        except BaseException:
            os.replace(aside / "old", folder)
            raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def remove(path: Path) -> None:
    """Remove a file if it is there. Raises: FT004."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise EnvironmentFault("FT004", f"cannot remove `{path}`: {(error.strerror or str(error)).lower()}") from None


@contextmanager
def scratch() -> Iterator[Path]:
    """A temporary folder that is gone afterwards. Raises: FT004."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="ferrotile-"))
    except OSError as error:
        raise EnvironmentFault(
            "FT004", f"cannot make a temporary folder: {(error.strerror or str(error)).lower()}"
        ) from None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
