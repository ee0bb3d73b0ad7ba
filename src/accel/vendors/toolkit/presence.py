"""Signs that a plugin's hardware may be present, checked before any of the plugin's code is imported.

A distribution declares them beside its entry point, one per line, with the plugin's name. This is the form that all
build tools and installers support (setuptools and older pips parse what follows the "=" and expect a module name).

    [project.entry-points."accel.plugin_signs"]
    "pci:1e36" = "acme"
    "/dev/acme<N>" = "acme"

    pci:1e36        a function of this vendor on the PCI bus; pci:1d0f:7 also matches the start of the device id
    /dev/acme0      a path that exists; /dev/acme<N> with any number
    lib:libacme.so  a library that the loader would find
    tool:acme-smi   a program on PATH
    system:macos    the operating system
    always          no check needed

If none of them is present, the plugin is not asked for devices. A plugin that declares none is always asked.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_DIGITS = "0123456789"


def shown(signs: Iterable[str], machine: "Machine", seen: "dict[str, frozenset[str]] | None" = None) -> bool:
    """Return whether one of the signs is present; a sign of an unknown kind counts as present.

    seen  cache of folder listings, extended by this call, so that several plugins list each folder only once
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
