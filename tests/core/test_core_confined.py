"""Foreign commands: they write in their folder and nowhere else, end in time, and leave no process behind."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ferrotile.core import FerrotileError, confined, warden
from ferrotile.core.confined import Confinement, Ended, Limits, can_leave_network, strongest

HAS_LANDLOCK = warden.landlock_version() >= confined.OLDEST_LANDLOCK
ENFORCED = [
    pytest.param(
        Confinement.BUBBLEWRAP, marks=pytest.mark.skipif(not confined._has_bubblewrap(), reason="no bubblewrap")
    ),
    pytest.param(Confinement.LANDLOCK, marks=pytest.mark.skipif(not HAS_LANDLOCK, reason="no Landlock")),
]
ALL = [*ENFORCED, Confinement.NONE]


def python(code: str, folder: Path, kind: Confinement, *arguments: object, **limits: object) -> Ended:
    """Run Python code as a foreign command."""
    allowed = Limits(**{"time_s": 600.0, "folder": folder, "confinement": kind, **limits})  # type: ignore[arg-type]
    return confined.run([sys.executable, "-c", code, *map(str, arguments)], allowed, {"GREETING": "hello"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "work"
    path.mkdir()
    return path


@pytest.mark.parametrize("kind", ALL)
def test_command_works_in_its_folder(kind: Confinement, folder: Path):
    code = "import os,pathlib; pathlib.Path('made').write_text(os.environ['GREETING']); print(os.getcwd()); exit(3)"
    ended = python(code, folder, kind)
    assert (ended.code, ended.output.decode().strip()) == (3, str(folder)), ended
    assert (folder / "made").read_text() == "hello"


WRITES = {
    "write": "open(sys.argv[1], 'w')",
    "append": "open(sys.argv[1], 'a')",
    "truncate": "os.truncate(sys.argv[1], 0)",
    "remove": "os.remove(sys.argv[1])",
    "rename": "os.rename(sys.argv[1], sys.argv[1] + '2')",
    "move in": "os.rename(sys.argv[1], 'mine')",
    "replace": "(open('x', 'w'), os.replace('x', sys.argv[1]))",
    "new file": "open(sys.argv[1] + '2', 'w')",
    "new folder": "os.mkdir(sys.argv[1] + '2')",
    "link": "os.symlink('x', sys.argv[1] + '2')",
    "through a link": "(os.symlink(sys.argv[1], 'l'), open('l', 'w'))",
    "through a child": "subprocess.run(['sh', '-c', 'echo x > ' + sys.argv[1]], check=True)",
}


@pytest.mark.parametrize("how", WRITES)
@pytest.mark.parametrize("kind", ENFORCED)
def test_nothing_is_written_elsewhere(kind: Confinement, how: str, folder: Path, tmp_path: Path):
    kept = tmp_path / "kept.txt"
    kept.write_text("kept")
    ended = python(f"import os,subprocess,sys; {WRITES[how]}", folder, kind, kept)
    assert ended.code not in (0, None) and kept.read_text() == "kept"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept.txt", "work"]


@pytest.mark.parametrize("kind", ENFORCED)
def test_further_folder_may_be_written(kind: Confinement, folder: Path, tmp_path: Path):
    other = tmp_path / "logs"
    other.mkdir()
    assert python("import sys; open(sys.argv[1] + '/log', 'w')", folder, kind, other, writable=(other,)).code == 0


@pytest.mark.parametrize("kind", ENFORCED)
def test_hidden_folder_cannot_be_read_but_what_is_beside_and_allowed_in_it(
    kind: Confinement, folder: Path, tmp_path: Path
):
    for name in ("secret/text", "secret/open/text", "beside/text"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("seen")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    code = "import sys; print(open(sys.argv[1]).read())"
    hidden = {"hidden": (tmp_path / "secret",), "readable": (tmp_path / "secret/open",)}
    for name, seen in (("secret/text", 1), ("link/text", 1), ("secret/open/text", 0), ("beside/text", 0)):
        assert python(code, folder, kind, tmp_path / name, **hidden).code == seen, name
    assert python(code, folder, kind, tmp_path / "secret/text").code == 0


@pytest.mark.skipif(not HAS_LANDLOCK, reason="no Landlock")
def test_files_that_others_remove_meanwhile_do_not_matter(folder: Path, tmp_path: Path):
    (tmp_path / "secret").mkdir()
    setting = {
        "command": [sys.executable, "-c", "print('ran')"], "folder": str(folder), "writable": [str(folder)],
        "hidden": [str(tmp_path / "secret")], "readable": [], "landlock": True, "no_network": False,
        "most_bytes": 1 << 20, "report": 2,
    }  # fmt: skip
    late = f"listed = warden.beside; warden.beside = lambda hidden: [*listed(hidden), {str(tmp_path / 'gone')!r}]"
    code = f"import sys; sys.path.insert(0, sys.argv[1]); import warden; {late}; warden.main(sys.argv[2])"
    words = [sys.executable, "-c", code, str(Path(warden.__file__).parent), json.dumps(setting)]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.stdout == "ran\n" and json.loads(ended.stderr)["code"] == 0, ended


def test_unconfined_is_said_to_be_so(folder: Path, tmp_path: Path):
    ended = python("import sys; open(sys.argv[1], 'w')", folder, Confinement.NONE, tmp_path / "elsewhere")
    assert ended.code == 0 and "only be found afterwards" in ended.how


@pytest.fixture
def port() -> Iterator[int]:
    """A port on this machine where somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


CONNECT = "import socket,sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5)"


@pytest.mark.parametrize("kind", ALL)
def test_network_is_there_only_when_allowed(kind: Confinement, folder: Path, port: int):
    if kind is Confinement.NONE and not can_leave_network():
        assert "network open" in python("pass", folder, kind).how
        return
    ended = python(CONNECT, folder, kind, port)
    assert ended.code == 1 and "no network" in ended.how
    assert python(CONNECT, folder, kind, port, network=True).code == 0


@pytest.mark.parametrize("kind", ALL)
def test_command_is_ended_with_all_that_it_started(kind: Confinement, folder: Path):
    """Children in sessions of their own, which nobody waits for; the folder's name in their command tells them."""
    late = f"import time; time.sleep(6000)  # {folder}"
    child = f"subprocess.Popen([sys.executable, '-c', {late!r}], start_new_session=True)"
    start = f"import subprocess,sys; [{child} for _ in '12']"
    for code, time_s in ((start, 600.0), (f"{start}; import time; time.sleep(600)", 0.6)):
        ended = python(code, folder, kind, time_s=time_s)
        assert ended.too_long == (time_s < 1)
        if not ended.too_long and kind is not Confinement.BUBBLEWRAP:
            assert ended.survivors == 2
        assert not [path for path in Path("/proc").glob("[0-9]*/cmdline") if _speaks_of(path, folder)]


def _speaks_of(command: Path, folder: Path) -> bool:
    """Whether a process that still runs has the folder's name in its command."""
    try:
        return str(folder).encode() in command.read_bytes()
    except OSError:
        return False


@pytest.mark.parametrize("kind", ALL)
def test_output_is_cut_off(kind: Confinement, folder: Path):
    ended = python("while True: print('x' * 1000)", folder, kind, output_bytes=100_000)
    assert ended.too_much and ended.code is None and len(ended.output) == 100_000


@pytest.mark.parametrize("kind", ALL)
def test_file_cannot_grow_without_end(kind: Confinement, folder: Path):
    ended = python("open('big', 'wb').write(bytes(1 << 20))", folder, kind, file_bytes=1 << 16)
    assert ended.code != 0 and (folder / "big").stat().st_size <= 1 << 16


@pytest.mark.parametrize("kind", ENFORCED)
def test_command_cannot_end_its_warden(kind: Confinement, folder: Path):
    if kind is Confinement.LANDLOCK and warden.landlock_version() < 6:
        pytest.skip("signals are kept inside from Landlock 6 on")
    ended = python("import os; os.kill(os.getppid(), 9)", folder, kind)
    assert ended.code not in (None, 0) or kind is Confinement.BUBBLEWRAP


@pytest.mark.parametrize("kind", ALL)
def test_command_that_is_not_there_is_said(kind: Confinement, folder: Path):
    with pytest.raises(FerrotileError, match=r"FT820.*does not start"):
        confined.run(["no-such-command"], Limits(5, folder, confinement=kind), {})


@pytest.mark.skipif(not HAS_LANDLOCK, reason="no Landlock")
def test_command_that_cannot_be_confined_does_not_run(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """A warden whose last system call fails: better no run than one less confined than said."""
    broken = folder.parent / "warden.py"
    broken.write_text(Path(warden.__file__).read_text().replace("444, 445, 446", "444, 445, 99999"))
    monkeypatch.setattr(confined.warden, "__file__", str(broken))
    with pytest.raises(FerrotileError, match=r"FT820.*cannot be confined"):
        python("open('ran', 'w')", folder, Confinement.LANDLOCK)
    assert not (folder / "ran").exists()


def test_strongest_is_what_is_here():
    is_nothing_here = not HAS_LANDLOCK and not confined._has_bubblewrap()
    assert (strongest() is Confinement.NONE) == is_nothing_here


@pytest.mark.skipif(not confined._has_bubblewrap(), reason="no bubblewrap")
def test_inside_another_confinement_the_strongest_that_works_is_taken(folder: Path):
    code = (
        "from pathlib import Path; from ferrotile.core import confined as c; w = Path.cwd() / 'w'; w.mkdir();"
        "e = c.run(['true'], c.Limits(60.0, w), {}); print(e.code, c.strongest()); exit(e.code)"
    )
    ended = python(code, folder, Confinement.BUBBLEWRAP)
    assert ended.code == 0, ended
