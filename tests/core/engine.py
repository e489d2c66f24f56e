"""Stands in for docker and podman: keeps what it is asked for, and runs the command as it is, without a container.

ENGINE_LOG names the file that gets a JSON line for each call; ENGINE_FAULT is what it fails with, as an engine does.
"""

from __future__ import annotations

import json
import os
import sys

WITH_VALUE = {
    "--name", "--network", "--cap-drop", "--security-opt", "--user", "--ulimit", "--mount", "--env", "--workdir",
}  # fmt: skip


def main(words: list[str]) -> None:
    """One call of the engine."""
    with open(os.environ["ENGINE_LOG"], "a") as log:
        log.write(json.dumps(words) + "\n")
    if words[0] != "run":
        return
    if fault := os.environ.get("ENGINE_FAULT"):
        print(fault, file=sys.stderr)
        raise SystemExit(125)
    variables, place, k = {}, "/", 1
    while words[k].startswith("-"):
        if words[k] == "--env":
            name, _, variables[name] = words[k + 1].partition("=")
        place = words[k + 1] if words[k] == "--workdir" else place
        k += 2 if words[k] in WITH_VALUE else 1
    os.chdir(place)
    os.execvpe(words[k + 1], words[k + 1 :], variables)


if __name__ == "__main__":
    main(sys.argv[1:])
