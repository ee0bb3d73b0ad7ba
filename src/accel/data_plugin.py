"""A plugin that is a folder of YAML: chips, sentences, fault codes, reader rules and the tool; no code.

    <folder>/<vendor>/chips/*.yaml, architectures.yaml    products                   docs/add-a-spec.md
    <folder>/<vendor>/messages/*.yaml                     sentences, with what to do about them
    <folder>/<vendor>/faults.yaml                         fault codes
    <folder>/<vendor>/readers/*.yaml                      how its tool's output is read
    <folder>/<vendor>/tools.yaml                          how its tool is called
    <folder>/machines/<name>/                             recorded machines that prove it

A distribution names the package that holds these files in the entry-point group "accel.plugin_data"; ACCEL_PLUGINS
names a folder by its path. docs/data-only-plugin.md has a whole one.
"""

import os
from collections.abc import Callable
from importlib.util import find_spec
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from accel.errors import BadSpec, PluginError
from accel.hookspecs import hookimpl

if TYPE_CHECKING:
    from accel.backend import Backend


def data_plugin(place: str) -> SimpleNamespace:
    """Return the hooks of a folder, or of a package, whose code is not run. Raises PluginError if there is none."""
    folder = place if os.path.isdir(place) else _folder_of(place)
    machines = os.path.join(folder, "machines")
    hooks: dict[str, Callable[[], Any]] = {"accel_specs": lambda: folder}
    if os.path.isdir(machines):
        hooks["accel_machines"] = lambda: machines
    if any(os.path.isfile(os.path.join(folder, vendor, "tools.yaml")) for vendor in os.listdir(folder)):
        hooks["accel_backend"] = lambda: _backend(folder)
    return SimpleNamespace(**{name: hookimpl(hook) for name, hook in hooks.items()})


def _backend(folder: str) -> "Backend":
    """Return the backend of the folder's tool. Raises BadSpec with the first mistake of the folder."""
    from accel.data_backend import DataBackend
    from accel.specs import Specs
    from accel.specs.store import user_folder

    specs = Specs(
        (user_folder(folder),)
    )  # its own tables only, and not validated: this is asked for each list of devices
    try:
        return DataBackend(specs.tool_rules()[0], specs.reader_rules())
    except Exception as error:  # whatever is wrong, the validator has a sentence for it
        from accel.specs.validate import problems

        raise BadSpec(next(iter(problems(folder)), f"{folder}: {type(error).__name__}: {error}")) from error


def _folder_of(package: str) -> str:
    try:
        found = find_spec(package) if package.isidentifier() else None
    except (ImportError, ValueError):
        found = None
    places = list(found.submodule_search_locations or ()) if found is not None else []
    if not places:
        raise PluginError(f"there is no folder and no package {package!r}")
    return places[0]
