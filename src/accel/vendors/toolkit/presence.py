"""Signs that a plugin's hardware may be here, looked for before any of the plugin's code is imported.

A distribution states them beside its entry point, one a line, with the plugin's name: the form that build tools and
installers all pass on (setuptools and older pips read what stands behind the "=", and want a module's name there).

    [project.entry-points."accel.plugin_signs"]
    "pci:1e36" = "acme"
    "/dev/acme<N>" = "acme"

    pci:1e36        a function of this vendor on the PCI bus; pci:1d0f:7 also begins the device's id
    /dev/acme0      a path that exists; /dev/acme<N> with any number
    lib:libacme.so  a library that the loader would find
    tool:acme-smi   a program on PATH
    system:macos    the operating system
    always          nothing need be looked for

None of them shown: the plugin is not asked for devices on this machine. It states none: it is always asked.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_DIGITS = "0123456789"


def shown(signs: Iterable[str], machine: "Machine", seen: "dict[str, frozenset[str]] | None" = None) -> bool:
    """Say whether one of the signs is on the machine; a sign of a kind that is not known counts as shown.

    seen  what folders have, which is added to: so that each is listed once for several plugins
    """
    listed = {} if seen is None else seen
    return any(_is_shown(sign, machine, listed) for sign in signs)


def _is_shown(sign: str, machine: "Machine", seen: "dict[str, frozenset[str]]") -> bool:
    if sign.startswith("/"):
        return _numbered(sign[:-3], machine, seen) if sign.endswith("<N>") else machine.exists(sign)
    kind, _, value = sign.partition(":")
    if kind == "pci":
        if len(value) == 9:  # a whole "vendor:device"
            return value in machine.pci_ids()
        start = value if ":" in value else f"{value}:"
        return any(pci_id.startswith(start) for pci_id in machine.pci_ids())
    if kind == "lib":
        return machine.finds_library(value)
    if kind == "tool":
        return any(machine.exists(f"{folder}/{value}") for folder in machine.environment.get("PATH", "").split(":"))
    return kind != "system" or machine.system == value


def _numbered(start: str, machine: "Machine", seen: "dict[str, frozenset[str]]") -> bool:
    folder, _, name = start.rpartition("/")
    if folder not in seen:
        try:
            entries = machine.list(folder)
        except OSError:
            entries = ()
        seen[folder] = frozenset(one.rstrip(_DIGITS) for one in entries if one[-1:].isdecimal())
    return name.rstrip(_DIGITS) in seen[folder]
