"""The readers of texts about Cambricon's cards: one format per file. A file with a READER is a reader."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from accel.contract.backend import Reader


@cache
def cambricon_readers() -> tuple[Reader, ...]:
    """Return every reader of this folder, in the order of their files."""
    modules = (import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__))
    return tuple(module.READER for module in modules if hasattr(module, "READER"))
