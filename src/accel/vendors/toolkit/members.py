"""What a plugin's package registers: modules in its folders (readers, checks, rules), and what its tables provide."""

import os
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accel.vendors.contract.backend import Reader
    from accel.vendors.contract.check import Check
    from accel.vendors.contract.rule import Rule
    from accel.vendors.contract.vendor import Given


@cache
def readers_of(package: str) -> "tuple[Reader, ...]":
    """Return the READER of each module in the folder `readers`, in the order of the files; then those from tables."""
    found = (module.READER for module in _modules(package, "readers") if hasattr(module, "READER"))
    return (*found, *given_by(package).readers)


@cache
def checks_of(package: str) -> "tuple[Check, ...]":
    """Return every Check in the modules of the package's folder `checks`, and those from tables, sorted by code."""
    from accel.vendors.contract.check import Check

    found = {v.code: v for module in _modules(package, "checks") for v in vars(module).values() if isinstance(v, Check)}
    found |= {check.code: check for check in given_by(package).checks}
    return tuple(found[code] for code in sorted(found))


@cache
def rules_of(package: str) -> "tuple[Rule, ...]":
    """Return every Rule in the modules of the package's folder `rules`, and those from tables, sorted by name."""
    from accel.vendors.contract.rule import Rule

    found = {v.name: v for module in _modules(package, "rules") for v in vars(module).values() if isinstance(v, Rule)}
    found |= {rule.name: rule for rule in given_by(package).rules}
    return tuple(found[name] for name in sorted(found))


def module_names(path: Iterable[str]) -> list[str]:
    """Return the sorted names of the modules in a package's folders, without those that begin with "_", which others
    import when they need them. path: the package's `__path__`.
    """
    try:
        files = [file for folder in path for file in os.listdir(folder)]
    except OSError:  # it is in a zip file
        from pkgutil import iter_modules  # imports `inspect`

        return sorted(module.name for module in iter_modules(path) if not module.name.startswith("_"))
    names = {file.partition(".")[0] for file in files if file.endswith((".py", ".pyc"))}
    return sorted(name for name in names if not name.startswith("_"))


@cache
def given_by(package: str) -> "Given":
    """Return what the tables of a package's vendor provide; nothing for one without tables."""
    from accel.vendors.contract.vendor import Given

    given = getattr(getattr(import_module(package), "VENDOR", None), "given", None)
    return given() if given is not None else Given()


def _modules(package: str, folder: str) -> Iterator[ModuleType]:
    name = f"{package}.{folder}"
    try:
        found = import_module(name)
    except ModuleNotFoundError as error:
        if error.name == name:
            return  # it has no such folder
        raise
    for module in module_names(found.__path__):
        yield import_module(f"{name}.{module}")
