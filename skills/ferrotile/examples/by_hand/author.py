"""An author for `ferrotile run --agent author='python author.py {prompt}'`: it leaves the kernel.rs beside this file.

This is all that the stage asks: kernel.rs for each variant, then verdict.json. launch.json is only needed where the
text has other parameters or generics than the lifted draft. Whatever it claims, check decides.
"""

import json
import shutil
import sys
from pathlib import Path

paths = dict(line.split(": ", 1) for line in sys.argv[1].splitlines() if ": " in line)
work, inputs = Path(paths["write in"]), Path(paths["inputs"])
for draft in sorted((inputs / "draft").iterdir()):
    place = work / "bundles" / draft.name
    place.mkdir(parents=True)
    shutil.copy(Path(__file__).with_name("kernel.rs"), place)
(work / "verdict.json").write_text(json.dumps({"stage": "author", "verdict": "COMPILED"}))
