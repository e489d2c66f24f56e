"""Whole folders: published at once by a rename, read without following links, and held by one process at a time."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ferrotile.core.errors import EnvironmentFault, InputError

MOST_FILES = 10_000
"""A folder with more files is none of ours."""


def publish(partial: Path, final: Path) -> None:
    """Give a finished folder its name: it is there whole, or not at all. Raises: FT004."""
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        os.rename(partial, final)
    except OSError as error:
        raise _fault("rename", partial, error) from None


def fresh(path: Path) -> Path:
    """An empty folder; what was there is gone. Raises: FT004."""
    discard(path)
    try:
        path.mkdir(parents=True)
    except OSError as error:
        raise _fault("make", path, error) from None
    return path


def discard(path: Path) -> None:
    """Remove a folder, or whatever else has its name. Raises: FT004."""
    try:
        if path.is_symlink() or path.is_file():
            path.unlink()
        elif path.exists():
            shutil.rmtree(path)
    except OSError as error:
        raise _fault("remove", path, error) from None


def regular_files(folder: Path, skip: str = "") -> list[str]:
    """The relative paths of all files of a folder, in order, without those below `skip`; no link is followed.

    Raises: FT020 for anything that is neither a file nor a folder, and for too many files; FT004.
    """
    found: list[str] = []
    waiting = [folder]
    try:
        while waiting:
            for entry in sorted(os.scandir(waiting.pop()), key=lambda one: one.name):
                path = Path(entry.path)
                if path == folder / skip:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                elif not entry.is_file(follow_symlinks=False):
                    kind = "a link" if entry.is_symlink() else "no file"
                    raise InputError("FT020", f"`{path.relative_to(folder)}` is {kind}")
                else:
                    found.append(path.relative_to(folder).as_posix())
                if len(found) > MOST_FILES:
                    raise InputError("FT020", f"`{folder}` holds more than {MOST_FILES} files")
    except OSError as error:
        raise _fault("read", folder, error) from None
    return sorted(found)


def read_regular(path: Path, most_bytes: int) -> bytes:
    """The bytes of a file that is no link. Raises: FT020 for a link, another thing, or a longer file; FT004."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if path.is_symlink():
            raise InputError("FT020", f"`{path.name}` is a link") from None
        raise _fault("read", path, error) from None
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            raise InputError("FT020", f"`{path.name}` is no file of its own")
        if status.st_size > most_bytes:
            raise InputError("FT020", f"`{path.name}` has {status.st_size} bytes, and {most_bytes} is the most")
        return file.read(most_bytes + 1)


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file of a folder, by relative path. Raises: FT004, FT020."""
    return {name: _digest(folder / name) for name in regular_files(folder)}


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold a folder: no other process of ours works in it meanwhile. Raises: FT004, FT021."""
    path = folder / ".lock"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    except OSError as error:
        raise _fault("write", path, error) from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise InputError("FT021", f"another process works in `{folder}`") from None
    try:
        yield
    finally:
        os.close(handle)


@contextmanager
def awaited(folder: Path, patience_s: float) -> Iterator[None]:
    """Hold a folder as `held` does, after waiting for whoever holds it now. Raises: FT004, FT021."""
    until = time.monotonic() + patience_s
    while True:
        try:
            holding = held(folder)
            holding.__enter__()
            break
        except InputError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
    try:
        yield
    finally:
        holding.__exit__(None, None, None)


def made(path: Path) -> Path:
    """A folder that is there from now on. Raises: FT004."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _fault("make", path, error) from None
    return path


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fault(verb: str, path: Path, error: OSError) -> EnvironmentFault:
    return EnvironmentFault("FT004", f"cannot {verb} `{path}`: {(error.strerror or str(error)).lower()}")
