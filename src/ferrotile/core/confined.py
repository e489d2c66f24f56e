"""Run a foreign command that may write in its own folder and nowhere else, with limits on time and output.

What holds depends on the machine, and is said, never assumed: bubblewrap or Landlock enforce it, or a container where
that is asked for; without any the command is a plain process, and only looking afterwards can tell (the caller compares
digests). Reading is free, but for folders that are hidden.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from typing import Any

from ferrotile.core import tools, warden
from ferrotile.core.containers import Container
from ferrotile.core.errors import EnvironmentFault, InputError

GRACE_S = 8.0
OLDEST_LANDLOCK = 3
"""Older versions do not keep a command from truncating a file that it may not write."""


class Confinement(StrEnum):
    """What keeps a command in its folder."""

    BUBBLEWRAP = "bubblewrap"
    LANDLOCK = "landlock"
    DOCKER = "docker"
    PODMAN = "podman"
    NONE = "none"

    @property
    def is_container(self) -> bool:
        """Whether it needs an image; such a one is never chosen by itself."""
        return self in (Confinement.DOCKER, Confinement.PODMAN)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a command may do. Units: seconds of wall time, bytes of output and of one file."""

    time_s: float
    folder: Path
    writable: tuple[Path, ...] = ()
    network: bool = False
    output_bytes: int = 8 << 20
    file_bytes: int = 64 << 20
    confinement: Confinement | None = None
    """None: the strongest that this machine has."""
    hidden: tuple[Path, ...] = ()
    """Folders that it may not read either, where something confines it; `readable` are folders in them that it may."""
    readable: tuple[Path, ...] = ()
    image: str | None = None
    """What a container is made of."""


@dataclass(slots=True)
class Ended:
    """How a command ended. `code` is None when it was stopped at a limit; `how` says what confined it."""

    how: str
    code: int | None = None
    output: bytes = b""
    errors: bytes = b""
    seconds: float = 0.0
    too_long: bool = False
    too_much: bool = False
    survivors: int = 0


@dataclass(slots=True)
class _Pipes:
    """What is read of a process, up to a limit for all together."""

    most: int
    parts: dict[str, bytearray] = field(default_factory=dict)

    @property
    def is_full(self) -> bool:
        return sum(map(len, self.parts.values())) > self.most


def run(command: Sequence[str], limits: Limits, variables: dict[str, str]) -> Ended:
    """Run a command to its end, or to a limit; every process that it started is gone afterwards.

    Raises: FT820 when it does not start, or cannot be confined as this machine should.
    """
    command, kind = _found(command), limits.confinement or strongest()
    is_outside = kind in (Confinement.LANDLOCK, Confinement.NONE)
    shut = not limits.network and is_outside and can_leave_network()
    container = _container(kind, limits) if kind.is_container else None
    reading, writing = os.pipe()
    setting: dict[str, Any] = {
        "command": _inside(kind, container, command, limits, variables),
        "folder": str(limits.folder),
        "writable": [str(path) for path in (limits.folder, *limits.writable)],
        "hidden": [str(path.resolve()) for path in limits.hidden],
        "readable": [str(path.resolve()) for path in limits.readable],
        "landlock": kind is Confinement.LANDLOCK,
        "no_network": shut,
        "most_bytes": limits.file_bytes,
        "report": writing,
    }
    ended = Ended(described(kind, limits.network, shut))
    began = time.monotonic()
    try:
        argv = [sys.executable, "-I", "-S", warden.__file__, json.dumps(setting)]
        process = tools.start(argv, limits.folder, {**os.environ, **variables}, writing)
    finally:
        os.close(writing)
    with os.fdopen(reading, "rb") as report:
        try:
            _read(process, ended, began + limits.time_s, limits.output_bytes)
        finally:
            _end(process)
            if container is not None:
                _finish(tools.start(container.removal(), limits.folder, os.environ, None))
        told = report.read()
    ended.seconds = time.monotonic() - began
    return _judged(ended, command, told)


def _inside(
    kind: Confinement, container: Container | None, command: list[str], limits: Limits, variables: dict[str, str]
) -> list[str]:
    """The command with the program around it that confines it, if that is another than the warden."""
    if container is not None:
        return container.command(command, variables)
    return _wrapped(command, limits) if kind is Confinement.BUBBLEWRAP else command


def _container(kind: Confinement, limits: Limits) -> Container:
    """The container for a command. Raises: FT820 without an image or without the engine."""
    if not limits.image:
        raise InputError("FT820", f"`{kind}` needs an image: name one with `--agent-image`")
    (engine,) = _found([kind.value])
    resolved = (tuple(path.resolve() for path in paths) for paths in (limits.hidden, limits.readable))
    hidden, readable = resolved
    return Container(
        engine, kind.value, limits.image, limits.folder, (limits.folder, *limits.writable), hidden, readable,
        limits.network, limits.file_bytes,
    )  # fmt: skip


def _finish(process: Any) -> None:
    """Wait for a program that ends by itself; what it prints is of no use."""
    with suppress(Exception):
        process.communicate(timeout=GRACE_S)
    if process.poll() is None:
        process.kill()
        process.communicate()


def _found(command: Sequence[str]) -> list[str]:
    """The command with the path of its program. Raises: FT820."""
    path = shutil.which(command[0])
    if path is None:
        raise InputError("FT820", f"`{command[0]}` does not start: there is no such program")
    return [str(Path(path).absolute()), *command[1:]]


def strongest() -> Confinement:
    """The strongest confinement of this machine."""
    if _has_bubblewrap():
        return Confinement.BUBBLEWRAP
    return Confinement.LANDLOCK if warden.landlock_version() >= OLDEST_LANDLOCK else Confinement.NONE


def described(kind: Confinement, network: bool, shut: bool) -> str:
    """What holds, in words."""
    version = warden.landlock_version()
    writes = {
        Confinement.BUBBLEWRAP: "bubblewrap: writes only in its folder",
        Confinement.LANDLOCK: f"Landlock {version}: writes only in its folder",
        Confinement.DOCKER: "docker: writes only in its folder",
        Confinement.PODMAN: "podman: writes only in its folder",
        Confinement.NONE: "a plain process: what it writes elsewhere can only be found afterwards",
    }[kind]
    if network:
        return f"{writes}; network allowed"
    if kind is Confinement.BUBBLEWRAP or kind.is_container or shut:
        return f"{writes}; no network"
    return f"{writes}; network open"


@functools.cache
def can_leave_network() -> bool:
    """Whether a process may have a network namespace of its own here, tried in a child."""
    argv = [sys.executable, "-I", "-S", warden.__file__, warden.TRY_NETWORK]
    return _works(argv)


@functools.cache
def _has_bubblewrap() -> bool:
    path = shutil.which("bwrap")
    if path is None:
        return False
    # All that a command needs is tried: inside another bubblewrap, or a container, /proc may not be mounted.
    return _works([path, "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true"])


def _works(argv: list[str]) -> bool:
    process = tools.start(argv, Path("/"), dict(os.environ), None)
    process.communicate()
    return process.returncode == 0


def _wrapped(command: Sequence[str], limits: Limits) -> list[str]:
    """The command inside bubblewrap; what it starts dies with it, for it has process numbers of its own."""
    writable = [part for path in (limits.folder, *limits.writable) for part in ("--bind", str(path), str(path))]
    network = ["--share-net"] * limits.network
    hidden = [part for path in limits.hidden for part in ("--tmpfs", str(path.resolve()))]
    hidden += [part for path in limits.readable for part in ("--ro-bind", str(path), str(path))]
    fixed = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", *hidden, *writable]
    fixed += ["--chdir", str(limits.folder)]
    return ["bwrap", "--unshare-all", *network, "--die-with-parent", "--new-session", *fixed, "--", *command]


def _read(process: Any, ended: Ended, until: float, most: int) -> None:
    """Read both pipes until the process ends or a limit is reached."""
    pipes = _Pipes(most, {"output": bytearray(), "errors": bytearray()})
    with DefaultSelector() as selector:
        for name, pipe in (("output", process.stdout), ("errors", process.stderr)):
            selector.register(pipe, EVENT_READ, name)
        while selector.get_map() and not pipes.is_full:
            if (left := until - time.monotonic()) <= 0:
                ended.too_long = True
                break
            for key, _ in selector.select(left):
                data = os.read(key.fd, 1 << 16)
                pipes.parts[key.data] += data
                if not data:
                    selector.unregister(key.fileobj)
    ended.too_much = pipes.is_full
    ended.output, ended.errors = (bytes(pipes.parts[name][:most]) for name in ("output", "errors"))


def _end(process: Any) -> None:
    """Let the warden end all that it started; if it does not, end its group."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(GRACE_S)
        except Exception:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    process.stdout.close()
    process.stderr.close()


def _judged(ended: Ended, command: Sequence[str], told: bytes) -> Ended:
    if ended.too_long or ended.too_much:
        return ended
    if not told:
        first = ended.errors.decode(errors="replace").strip().splitlines()
        raise EnvironmentFault("FT820", f"`{command[0]}` broke off: {first[-1] if first else 'no message'}")
    answer = json.loads(told)
    ended.code, ended.survivors = answer["code"], answer["survivors"]
    if ended.code in (127, warden.NOT_CONFINED):
        first = ended.errors.decode(errors="replace").strip().splitlines()
        raise InputError("FT820", first[-1] if first else f"`{command[0]}` does not start")
    return ended
