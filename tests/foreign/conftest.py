"""The modules of this folder and the builder of small kernels can be imported by its tests."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "check")]
