"""Which function implements an operator in which backend."""

from collections.abc import Callable
from typing import Any

from tilegym.backend.selector import get_current_backend

_REGISTRY: dict[str, dict[str, Callable[..., Any]]] = {}


def register_impl(name: str, backend: str) -> Callable[[Any], Any]:
    """Decorate the implementation of an operator."""

    def decorator(function: Any) -> Any:
        _REGISTRY.setdefault(name, {})[backend] = function
        return function

    return decorator


def dispatch(name: str, *args: Any, backend: str | None = None) -> Any:
    """Call an operator in the current backend, or in the one that is asked for."""
    return _REGISTRY[name][backend or get_current_backend()](*args)
