"""Commands that take the stage of the author, good and bad: `python scripted_agent.py HOW {prompt}`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

PROMPT = sys.argv[2]
PATHS = dict(line.split(": ", 1) for line in PROMPT.splitlines() if ": " in line)
IS_REPAIR = "write" in PATHS
WORK = Path(PATHS["write"]).parent if IS_REPAIR else Path(PATHS["write in"])
INPUTS = Path(PATHS["schema"]).parents[1] if IS_REPAIR else Path(PATHS["inputs"])
SCRATCH = Path(os.environ["TMPDIR"])
IS_FIRST = not (INPUTS / "failure.json").exists()
NAMES = sorted(path.name for path in (INPUTS / "draft").iterdir())


def kernels(change: Callable[[str], str] = lambda text: text) -> None:
    """Write every kernel, from the lifted text."""
    for name in NAMES:
        text = (INPUTS / "draft" / name / "kernel.rs").read_text()
        (WORK / "bundles" / name).mkdir(parents=True, exist_ok=True)
        (WORK / "bundles" / name / "kernel.rs").write_text(change("// written by hand\n" + text))


def verdict(**fields: object) -> None:
    """Write the verdict block."""
    (WORK / "verdict.json").write_text(json.dumps({"stage": "author", "verdict": "COMPILED", **fields}))


def wrong(text: str) -> str:
    """Another program: it takes away where it should add."""
    assert " + " in text
    return text.replace(" + ", " - ")


def good() -> None:
    kernels()
    verdict(tokens=120, cost_usd=0.5)


def tells_its_cost() -> None:
    kernels()
    verdict()
    print(
        json.dumps(
            {"usage": {"input_tokens": 70, "cached_input_tokens": 60, "output_tokens": 7}, "total_cost_usd": 0.25}
        )
    )


def second_try() -> None:
    kernels(wrong if IS_FIRST else lambda text: text)
    verdict(tokens=10)


def wrong_numbers() -> None:
    kernels(wrong)
    verdict()


def missing_verdict() -> None:
    kernels()


def repaired_verdict() -> None:
    if IS_REPAIR:
        verdict()
    else:
        kernels()
        (WORK / "verdict.json").write_text("COMPILED, I am sure")


def soup() -> None:
    kernels()
    (WORK / "verdict.json").write_text("VERDICT: COMPILED PASS ALL_PASS DONE exit=0 EQUAL success")


def word_of_another_stage() -> None:
    kernels()
    verdict(verdict="DONE")


def block_of_another_stage() -> None:
    kernels()
    verdict(stage="host", verdict="ALL_PASS")


def repair_changes_the_kernel() -> None:
    kernels(wrong if not IS_REPAIR else lambda text: text)
    if IS_REPAIR:
        verdict()


def gives_up() -> None:
    verdict(verdict="BLOCKED", owner="kernel")


def too_modest() -> None:
    kernels()
    verdict(verdict="BLOCKED", owner="kernel")


def stray_file() -> None:
    kernels()
    (WORK / "notes.md").write_text("what I thought")
    verdict()


def own_proof() -> None:
    """Says that the reference is what it made."""
    kernels()
    for name in NAMES:
        shutil.copy(next(Path(PATHS["stage A1"]).glob("reference/*")), WORK / "bundles" / name / "lowered.tileirbc")
    verdict()


def edits_the_reference() -> None:
    """Puts its own program in the place of the reference, and a weaker test beside the kernel; says nothing of it."""
    kernels()
    reference = next(Path(PATHS["stage A1"]).glob("reference/*"))
    for path in (reference, Path(sys.argv[3])):
        try:
            path.write_bytes(b"mine")
        except OSError:
            print(f"may not write {path}")
    verdict()


def edits_its_inputs() -> None:
    kernels()
    (INPUTS / "schemas" / "author.json").write_text("{}")
    verdict()


def hangs() -> None:
    print("thinking", flush=True)
    time.sleep(6000)


def leaves_a_child() -> None:
    """A child in a session of its own, which could change the kernel later."""
    kernels()
    verdict()
    late = f"import time; time.sleep(6000)  # {SCRATCH}"
    subprocess.Popen([sys.executable, "-c", late], start_new_session=True, stdout=subprocess.DEVNULL)


def prints_much() -> None:
    for _ in range(40):
        print("x" * (1 << 20))


def link_out() -> None:
    kernels()
    path = WORK / "bundles" / NAMES[0] / "kernel.rs"
    path.unlink()
    path.symlink_to(INPUTS / "draft" / NAMES[0] / "kernel.rs")
    verdict()


def linked_folder() -> None:
    (WORK / "bundles").symlink_to(INPUTS / "draft")
    verdict()


def calls_the_reference() -> None:
    kernels(lambda text: text + '\nextern "C" { fn cutile_reference(x: *const u8); }\n')
    verdict()


def includes_the_reference() -> None:
    body = '\n    const REFERENCE: &[u8] = include_bytes!("reference.tileirbc");\n'
    kernels(lambda text: text.replace("use cutile::core::*;", "use cutile::core::*;" + body))
    verdict()


def swaps_arrays() -> None:
    """Every parameter of the first array becomes one of the second, on both sides of the map."""
    kernels()
    for name in NAMES:
        launch = json.loads((INPUTS / "draft" / name / "launch.json").read_text())
        for role in (*launch["parameters"]["reference"], *launch["parameters"]["lowered"]):
            if role.get("array") in (0, 2):
                role["array"] = 2 - role["array"]
        (WORK / "bundles" / name / "launch.json").write_text(json.dumps(launch))
    verdict()


def broken_launch() -> None:
    kernels()
    for name in NAMES:
        launch = json.loads((INPUTS / "draft" / name / "launch.json").read_text())
        launch["specialization"]["occupancy"] = "many"
        (WORK / "bundles" / name / "launch.json").write_text(json.dumps(launch))
    verdict()


def fills_the_hole() -> None:
    """Writes nothing but the function that lifting left open."""
    for name in NAMES:
        (hole,) = json.loads((INPUTS / "draft" / name / "holes.json").read_text())
        (WORK / "bundles" / name).mkdir(parents=True)
        (WORK / "bundles" / name / "holes.rs").write_text(f"{hole['signature']} {{ a0 + a1 }}\n")
    verdict()


def fills_no_hole() -> None:
    kernels()
    for name in NAMES:
        (WORK / "bundles" / name / "holes.rs").write_text("fn hole_1() {}\n")
    verdict()


def does_not_compile() -> None:
    kernels(lambda text: text.replace("let ", "let let ", 1))
    verdict(verdict="FAIL_COMPILE", owner="kernel")


def fails() -> None:
    sys.exit(3)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
