"""The hooks of a plugin that declares its vendor: those derived from the declaration, and the module's own."""

import os
from collections.abc import Callable
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from accel.vendors.contract.vendor import Vendor
from accel.vendors.toolkit.members import checks_of, readers_of, rules_of
from accel.vendors.toolkit.vendor_backend import VendorBackend

if TYPE_CHECKING:
    from accel.plugins.discovery import Installed
    from accel.vendors.contract.check import Check

_MARK: Final = "accel_impl"  # pluggy's, of a function that implements a hook of the project "accel"


def hooks_of_installed(found: "Installed") -> object:
    """Return the object with the hooks of an installed plugin: its module, or one made from its declaration or YAML."""
    if not found.data:
        module = import_module(found.module)
        return hooks_of(module) if hasattr(module, "VENDOR") else module
    from accel.plugins.yaml_plugin import data_plugin

    return data_plugin(found.module)


def marked(hooks: object) -> object:
    """Return the hooks in the form that pluggy registers."""
    from accel.vendors.contract.hookspecs import hookimpl

    if isinstance(hooks, SimpleNamespace):
        for name, hook in vars(hooks).items():
            if not hasattr(hook, _MARK):
                setattr(hooks, name, hookimpl(hook))
    return hooks


def hooks_of(module: ModuleType) -> object:
    """Return the object with the hooks of a plugin's module: the module itself, if its VENDOR is not a declaration.

    Loads nothing from the package's folders yet.
    """
    vendor = getattr(module, "VENDOR", None)
    if not isinstance(vendor, Vendor):
        return module
    here = os.path.dirname(os.path.abspath(module.__file__ or ""))
    hooks: dict[str, Callable[[], Any]] = {"accel_backend": _asked(_backend_of, vendor)}
    hooks["accel_checks"] = _asked(_checks_of, vendor)
    for folder, found in (("readers", readers_of), ("rules", rules_of)):
        if vendor.given is not None or os.path.isdir(os.path.join(here, folder)):
            hooks[f"accel_{folder}"] = _asked(found, vendor.package)
    for folder in ("specs", "machines"):
        if os.path.isdir(os.path.join(here, folder)):
            hooks[f"accel_{folder}"] = _asked(os.path.join, here, folder)
    own = {name: value for name, value in vars(module).items() if hasattr(value, _MARK)}
    return SimpleNamespace(**(hooks | own))


def _checks_of(vendor: "Vendor[Any]") -> "tuple[Check, ...]":
    """Return the checks in the plugin's folder `checks`, and those of tables that name the plugin."""
    from accel.checks import own_rows

    return (*checks_of(vendor.package), *own_rows(vendor.name))


def _backend_of(vendor: "Vendor[Any]") -> Any:
    return import_module(f"{vendor.package}.backend").backend() if "backend" in vendor.own else VendorBackend(vendor)


def _asked(act: Callable[..., Any], *arguments: Any) -> Callable[[], Any]:
    def ask() -> Any:
        return act(*arguments)

    return ask
