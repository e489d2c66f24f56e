"""What must be true of a generated kernel: translated and proved, or refused by a documented code; and run alike.

Three runs are compared on the same inputs: the reference and the lifted module in the interpreter, bit for bit, and the
reference with the text run as plain Python, in every element that `plain` knows for sure.
"""

from __future__ import annotations

import tempfile
import traceback
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ferrotile import capture, interp, ir
from ferrotile.core import FerrotileError, ParameterMap, VerdictKind
from ferrotile.interp import Options
from ferrotile.interp.arguments import roles_of
from ferrotile.workflow.record import EXIT_REFUSED, Row, Task
from ferrotile.workflow.record import Options as TranslateOptions
from ferrotile.workflow.translation import STYLES, translate
from fuzzing import plain
from fuzzing.program import KERNEL, VARIANTS, Inputs, Program, inputs

ROUNDS = 20_000
OPEN = ("poison-branch", "poison-address", "out-of-bounds", "view-index", "misaligned", "assume")
"""Findings after which a launch has no defined result, so that two right programs may differ."""

CRASH = "FT803"
FRONT_END = ("FT104", "FT109")
"""Codes of what cuda.tile itself refuses, or breaks down on: such a kernel says nothing about us."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a kernel. `kind`: a verdict, `front-end` for what cuda.tile refuses, or `fault`.

    `sentence` says what is wrong, or why it was refused. `compared`: elements that `plain` knew and that agreed;
    `open`: launches without a defined result. `style`: of the text that was proved, and `closer`: why it is not
    the fluent one. `operations`: names of the Tile IR operations of the reference.
    """

    kind: str
    code: str = ""
    sentence: str = ""
    compared: int = 0
    open: int = 0
    style: str = ""
    closer: str = ""
    not_interpreted: str = ""
    operations: frozenset[str] = field(default_factory=frozenset)

    @property
    def failed(self) -> bool:
        """Whether this must not happen."""
        return self.kind in ("fault", "DIFFERS", "UNPROVED")


def judge(program: Program) -> Outcome:
    """Judge one kernel; every exception that is not a documented refusal becomes a fault with its last line."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{KERNEL}.py"
        path.write_text(program.text)
        path.with_suffix(".toml").write_text(program.spec)
        try:
            (captured,) = capture.export(path)
        except FerrotileError as error:
            kind = "front-end" if error.code in FRONT_END else "fault"
            return Outcome(kind, error.code, error.message)
        try:
            return _judge(program, captured.bytecode)
        except Exception as error:  # a crash anywhere is what is looked for
            last = traceback.extract_tb(error.__traceback__)[-1]
            return Outcome("fault", "", f"{type(error).__name__} in {Path(last.filename).name}: {error}")


def _judge(program: Program, bytecode: bytes) -> Outcome:
    reference = ir.decode(bytecode)
    operations = frozenset(op.name for op in reference.op.walk())
    row, closer = translated(bytecode)
    if row.verdict is VerdictKind.REFUSED:
        kind = "REFUSED" if is_documented(row) else "fault"
        return Outcome(kind, row.code or "", row.message, operations=operations)
    if row.evidence is None:
        return Outcome(str(row.verdict), "", row.message, operations=operations)
    lowered = ir.decode(row.evidence.lowered)
    compared, unsettled = 0, 0
    for variant in VARIANTS:
        try:
            found = _compare(program, variant, reference, lowered, row)
        except FerrotileError as error:
            if error.code != "FT250":
                return Outcome("fault", error.code, f"interpreter: {error.message}", operations=operations)
            return Outcome(str(row.verdict), "", row.message, not_interpreted=error.message, operations=operations)
        if isinstance(found, str):
            return Outcome("fault", "", f"{found} ({variant} inputs)", operations=operations)
        compared, unsettled = compared + max(found, 0), unsettled + (found < 0)
    seen = Outcome(str(row.verdict), "", row.message, compared, unsettled)
    return replace(seen, style=str(row.style), closer=closer, operations=operations)


def translated(bytecode: bytes) -> tuple[Row, str]:
    """What `translate` does without a style, and why the fluent text did not do, if it did not.

    A style that crashed is the answer, even where a closer one does.
    """
    rows: list[Row] = []
    for style in STYLES:
        rows.append(translate(Task(KERNEL, KERNEL, bytecode=bytecode), TranslateOptions(style=style)))
        if rows[-1].verdict not in (VerdictKind.DIFFERS, VerdictKind.REFUSED):
            break
    if crashed := next((row for row in rows if row.code == CRASH), None):
        return crashed, ""
    first, last = rows[0], rows[-1]
    if len(rows) == 1 or last.evidence is None:
        return first, ""
    return last, f"{first.verdict} {first.code or ''} {first.message}"


def is_documented(row: Row) -> bool:
    """Whether a refusal is a known gap of lift, and not a fault of ours or of a text that we wrote."""
    return row.exit_code == EXIT_REFUSED and (row.code or "").startswith("FT3")


def _compare(program: Program, variant: str, reference: ir.Module, lowered: ir.Module, row: Row) -> int | str:
    """How many elements `plain` knew, -1 for a launch without a defined result, or what differs."""
    launch = program.launch()
    made = inputs(launch, variant)
    assert row.evidence is not None
    limits = Options(round_limit=ROUNDS, races=False)
    parameters = as_launched(row.evidence.parameters, made.arguments)
    found = interp.same_results(reference, lowered, parameters, made.arguments, launch["grid"], options=limits)
    if any(finding.kind in OPEN for finding in found.reference.findings):
        return -1
    if not found.equal:
        return f"reference and lifted module: {found}"
    if not plain.run(program.text, KERNEL, made.plain, launch["grid"]):
        return 0
    return _against_plain(made, found.reference)


def as_launched(parameters: ParameterMap, arguments: list[Any]) -> ParameterMap:
    """The same map in the words of a launch: lift calls the parts of some arrays scalars, and a launch cannot."""
    roles = roles_of(arguments)
    assert len(roles) == len(parameters.reference)
    return ParameterMap(roles, tuple(roles[parameters.reference.index(role)] for role in parameters.lowered))


def _against_plain(made: Inputs, result: Any) -> int | str:
    count = 0
    for number, (memory, array, undetermined) in enumerate(
        zip(made.memories(), result.arrays, result.undetermined, strict=True)
    ):
        wanted, got = memory.v, array.astype(memory.v.dtype)
        same = (wanted == got) | ((wanted != wanted) & (got != got))
        bad = memory.k & (~same | undetermined)
        if bad.any():
            at = tuple(int(x) for x in np.argwhere(bad)[0])
            what = "an undetermined value" if undetermined[at] else f"{got[at]}"
            return f"interpreter and plain Python: array {number} at {at} is {what}, not {wanted[at]}"
        count += int(memory.k.sum())
    return count
