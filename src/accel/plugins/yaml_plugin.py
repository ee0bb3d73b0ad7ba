"""A plugin that is a folder of YAML: chips, sentences, fault codes, reader rules and the tool; no code.

    <folder>/<vendor>/chips/*.yaml, architectures.yaml    products                   docs/add-a-spec.md
    <folder>/<vendor>/inference/*.yaml                    sentences, their meaning, and what to do about them
    <folder>/<vendor>/checks/*.yaml                       checks on the resulting facts (accel.checks.rows)
    <folder>/<vendor>/faults.yaml                         fault codes
    <folder>/<vendor>/readers/*.yaml                      how to parse its tool's output
    <folder>/<vendor>/tools.yaml                          how to call its tool
    <folder>/machines/<name>/                             recorded machines for testing

A distribution names the package that contains these files in the entry point group "accel.plugin_data"; ACCEL_PLUGINS
names a folder by its path. docs/data-only-plugin.md has a complete example. A folder in the working folder with the
package's name is not used, because its tools.yaml says what is run.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from accel.model.errors import BadSpec, PluginError
from accel.vendors.contract.hookspecs import hookimpl

if TYPE_CHECKING:
    from accel.vendors.contract.backend import Backend, Reader
    from accel.vendors.contract.check import Check
    from accel.vendors.contract.rule import Rule
    from accel.vendors.contract.vendor import Given


def data_plugin(place: str) -> SimpleNamespace:
    """Return the hooks of a folder, or of a package, without running its code. Raises PluginError if it does not exist.

    place  the absolute path of a folder, or the name of a package
    """
    folder = place if os.path.isabs(place) and os.path.isdir(place) else _folder_of(place)
    machines = os.path.join(folder, "machines")
    hooks: dict[str, Callable[[], Any]] = {
        "accel_specs": lambda: folder,
        "accel_readers": lambda: _readers(folder),
        "accel_checks": lambda: _checks(folder),
        "accel_rules": lambda: _rules(folder),
    }
    if os.path.isdir(machines):
        hooks["accel_machines"] = lambda: machines
    if any(os.path.isfile(os.path.join(folder, vendor, "tools.yaml")) for vendor in os.listdir(folder)):
        hooks["accel_backend"] = lambda: _backend(folder)
    return SimpleNamespace(**{name: hookimpl(hook) for name, hook in hooks.items()})


def _readers(folder: str) -> "tuple[Reader, ...]":
    """Return the readers of the valid rules; what is wrong with others is reported by the validation of records."""
    from accel.facts.readers.ruled import ruled_readers
    from accel.text.layouts.layout import reader_rule
    from accel.text.layouts.mistakes import rule_mistakes
    from accel.text.layouts.tool import record_stated

    tools = {name.partition("/")[0]: table for name, table in _tables(folder, "/tools")}
    rules = []
    for name, table in _tables(folder, "/readers/"):
        for stated in table.get("readers") or ():
            with suppress(Exception):  # a file of any form; its mistakes are reported when its records are loaded
                record = record_stated(tools.get(name.partition("/")[0]))
                if not any(rule_mistakes(stated, table, record)):
                    rules.append(reader_rule(stated, table, record))
    return (*ruled_readers(rules), *_given(folder).readers)


def _given(folder: str) -> "Given":
    """Return what the folder's tool rule provides besides the readers of its rules; nothing if it is invalid."""
    from accel.plugins.yaml_backend import given_by
    from accel.specs import Specs
    from accel.specs.store import user_folder
    from accel.vendors.contract.vendor import Given

    with suppress(Exception):  # as above
        return given_by(Specs((user_folder(folder),)).tool_rules()[0], ())
    return Given()


def _checks(folder: str) -> "tuple[Check, ...]":
    """Return the checks that are table rows: from its tables of checks, and from facts that have a finding."""
    from accel.checks.rows import row_check, table_rows

    checks = []
    for name, table in (*_tables(folder, "/inference/"), *_tables(folder, "/checks/")):
        with suppress(Exception):  # as above
            for row in table_rows(name, table):
                with suppress(Exception):
                    checks.append(row_check(row, name))
    return (*checks, *_given(folder).checks)


def _rules(folder: str) -> "tuple[Rule, ...]":
    return _given(folder).rules


def _tables(folder: str, part: str) -> "list[tuple[str, dict[str, Any]]]":
    from accel.specs import Specs
    from accel.specs.store import user_folder

    return [(name, t) for name, t in Specs((user_folder(folder),)).tables("", part) if isinstance(t, dict)]


def _backend(folder: str) -> "Backend":
    """Return the Backend of the folder's tool. Raises BadSpec for the first mistake in the folder."""
    from accel.plugins.yaml_backend import data_backend
    from accel.specs import Specs
    from accel.specs.store import user_folder

    specs = Specs(
        (user_folder(folder),)
    )  # its own tables only, and not validated: this is asked for each list of devices
    try:
        return data_backend(specs.tool_rules()[0], specs.reader_rules())
    except Exception as error:  # whatever is wrong, the validator has a sentence for it
        from accel.specs.validate import problems

        raise BadSpec(next(iter(problems(folder)), f"{folder}: {type(error).__name__}: {error}")) from error


def _folder_of(package: str) -> str:
    """Return the package's folder; of several, as an uninstalled package can leave, the first one with YAML."""
    try:
        found = find_spec(package) if package.isidentifier() else None
    except (ImportError, ValueError):
        found = None
    places = list(found.submodule_search_locations or ()) if found is not None else []
    if not places:
        raise PluginError(f"there is no folder and no package {package!r}")
    for place in places:
        if any(name.endswith(".yaml") for _, _, names in os.walk(place) for name in names):
            return os.path.abspath(place)
    raise PluginError(f"the package {package!r} contains no YAML: {places[0]}")
