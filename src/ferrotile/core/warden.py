"""The parent of a foreign command: confines it, waits for it, and lets nothing that it started live on.

Run as a script by `core.confined`, by path and with nothing but the standard library: `warden.py SETTING_JSON`. The
setting has `command`, `folder`, `writable` and `hidden` (folders), `readable` (folders inside hidden ones), `landlock`,
`no_network`, `most_bytes` (a file), `report` (a file descriptor). What cannot be set up as asked ends it with code 125:
it never runs a command less confined than said.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import sys
import time
from typing import Any, NoReturn

PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, PR_SET_CHILD_SUBREAPER = 1, 38, 36
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
READS = 1 << 0 | 1 << 2 | 1 << 3
"""Execute, read a file, read a folder: free, unless something is hidden."""
WRITES = {1: 0x1FFF & ~READS, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
"""Rights that each version of Landlock added: write, make, remove; refer; truncate; ioctl on devices."""
TCP = {4: 0b11}
SCOPES = {6: 0b11}
"""Abstract sockets and signals stay inside."""
FILE_RIGHTS = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx")
TRY_NETWORK = "try-network"
NOT_CONFINED, PATIENCE_S = 125, 5.0
libc = ctypes.CDLL(None, use_errno=True)


class Ruleset(ctypes.Structure):
    """struct landlock_ruleset_attr"""

    _fields_ = [("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class Beneath(ctypes.Structure):
    """struct landlock_path_beneath_attr"""

    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def landlock_version() -> int:
    """What the kernel offers; 0 for nothing."""
    return max(libc.syscall(CREATE_RULESET, None, 0, 1), 0)


def added(table: dict[int, int], version: int) -> int:
    """The rights of all versions up to this one."""
    rights = 0
    for since, bits in table.items():
        rights |= bits if since <= version else 0
    return rights


def restrict(setting: dict[str, Any]) -> None:
    """Let this process and its children write below the writable folders and nowhere else. Raises: OSError."""
    version, no_network = landlock_version(), setting["no_network"]
    reads = READS if setting["hidden"] else 0
    rights = added(WRITES, version) | reads
    attributes = Ruleset(rights, added(TCP, version) if no_network else 0, added(SCOPES, version))
    size = ctypes.sizeof(Ruleset) if version >= 6 else 16 if version >= 4 else 8
    ruleset = called(libc.syscall(CREATE_RULESET, ctypes.byref(attributes), size, 0))
    for path in (*setting["writable"], *DEVICES):
        if os.path.exists(path):
            allow(ruleset, path, rights, 0)
    if reads:
        for path in setting["readable"]:
            allow(ruleset, path, reads, os.O_NOFOLLOW)
        for path in beside(setting["hidden"]):
            with contextlib.suppress(FileNotFoundError):  # others remove their files meanwhile
                allow(ruleset, path, reads, os.O_NOFOLLOW)
    called(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    called(libc.syscall(RESTRICT_SELF, ruleset, 0))


def allow(ruleset: int, path: str, rights: int, flags: int) -> None:
    """Add a rule for a path and all below it. Raises: OSError."""
    handle = os.open(path, os.O_PATH | os.O_CLOEXEC | flags)
    allowed = rights if os.path.isdir(path) else rights & FILE_RIGHTS
    called(libc.syscall(ADD_RULE, ruleset, 1, ctypes.byref(Beneath(allowed, handle)), 0))
    os.close(handle)


def beside(hidden: list[str]) -> list[str]:
    """All that is neither hidden nor holds something hidden: rules only allow, so what stays is spelled out.

    Links are left out, for a rule counts for what they lead to.
    """
    found, waiting = [], ["/"]
    while waiting:
        folder = waiting.pop()
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if path in hidden or os.path.islink(path):
                continue
            if any(one.startswith(path + "/") for one in hidden):
                waiting.append(path)
            else:
                found.append(path)
    return found


def leave_network() -> None:
    """Go where there is no network: a namespace of its own, in one for users where that is needed. Raises: OSError."""
    if libc.unshare(CLONE_NEWNET) == 0:
        return
    user, group = os.getuid(), os.getgid()
    called(libc.unshare(CLONE_NEWUSER | CLONE_NEWNET))
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def called(answer: int) -> int:
    """The answer of a system call. Raises: OSError."""
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return answer


def become(setting: dict[str, Any]) -> NoReturn:
    """In the child: confine, then become the command."""
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (setting["most_bytes"], setting["most_bytes"]))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.chdir(setting["folder"])
        if setting["no_network"]:
            leave_network()
        if setting["landlock"]:
            restrict(setting)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    except OSError as error:
        os.write(2, f"the command cannot be confined: {error}\n".encode())
        os._exit(NOT_CONFINED)
    try:
        os.execvp(setting["command"][0], setting["command"])
    except OSError as error:
        os.write(2, f"`{setting['command'][0]}` does not start: {error.strerror}\n".encode())
    os._exit(127)


def children() -> list[int]:
    """The processes whose parent this is; orphans of the command come here, because this is their reaper."""
    found, ours = [], os.getpid()
    for name in os.listdir("/proc"):
        if not name.isdecimal():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == ours and fields[0] != b"Z":
            found.append(int(name))
    return found


def end_all() -> int:
    """Kill every descendant; how many still ran."""
    ended: set[int] = set()
    patience = time.monotonic() + PATIENCE_S
    while time.monotonic() < patience:
        running = children()
        for child in running:
            ended.add(child)
            os.kill(child, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            break
        time.sleep(0.01)
    return len(ended)


def main(text: str) -> None:
    """Run the command of a setting; its exit code, and how many of its children outlived it, go to the report."""
    if text == TRY_NETWORK:
        leave_network()
        return
    setting = json.loads(text)
    parent = os.getppid()
    called(libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
    called(libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0))
    child = os.fork()
    if child == 0:
        os.close(setting["report"])
        become(setting)

    def stop(*_: Any) -> NoReturn:
        end_all()
        os._exit(128 + signal.SIGTERM)

    signal.signal(signal.SIGTERM, stop)
    if os.getppid() != parent:
        stop()
    status = 0
    while True:
        done, status = os.waitpid(-1, 0)
        if done == child:
            break
    code = os.waitstatus_to_exitcode(status)
    os.write(setting["report"], json.dumps({"code": code, "survivors": end_all()}).encode())


if __name__ == "__main__":
    main(sys.argv[1])
