"""What a command may only read, before and after: the run's own files, and the input's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ferrotile.bundle import digest
from ferrotile.core import FerrotileError, InputError, folders
from ferrotile.workflow.agents.layout import sources
from ferrotile.workflow.run.context import STAGES as FOLDER
from ferrotile.workflow.run.context import Context
from ferrotile.workflow.run.drive import OUTCOME, REQUEST
from ferrotile.workflow.run.journal import JOURNAL


@dataclass(frozen=True)
class Witness:
    """The digests of all of it."""

    seen: dict[str, str | None]

    @staticmethod
    def of(context: Context) -> Witness:
        """Look at everything. Raises: FT004, FT020."""
        seen: dict[str, str | None] = {}
        for one in context.done:
            folder = context.root / FOLDER / one.name
            seen |= {f"{FOLDER}/{one.name}/{name}": value for name, value in folders.digests(folder).items()}
        for path in _files(context):
            seen[str(path)] = digest(path.read_bytes()) if path.is_file() else None
        return Witness(seen)

    def require_unchanged(self, context: Context) -> None:
        """Nothing of it is another now. Raises: FT822."""
        try:
            now = Witness.of(context).seen
        except FerrotileError as error:
            raise RunChanged(error.message) from None
        for name in sorted({*now, *self.seen}):
            if now.get(name) != self.seen.get(name):
                raise RunChanged(f"the command changed `{name}`")


class RunChanged(InputError):
    """The run cannot go on: what it rests on was changed while a command ran."""

    def __init__(self, message: str) -> None:
        super().__init__("FT822", message)


def _files(context: Context) -> list[Path]:
    """The run's own files, and those of the input."""
    own = [context.root / name for name in (REQUEST, JOURNAL, OUTCOME)]
    source = Path(context.request.input.partition("::")[0])
    if source.is_dir():
        own += sorted(path for path in source.iterdir() if path.is_file())
    else:
        own += [source, source.with_suffix(".toml")]
    own += [Path(context.request.signature)] if context.request.signature else []
    return [*own, *map(Path, sources(context))]
