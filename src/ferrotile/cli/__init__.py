"""The command line: parse arguments, call the workflow, print what report makes of it.

Non-goals: nothing else; no command computes anything itself.
"""

from ferrotile.cli.main import main

__all__ = ["main"]
