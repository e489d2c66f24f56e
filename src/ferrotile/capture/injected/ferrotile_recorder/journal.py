"""The rows that a recorded process leaves: one JSON object a line, each line written at once."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from typing import Any


class Journal:
    """Appends rows to a file of this process's own. A process that was forked off gets another file."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._owner = 0
        self._file = -1

    def write(self, row: dict[str, Any]) -> None:
        """Append a row. A line is complete or, if the process dies in the middle, without its line end."""
        line = (json.dumps(row, ensure_ascii=True, allow_nan=False) + "\n").encode()
        with self._lock:
            if self._owner != os.getpid():
                self._owner = os.getpid()
                path = os.path.join(self._folder, f"{self._owner}.{os.urandom(4).hex()}.rows")
                self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            while line:
                line = line[os.write(self._file, line) :]

    def keep(self, bytecode: bytes) -> str:
        """Write bytecode under the name of its digest, whole or not at all; the digest."""
        digest = hashlib.sha256(bytecode).hexdigest()
        path = os.path.join(self._folder, f"{digest}.tileirbc")
        if not os.path.exists(path):
            part = f"{path}.{os.getpid()}.{threading.get_ident()}.part"
            with open(part, "wb") as file:
                file.write(bytecode)
            os.replace(part, path)
        return digest
