"""A confined command in a container of docker or podman, for machines where those are the rule.

The host's folders are mounted read-only at their own paths, so that the command and all that it needs is found; the
image gives what lies beside them. A container outlives the program that was asked for it, so it has a name and is
removed by it.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

OWN = ("dev", "proc", "run", "sys")
"""Top-level folders that a container has of its own; scratch files belong into the TMPDIR that a command is given."""
PASSED = ("PATH", "HOME", "LANG", "PYTHONPATH")
"""Variables that a command in a container gets from here, besides those that it is given."""
MOST_FILES = 65_536


@dataclass(frozen=True, slots=True)
class Container:
    """A container to be: `program` is the engine's path, `kind` is `docker` or `podman`. Units: bytes of a file."""

    program: str
    kind: str
    image: str
    folder: Path
    writable: tuple[Path, ...]
    hidden: tuple[Path, ...]
    readable: tuple[Path, ...]
    network: bool
    file_bytes: int
    name: str = field(default_factory=lambda: f"ferrotile-{uuid.uuid4().hex}")

    def command(self, command: Sequence[str], variables: Mapping[str, str]) -> list[str]:
        """How the engine is asked to run a command, and to remove the container after it."""
        words = [self.program, "run", "--rm", "--init", "--name", self.name, "--read-only"]
        words += ["--network", "host" if self.network else "none"]
        words += ["--cap-drop", "ALL", "--security-opt", "no-new-privileges"]
        words += ["--user", f"{os.getuid()}:{os.getgid()}"] + ["--userns=keep-id"] * (self.kind == "podman")
        words += ["--ulimit", f"fsize={self.file_bytes}", "--ulimit", f"nofile={MOST_FILES}"]
        for mount in self.mounts():
            words += ["--mount", mount]
        passed = {key: os.environ[key] for key in PASSED if key in os.environ} | dict(variables)
        for key, value in passed.items():
            words += ["--env", f"{key}={value}"]
        return [*words, "--workdir", str(self.folder), self.image, *command]

    def mounts(self) -> list[str]:
        """The folders of the host, then what is hidden in them, then what may be read or written all the same.

        Engines mount a folder before what lies in it, so the order of these only tells.
        """
        top = sorted(path for path in Path("/").iterdir() if path.is_dir() and not path.is_symlink())
        found = {path: _bound(path, ",readonly") for path in top if path.name not in OWN}
        found |= {path: f"type=tmpfs,destination={path}" for path in self.hidden}
        found |= {path: _bound(path, ",readonly") for path in self.readable}
        found |= {path: _bound(path, "") for path in self.writable}
        return list(found.values())

    def removal(self) -> list[str]:
        """How the engine is asked to end what still runs in it."""
        return [self.program, "rm", "--force", self.name]


def _bound(path: Path, how: str) -> str:
    return f"type=bind,source={path},target={path}{how}"
