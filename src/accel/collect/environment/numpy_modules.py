"""Compiled modules that were built for NumPy 1, in an environment with NumPy 2: by the name that they import.

Modules built with NumPy 1 import "numpy.core._multiarray_umath"; those built with NumPy 2 try
"numpy._core._multiarray_umath" first, and run with either. The name is among the module's constants (.rodata).

Source  NumPy: numpy/_core/code_generators/generate_numpy_api.py (_import_array); migration guide of 2.0
Only packages that require NumPy without a decisive bound are checked: a bound that excludes NumPy 2 is already an unmet
requirement.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from accel.collect.environment.distributions import Distribution, Installed, full_version
from accel.collect.environment.metadata import record_of
from accel.machine.protocol import Machine
from accel.model.observation import Noted
from accel.text.elf import sections
from accel.text.pattern import pattern

_OF_ONE: Final = b"numpy.core._multiarray_umath"
_OF_TWO: Final = b"numpy._core._multiarray_umath"
_MODULE: Final = pattern(r"[^,\n]{1,300}\.(?:cpython-[\w-]{1,60}|abi3)\.so,", exact_case=True)
_MOST_MODULES: Final = 6  # per package: one that uses NumPy is usually among the first
_MOST_PACKAGES: Final = 40
_MOST_BYTES: Final = 4 << 20


def modules_for_numpy_1(machine: Machine, found: Installed, users: Iterable[str]) -> Iterator[Noted]:
    """Yield a note for each package with a module that runs only with NumPy 1, if NumPy 2 is installed.

    users  the packages that require NumPy without bounds on its second major version
    """
    numpy = next((one.package for one in found.distributions if one.package.name == "numpy"), None)
    if machine.system != "linux" or numpy is None or not (numpy.version or "").startswith(("2.", "3.")):
        return
    asking = set(users)
    for one in [one for one in found.distributions if one.package.name in asking][:_MOST_PACKAGES]:
        path = next((path for path in _modules(machine, one) if _is_for_numpy_1(machine, path)), None)
        if path is not None:
            version = full_version(one.package)
            values = {"has": numpy.version or "", "package": one.package.name, "version": version, "breaks": "import"}
            yield Noted(
                fact="built-for-older-numpy",
                text=f"{path} only imports numpy.core._multiarray_umath, as built for NumPy 1; numpy "
                f"{numpy.version} is installed",
                values=tuple({**values, "path": path}.items()),
                source="environment",
                grade="measured",
            )


def _modules(machine: Machine, one: Distribution) -> Iterator[str]:
    record = record_of(machine, one) or ""
    for number, module in enumerate(_MODULE.finditer(record)):
        if number == _MOST_MODULES:
            break
        yield f"{one.package.location}/{module[0][:-1]}"


def _is_for_numpy_1(machine: Machine, path: str) -> bool:
    try:
        at, size = sections(lambda offset, count: machine.read_bytes(path, offset, count)).get(".rodata", (0, 0))
        constants = machine.read_bytes(path, at, min(size, _MOST_BYTES)) if size else b""
    except OSError:
        return False
    return _OF_ONE in constants and _OF_TWO not in constants
