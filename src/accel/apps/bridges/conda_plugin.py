"""conda's virtual packages for accelerators: __accel_cuda, __accel_rocm, __accel_cann, __accel_tpu …

    conda info                                  virtual packages : __accel_cuda=12.8=9.0
    run_constrained: [__accel_cann >=8.0]       in the recipe of a package that needs it
    CONDA_OVERRIDE_ACCEL_CUDA=12.4 conda …      for another machine; set but empty: omit the package

The version is that of the stack that the driver supports, or "0" if unknown, conda's placeholder for no version; the
build string holds the codes of the devices ("8.6_9.0"). A machine without such a device has no such package. conda's
own __cuda is left alone.

conda loads this if accel is installed in the same (base) environment, and calls it when it solves. Since 25.11 conda
accepts a function as the version; for older releases the version is read when conda asks for the names.

Source  conda.plugins.hookspec: conda_virtual_packages; conda.plugins.types: CondaVirtualPackage
"""

import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import pluggy

from accel.apps.bridges.served import Served, served_here
from accel.resolver.build_families import families, plain, stack_name

_PREFIX = "accel_"  # conda prepends "__"


@pluggy.HookimplMarker("conda")
def conda_virtual_packages() -> Iterator[Any]:
    """Yield a CondaVirtualPackage for each stack; if conda asks for versions later, also for absent stacks."""
    import importlib

    package: Any = importlib.import_module("conda.plugins.types").CondaVirtualPackage
    if "Callable" not in str(getattr(package, "__annotations__", {}).get("version")):
        for stack in served_here():
            yield package(_PREFIX + stack.name, stack.version, build_of(stack))
        return
    null = importlib.import_module("conda.auxlib").NULL
    overridable = {"override_entity": "version"} if hasattr(package, "override_entity") else {}
    for name in _names():
        yield package(
            name=_PREFIX + name, version=partial(_version, name, null), build=partial(_build, name), **overridable
        )


def build_of(stack: Served) -> str | None:
    """Return the device codes joined into one word; None if none is known."""
    return "_".join(sorted(plain(code) for code in stack.codes)) or None


def _names() -> list[str]:
    """Return the names of all possible stacks, without probing and without importing a plugin."""
    from accel.plugins.discovery import installed
    from accel.specs import load

    known = {family["vendor"]: stack_name(family["vendor"], family) for family in families(load())}
    others = (plugin.name for plugin in installed(sys.path) if plugin.name not in {*known, "cpu"})
    return [*known.values(), *map(plain, others)]


def _version(name: str, null: object) -> Any:
    stack = _stack(name)
    return null if stack is None else stack.version


def _build(name: str) -> str | None:
    stack = _stack(name)
    return None if stack is None else build_of(stack)


def _stack(name: str) -> Served | None:
    return next((stack for stack in served_here() if stack.name == name), None)
