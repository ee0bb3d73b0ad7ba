"""Which plugins a machine may need: by their signs, and for accel's own also by their module `presence`, loaded by
itself.

Some vendors' signs are on nearly every machine, because bridges and network cards have their PCI vendor id too.
"""

import importlib
import importlib.util
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from accel.plugins.discovery import OWN, Installed
from accel.vendors.toolkit.presence import shown

if TYPE_CHECKING:
    from accel.machine.protocol import Machine


def needed(plugins: Iterable[Installed], machine: "Machine") -> Iterator[Installed]:
    """Yield the plugins whose hardware may be present."""
    seen: dict[str, frozenset[str]] = {}
    for plugin in plugins:
        if (not plugin.signs or shown(plugin.signs, machine, seen)) and _may_be_here(plugin, machine):
            yield plugin


def has_module(plugin: Installed, name: str) -> bool:
    """Return whether the plugin's package has a module with this name."""
    try:
        return importlib.util.find_spec(f"{plugin.module}.{name}") is not None
    except Exception:  # the package cannot be loaded: the registry meets that, too, and tells it
        return False


def module_of(plugin: Installed, name: str) -> Any:
    """Import and return that module."""
    return importlib.import_module(f"{plugin.module}.{name}")


def _may_be_here(plugin: Installed, machine: "Machine") -> bool:
    if plugin.distribution != OWN or plugin.data:
        return True
    try:
        return not has_module(plugin, "presence") or bool(module_of(plugin, "presence").may_be_here(machine))
    except Exception:  # its backend's detect() fails again and is reported
        return True
