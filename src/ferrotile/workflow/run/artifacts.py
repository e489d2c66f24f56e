"""The artifacts of a run: stages talk through these files and nothing else; each has a JSON Schema.

No artifact holds a time of day or a duration (the journal does): the same run gives the same bytes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, ValidationError
from pydantic_core import from_json

from ferrotile.core import InputError, MachineKind, Style, VerdictKind, store
from ferrotile.core.confined import Confinement
from ferrotile.workflow.run.records import KernelFacts, Measured, Record
from ferrotile.workflow.run.words import End, Letter, Owner, Word

FORMAT = 1
MOST_BYTES = 64 << 20
"""A longer artifact is none of ours."""


class Artifact(Record):
    """A file of a run."""

    format: Literal[1] = FORMAT


Model = TypeVar("Model", bound=Artifact)


class AgentLimits(Record):
    """What commands that take stages may do. Units: `time_s` of wall time a try.

    `writable`: further folders; `image`: of the container, where `confinement` is one.
    """

    time_s: float = Field(default=600.0, gt=0)
    tries: int = Field(default=2, ge=1, le=5)
    network: bool = False
    writable: tuple[str, ...] = ()
    confinement: Confinement | None = None
    image: str | None = None


class Request(Artifact):
    """request.json: what was asked for. `agents` maps stage names to commands."""

    input: str
    target: str
    signature: str | None = None
    source_map: tuple[tuple[str, str], ...] = ()
    agents: dict[str, str] = Field(default_factory=dict)
    limits: AgentLimits = AgentLimits()
    ferrotile: str


class Looked(Record):
    """One finding of `doctor`."""

    name: str
    is_well: bool
    found: str
    cure: str
    is_needed: bool


class Preflight(Artifact):
    """preflight.json: what `doctor` found."""

    findings: tuple[Looked, ...]


class ArrayFacts(Record):
    """An array parameter and what is known of it. Units: strides and divisors in elements, `align` in bytes."""

    kind: Literal["array"] = "array"
    dtype: str
    shape: tuple[int | None, ...]
    stride: tuple[int | None, ...]
    shape_divisor: tuple[int, ...]
    stride_divisor: tuple[int, ...]
    align: int


class ScalarFacts(Record):
    """A number given at launch."""

    kind: Literal["scalar"] = "scalar"
    dtype: str


class ConstantFacts(Record):
    """A value folded into the kernel, as Python spells it."""

    kind: Literal["constant"] = "constant"
    value: str


class OtherFacts(Record):
    """Lists, tuples, handles: what kind of thing it is."""

    kind: Literal["other"] = "other"
    of: str


Facts = Annotated[ArrayFacts | ScalarFacts | ConstantFacts | OtherFacts, Field(discriminator="kind")]


class Variant(Record):
    """One specialization. `structure` is equal for specializations whose operations are the same but for numbers."""

    name: str = Field(pattern=r"^[^/.][^/]*$")
    input: str
    kernel: str
    symbol: str
    structure: str
    reference: str
    sha256: str
    operations: int
    python: str | None
    parameters: tuple[Facts, ...] | None
    dtypes: tuple[str, ...]
    hints: dict[str, dict[str, int]]


class Fault(Record):
    """An input that could not be captured."""

    input: str
    code: str
    message: str
    exit_code: int


class Tolerance(Record):
    """How far numbers may be apart; zeros: the same bits."""

    atol: float = 0.0
    rtol: float = 0.0


class Analysis(Artifact):
    """analysis.json: the variants, and what they are judged by.

    `variants`, `kernels` and `faults` are what the bytecode and the recorded launches say; the other fields an analyst
    may choose. `grids`, by variant, are those of recorded launches; it and `autotune` are None where none was recorded,
    `workspaces` where no host code was looked at. `measured`, by variant, is empty until a bench fills it.
    """

    target: str
    variants: tuple[Variant, ...]
    faults: tuple[Fault, ...] = ()
    baseline: str = "cutile-python"
    tolerances: dict[str, Tolerance] = Field(default_factory=dict)
    grids: dict[str, tuple[tuple[int, ...], ...]] | None = None
    autotune: tuple[dict[str, int], ...] | None = None
    operator: str | None = None
    kernels: tuple[KernelFacts, ...] = ()
    reference: str = "Tile IR of the source's front end"
    workspaces: tuple[str, ...] | None = None
    measured: dict[str, Measured] = Field(default_factory=dict)
    versions: dict[str, str | None] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()


class Translation(Record):
    """What the author made of one variant."""

    name: str
    verdict: VerdictKind
    code: str | None
    message: str
    style: Style | None
    unsafe: int | None
    checks_in_kernel: int | None
    launch_checks: tuple[str, ...]


class Author(Artifact):
    """author.json: one row for each variant; `bundles/NAME` holds what it speaks of."""

    author: Literal["lift", "agent"]
    translations: tuple[Translation, ...]


class Compared(Record):
    """The numbers of one variant."""

    name: str
    outcome: Literal["held", "FAILED", "skipped"]
    owner: Owner | None
    sentence: str


class Host(Artifact):
    """host.json: do both programs leave the same numbers?"""

    how: Literal["on CPU, by interpretation"] = "on CPU, by interpretation"
    results: tuple[Compared, ...]


class Timed(Record):
    """The machine code of one variant; without a GPU, time is known only where the machine code is the reference's."""

    name: str
    kind: MachineKind
    target: str
    difference: str | None
    instructions: tuple[int, int]
    note: str
    device_time: Literal["equal: the same machine code", "not measured"]


class Performance(Artifact):
    """performance.json: parity, where it is proved."""

    how: Literal["machine code, no GPU"] = "machine code, no GPU"
    rows: tuple[Timed, ...]


class Action(Record):
    """What the author should do about one variant: write it in a style, or heed a sentence."""

    name: str
    kind: Literal["style", "note"]
    value: str


class Explained(Record):
    """One variant under the eyes of the IR-diff analyst: what check, numbers and machine code say."""

    name: str
    verdict: VerdictKind
    sentence: str
    difference: str | None
    place: str | None
    rust_place: str | None
    numbers: Literal["held", "FAILED", "skipped"]
    machine: MachineKind
    machine_difference: str | None
    fault: Literal["none", "translation", "upstream", "unknown"]


class IrDiff(Artifact):
    """ir-diff.json: where the IR differs, and whose fault it is; `upstream/NAME` has a report for the compiler."""

    asked_by: Letter
    rows: tuple[Explained, ...]
    actions: tuple[Action, ...] = ()


class Tried(Record):
    """The machine code of another style."""

    style: Style
    verdict: VerdictKind
    kind: MachineKind


class Residue(Record):
    """What is left of one variant. `launches`: of reference and lowered; hints: those that count for the target."""

    name: str
    launches: tuple[int, int]
    tuner_space: int | None
    reference_hints: dict[str, int]
    lowered_hints: dict[str, int]
    kind: MachineKind
    difference: str | None
    instructions: tuple[int, int]
    tried: tuple[Tried, ...]


class Residual(Artifact):
    """residual.json: launch counts, tuner space, hints and machine code of what is not shown to be as fast."""

    rows: tuple[Residue, ...]
    actions: tuple[Action, ...] = ()


class AgentWork(Record):
    """How a stage that was given to a command went. `tokens` and `cost_usd`: as the command reports them."""

    command: str
    confinement: str
    tries: int
    repairs: int
    faults: tuple[str, ...]
    tokens: int | None = None
    cost_usd: float | None = None


class Manifest(Artifact):
    """manifest.json: the verdict that code computed from a stage's files, and their digests. Written last."""

    letter: Letter
    attempt: int
    word: Word
    owner: Owner | None
    reasons: tuple[str, ...]
    agent: AgentWork | None
    sha256: dict[str, str]


class Entry(Record):
    """One step in the journal. Units: `seconds` of this step; times of day are UTC."""

    letter: Letter
    attempt: int
    begun: str
    ended: str | None = None
    seconds: float | None = None
    word: Word | None = None
    owner: Owner | None = None
    manifest: str | None = None


class Journal(Artifact):
    """journal.json: each step before and after; `notes` say what a resumed run did not trust."""

    entries: tuple[Entry, ...] = ()
    notes: tuple[str, ...] = ()


class Outcome(Artifact):
    """outcome.json: how the run ended; `steps` in order, `gaps` in sentences, `kernels` the folder of bundles."""

    end: End
    steps: tuple[str, ...]
    gaps: tuple[str, ...]
    kernels: str | None
    exit_code: int


class Claim(Artifact):
    """verdict.json: what a command that took a stage says of its work. Only its form counts, and that it is true."""

    stage: str
    verdict: Word
    owner: Owner | None = None
    tokens: int | None = None
    cost_usd: float | None = None


def write(path: Path, artifact: Artifact) -> None:
    """Write an artifact whole. Raises: FT004."""
    store.write_json(path, artifact.model_dump(mode="json"))


def read(path: Path, model: type[Model]) -> Model:
    """Read an artifact by its schema. Raises: FT811 missing, a link, too long, not JSON, or another form."""
    try:
        if path.is_symlink() or path.stat().st_size > MOST_BYTES:
            raise InputError("FT811", f"`{path.name}` is a link or too long")
        return model.model_validate(from_json(path.read_bytes()))
    except OSError as error:
        raise InputError("FT811", f"cannot read `{path.name}`: {(error.strerror or str(error)).lower()}") from None
    except ValidationError as error:
        raise InputError("FT811", f"`{path.name}` is not by its schema: {first_fault(error)}") from None
    except ValueError as error:
        raise InputError("FT811", f"`{path.name}` is not JSON: {str(error).lower()}") from None


def first_fault(error: ValidationError) -> str:
    """The first fault of a validation in a sentence."""
    first = error.errors()[0]
    return f"`{'.'.join(map(str, first['loc'])) or 'top level'}`: {first['msg'].lower()}"


def schema(model: type[Artifact]) -> dict[str, Any]:
    """The JSON Schema of an artifact."""
    return model.model_json_schema()
