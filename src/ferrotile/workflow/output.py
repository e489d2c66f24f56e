"""The folder of one translation, a bundle: kernel.rs, reference.tileirbc, lowered.tileirbc, proof.json."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from ferrotile import bundle
from ferrotile.core import ParameterMap, store, tools
from ferrotile.lower import RustSource
from ferrotile.workflow.record import MachineResult, Row, machine_json


def write_folder(
    folder: Path,
    files: dict[str, bytes],
    row: Row,
    parameters: ParameterMap | None,
    source: RustSource | None,
    python: bytes | None,
) -> None:
    """Write what there is of a translation; files of an earlier run that this one did not make go. Raises: FT004."""
    for name in (bundle.PROOF, *bundle.FILES):
        if name not in files:
            store.remove(folder / name)
    for name, data in files.items():
        store.write_bytes(folder / name, data)
    bundle.write(folder, proof(files, row, parameters, source, python))


def update_machine(row: Row) -> None:
    """Put a row's machine-code result into the proof that was written for it. Raises: FT004."""
    assert row.folder is not None
    machine = None if row.machine is None else _machine(row, row.machine)
    bundle.write(row.folder, bundle.read(row.folder).model_copy(update={"sass": machine}))


def proof(
    files: dict[str, bytes],
    row: Row,
    parameters: ParameterMap | None,
    source: RustSource | None,
    python: bytes | None = None,
) -> bundle.Proof:
    """The content of proof.json; `python` is the source file, if it is at hand."""
    return bundle.Proof(
        format=bundle.FORMAT,
        input=row.input,
        source_sha256=None if python is None else bundle.digest(python),
        kernel=row.kernel,
        target=row.target,
        verdict=row.verdict,
        sentence=row.message,
        code=row.code,
        place=None if row.place is None else str(row.place),
        rust_place=None if row.rust_place is None else str(row.rust_place),
        difference=row.difference,
        laws=row.laws,
        assumptions=row.assumptions,
        added=row.added,
        launch_checks=row.launch_checks,
        checks_in_kernel=row.checks_in_kernel,
        unsafe=row.unsafe,
        names_from=row.names_from,
        style=row.style,
        notes=row.notes,
        sass=None if row.machine is None else _machine(row, row.machine),
        parameters=parameters,
        specialization=None if source is None else _specialization(source),
        sha256={name: bundle.digest(data) for name, data in files.items()},
        versions=bundle.versions(),
    )


def _machine(row: Row, machine: MachineResult) -> bundle.Machine:
    """The result with the digests of both cubins, where both were made; they are in the cache."""
    digests = None
    if row.evidence is not None:
        made = [tools.assemble(data, machine.target).cubin for data in (row.evidence.reference, row.evidence.lowered)]
        digests = tuple(bundle.digest(cubin) for cubin in made if cubin is not None)
    return bundle.Machine.model_validate(
        {**machine_json(machine), "sha256": digests if digests and len(digests) == 2 else None}
    )


def _specialization(source: RustSource) -> dict[str, Any]:
    fields = asdict(source)
    del fields["text"]
    return fields
