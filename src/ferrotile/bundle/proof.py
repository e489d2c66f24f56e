"""proof.json: every claim about the files beside it, their digests, and a seal over the claims.

The seal finds accidents and careless edits. Whoever computes it anew is found by `replay`, which believes no claim.
proof.json is written last: a folder whose digests do not fit its files was written by two runs, and proves nothing.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, PlainSerializer, TypeAdapter, ValidationError
from pydantic import model_validator as validates
from pydantic_core import from_json

from ferrotile.core import InputError, MachineKind, ParameterMap, Style, VerdictKind, store
from ferrotile.core.rust_source import RustSource

FILES = ("kernel.rs", "reference.tileirbc", "lowered.tileirbc")
PROOF = "proof.json"
FORMAT = 2
MOST_BYTES = 16 << 20
"""A longer proof.json is none of ours."""
_SOURCE = TypeAdapter(RustSource)


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class OtherTarget(_Record):
    """What was compared where tileiras refuses the reference for the target."""

    target: str
    kind: MachineKind


class Machine(_Record):
    """What the comparison of machine code came to. `sha256`: the cubins of reference and lowered for `target`."""

    kind: MachineKind
    target: str
    first_difference: str | None
    instructions: tuple[int, int]
    note: str
    other_target: OtherTarget | None
    sha256: tuple[str, str] | None = None


def _specialization(value: dict[str, Any]) -> dict[str, Any]:
    _SOURCE.validate_python({**value, "text": ""})
    return value


Parameters = Annotated[ParameterMap, PlainSerializer(ParameterMap.to_dict)]


class Proof(_Record):
    """Everything that is claimed of one translation.

    `source_sha256` is the digest of the Python file, if it was at hand; `specialization` is a `RustSource` but its
    text; `launch_checks` are the facts that a launch must see to.
    """

    format: int
    input: str
    source_sha256: str | None
    kernel: str
    target: str
    verdict: VerdictKind
    sentence: str
    code: str | None
    place: str | None
    rust_place: str | None
    difference: str | None
    laws: tuple[str, ...]
    assumptions: tuple[str, ...]
    added: tuple[str, ...]
    launch_checks: tuple[str, ...]
    checks_in_kernel: int | None
    unsafe: int | None
    names_from: str | None
    style: Style | None
    notes: tuple[str, ...]
    sass: Machine | None
    parameters: Parameters | None
    specialization: Annotated[dict[str, Any], AfterValidator(_specialization)] | None
    sha256: dict[str, str]
    versions: dict[str, str | None]
    seal: str = ""

    @validates(mode="after")
    def _has_its_evidence(self) -> Proof:
        if strange := sorted(set(self.sha256) - set(FILES)):
            raise ValueError(f"`{strange[0]}` is no file of a bundle")
        if self.verdict is VerdictKind.REFUSED:
            if self.code is None:
                raise ValueError("a refusal has a code")
            return self
        missing = sorted(set(FILES) - set(self.sha256))
        if missing or self.parameters is None or self.specialization is None:
            lacking = missing[0] if missing else "parameters" if self.parameters is None else "specialization"
            raise ValueError(f"{self.verdict} is claimed without `{lacking}`")
        return self

    def rust_source(self, text: str) -> RustSource:
        """The kernel text with the specialization that it was lowered for."""
        return _SOURCE.validate_python({**(self.specialization or {}), "text": text})

    def sealed(self) -> Proof:
        """The same claims with the seal that belongs to them."""
        return self.model_copy(update={"seal": self.right_seal()})

    def right_seal(self) -> str:
        """The digest of all claims."""
        claims = self.model_dump(mode="json", exclude={"seal"})
        return digest(json.dumps(claims, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode())


def digest(data: bytes) -> str:
    """SHA-256 as hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def write(folder: Path, proof: Proof) -> None:
    """Write the proof of a folder, sealed. Raises: FT004."""
    store.write_json(folder / PROOF, proof.sealed().model_dump(mode="json"))


def read(folder: Path) -> Proof:
    """The proof of a folder. Raises: FT610 none there, FT611 another format, FT612 a claim is missing or wrong."""
    path = folder / PROOF
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError("FT610", f"`{path}` is too long for a proof")
        value = from_json(path.read_bytes())
    except OSError as error:
        raise InputError("FT610", f"cannot read `{path}`: {(error.strerror or str(error)).lower()}") from None
    except ValueError as error:
        raise InputError("FT610", f"`{path}` is not JSON: {str(error).lower()}") from None
    if not isinstance(value, dict) or not isinstance(value.get("format"), int):
        raise InputError("FT610", f"`{path}` has no `format`, so it is not a proof of ours")
    if value["format"] != FORMAT:
        age = "a newer" if value["format"] > FORMAT else "an older"
        raise InputError("FT611", f"`{path}` has format {value['format']}, of {age} ferrotile; this one reads {FORMAT}")
    try:
        return Proof.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "top level"
        what = first["msg"].removeprefix("Value error, ")
        raise InputError("FT612", f"`{path}`: `{where}`: {what[:1].lower()}{what[1:]}") from None
