"""The registries."""

from tilegym.backend.dispatcher import dispatch, register_impl
from tilegym.backend.selector import get_current_backend, set_backend

__all__ = ["dispatch", "get_current_backend", "register_impl", "set_backend"]
