"""The journal of a run: each step is recorded before and after, and a killed run goes on from the last good one.

A stage works in a folder that has no name yet; when its manifest is written, one rename gives it its name. So a stage's
folder is whole or not there, and the journal only has to say which of them to believe.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from pathlib import Path

from ferrotile.bundle import digest
from ferrotile.core import FerrotileError, InputError, folders
from ferrotile.workflow.run import artifacts as a
from ferrotile.workflow.run.context import STAGES, Context, Done, Verdict
from ferrotile.workflow.run.words import Letter

JOURNAL = "journal.json"
MANIFEST = "manifest.json"


@dataclass
class Journal:
    """The journal of one run's folder, written anew at every change."""

    root: Path
    entries: list[a.Entry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @staticmethod
    def of(root: Path) -> Journal:
        """The journal of a folder; an empty one where there is none. Raises: FT811."""
        if not (root / JOURNAL).exists():
            return Journal(root)
        read = a.read(root / JOURNAL, a.Journal)
        return Journal(root, list(read.entries), list(read.notes))

    def write(self) -> None:
        """Write it. Raises: FT004."""
        a.write(self.root / JOURNAL, a.Journal(entries=tuple(self.entries), notes=tuple(self.notes)))

    def begin(self, letter: Letter, attempt: int) -> None:
        """Record that a step begins; one that was cut off before is no entry of its own. Raises: FT004."""
        self.entries = [entry for entry in self.entries if entry.ended is not None]
        self.entries.append(a.Entry(letter=letter, attempt=attempt, begun=_now()))
        self.write()

    def end(self, manifest: a.Manifest, digest_of_manifest: str, seconds: float | None) -> None:
        """Record that the step is over. Raises: FT004."""
        said = {"word": manifest.word, "owner": manifest.owner, "manifest": digest_of_manifest}
        self.entries[-1] = self.entries[-1].model_copy(update={**said, "ended": _now(), "seconds": seconds})
        self.write()

    def note(self, sentence: str) -> None:
        """Record something of a resumed run; written with the next step."""
        self.notes.append(sentence)


def trusted(journal: Journal, context: Context) -> Context:
    """The run up to the last good step: what is not what the journal recorded is thrown away, with all after it.

    A step whose folder got its name before it was cut off is finished. Raises: FT004.
    """
    done: list[Done] = []
    kept: list[a.Entry] = []
    for entry in journal.entries:
        name = f"{entry.letter}{entry.attempt}"
        manifest = _believed(context.root / STAGES / name, entry, journal)
        if manifest is None:
            break
        done.append(Done(entry.letter, entry.attempt, Verdict(manifest.word, manifest.owner, manifest.reasons)))
        kept.append(entry)
    journal.entries = kept
    _sweep(context.root / STAGES, {one.name for one in done})
    for entry in [entry for entry in kept if entry.ended is None]:
        path = context.root / STAGES / f"{entry.letter}{entry.attempt}" / MANIFEST
        journal.end(a.read(path, a.Manifest), digest(path.read_bytes()), None)
    return Context(context.root, context.request, tuple(done))


def seal(partial: Path, done: Done, agent: a.AgentWork | None = None) -> tuple[a.Manifest, str]:
    """Write the manifest of a finished stage into its folder; the manifest and its digest. Raises: FT004, FT020."""
    manifest = a.Manifest(
        letter=done.letter,
        attempt=done.attempt,
        word=done.verdict.word,
        owner=done.verdict.owner,
        reasons=done.verdict.reasons,
        agent=agent,
        sha256=folders.digests(partial),
    )
    a.write(partial / MANIFEST, manifest)
    return manifest, digest((partial / MANIFEST).read_bytes())


def checked_manifest(folder: Path, wanted: str | None) -> a.Manifest:
    """A stage's manifest, if its files have the digests in it. Raises: FT004, FT020, FT811, FT813."""
    manifest = a.read(folder / MANIFEST, a.Manifest)
    if wanted is not None and digest((folder / MANIFEST).read_bytes()) != wanted:
        raise InputError("FT813", f"the manifest of `{folder.name}` is not the one that the journal recorded")
    found = {name: value for name, value in folders.digests(folder).items() if name != MANIFEST}
    for name in sorted({*found, *manifest.sha256}):
        if found.get(name) != manifest.sha256.get(name):
            raise InputError("FT813", f"`{folder.name}/{name}` is not the file that was recorded")
    return manifest


def _believed(folder: Path, entry: a.Entry, journal: Journal) -> a.Manifest | None:
    if not folder.exists():
        if entry.ended is not None:
            journal.note(f"{folder.name} is gone: made again")
        return None
    try:
        manifest = checked_manifest(folder, entry.manifest)
    except FerrotileError as error:
        journal.note(f"{folder.name} is not trusted: {error.code}: {error.message}")
        return None
    fits = (manifest.letter, manifest.attempt) == (entry.letter, entry.attempt)
    return manifest if fits else None


def _sweep(stages: Path, names: set[str]) -> None:
    """Remove every folder but those of trusted steps."""
    for path in sorted(stages.iterdir()) if stages.is_dir() else ():
        if path.name not in names:
            folders.discard(path)


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
