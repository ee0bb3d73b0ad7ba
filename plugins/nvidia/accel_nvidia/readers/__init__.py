"""The readers of what NVIDIA's tools, and programs about NVIDIA's devices, print: one format per file.

A file in this folder with a `READER` is a reader; nothing else needs to be told of it.
"""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from accel.contract.backend import Reader


@cache
def nvidia_readers() -> tuple[Reader, ...]:
    """Return every reader of this folder, in the order of their files."""
    names = sorted(module.name for module in iter_modules(__path__))
    return tuple(import_module(f"{__name__}.{name}").READER for name in names)
