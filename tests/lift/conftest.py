"""The builder of small kernels, and the helpers of this folder, can be imported by the tests of lift."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "check")]
