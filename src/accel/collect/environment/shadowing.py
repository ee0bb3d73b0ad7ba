"""The user's own files that Python imports instead of a framework, a vendor's module or the standard library.

Reads   the names in each folder of sys.path, in its order, and in the working directory
Source  CPython: sys.path; within a folder, a package with __init__.py takes precedence over a file of the same name
"""

import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from accel.collect.environment.distributions import Installed
from accel.facts.readers.frameworks import FRAMEWORK_PACKAGES
from accel.machine.files import names_in
from accel.model.observation import Noted

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

SHADOWED: Final = ("torch", "tensorflow", "jax", "triton", "numpy", "transformers", "vllm", "diffusers")
_VENDORS: Final = {"nvidia-ml-py": "pynvml"}  # a distribution of one module, which is a single file
# Loaded before sys.path is complete, or imported by no program: a file of the same name does no harm.
_LOADED_EARLY: Final = [
    *("abc", "codecs", "encodings", "genericpath", "importlib", "io", "ntpath", "os", "posixpath", "site"),
    *("stat", "zipimport"),
]
_UNUSED: Final = ("antigravity", "idlelib", "lib2to3", "test", "this", "turtle", "turtledemo")
_HARMLESS: Final = frozenset((*_LOADED_EARLY, *_UNUSED, *sys.builtin_module_names))
_HERE: Final = "."


def shadowing(machine: "Machine", found: Installed) -> Iterator[Noted]:
    """Yield a note for each module that an earlier folder, or the working directory, has under the same name."""
    places = {one.package.name: one.package.location for one in found.distributions}
    here = names_in(machine, _HERE)
    for name in SHADOWED:
        site = places.get(name)
        if site is None or not machine.exists(f"{site}/{name}/__init__.py"):
            continue
        if any(entry.startswith(f"{name}-") and entry.endswith("-info") for entry in here):
            earlier = _before(found, site, ())  # the working directory is a site-packages folder
        else:
            earlier = _before(found, site, here)
        yield from _first_of(machine, name, earlier, f"{site}/{name}")
    for distribution, name in _VENDORS.items():
        site = places.get(distribution)
        if site is not None and machine.exists(f"{site}/{name}.py"):
            if machine.exists(f"{site}/{name}/__init__.py"):
                yield _noted(name, site, f"{name}/__init__.py", f"{site}/{name}.py")
            else:
                yield from _first_of(machine, name, _before(found, site, here), f"{site}/{name}.py")
    yield from _of_the_standard_library(machine, found, here if places.keys() & FRAMEWORK_PACKAGES else ())


def _of_the_standard_library(machine: "Machine", found: Installed, here: tuple[str, ...]) -> Iterator[Noted]:
    library = next((path for path, names in found.names.items() if "os.py" in names), None)
    if library is None:
        return
    known = sys.stdlib_module_names - _HARMLESS
    earlier = _before(found, library, here)
    names = {entry.removesuffix(".py") for entries in earlier.values() for entry in entries}
    for name in sorted(names & known):
        if not name.startswith("_"):
            yield from _first_of(machine, name, earlier, f"{library}/{name}")


def _before(found: Installed, site: str, here: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return the folders that Python searches before `site`, in order, with their names; the working directory last."""
    earlier: dict[str, tuple[str, ...]] = {}
    for path, names in found.names.items():
        if path == site:
            break
        earlier[path] = names
    return {**earlier, _HERE: here}


def _first_of(machine: "Machine", name: str, folders: Mapping[str, tuple[str, ...]], meant: str) -> Iterator[Noted]:
    for path, names in folders.items():
        if f"{name}.py" in names:
            yield _noted(name, path, f"{name}.py", meant)
            return
        if name in names and machine.exists(f"{path}/{name}/__init__.py"):
            yield _noted(name, path, f"{name}/__init__.py", meant)
            return


def _noted(name: str, folder: str, file: str, meant: str) -> Noted:
    where = "in the working directory" if folder == _HERE else f"in {folder}"
    return Noted(
        fact="package-shadowed",
        text=f"{file} {where} comes before {meant}",
        values=(("package", name), ("path", f"{folder}/{file}")),
        source="environment",
        grade="measured",
    )
