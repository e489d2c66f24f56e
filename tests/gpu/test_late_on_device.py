"""A library that compiles at the first call, on a GPU: the bits of the reference, in a graph too, one run a program.

Needs a GPU, torch, and a pack (tests/gpu/pack_c_abi.py). Each test runs with the stand-in for tileiras of the pack,
which knows the programs that were packed, and with the real one where it is: in the folder that FERROTILE_TOOLS names,
in NVIDIA's wheels, or on PATH.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
PACK = Path(os.environ.get("FERROTILE_PACK", ""))
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(
        not (PACK / "late" / "functions.json").is_file() or not torch.cuda.is_available(),
        reason="needs FERROTILE_PACK and a GPU",
    ),
]
HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import c_abi  # noqa: E402
import launch  # noqa: E402
from test_c_abi_on_device import Chain, eager, replayed, run, same, vectors  # noqa: E402
from test_examples_on_device import CASES  # noqa: E402

COUNTING = """\
#!/bin/sh
# The compiler itself, and a line for each of its runs.
case "$*" in *--version*) ;; *) echo "$*" >>"{here}/runs" ;; esac
[ -e "{here}/fails" ] && [ "$*" != --version ] && {{ echo "error: no luck" >&2; exit 3; }}
PATH="{real}:$PATH" exec "{real}/tileiras" "$@"
"""


def real_compiler() -> Path | None:
    """The folder of NVIDIA's tileiras."""
    named = os.environ.get("FERROTILE_TOOLS", "")
    spec = importlib.util.find_spec("nvidia")
    roots = list(spec.submodule_search_locations or ()) if spec else []
    folders = [Path(named)] * bool(named) + [found for root in roots for found in Path(root).glob("cu*/bin")]
    folders += [Path(part) for part in os.environ.get("PATH", "").split(os.pathsep) if part]
    found = (one for one in folders if (one / "tileiras").is_file() and not one.is_relative_to(PACK.resolve()))
    return next(found, None)


class Late:
    """Copies of the library, each as a new process would have it, over one compiler and one cache."""

    def __init__(self, place: Path, real: Path, patch: pytest.MonkeyPatch) -> None:
        self.place, self.copies = place, 0
        (place / "tools").mkdir()
        script = place / "tools" / "tileiras"
        script.write_text(COUNTING.format(here=script.parent, real=real.resolve()))
        script.chmod(0o755)
        patch.setenv("FERROTILE_TOOLS", str(script.parent))
        patch.setenv("FERROTILE_CACHE", str(place / "cache"))

    def fresh(self) -> c_abi.Library:
        """A library that has compiled nothing: under another path, it is loaded once more."""
        self.copies += 1
        folder = self.place / f"library-{self.copies}"
        folder.mkdir()
        for name in ("functions.json", "libcutile_kernels.so"):
            shutil.copy2(PACK / "late" / name, folder / name)
        return c_abi.Library(folder)

    @property
    def runs(self) -> int:
        """How many times the compiler ran."""
        path = self.place / "tools" / "runs"
        return len(path.read_text().splitlines()) if path.is_file() else 0

    @property
    def cached(self) -> list[Path]:
        return sorted((self.place / "cache" / "jit").iterdir())


@pytest.fixture(params=["stand-in", "tileiras"])
def late(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Late]:
    real = PACK / "late" / "bin" if request.param == "stand-in" else real_compiler()
    if real is None:
        pytest.skip("there is no tileiras")
    torch.zeros(1, device="cuda")
    yield Late(tmp_path, real, monkeypatch)


def added(library: c_abi.Library) -> None:
    values = vectors()
    library.call("vector_add", values, (4,), 0)
    torch.cuda.synchronize()
    assert torch.equal(values["a"] + values["b"], values["total"])


def test_what_is_compiled_here_gives_the_bits_of_the_reference(late: Late) -> None:
    library = late.fresh()
    for name in sorted(CASES):
        torch.manual_seed(0)
        inputs, _ = CASES[name]()
        before = library.launch_count
        compiled = run(name, library, inputs)
        assert library.launch_count > before
        for left, right in zip(compiled, run(name, launch.Launcher(PACK), inputs), strict=True):
            assert torch.equal(left.view(torch.uint8), right.view(torch.uint8)), name
    assert late.runs == len(late.cached) >= len(CASES)


def test_a_second_library_compiles_nothing_and_a_damaged_file_is_compiled_again(late: Late) -> None:
    added(late.fresh())
    added(late.fresh())
    assert late.runs == 1
    (cached,) = late.cached
    whole = cached.read_bytes()
    cached.write_bytes(whole[:1000] + bytes([whole[1000] ^ 1]) + whole[1001:])
    added(late.fresh())
    assert late.runs == 2 and cached.read_bytes() == whole


def test_first_calls_in_a_capture_are_compiled_and_captured(late: Late) -> None:
    chain = Chain(late.fresh())
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        chain.launch(stream)
    assert late.runs == chain.library.launch_count == 3
    assert same(replayed(chain, stream, graph), eager(chain, stream)) and late.runs == 3


def test_a_failure_is_told_and_launches_nothing(late: Late, monkeypatch: pytest.MonkeyPatch) -> None:
    (late.place / "tools" / "fails").touch()
    library = late.fresh()
    for _ in range(2):
        with pytest.raises(c_abi.Refused, match="no luck") as refused:
            added(library)
        assert refused.value.code == -126 and late.runs == 1
    monkeypatch.setenv("FERROTILE_TOOLS", str(late.place))
    other = late.fresh()
    with pytest.raises(c_abi.Refused, match="there is no `tileiras` in") as refused:
        added(other)
    assert refused.value.code == -125 and library.launch_count == other.launch_count == 0
    torch.cuda.synchronize()
