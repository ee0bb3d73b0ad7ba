"""What ixsmi prints, one format a file. A file in this folder with a `READER` is registered by existing."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from accel.contract.backend import Reader


@cache
def iluvatar_readers() -> tuple[Reader, ...]:
    """Return every reader of this folder, in the order of their files."""
    names = sorted(module.name for module in iter_modules(__path__))
    return tuple(import_module(f"{__name__}.{name}").READER for name in names)
