"""Launches and formulas can be imported by name; bounds come from the tests of interp."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "interp")]
