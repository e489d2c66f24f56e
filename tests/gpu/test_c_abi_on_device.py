"""The exported library on a GPU: the bits of the reference, refusals, CUDA graphs, threads on streams of their own.

Needs a GPU, torch, and a pack (tests/gpu/pack_c_abi.py).
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
PACK = Path(os.environ.get("FERROTILE_PACK", ""))
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(
        not (PACK / "functions.json").is_file() or not torch.cuda.is_available(),
        reason="needs FERROTILE_PACK and a GPU",
    ),
]
HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
EXAMPLES = HERE.parents[1] / "examples"

import c_abi  # noqa: E402
import launch  # noqa: E402
from test_examples_on_device import CASES  # noqa: E402


@pytest.fixture(scope="module")
def library() -> c_abi.Library:
    torch.zeros(1, device="cuda")
    return c_abi.Library(PACK)


def run(name: str, launcher: Any, inputs: tuple[Any, ...]) -> list[Any]:
    results = launch.load_example(EXAMPLES / f"{name}.py", launcher).host(*inputs)
    torch.cuda.synchronize()
    return list(results) if isinstance(results, tuple) else [results]


@pytest.mark.parametrize("name", sorted(CASES))
def test_exported_kernel_gives_the_bits_of_the_reference(library: c_abi.Library, name: str) -> None:
    torch.manual_seed(0)
    inputs, _ = CASES[name]()
    before = library.launch_count
    exported = run(name, library, inputs)
    reference = run(name, launch.Launcher(PACK), inputs)
    assert library.launch_count > before
    for left, right in zip(exported, reference, strict=True):
        assert torch.equal(left.view(torch.uint8), right.view(torch.uint8))


def vectors(count: int = 4096) -> dict[str, Any]:
    return {name: torch.randn(count, device="cuda") for name in ("a", "b", "total")} | {"TILE": 1024}


def spoiled(library: c_abi.Library, argument: str, **parts: Any) -> dict[str, Any]:
    """The arguments with parts of one tensor replaced."""
    values = vectors()
    tensor = library.tensor(values[argument])
    for part, value in parts.items():
        if part in ("shape", "stride"):
            getattr(tensor, part)[0] = value
        else:
            setattr(tensor, part, value)
    return values | {argument: tensor, "kept": values[argument]}


WRONG: dict[str, tuple[int, Callable[[c_abi.Library], dict[str, Any]]]] = {
    "null descriptor": (-5, lambda library: vectors() | {"b": None}),
    "dtype": (-2, lambda library: vectors() | {"a": torch.zeros(4096, device="cuda", dtype=torch.int32)}),
    "device": (-4, lambda library: spoiled(library, "a", device=1)),
    "reserved": (-6, lambda library: spoiled(library, "a", reserved=1)),
    "rank": (-101, lambda library: vectors() | {"a": torch.zeros(64, 64, device="cuda")}),
    "negative extent": (-102, lambda library: spoiled(library, "a", shape=-16)),
    "null address": (-103, lambda library: spoiled(library, "a", ptr=0)),
    "beyond 64 bits": (-104, lambda library: spoiled(library, "a", ptr=(1 << 64) - 16)),
    "beyond 32 bits": (-105, lambda library: spoiled(library, "b", shape=1 << 31, ptr=1 << 50)),
    "extent": (-107, lambda library: spoiled(library, "b", shape=17)),
    "stride": (-108, lambda library: spoiled(library, "a", stride=2)),
    "alignment": (-111, lambda library: vectors() | {"a": torch.zeros(4097, device="cuda")[1:]}),
    "overlap": (-112, lambda library: (values := vectors()) | {"total": values["a"]}),
    "constant": (-114, lambda library: vectors() | {"TILE": 2048}),
}


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_call_is_refused_and_launches_nothing(library: c_abi.Library, kind: str) -> None:
    code, make = WRONG[kind]
    before = library.launch_count
    with pytest.raises(c_abi.Refused) as refused:
        library.call("vector_add", make(library), (4,), 0)
    assert refused.value.code == code, refused.value
    assert library.launch_count == before
    torch.cuda.synchronize()


def test_wrong_grid_and_context_are_refused(library: c_abi.Library) -> None:
    before = library.launch_count
    for grid, context, code in (((0,), None, -119), ((1, 1 << 16), None, -119), ((4,), 0, -120)):
        with pytest.raises(c_abi.Refused) as refused:
            library.call("vector_add", vectors(), grid, 0, context)
        assert refused.value.code == code
    assert library.launch_count == before


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_each_device_gets_machine_code_of_its_own(library: c_abi.Library) -> None:
    contexts, sets = [], []
    for device in (0, 1):
        with torch.cuda.device(device):
            sets.append({name: tensor if name == "TILE" else tensor.to(device) for name, tensor in vectors().items()})
            library.call("vector_add", sets[device], (4,), 0)
            contexts.append(library.context())
            torch.cuda.synchronize()
            assert torch.equal(sets[device]["a"] + sets[device]["b"], sets[device]["total"])
    with torch.cuda.device(0):
        sets[1]["total"].zero_()
        torch.cuda.synchronize(1)
        library.call("vector_add", sets[1], (4,), 0, contexts[1])
        assert library.context() == contexts[0], "what was current is current again"
        torch.cuda.synchronize(1)
        assert torch.equal(sets[1]["a"] + sets[1]["b"], sets[1]["total"])
        with pytest.raises(c_abi.Refused) as refused:
            library.call("vector_add", sets[0], (4,), 0, contexts[1])
    assert refused.value.code == -4 and "argument `a` is on device 0, the context on device 1" in refused.value.message


DESTROYED = """
import ctypes, sys
sys.path.insert(0, {here!r})
import torch, c_abi
from pathlib import Path
values = {{name: torch.zeros(4096, device="cuda") for name in ("a", "b", "total")}} | {{"TILE": 1024}}
library = c_abi.Library(Path({pack!r}))
library.call("vector_add", values, (4,), 0)
context, device = ctypes.c_void_p(), ctypes.c_int()
assert library.driver.cuCtxGetDevice(ctypes.byref(device)) == 0
assert library.driver.cuCtxCreate_v2(ctypes.byref(context), 0, device) == 0
assert library.driver.cuCtxPopCurrent_v2(ctypes.byref(context)) == 0
library.call("vector_add", values, (4,), 0, context.value)
assert library.driver.cuCtxSynchronize() == 0 and library.launch_count == 2
assert library.driver.cuCtxDestroy_v2(context) == 0
try:
    library.call("vector_add", values, (4,), 0, context.value)
except c_abi.Refused as refused:
    print(refused.code, refused.message)
library.call("vector_add", values, (4,), 0)
torch.cuda.synchronize()
print("launches", library.launch_count)
"""


def test_contexts_of_ones_own_and_destroyed_ones() -> None:
    """In a process of its own, which must survive."""
    program = DESTROYED.format(here=str(HERE), pack=str(PACK))
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    first, second = ran.stdout.splitlines()
    assert first.startswith("-121 ") and second == "launches 3"


class Chain:
    """Three operators in a row on buffers of their own: a sum, its softmax, and the RMS norm of a second softmax."""

    ROWS, COLUMNS = 64, 4096

    def __init__(self, library: c_abi.Library) -> None:
        rows, columns = self.ROWS, self.COLUMNS
        self.library, self.context = library, library.context()
        self.a, self.b, self.total = (torch.randn(rows * columns, device="cuda") for _ in range(3))
        self.half = torch.zeros(rows, columns, device="cuda", dtype=torch.float16)
        self.soft = torch.zeros_like(self.half)
        self.x = torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16)
        self.weight = torch.randn(columns, device="cuda", dtype=torch.bfloat16)
        self.normed = torch.zeros_like(self.x)

    def launch(self, stream: Any) -> None:
        """Only the library's calls."""
        call, handle, rows = self.library.call, stream.cuda_stream, self.ROWS
        sums = {"a": self.a, "b": self.b, "total": self.total, "TILE": 1024}
        call("vector_add", sums, (self.total.numel() // 1024,), handle, self.context)
        soft = {"x": self.half, "y": self.soft, "COLUMNS": 4096}
        call("softmax_rows", soft, (rows,), handle, self.context)
        normed = {"x": self.x, "weight": self.weight, "y": self.normed, "epsilon": 1e-6, "CHUNK": 1024}
        call("rms_norm", normed, (rows,), handle, self.context)

    def fill(self, seed: int) -> None:
        generator = torch.Generator(device="cuda").manual_seed(seed)
        for tensor in (self.a, self.half, self.x):
            tensor.copy_(torch.randn(tensor.shape, device="cuda", generator=generator))
        for tensor in (self.total, self.soft, self.normed):
            tensor.zero_()

    def results(self) -> list[Any]:
        return [tensor.clone() for tensor in (self.total, self.soft, self.normed)]


def replayed(chain: Chain, stream: Any, graph: Any) -> list[list[Any]]:
    """The results of replays on new inputs."""
    found = []
    for seed in (1, 2, 3):
        with torch.cuda.stream(stream):
            chain.fill(seed)
            graph.replay()
            found.append(chain.results())
    stream.synchronize()
    return found


def eager(chain: Chain, stream: Any) -> list[list[Any]]:
    """The same without a graph."""
    found = []
    for seed in (1, 2, 3):
        with torch.cuda.stream(stream):
            chain.fill(seed)
            chain.launch(stream)
            found.append(chain.results())
    stream.synchronize()
    return found


def same(left: list[list[Any]], right: list[list[Any]]) -> bool:
    pairs = [pair for one, other in zip(left, right, strict=True) for pair in zip(one, other, strict=True)]
    return all(torch.equal(a, b) and a.float().abs().sum() > 0 for a, b in pairs)


FIRST_CALL_IN_CAPTURE = """
import sys
sys.path[:0] = [{here!r}]
import test_c_abi_on_device as tests
import torch, c_abi
torch.zeros(1, device="cuda")
chain = tests.Chain(c_abi.Library(tests.PACK))
stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=stream):
    chain.launch(stream)
assert chain.library.launch_count == 3
assert tests.same(tests.replayed(chain, stream, graph), tests.eager(chain, stream))
"""


def test_graph_of_three_operators_is_captured_at_their_first_calls() -> None:
    """Machine code is loaded while the stream is being captured; in a process that has loaded none yet."""
    program = FIRST_CALL_IN_CAPTURE.format(here=str(HERE))
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr


def test_two_threads_capture_and_replay_on_two_streams(library: c_abi.Library) -> None:
    torch.zeros(1, device="cuda")
    chains = [Chain(library), Chain(library)]
    failures: list[str] = []
    begin = threading.Barrier(2)

    def work(chain: Chain) -> None:
        try:
            torch.cuda.set_device(0)
            stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
            expected = eager(chain, stream)
            begin.wait()
            for _ in range(50):
                if not same(eager(chain, stream), expected):
                    failures.append("eager")
            begin.wait()
            with torch.cuda.stream(stream):
                graph.capture_begin(capture_error_mode="thread_local")
                chain.launch(stream)
                graph.capture_end()
            begin.wait()
            for _ in range(20):
                if not same(replayed(chain, stream, graph), expected):
                    failures.append("graph")
        except Exception as error:  # a thread's exception is seen by nobody else
            failures.append(repr(error))
            begin.abort()

    threads = [threading.Thread(target=work, args=(chain,)) for chain in chains]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_launches_do_not_wait(library: c_abi.Library) -> None:
    """A call returns while the stream is still busy with what came before."""
    values, stream = vectors(), torch.cuda.Stream()
    library.call("vector_add", values, (4,), stream.cuda_stream)
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)
    library.call("vector_add", values, (4,), stream.cuda_stream)
    is_done = stream.query()
    stream.synchronize()
    assert not is_done
