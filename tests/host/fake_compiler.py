"""A stand-in for tileiras: what it is to do, how often it ran, and what it was given."""

from __future__ import annotations

import shutil
from pathlib import Path

SCRIPT = Path(__file__).with_name("fake_tileiras.sh")
SEAL_BYTES = 16
"""Behind the machine code in a file of the cache."""


class FakeCompiler:
    """`tileiras` in a folder of its own, and an empty cache."""

    def __init__(self, place: Path) -> None:
        self.folder, self.cache = place / "tools", place / "cache"
        self.folder.mkdir(parents=True)
        shutil.copy2(SCRIPT, self.folder / "tileiras")
        self.set("version", "13.5.37")
        self.set("mode", "0")

    def set(self, name: str, value: str) -> None:
        """`mode`: seconds that a compilation takes, or how it fails; `version`: what it calls itself."""
        (self.folder / name).write_text(value)

    @property
    def variables(self) -> dict[str, str]:
        """What leads a library here."""
        return {"FERROTILE_TOOLS": str(self.folder), "FERROTILE_CACHE": str(self.cache)}

    @property
    def runs(self) -> list[str]:
        """The arguments of every compilation so far."""
        path = self.folder / "runs"
        lines = path.read_text().splitlines() if path.is_file() else []
        return [line for line in lines if line != "--version"]

    @property
    def cached(self) -> list[Path]:
        """Every file of the cache."""
        return sorted(path for path in self.cache.rglob("*") if path.is_file())
