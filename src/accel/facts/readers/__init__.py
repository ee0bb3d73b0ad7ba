"""Readers for texts of no particular vendor. A file in this folder that has a READER is used automatically."""

from functools import cache
from importlib import import_module

from accel.vendors.contract.backend import Reader


@cache
def core_readers() -> tuple[Reader, ...]:
    """Return the readers in this folder, by file name; earlier readers take precedence over later ones."""
    from pkgutil import iter_modules  # imports `inspect`; not reached when the catalogue is used

    found = []
    for module in sorted(iter_modules(__path__), key=lambda m: m.name):
        reader = getattr(import_module(f"{__name__}.{module.name}"), "READER", None)
        if isinstance(reader, Reader):
            found.append(reader)
    return tuple(found)
