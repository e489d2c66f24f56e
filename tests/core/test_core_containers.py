"""Commands in containers: how docker and podman are asked. Neither is here, a script stands in for both."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ferrotile.core import FerrotileError, confined
from ferrotile.core.confined import Confinement, Ended, Limits

ENGINE = Path(__file__).with_name("engine.py")
CONTAINERS = [Confinement.DOCKER, Confinement.PODMAN]
Python = Callable[..., Ended]


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[list[str]]]:
    """Puts the stand-ins in the path; gives what they were asked so far."""
    programs, log = tmp_path / "programs", tmp_path / "calls.jsonl"
    programs.mkdir()
    for kind in CONTAINERS:
        script = programs / kind.value
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -I {shlex.quote(str(ENGINE))} "$@"\n')
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("ENGINE_LOG", str(log))
    return lambda: [json.loads(line) for line in log.read_text().splitlines()]


@pytest.fixture
def python(tmp_path: Path) -> Python:
    """Runs Python code as a command in a container."""
    (tmp_path / "work").mkdir()

    def run(code: str, kind: Confinement, **limits: Any) -> Ended:
        fields = {"time_s": 60.0, "folder": tmp_path / "work", "confinement": kind, "image": "image:1", **limits}
        return confined.run([sys.executable, "-c", code], Limits(**fields), {"GREETING": "hello"})

    return run


def values(words: list[str], option: str) -> list[str]:
    """What an option is given, each time."""
    return [words[k + 1] for k, word in enumerate(words) if word == option]


@pytest.mark.parametrize("kind", CONTAINERS)
def test_engine_is_asked_for_a_container_that_may_write_in_the_folder_alone(
    kind: Confinement, calls: Any, python: Python, tmp_path: Path
):
    code = "import os; open('made', 'w').write(os.environ['GREETING']); print(os.environ.get('ENGINE_LOG')); exit(3)"
    hidden, open_ = tmp_path / "secret", tmp_path / "secret/open"
    open_.mkdir(parents=True)
    ended = python(code, kind, hidden=(hidden,), readable=(open_,), file_bytes=1 << 20)
    assert (ended.code, ended.output.decode().strip()) == (3, "None"), "it has the variables that it is given"
    assert ended.how == f"{kind}: writes only in its folder; no network"
    assert (tmp_path / "work/made").read_text() == "hello"
    asked, removed = calls()
    (name,) = values(asked, "--name")
    assert removed == ["rm", "--force", name]
    assert values(asked, "--network") == ["none"] and values(asked, "--cap-drop") == ["ALL"]
    assert "fsize=1048576" in values(asked, "--ulimit") and {"--rm", "--init", "--read-only"} <= set(asked)
    assert ("--userns=keep-id" in asked) == (kind is Confinement.PODMAN)
    mounts = values(asked, "--mount")
    assert [mount for mount in mounts if not mount.endswith(",readonly")] == [
        f"type=tmpfs,destination={hidden}",
        f"type=bind,source={tmp_path}/work,target={tmp_path}/work",
    ]
    assert {"type=bind,source=/usr,target=/usr,readonly", f"type=bind,source={open_},target={open_},readonly"} <= {
        *mounts
    }
    assert not [mount for mount in mounts if "source=/proc" in mount or "source=/run," in mount]
    assert asked[asked.index("image:1") + 1 :] == [sys.executable, "-c", code]


def test_network_and_further_folders_only_where_allowed(calls: Any, python: Python, tmp_path: Path):
    ended = python("pass", Confinement.DOCKER, network=True, writable=(tmp_path,))
    assert ended.code == 0 and ended.how.endswith("network allowed")
    assert values(calls()[0], "--network") == ["host"]
    assert f"type=bind,source={tmp_path},target={tmp_path}" in values(calls()[0], "--mount")


def test_container_is_removed_at_the_limit(calls: Any, python: Python):
    ended = python("import time; time.sleep(600)", Confinement.DOCKER, time_s=1.5)
    assert ended.too_long and calls()[-1] == ["rm", "--force", *values(calls()[0], "--name")]


def test_what_the_engine_refuses_is_said(calls: Any, python: Python, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ENGINE_FAULT", "docker: Error response from daemon: no such image.")
    with pytest.raises(FerrotileError, match="no such image") as caught:
        python("pass", Confinement.DOCKER)
    assert caught.value.code == "FT820"


@pytest.mark.parametrize(
    ("path", "image", "words"), [(None, None, "--agent-image"), ("/nowhere", "i", "no such program")]
)
def test_missing_image_or_engine_is_said(
    path: str | None, image: str | None, words: str, calls: Any, python: Python, monkeypatch: pytest.MonkeyPatch
):
    if path is not None:
        monkeypatch.setenv("PATH", path)
    with pytest.raises(FerrotileError, match=words) as caught:
        python("pass", Confinement.PODMAN, image=image)
    assert caught.value.code == "FT820"
    assert confined.strongest().is_container is False, "a container is only taken where it is asked for"
