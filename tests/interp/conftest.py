"""What several tests of interp share can be imported by name, and so can the builder of small kernels."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "conformance"), str(HERE.parent / "check")]
