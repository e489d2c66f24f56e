"""A stand-in for TileGym: its registries and one operator, as far as a backend can see them."""

from tilegym import ops
from tilegym.backend.selector import get_current_backend, set_backend

__all__ = ["get_current_backend", "ops", "set_backend"]
