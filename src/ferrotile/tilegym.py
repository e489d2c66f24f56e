"""TileGym's backend `cutile-rs`: its own host code runs, and every launch is answered by a proved Rust kernel.

    import ferrotile.tilegym                 # registers the backend
    tilegym.set_backend("cutile-rs")

Takes the place of the backend of that name that TileGym has for some operators. While it is the current backend, all
launches of the process are answered; a call with `backend="cutile-rs"` answers those of the call itself.
FERROTILE_KERNELS names the folder of kernels; FERROTILE_REFUSED is `raise`, or `reference` to let cuTile Python launch
what is refused, which is counted and logged. docs/tilegym-backend.md has the rest.
"""

from __future__ import annotations

import contextvars
import functools
import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ferrotile._native import Chosen
from ferrotile.backend import Counters, CudaDriver, Driver, Launcher, Policy, Report, Shelf
from ferrotile.backend import install as install_hooks
from ferrotile.core import EnvironmentFault, InputError

NAME, REFERENCE = "cutile-rs", "cutile"
HOST_CODE = ("tilegym.ops", "tilegym.suites", "tilegym.transformers")
"""Modules whose code runs as that of the reference backend."""
_asked: contextvars.ContextVar[str | None] = contextvars.ContextVar("ferrotile_tilegym_asked", default=None)
"""The backend that the outermost call of an operator runs in."""
_counters = Counters()
_undo: list[Callable[[], None]] = []


def report() -> Report:
    """What was launched since the start, or since `reset`."""
    return _counters.report()


def reset() -> None:
    """Count from 0 again."""
    _counters.reset()


def install(*, driver: Driver | None = None, folder: Path | None = None, refused: str | None = None) -> None:
    """Register the backend; again, with other settings, in place of before. None: what the environment says.

    Raises: FT623 this TileGym has other registries; FT902 no such policy.
    """
    uninstall()
    selector, dispatcher = _module("selector"), _module("dispatcher")
    launcher = Launcher(driver or CudaDriver(), Shelf(folder or _folder()), _counters, _policy(refused))
    backends, registry = _part(selector, "_AVAILABLE_BACKENDS"), _part(dispatcher, "_REGISTRY")
    was_available = NAME in backends
    backends.add(NAME)
    if not was_available:
        _undo.append(lambda: backends.discard(NAME))
    for implementations in registry.values():
        _serve(implementations)
    _serve_later(dispatcher, registry)
    _let_host_code_see_the_reference(selector)
    _undo.append(install_hooks(launcher, Chosen(_asked.get, selector.get_current_backend, NAME)))


def uninstall() -> None:
    """Leave TileGym as it was."""
    while _undo:
        _undo.pop()()


def _serve(implementations: dict[str, Any]) -> None:
    """Add the backend to an operator that cuTile Python implements; which backend a call asked for is kept."""
    if (original := implementations.get(REFERENCE)) is None or hasattr(original, "_ferrotile_backend"):
        return
    before = {name: implementations.get(name) for name in (NAME, REFERENCE)}
    for name in before:
        implementations[name] = _asking(original, name)

    def undo() -> None:
        for name, function in before.items():
            if function is None:
                implementations.pop(name, None)
            else:
                implementations[name] = function

    _undo.append(undo)


def _serve_later(dispatcher: Any, registry: dict[str, dict[str, Any]]) -> None:
    """Serve operators of modules that are imported later, too."""
    package = importlib.import_module("tilegym.backend")
    original = _part(dispatcher, "register_impl")

    def register_impl(name: str, backend: str) -> Any:
        register = original(name, backend)

        def decorator(function: Any) -> Any:
            made = register(function)
            if backend == REFERENCE:
                _serve(registry[name])
            return made

        return decorator

    for module in (dispatcher, package):
        if getattr(module, "register_impl", None) is original:
            setattr(module, "register_impl", register_impl)  # noqa: B010
            _undo.append(functools.partial(setattr, module, "register_impl", original))


def _let_host_code_see_the_reference(selector: Any) -> None:
    """TileGym's operators ask for the current backend to choose host code: ours runs that of the reference."""
    original = _part(selector, "get_current_backend")

    def get_current_backend() -> str:
        backend = original()
        caller = sys._getframe(1).f_globals.get("__name__", "")
        return REFERENCE if backend == NAME and caller.startswith(HOST_CODE) else backend

    keepers = (selector.__name__, "tilegym.backend.dispatcher")
    for name, module in list(sys.modules.items()):
        is_asking = name.split(".")[0] == "tilegym" and name not in keepers
        if is_asking and vars(module).get("get_current_backend") is original:
            vars(module)["get_current_backend"] = get_current_backend
            _undo.append(functools.partial(setattr, module, "get_current_backend", original))


def _asking(function: Any, backend: str) -> Any:
    @functools.wraps(function)
    def implementation(*args: Any, **kwargs: Any) -> Any:
        if _asked.get() is not None:  # an operator inside another runs as that one does
            return function(*args, **kwargs)
        token = _asked.set(backend)
        try:
            return function(*args, **kwargs)
        finally:
            _asked.reset(token)

    implementation._ferrotile_backend = backend  # type: ignore[attr-defined]
    return implementation


def _module(name: str) -> Any:
    try:
        importlib.import_module("tilegym")
        return importlib.import_module(f"tilegym.backend.{name}")
    except ImportError as error:
        raise EnvironmentFault(
            "FT623", f"TileGym cannot be imported: {str(error).lower()}", hint="pip install ferrotile[tilegym]"
        ) from None


def _part(module: Any, name: str) -> Any:
    if not hasattr(module, name):
        raise EnvironmentFault("FT623", f"`{module.__name__}` has no `{name}`: this TileGym is not one that is known")
    return getattr(module, name)


def _folder() -> Path | None:
    chosen = os.environ.get("FERROTILE_KERNELS")
    return Path(chosen) if chosen else None


def _policy(refused: str | None) -> Policy:
    text = refused or os.environ.get("FERROTILE_REFUSED") or Policy.RAISE
    try:
        return Policy(text)
    except ValueError:
        raise InputError("FT902", f"`{text}` is no policy for refused kernels: `raise` or `reference`") from None


install()
