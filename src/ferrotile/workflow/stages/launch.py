"""launch.json: how a kernel text that somebody wrote is to be lowered, and what its parameters carry."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import PlainSerializer, TypeAdapter, ValidationError

from ferrotile import bundle, check, ir, lower
from ferrotile.core import FerrotileError, InputError, ParameterMap, VerdictKind
from ferrotile.core.rust_source import RustSource
from ferrotile.workflow.guard import guarded
from ferrotile.workflow.output import write_folder
from ferrotile.workflow.record import EXIT_OF_VERDICT, Row
from ferrotile.workflow.run.artifacts import Artifact, Variant, first_fault

_SOURCE = TypeAdapter(RustSource)


class Launch(Artifact):
    """The map of parameters, and a `RustSource` but its text."""

    parameters: Annotated[ParameterMap, PlainSerializer(ParameterMap.to_dict)]
    specialization: dict[str, Any]

    def source(self, text: str) -> RustSource:
        """The text with what it is lowered for. Raises: FT811."""
        try:
            return _SOURCE.validate_python({**self.specialization, "text": text})
        except ValidationError as error:
            raise InputError("FT811", f"`launch.json` is not by its schema: {first_fault(error)}") from None


def launch_of(launch: Launch) -> dict[str, Any]:
    """launch.json as plain values."""
    return launch.model_dump(mode="json")


def write_bundle(folder: Path, variant: Variant, reference: bytes, given: tuple[str, Launch], target: str) -> None:
    """Lower a text, check it against the reference, and write the bundle; a refusal is a bundle too. Raises: FT004."""
    text, launch = given
    files = {"reference.tileirbc": reference, "kernel.rs": text.encode()}
    row = Row(variant.input, variant.name, target, VerdictKind.REFUSED, 3, kernel=variant.kernel)
    source: RustSource | None = None
    try:
        with guarded("lower"):
            source = launch.source(text)
            lowered = lower.lower(source, target, ir.decode(reference).version)
        files["lowered.tileirbc"] = lowered.bytecode
        with guarded("check"):
            found = check.check(reference, lowered.bytecode, launch.parameters, target)
        row = Row(
            variant.input, variant.name, target, found.kind, EXIT_OF_VERDICT[found.kind], kernel=variant.kernel,
            place=found.reference_place, rust_place=found.lowered_place, message=found.sentence,
            difference=found.difference, laws=found.laws, assumptions=found.assumptions, added=found.added,
            unsafe=bundle.unsafe_blocks(text), checks_in_kernel=lowered.checks_in_kernel,
            launch_checks=lowered.launch_checks,
        )  # fmt: skip
    except FerrotileError as error:
        row = Row(
            variant.input, variant.name, target, VerdictKind.REFUSED, 3, kernel=variant.kernel, code=error.code,
            message=error.message, rust_place=error.at, hint=error.hint,
        )  # fmt: skip
    write_folder(folder, files, row, launch.parameters, source, None)
