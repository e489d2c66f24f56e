"""`ferrotile.backend` on a GPU: the bits of cuTile Python, CUDA graphs, threads on streams of their own, refusals.

Needs a GPU, torch, cuda-tile, tileiras, and ferrotile with its native extension; no pack.
"""

from __future__ import annotations

import importlib
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
pytest.importorskip("cuda.tile")
backend: Any = pytest.importorskip("ferrotile.backend")
pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")]
HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "examples")]

import cuda.tile as ct  # noqa: E402
from test_examples_on_device import CASES  # noqa: E402

from ferrotile.core import FerrotileError  # noqa: E402

ORIGINAL = ct.launch
EXAMPLES = ("vector_add", "softmax_rows", "rms_norm", "layer_norm", "swiglu", "rope")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Kernels that are made once."""
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture
def launcher(folder: Path) -> Iterator[Any]:
    """A launcher in the place of `ct.launch`."""
    made = backend.Launcher(backend.CudaDriver(), backend.Shelf(folder), backend.Counters())
    remove = backend.install(made)
    yield made
    remove()


def only_prepared(launcher: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on a launch that needs Python fails."""

    def fails(*rest: Any) -> None:
        raise AssertionError("a launch was answered in Python")

    monkeypatch.setattr(launcher, "launch", fails)


def kernel(name: str) -> Any:
    return getattr(importlib.import_module(name), name)


def as_list(value: Any) -> list[Any]:
    torch.cuda.synchronize()
    return list(value) if isinstance(value, tuple) else [value]


@pytest.mark.parametrize("name", EXAMPLES)
def test_results_are_the_bits_of_cutile_python(launcher: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    inputs, _ = CASES[name]()
    host = importlib.import_module(name).host
    first = as_list(host(*inputs))
    only_prepared(launcher, monkeypatch)
    again = as_list(host(*inputs))
    report = launcher.counters.report()
    assert report.rust == 2 and report.last.kernel == name and report.last.verdict == "EQUAL"
    monkeypatch.setattr(ct, "launch", ORIGINAL)
    for results in zip(first, again, as_list(host(*inputs)), strict=True):
        assert all(torch.equal(results[2].view(torch.uint8), result.view(torch.uint8)) for result in results[:2])
    assert launcher.counters.report().rust == 2


class Chain:
    """Three operators in a row on buffers of their own: a sum, its softmax, and the RMS norm of that."""

    ROWS, COLUMNS = 64, 1024

    def __init__(self) -> None:
        shape = (self.ROWS, self.COLUMNS)
        self.a, self.b, self.total, self.soft, self.normed = (torch.zeros(shape, device="cuda") for _ in range(5))
        self.weight = torch.randn(self.COLUMNS, device="cuda")
        flat = [one.view(-1) for one in (self.a, self.b, self.total)]
        self.calls = (
            ((self.ROWS,), kernel("vector_add"), (*flat, self.COLUMNS)),
            ((self.ROWS,), kernel("softmax_rows"), (self.total, self.soft, self.COLUMNS)),
            ((self.ROWS,), kernel("rms_norm"), (self.soft, self.weight, self.normed, 1e-6, 1024)),
        )

    def launch(self, stream: Any) -> None:
        for grid, function, arguments in self.calls:
            ct.launch(stream, grid, function, arguments)

    def run(self, stream: Any, seed: int, launch: Callable[[], None]) -> Any:
        """The results of one run on new inputs."""
        with torch.cuda.stream(stream):
            generator = torch.Generator(device="cuda").manual_seed(seed)
            for tensor in (self.a, self.b):
                tensor.copy_(torch.randn(tensor.shape, device="cuda", generator=generator))
            for tensor in (self.total, self.soft, self.normed):
                tensor.zero_()
            launch()
            found = torch.stack([self.total, self.soft, self.normed])
        stream.synchronize()
        return found

    def expected(self, seed: int) -> Any:
        """What torch computes."""
        generator = torch.Generator(device="cuda").manual_seed(seed)
        total = sum(torch.randn(self.a.shape, device="cuda", generator=generator) for _ in range(2))
        soft = torch.softmax(total, dim=1)
        scale = torch.rsqrt(soft.square().mean(dim=1, keepdim=True) + 1e-6)
        return torch.stack([total, soft, soft * scale * self.weight])


def captured(chain: Chain, stream: Any) -> Any:
    """The chain as a graph."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.stream(stream):
        graph.capture_begin(capture_error_mode="thread_local")
        chain.launch(stream)
        graph.capture_end()
    return graph


def test_a_graph_of_three_operators_is_captured_and_replayed(launcher: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    chain, stream = Chain(), torch.cuda.Stream()
    chain.launch(stream)
    stream.synchronize()
    only_prepared(launcher, monkeypatch)
    graph = captured(chain, stream)
    assert launcher.counters.report().rust == 6
    for seed in (1, 2, 3):
        replayed = chain.run(stream, seed, graph.replay)
        torch.testing.assert_close(replayed, chain.expected(seed), rtol=1e-4, atol=1e-4)
        assert torch.equal(replayed, chain.run(stream, seed, lambda: chain.launch(stream)))
    assert launcher.counters.report().rust == 6 + 9, "a replay is no launch"


def test_two_threads_launch_capture_and_replay_on_two_streams(launcher: Any) -> None:
    chains, failures, begin = [Chain(), Chain()], [], threading.Barrier(2)

    def work(chain: Chain, seed: int) -> None:
        try:
            torch.cuda.set_device(0)
            stream = torch.cuda.Stream()
            begin.wait()
            eager = [chain.run(stream, seed, lambda: chain.launch(stream)) for _ in range(50)]
            begin.wait()
            graph = captured(chain, stream)
            begin.wait()
            replayed = [chain.run(stream, seed, graph.replay) for _ in range(20)]
            torch.testing.assert_close(eager[0], chain.expected(seed), rtol=1e-4, atol=1e-4)
            failures.extend(one for one in (*eager, *replayed) if not torch.equal(one, eager[0]))
        except Exception as error:  # a thread's exception is seen by nobody else
            failures.append(repr(error))
            begin.abort()

    threads = [threading.Thread(target=work, args=(chain, seed)) for seed, chain in enumerate(chains)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert launcher.counters.report().rust == 2 * 3 * 51


def test_launches_do_not_wait(launcher: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    chain, stream = Chain(), torch.cuda.Stream()
    chain.launch(stream)
    only_prepared(launcher, monkeypatch)
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)
    chain.launch(stream)
    is_done = stream.query()
    stream.synchronize()
    assert not is_done


def vectors(count: int = 4096) -> list[Any]:
    return [torch.ones(count, device="cuda") for _ in range(3)]


WRONG: dict[str, tuple[str, Callable[[list[Any]], tuple[Any, ...]]]] = {
    "argument missing": ("FT624", lambda v: (7, (4,), kernel("vector_add"), (*v[:2], 1024))),
    "no kernel": ("FT624", lambda v: (7, (4,), vectors, (*v, 1024))),
    "None for an array": ("FT624", lambda v: (7, (4,), kernel("vector_add"), (v[0], None, v[2], 1024))),
    "element type": ("FT624", lambda v: (7, (4,), kernel("vector_add"), (v[0].to(torch.complex64), *v[1:], 1024))),
    "rank": ("FT624", lambda v: (7, (4,), kernel("vector_add"), (v[0].view(64, 64), *v[1:], 1024))),
    "tile": ("FT624", lambda v: (7, (4,), kernel("vector_add"), (*v, 1000))),
    "on the host": ("FT625", lambda v: (7, (4,), kernel("vector_add"), (v[0].cpu(), *v[1:], 1024))),
    "on no device": ("FT625", lambda v: (7, (4,), kernel("vector_add"), (v[0].to("meta"), *v[1:], 1024))),
    "no blocks": ("FT626", lambda v: (7, (0,), kernel("vector_add"), (*v, 1024))),
    "grid": ("FT626", lambda v: (7, (1, 1 << 16), kernel("vector_add"), (*v, 1024))),
    "stream": ("FT626", lambda v: ("7", (4,), kernel("vector_add"), (*v, 1024))),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_launch_is_refused_and_launches_nothing(launcher: Any, kind: str) -> None:
    code, make = WRONG[kind]
    values, stream = vectors(), torch.cuda.current_stream()
    right = (stream, (4,), kernel("vector_add"), (*values, 1024))
    ct.launch(*right)
    given = make(values)
    with pytest.raises(FerrotileError) as refused:
        ct.launch(stream if given[0] == 7 else given[0], *given[1:])
    assert refused.value.code == code, refused.value
    assert launcher.counters.report().rust == 1
    values[2].zero_()
    ct.launch(*right)
    torch.cuda.synchronize()
    assert (values[2] == 2).all() and launcher.counters.report().rust == 2


def test_an_edited_kernel_is_used_by_the_next_launch(launcher: Any, folder: Path, caplog: Any) -> None:
    values, stream = vectors(), torch.cuda.current_stream()
    for _ in range(2):
        ct.launch(stream, (4,), kernel("vector_add"), (*values, 1024))
    path = folder / launcher.counters.report().last.folder / "kernel.rs"
    text = path.read_text()
    time.sleep(0.01)
    path.write_text("// Edited.\n" + text)
    time.sleep(0.001)
    with caplog.at_level(logging.WARNING):
        ct.launch(stream, (4,), kernel("vector_add"), (*values, 1024))
    assert "was edited: EQUAL" in caplog.text
    path.write_text(text)
    torch.cuda.synchronize()
    assert (values[2] == 2).all() and len(launcher.counters.report().kernels) == 2


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_the_stream_says_which_device(launcher: Any) -> None:
    for device in (1, 0, 1):
        values = [tensor.to(device) for tensor in vectors()]
        stream = torch.cuda.Stream(device)
        ct.launch(stream, (4,), kernel("vector_add"), (*values, 1024))
        stream.synchronize()
        assert (values[2] == 2).all()
    with pytest.raises(FerrotileError, match="FT625"):
        ct.launch(torch.cuda.Stream(0), (4,), kernel("vector_add"), (*values, 1024))
