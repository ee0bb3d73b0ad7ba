"""Lazily loaded names of a package (PEP 562)."""

from collections.abc import Callable


def late(package: str, **homes: str) -> Callable[[str], object]:
    """Return a `__getattr__` for a package. homes: the module that defines each name.

    A plugin's package exposes its VENDOR this way, so that its other modules can be imported without it.
    """

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{package}.{homes[name]}"), name)

    return get
