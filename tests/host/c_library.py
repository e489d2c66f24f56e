"""Build a library of example kernels and a fake driver, and call it in a process of its own."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ferrotile import bundle, host, ir, lift, lower
from ferrotile.capture import discover, export
from ferrotile.core import Level
from ferrotile.host.declaration import ArrayFacts, ConstantFacts, Facts, ScalarFacts, Variant
from ferrotile.host.grouping import kernels_of
from ferrotile.host.library import write_library
from ferrotile.host.relations import relations_of
from ferrotile.host.specialization import specialization

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
BUILD = ROOT / "build" / "tests" / "c-abi"
TARGET = "sm_90"
KERNELS = ("vector_add", "softmax_rows", "layer_norm", "rms_norm", "matmul", "swiglu", "batched_matmul")
FACTS = {"softmax_rows": ("grid.y == 1", "x.shape[1] <= 4096")}
"""What a proof could assume of a launch; the faithful level has no such facts."""
LATE = ("vector_add", "rms_norm")
"""In the library that compiles at the first call."""
SAFE = ("batched_matmul",)
"""Without `unsafe`, for the facts that this needs of a launch."""


TAKEN = ("register", "stream", "grid_x", "error")
"""Names that C or the calling convention has taken."""
RELATIONS = (
    "count != 40",
    "2 * x.shape[0] + grid.x >= 11",
    "(x.shape[0] + 1) % 5 == 0",
    "x.stride[0] < 100",
    "grid.y * grid.z <= ceil(x.shape[0] / 3) * ceil(x.shape[0] / 4)",
    "x.shape[0] * x.shape[0] * x.shape[0] * x.shape[0] * x.shape[0] <= 1024",
)


class Child:
    """A process that has loaded a library and answers commands; it must not die of any call."""

    def __init__(self, folder: Path, driver: Path | None, variables: Mapping[str, str] = MappingProxyType({})) -> None:
        environment = {**os.environ, **variables, "LD_LIBRARY_PATH": str(driver or folder)}
        command = [sys.executable, str(HERE / "c_caller.py"), str(folder)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment)

    def ask(self, name: str, *values: Any) -> Any:
        """The answer to one command."""
        self.begin(name, *values)
        return self.answer()

    def begin(self, name: str, *values: Any) -> None:
        """Ask, and do not wait."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([name, *values]) + "\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        """The answer to what was asked."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            _, complaint = self.process.communicate()
            raise AssertionError(f"the process died with {self.process.returncode}: {complaint[-2000:]}")
        return json.loads(line)

    def close(self) -> None:
        """End the process."""
        self.process.communicate()


@dataclass(frozen=True)
class Built:
    """A built library, the translations in it, and the folder of the fake driver."""

    library: host.Library
    translations: tuple[host.Translated, ...]
    driver: Path

    @property
    def folder(self) -> Path:
        return Path(self.library.folder)

    def kernel(self, name: str) -> host.Kernel:
        return next(kernel for kernel in self.library.kernels if kernel.name == name)

    def specialization(self, label: str) -> tuple[host.Kernel, Variant]:
        return next((k, v) for k in self.library.kernels for v in k.variants if v.label == label)

    def translated(self, label: str) -> host.Translated:
        return next(given for given in self.translations if given.name == label)

    def child(self, variables: Mapping[str, str] = MappingProxyType({}), *, has_driver: bool = True) -> Child:
        return Child(self.folder, self.driver if has_driver else None, variables)


def image(label: str, parameters: int) -> bytes:
    """What the fake driver loads."""
    return b"\x7fELF" + f"{label} {parameters}".encode() + b"\0"


def translate(folder: Path, *names: str) -> list[host.Translated]:
    """The specializations of some kernels in a folder; machine code is what the fake driver loads."""
    made = []
    for path, kernel, row in discover(folder):
        if kernel not in names:
            continue
        (capture,) = export(path, kernel, row, TARGET)
        module = ir.decode(capture.bytecode)
        level = Level.SAFE if kernel in SAFE else Level.FAITHFUL
        lifted = lift.lift(module, lift.SourceFinder([]), target=TARGET, level=level)
        lowered = bundle.launched(lifted.text, lower.lower(lifted.source, TARGET, module.version), lifted.parameters)
        facts = (*lowered.launch_checks, *FACTS.get(kernel, ()))
        cubin = image(capture.name, len(lifted.parameters.lowered))
        made.append(
            host.Translated(capture.name, TARGET, capture.bytecode, lowered.bytecode, cubin, lifted.parameters, facts)
        )
    return made


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Only one test process at a time builds in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def build_driver(folder: Path) -> Path:
    """The fake driver as libcuda.so.1; its folder. It appears whole: another test process may have the old one open."""
    folder.mkdir(parents=True, exist_ok=True)
    flags = ["-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-pthread", "-Wl,-soname,libcuda.so.1"]
    made = folder / f"{os.getpid()}.so"
    subprocess.run(["cc", *flags, "-o", str(made), str(HERE / "fake_driver.c")], check=True, capture_output=True)
    made.replace(folder / "libcuda.so.1")
    return folder


def invented(variants: list[Variant]) -> list[Variant]:
    """Specializations that no front end gives here: a kernel's own with some of what it needs replaced."""
    by_label = {variant.label: variant for variant in variants}
    vector, special = by_label["vector_add.f32"], by_label["special.flagged"]
    names = dict(zip(vector.facts, TAKEN, strict=True))
    plain = {name: _plain(fact) for name, fact in vector.facts.items()}
    kept = tuple(slot for slot in special.slots if slot.argument != "extra")
    (x, count) = replace(special.facts["x"], may_repeat=True), ScalarFacts("i32", divisor=8, is_not_negative=True)
    options = {**special.facts, "x": x, "extra": ConstantFacts(None), "count": count, "MODE": ConstantFacts("square")}
    return [
        replace(vector, kernel="graded", label="graded.any", facts=plain, cubin=image("graded.any", len(vector.slots))),
        replace(vector, kernel="graded", label="graded.16", cubin=image("graded.16", len(vector.slots))),
        replace(
            special,
            kernel="options",
            label="options",
            facts=options,
            slots=kept,
            cubin=image("options", len(kept)),
            relations=relations_of(RELATIONS, options),
        ),
        replace(vector, kernel="broken", label="broken", cubin=image("broken", 0)),
        replace(
            vector,
            kernel="names",
            label="names",
            facts=_wide(dict(zip(TAKEN, vector.facts.values(), strict=True))),
            cubin=image("names", len(vector.slots)),
            slots=tuple(replace(slot, argument=names[slot.argument]) for slot in vector.slots),
        ),
        replace(vector, kernel="broken", label="broken.any", facts=plain, cubin=image("any", len(vector.slots))),
    ]


def _wide(facts: dict[str, Facts]) -> dict[str, Facts]:
    """Two arrays that may overlap, and extents of other widths."""
    changes = {
        "register": {"alias_groups": 2, "index": "u32"},
        "stream": {"index": "i64"},
        "grid_x": {"alias_groups": 6},
    }
    return {name: replace(fact, **changes.get(name, {})) for name, fact in facts.items()}


def _plain(fact: Facts) -> Facts:
    """Less to ask for: no divisors but what the element needs."""
    if not isinstance(fact, ArrayFacts):
        return fact
    axes = tuple(replace(axis, extent_divisor=1, stride_divisor=1) for axis in fact.axes)
    return replace(fact, axes=axes, align=1)


def build_late(name: str, *, has_cubins: bool) -> Built:
    """The library with programs that are compiled at the first call, with machine code for sm_90 if wanted."""
    folder = BUILD / name
    with alone(folder):
        made = translate(ROOT / "examples", *LATE)
        translations = [replace(one, cubin=one.cubin if has_cubins else None, is_compiled_late=True) for one in made]
        variants = [specialization(given, lift.SourceFinder([])) for given in translations]
        library = write_library(kernels_of(variants), folder / "library", ROOT)
        host.build_library(library)
    with alone(BUILD):
        return Built(library, tuple(translations), build_driver(BUILD / "driver"))


def build() -> Built:
    """The library with switches for its checks, and the fake driver."""
    with alone(BUILD):
        translations = (*translate(ROOT / "examples", *KERNELS), *translate(HERE, "special"))
        variants = [specialization(given, lift.SourceFinder([])) for given in translations]
        library = write_library(kernels_of([*variants, *invented(variants)]), BUILD / "library", ROOT)
        host.build_library(library, features=["mutants"])
        return Built(library, translations, build_driver(BUILD / "driver"))
