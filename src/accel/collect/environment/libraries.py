"""Which copies of a vendor's shared libraries a process of an environment would find, first match first.

The order is the loader's: LD_LIBRARY_PATH, the wheels' own folders (their RUNPATH comes after
LD_LIBRARY_PATH), the environment's lib (conda), then the system's.
Which libraries matter is data: specs/frameworks/libraries.yaml.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from accel.collect.environment.interpreter import Interpreter
from accel.machine.protocol import Machine
from accel.model.environment import Library, Package, Toolkit
from accel.specs import load
from accel.text.pattern import pattern

_FILE: Final = pattern(r"^(?P<stem>lib[A-Za-z_]+)\.so(?:\.(?P<version>[\d.]+))?$", exact_case=True)


def library_copies(machine: Machine, interpreter: Interpreter, packages: Sequence[Package]) -> tuple[Library, ...]:
    """Return every copy found of the relevant libraries; the version is as precise as the file's name."""
    wanted = frozenset(load().table("frameworks/libraries")["stems"])
    found: dict[str, Library] = {}
    for folder, origin in _folders(machine, interpreter, packages):
        for stem, version, path in _named(machine, folder, wanted):
            key = _resolved(machine, path)
            known = found.get(key)
            if known is None or len(version or "") > len(known.version or ""):
                found[key] = Library(name=stem, version=version, path=path, origin=origin)
    return tuple(found.values())


def toolkits(machine: Machine) -> tuple[Toolkit, ...]:
    """Return the development kits in their usual places, newest version file first."""
    found = []
    for kit in load().table("frameworks/libraries")["toolkits"]:
        for path in (machine.environment.get(kit["variable"]), *kit["folders"]):
            version = _toolkit_version(machine, path, kit["version_files"]) if path else None
            if version:
                found.append(Toolkit(name=kit["name"], version=version, path=path))
    return tuple(dict.fromkeys(found))


def _toolkit_version(machine: Machine, folder: str, files: Sequence[str]) -> str | None:
    for name in files:
        try:
            text = machine.read(f"{folder}/{name}", 65536)
        except OSError:
            continue
        match = re.search(r"(?:\"cuda\"\s*:\s*\{[^}]*?\"version\"\s*:\s*\"|Version[ =]+|^)(\d+(?:\.\d+)+)", text, re.M)
        if match:
            return match[1]
    return None


def _folders(machine: Machine, interpreter: Interpreter, packages: Sequence[Package]) -> Iterator[tuple[str, str]]:
    table = load().table("frameworks/libraries")
    for folder in machine.environment.get("LD_LIBRARY_PATH", "").split(":"):
        if folder:
            yield folder, "path"
    for site in dict.fromkeys(p.location for p in packages if p.location):
        for group in table["wheel_groups"]:
            for part in machine.list(f"{site}/{group}"):
                yield f"{site}/{group}/{part}/lib", "wheel"
        for folder in table["wheel_folders"]:
            yield f"{site}/{folder}", "wheel"
    yield f"{interpreter.prefix}/lib", "conda" if machine.exists(f"{interpreter.prefix}/conda-meta") else "path"
    for folder in table["system_folders"]:
        yield folder, "wsl" if folder.startswith("/usr/lib/wsl") else "system"


def _named(machine: Machine, folder: str, wanted: frozenset[str]) -> Iterator[tuple[str, str | None, str]]:
    for name in machine.list(folder):
        match = _FILE.match(name)
        if match and match["stem"] in wanted:
            yield match["stem"], match["version"], f"{folder}/{name}"


def _resolved(machine: Machine, path: str) -> str:
    """Return the folder and stem of a file: libX.so, libX.so.9 and libX.so.9.1.0 in one folder are one copy."""
    folder, _, name = path.rpartition("/")
    major = re.match(r"(lib[^.]+)\.so(?:\.(\d+))?", name)
    return f"{folder}/{major[1] if major else name}"
