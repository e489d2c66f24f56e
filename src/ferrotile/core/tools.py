"""The one place that starts processes: finds the outside tools, runs them, and caches what they make.

Every call gets a cleaned environment (an older toolkit named by CUDA_HOME makes tileiras fail without a
reason), a time limit, and the tool's own folder on PATH (tileiras looks for ptxas there).
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import re
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ferrotile.core import store
from ferrotile.core.errors import EnvironmentFault, InputError

NVIDIA_TOOLS = ("tileiras", "tileirdisasm", "ptxas", "nvdisasm")
RUST_TOOLS = ("rustfmt", "cargo")
CURES = {
    "tileiras": "pip install nvidia-cuda-tileiras==13.5.37",
    "tileirdisasm": "pip install nvidia-cuda-tileiras==13.5.37",
    "ptxas": "pip install nvidia-cuda-nvcc==13.5.37",
    "nvdisasm": "pip install nvidia-cuda-nvdisasm==13.5.37",
    "rustfmt": "rustup component add rustfmt",
    "cargo": "install Rust with rustup (a stable toolchain)",
    "git": "install git",
}
TOOLKIT_VARIABLES = (
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_ROOT",
    "CUDA_BIN_PATH",
    "CUDA_LIB_PATH",
    "CUDA_TOOLKIT_PATH",
    "NVVMIR_LIBRARY_DIR",
)
"""Variables that lead NVIDIA's tools to another toolkit than their own wheels."""
REPOSITORY_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX")
"""Variables of a git hook, which lead git to another repository than the one that it is told of."""
LOADER_VARIABLES = ("LD_LIBRARY_PATH", "LD_PRELOAD")
WIDE = "use_small_heuristics=Max"
"""How rustfmt lays kernels out: calls, chains and `if` may be as wide as a line, 100 characters."""
GRACE_S = 5.0
CUBIN_MAGIC = b"\x7fELF"


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that was found: where it is and what it calls its version."""

    name: str
    path: Path
    version: str


@dataclass(frozen=True, slots=True)
class Ran:
    """What a finished process left. `code` is negative when a signal ended it."""

    code: int
    stdout: bytes
    stderr: bytes
    seconds: float

    @property
    def first_line(self) -> str:
        """The first line it complained with, or how it ended."""
        for line in self.stderr.decode(errors="replace").splitlines():
            if line.strip():
                return line.strip()
        return f"ended by signal {-self.code}" if self.code < 0 else f"exit code {self.code}, no message"


@dataclass(frozen=True, slots=True)
class Assembled:
    """What tileiras made of a program: a cubin, or its refusal's first line."""

    cubin: bytes | None
    refusal: str | None
    cached: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class _Setting:
    timeout_s: float
    stdin: bytes = b""
    folder: Path | None = None
    keep: tuple[str, ...] = ()


def find(name: str) -> Tool:
    """Find a tool: in the folder FERROTILE_TOOLS when set (and nowhere else), in the wheels, on PATH.

    Raises: FT001 with the command that installs it.
    """
    return _found(name, os.environ.get("FERROTILE_TOOLS"), os.environ.get("PATH", ""))


def run(
    name: str,
    arguments: Sequence[str],
    *,
    timeout_s: float,
    stdin: bytes = b"",
    folder: Path | None = None,
    keep: Sequence[str] = (),
) -> Ran:
    """Run a tool in a cleaned environment; `keep` names variables to leave in it. Raises: FT001, FT002."""
    tool = find(name)
    return _run(tool, arguments, _Setting(timeout_s, stdin, folder, tuple(keep)))


def run_in_foreground(command: Sequence[str], variables: Mapping[str, str], *, quiet: bool = False) -> int:
    """Run a user's command as a shell would: it has the terminal and the user's environment, and our variables.

    `quiet`: what it prints goes to stderr. Its exit code, negative when a signal ended it. Raises: FT117.
    """
    try:
        process = subprocess.Popen(list(command), env={**os.environ, **variables}, stdout=2 if quiet else None)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError("FT117", f"the command `{command[0]}` does not start: {reason}") from None
    try:
        return process.wait()
    finally:
        _let_end(process)


def start(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], inherited: int | None
) -> subprocess.Popen[bytes]:
    """Start a process in a session of its own, with pipes for what it prints; `inherited` is a descriptor for it.

    Who calls this ends the process. Raises: FT003.
    """
    pipe, kept = subprocess.PIPE, () if inherited is None else (inherited,)
    try:
        return subprocess.Popen(
            list(command), stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, cwd=folder, env=environment,
            pass_fds=kept, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise EnvironmentFault("FT003", f"`{command[0]}` does not start: {reason}") from None


def assemble(bytecode: bytes, target: str, *, opt_level: int = 3, timeout_s: float = 600) -> Assembled:
    """Compile a Tile IR program to a cubin, or give the refusal; cubins are cached by content.

    Raises: FT001, FT002, FT004.
    """
    started = time.monotonic()
    cached = cache_folder() / "cubins" / _cubin_name(bytecode, target, opt_level)
    if (cubin := _read_cubin(cached)) is not None:
        return Assembled(cubin, None, True, time.monotonic() - started)
    made = assemble_afresh(bytecode, target, opt_level=opt_level, timeout_s=timeout_s)
    if made.cubin is not None:
        store.write_bytes(cached, made.cubin)
    return made


def assemble_afresh(
    bytecode: bytes, target: str, *, opt_level: int = 3, timeout_s: float = 600, keep: Sequence[str] = ()
) -> Assembled:
    """As `assemble`, without the cache; `keep` names variables to leave in the environment. Raises: FT001, FT002."""
    with store.scratch() as folder:
        store.write_bytes(folder / "kernel.tileirbc", bytecode)
        arguments = ["--gpu-name", target, f"--opt-level={opt_level}", "kernel.tileirbc", "-o", "kernel.cubin"]
        ran = run("tileiras", arguments, timeout_s=timeout_s, folder=folder, keep=keep)
        cubin = _read_cubin(folder / "kernel.cubin") if ran.code == 0 else None
    return Assembled(cubin, None if cubin is not None else ran.first_line, False, ran.seconds)


def assemble_with_lines(bytecode: bytes, target: str, *, timeout_s: float = 600) -> Assembled:
    """As `assemble`, with line numbers in the cubin; cached apart. Raises: FT001, FT002, FT004."""
    started = time.monotonic()
    cached = cache_folder() / "cubins-with-lines" / _cubin_name(bytecode, target, 3)
    if (cubin := _read_cubin(cached)) is not None:
        return Assembled(cubin, None, True, time.monotonic() - started)
    with store.scratch() as folder:
        store.write_bytes(folder / "kernel.tileirbc", bytecode)
        arguments = ["--gpu-name", target, "--opt-level=3", "--lineinfo", "kernel.tileirbc", "-o", "kernel.cubin"]
        ran = run("tileiras", arguments, timeout_s=timeout_s, folder=folder)
        cubin = _read_cubin(folder / "kernel.cubin") if ran.code == 0 else None
    if cubin is not None:
        store.write_bytes(cached, cubin)
    return Assembled(cubin, None if cubin is not None else ran.first_line, False, ran.seconds)


def disassemble_cubin(cubin: bytes, *, lines: bool = False, timeout_s: float = 300) -> str:
    """The SASS text of a cubin's code sections, `lines`: with source lines between. Raises: FT001, FT002, FT003."""
    with store.scratch() as folder:
        store.write_bytes(folder / "kernel.cubin", cubin)
        arguments = ["--print-code", *["--print-line-info-inline"] * lines, "kernel.cubin"]
        return _text(run("nvdisasm", arguments, timeout_s=timeout_s, folder=folder), "nvdisasm")


def disassemble_bytecode(bytecode: bytes, *, places: bool = False, timeout_s: float = 60) -> str:
    """The text form of a Tile IR program, with source places on request. Raises: FT001, FT002, FT003."""
    with store.scratch() as folder:
        store.write_bytes(folder / "kernel.tileirbc", bytecode)
        arguments = ["-g"] * places + ["kernel.tileirbc"]
        return _text(run("tileirdisasm", arguments, timeout_s=timeout_s, folder=folder), "tileirdisasm")


def format_rust(text: str, *, edition: str = "2024", layout: str = WIDE, timeout_s: float = 60) -> str:
    """Rust text as rustfmt lays it out; `layout`: its options, "" for none. Raises: FT001, FT002, FT003."""
    options = ["--config", layout] if layout else []
    arguments = ["--edition", edition, *options, "--emit", "stdout"]
    return _text(run("rustfmt", arguments, timeout_s=timeout_s, stdin=text.encode()), "rustfmt")


def cache_folder() -> Path:
    """The folder of the user's cache that is ours; FERROTILE_CACHE names another."""
    if chosen := os.environ.get("FERROTILE_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "ferrotile"


def cleaned_environment(tool_folder: Path, environment: Mapping[str, str], keep: Sequence[str] = ()) -> dict[str, str]:
    """The environment for a tool: no other toolkit, its own folder first on PATH, plain messages."""
    dropped = {*TOOLKIT_VARIABLES, *LOADER_VARIABLES, *REPOSITORY_VARIABLES} - set(keep)
    kept = {name: value for name, value in environment.items() if name not in dropped}
    kept["PATH"] = os.pathsep.join([str(tool_folder), kept.get("PATH", os.defpath)])
    kept["LC_ALL"] = "C"
    return kept


def wheel_folders() -> list[Path]:
    """The `bin` folders of NVIDIA's wheels in this Python environment."""
    spec = importlib.util.find_spec("nvidia")
    roots = [Path(root) for root in (spec.submodule_search_locations or ())] if spec else []
    return [folder for root in roots for folder in sorted(root.glob("cu*/bin"), reverse=True)]


@functools.cache
def _found(name: str, only_folder: str | None, search_path: str) -> Tool:
    for folder in _folders(name, only_folder, search_path):
        path = folder / name
        if path.is_file() and os.access(path, os.X_OK):
            return Tool(name, path, _version(name, path))
    raise EnvironmentFault("FT001", f"`{name}` was not found", hint=CURES.get(name, "run `ferrotile doctor`"))


def _folders(name: str, only_folder: str | None, search_path: str) -> list[Path]:
    if only_folder is not None:
        return [Path(only_folder)]
    on_path = [Path(part) for part in search_path.split(os.pathsep) if part]
    if name in RUST_TOOLS:
        return [*on_path, Path.home() / ".cargo" / "bin"]
    return [*wheel_folders(), *on_path]


def _version(name: str, path: Path) -> str:
    ran = _run(Tool(name, path, ""), ["--version"], _Setting(timeout_s=60))
    text = ran.stdout.decode(errors="replace")
    if match := re.search(r"V(\d+\.\d+\.\d+)", text) or re.search(r"(\d+\.\d+\.\d+\S*)", text):
        return match.group(1)
    raise EnvironmentFault("FT003", f"`{path}` did not tell its version: {ran.first_line}", hint=CURES.get(name))


def _run(tool: Tool, arguments: Sequence[str], setting: _Setting) -> Ran:
    started = time.monotonic()
    environment = cleaned_environment(tool.path.parent, os.environ, setting.keep)
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(
            [str(tool.path), *arguments],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            cwd=setting.folder,
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise EnvironmentFault("FT003", f"`{tool.path}` does not start: {reason}", hint=CURES.get(tool.name)) from None
    try:
        stdout, stderr = process.communicate(setting.stdin, timeout=setting.timeout_s)
    except subprocess.TimeoutExpired:
        raise EnvironmentFault("FT002", f"`{tool.name}` took more than {setting.timeout_s:g} s") from None
    finally:
        _end(process)
    return Ran(process.returncode, stdout, stderr, time.monotonic() - started)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the tool and what it started, if it still runs (time-out, or an interrupt of ours)."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _let_end(process: subprocess.Popen[bytes]) -> None:
    """Give a command that was interrupted together with us some seconds to end by itself."""
    try:
        process.wait(timeout=GRACE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _text(ran: Ran, name: str) -> str:
    if ran.code != 0:
        raise EnvironmentFault("FT003", f"`{name}` failed: {ran.first_line}")
    return ran.stdout.decode(errors="replace")


def _cubin_name(bytecode: bytes, target: str, opt_level: int) -> Path:
    version = find("tileiras").version
    key = hashlib.sha256(f"tileiras {version} {target} O{opt_level}\n".encode() + bytecode).hexdigest()
    return Path(key[:2]) / f"{key}.cubin"


def _read_cubin(path: Path) -> bytes | None:
    try:
        data = path.read_bytes()
    except OSError:
        return None
    return data if data.startswith(CUBIN_MAGIC) else None
