"""Readers of texts that belong to no vendor. A file of this folder with a READER in it is used by existing."""

from functools import cache
from importlib import import_module

from accel.vendors.contract.backend import Reader


@cache
def core_readers() -> tuple[Reader, ...]:
    """Return the readers of this folder, by file name; what a reader early in the list says wins over a later one."""
    from pkgutil import iter_modules  # brings `inspect`; with the catalogue nobody comes here

    found = []
    for module in sorted(iter_modules(__path__), key=lambda m: m.name):
        reader = getattr(import_module(f"{__name__}.{module.name}"), "READER", None)
        if isinstance(reader, Reader):
            found.append(reader)
    return tuple(found)
