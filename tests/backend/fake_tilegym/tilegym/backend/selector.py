"""Which backend is current."""

_AVAILABLE_BACKENDS = {"cutile"}
_current = "cutile"


def get_current_backend() -> str:
    """The name of the current backend."""
    return _current


def set_backend(backend: str) -> None:
    """Make a backend the current one."""
    global _current
    if backend not in _AVAILABLE_BACKENDS:
        raise ValueError(backend)
    _current = backend
