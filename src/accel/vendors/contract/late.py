"""Names of a package that are loaded when they are asked for (PEP 562)."""

from collections.abc import Callable


def late(package: str, **homes: str) -> Callable[[str], object]:
    """Return a package's __getattr__. homes: for each name, the module of the package that has it.

    A plugin's package gives its VENDOR so: its other modules can then be loaded without the statement and its record.
    """

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{package}.{homes[name]}"), name)

    return get
