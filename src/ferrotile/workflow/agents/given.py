"""A stage given to a command: its tries, its one repair of form, and the verdict that its files give."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ferrotile.core import FerrotileError, InputError, confined, folders, store
from ferrotile.workflow.agents import reply
from ferrotile.workflow.agents.finish import finish
from ferrotile.workflow.agents.layout import Place, lay_out, prompt_of, repair_prompt_of
from ferrotile.workflow.agents.tasks import TASKS
from ferrotile.workflow.agents.witness import RunChanged, Witness
from ferrotile.workflow.run import artifacts as a
from ferrotile.workflow.run.context import STAGES as FOLDER
from ferrotile.workflow.run.context import Context, Verdict
from ferrotile.workflow.run.contract import AGENTS
from ferrotile.workflow.run.drive import Maker
from ferrotile.workflow.run.journal import MANIFEST
from ferrotile.workflow.run.routes import REPAIRS
from ferrotile.workflow.run.words import STAGE_NAMES, Letter, Word
from ferrotile.workflow.stages.table import STAGES


def makers_of(request: a.Request) -> Mapping[Letter, Maker]:
    """What makes the stages that a request gives to commands. Raises: FT828."""
    letters = {STAGE_NAMES[letter]: letter for letter in TASKS}
    makers: dict[Letter, Maker] = {}
    for name, command in request.agents.items():
        if name not in letters:
            raise InputError("FT828", f"`{name}` is no stage for a command; those are {', '.join(letters)}")
        if not (words := _split(command)):
            raise InputError("FT828", f"the command for `{name}` cannot be read: `{command}`")
        makers[letters[name]] = _maker(letters[name], words)
    return makers


@dataclass
class _Work:
    """One run of a stage by a command."""

    context: Context
    letter: Letter
    command: list[str]
    folder: Path
    repairs: int
    faults: list[str] = field(default_factory=list)
    repaired: int = 0
    tokens: int | None = None
    cost_usd: float | None = None
    how: str = ""

    def verdict(self, tries: int) -> tuple[Verdict, int]:
        """The verdict, and how many tries it took. Raises: FT822 when the run itself was changed."""
        for number in range(1, tries + 1):
            found = self.tried(number, tries)
            if found is not None and (number == tries or _is_good(self.letter, found)):
                return found, number
            if found is not None:
                self.faults += [f"try {number}: {found.word}: {reason}" for reason in found.reasons]
        folders.fresh(self.folder)
        return Verdict(Word.MALFORMED, None, tuple(self.faults)), tries

    def tried(self, number: int, tries: int) -> Verdict | None:
        """What the files of one try give; None when there is no verdict, and the faults say why."""
        attempt = self.context.attempts(self.letter) + 1
        place = Place(self.context.root / AGENTS / f"{self.letter}{attempt}.{number}")
        witness = Witness.of(self.context)
        try:
            lay_out(self.context, self.letter, place, tuple(self.faults))
            time_s = self.context.request.limits.time_s
            inputs = folders.digests(place.inputs)
            self.run(place, prompt_of(self.context, self.letter, place, number, tries, time_s), "prompt")
            witness.require_unchanged(self.context)
            if folders.digests(place.inputs) != inputs:
                raise InputError("FT822", f"the command changed `{place.inputs}`")
            return self.judged(place)
        except RunChanged:
            raise
        except FerrotileError as error:
            witness.require_unchanged(self.context)
            self.faults.append(f"try {number}: {error.code}: {error.message}")
            return None

    def judged(self, place: Place) -> Verdict:
        """The verdict of the files, if what the command says of them is true. Raises: FT8xx and what confirms raise."""
        folders.fresh(self.folder)
        reply.collect(place.work, self.letter, self.folder)
        said = self.claimed(place)
        self.spend(said.tokens, said.cost_usd)
        finish(self.context, self.letter, self.folder)
        STAGES[self.letter].confirm(self.context, self.folder)
        found = STAGES[self.letter].verdict(self.folder)
        if (said.verdict, said.owner) != (found.word, found.owner) and _is_good(self.letter, found):
            raise InputError("FT827", f"the command says {_said(said.verdict, said.owner)}: {_gives(found)}")
        return found

    def claimed(self, place: Place) -> a.Claim:
        """The verdict block, repaired in form at most once in a run. Raises: FT823, FT821."""
        try:
            return reply.claim(place.work, self.letter)
        except InputError as error:
            if self.repairs >= REPAIRS:
                raise
            self.repairs, self.repaired = self.repairs + 1, self.repaired + 1
            before = _files(place.work)
            self.run(place, repair_prompt_of(place, error.message), "repair")
            if _files(place.work) != before:
                raise InputError("FT821", "a repair of form changed other files than `verdict.json`") from None
            return reply.claim(place.work, self.letter)

    def run(self, place: Place, prompt: str, name: str) -> None:
        """Run the command once, and keep what it printed. Raises: FT820, FT824, FT825, FT004."""
        limits = self.context.request.limits
        store.write_text(place.root / f"{name}.txt", prompt + "\n")
        file = str(place.root / f"{name}.txt")
        words = [word.replace("{prompt_file}", file).replace("{prompt}", prompt) for word in self.command]
        allowed = confined.Limits(
            limits.time_s, place.work, (place.scratch, *map(Path, limits.writable)), limits.network,
            confinement=limits.confinement, image=limits.image,
        )  # fmt: skip
        ended = confined.run(words, allowed, {"TMPDIR": str(place.scratch)})
        self.how = ended.how
        store.write_bytes(place.root / f"{name}.stdout.txt", ended.output)
        store.write_bytes(place.root / f"{name}.stderr.txt", ended.errors)
        self.spend(*reply.usage(ended.output))
        if ended.too_long:
            raise InputError("FT824", f"the command did not end within {limits.time_s:g} s")
        if ended.too_much:
            raise InputError("FT825", f"the command printed more than {allowed.output_bytes} bytes")
        if ended.code != 0:
            raise InputError("FT820", f"the command ended with {ended.code}{_last_line(ended.errors)}")

    def spend(self, tokens: int | None, cost_usd: float | None) -> None:
        """Add what a command says that it used."""
        if tokens is not None:
            self.tokens = (self.tokens or 0) + tokens
        if cost_usd is not None:
            self.cost_usd = (self.cost_usd or 0.0) + cost_usd


def _maker(letter: Letter, command: list[str]) -> Maker:
    def make(context: Context, folder: Path) -> tuple[Verdict, a.AgentWork]:
        work = _Work(context, letter, command, folder, _repairs_so_far(context, letter))
        verdict, tries = work.verdict(context.request.limits.tries)
        done = a.AgentWork(
            command=shlex.join(command), confinement=work.how, tries=tries, repairs=work.repaired,
            faults=tuple(work.faults), tokens=work.tokens, cost_usd=work.cost_usd,
        )  # fmt: skip
        return verdict, done

    return make


def _repairs_so_far(context: Context, letter: Letter) -> int:
    """The repairs of a stage's earlier runs. Raises: FT811."""
    folder, count = context.root / FOLDER, 0
    for number in range(1, context.attempts(letter) + 1):
        agent = a.read(folder / f"{letter}{number}" / MANIFEST, a.Manifest).agent
        count += 0 if agent is None else agent.repairs
    return count


def _is_good(letter: Letter, verdict: Verdict) -> bool:
    """Whether no further try is due: only an author is asked again because of what its files give."""
    return letter is not Letter.AUTHOR or verdict.word is Word.COMPILED


def _files(work: Path) -> dict[str, str]:
    return {name: digest for name, digest in folders.digests(work).items() if name != "verdict.json"}


def _last_line(errors: bytes) -> str:
    lines = errors.decode(errors="replace").strip().splitlines()
    return f": {lines[-1][:200]}" if lines else ""


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _said(word: Word, owner: object) -> str:
    return f"{word} ({owner})" if owner else str(word)


def _gives(found: Verdict) -> str:
    return f"its files give {_said(found.word, found.owner)}"
