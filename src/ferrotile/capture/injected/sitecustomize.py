"""Python imports this at its start, since `ferrotile capture` puts its folder on PYTHONPATH: it starts the recorder.

Then the `sitecustomize` that this one hides, if the environment has one, is run as well.
"""

import os
import sys
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec

if os.environ.get("FERROTILE_CAPTURE"):
    import_module("ferrotile_recorder").start(os.environ)

_here = os.path.dirname(os.path.abspath(__file__))
_hidden = PathFinder.find_spec("sitecustomize", [path for path in sys.path if os.path.abspath(path) != _here])
if _hidden is not None and _hidden.loader is not None:
    _hidden.loader.exec_module(module_from_spec(_hidden))
