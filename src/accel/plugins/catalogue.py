"""What accel's own plugins and layers register, known without importing them.

The build imports everything once and records each reader, check and rule, with everything that must be known before it
is called: a reader's signs, what a check reads and needs, a rule's triggers. At run time each is a stand-in that
imports its module when it is called. Without a catalogue, or in a checkout with a source file newer than it, everything
is imported instead. Plugins of other distributions are never in it.
"""

import marshal
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final

from accel.machine.outside import CHECKOUT, COMPILED, PACKAGE, dated
from accel.plugins.discovery import CORE

if TYPE_CHECKING:  # a list of devices asks which hooks a plugin has, and needs none of these
    from accel.vendors.contract.backend import Reader
    from accel.vendors.contract.check import Check
    from accel.vendors.contract.rule import Rule

FILE: Final = "plugins.bin"
GIVEN: Final = "given:"  # before the name of what a vendor's tables give


class Deferred:
    """A function whose module is imported when it is called, or when its docstring is read.

    module  the module that has the object as an attribute; or a package whose vendor tables provide it (name: "given:"
            and its own name); or the topic of a table, "nvidia/checks/driver", of which it is a row, read at that time
    """

    def __init__(self, module: str, name: str, member: str) -> None:
        self._module, self._name, self._member = module, name, member
        self.__module__ = module  # as the function itself would tell whose it is

    def __call__(self, *given: Any) -> Any:
        return self._function(*given)

    @cached_property
    def _function(self) -> Callable[..., Any]:
        from importlib import import_module

        if "/" in self._module:
            return _run_of_row(self._module, self._name)
        if self._name.startswith(GIVEN):
            return _run_of_given(self._module, self._name.removeprefix(GIVEN), self._member)
        function: Callable[..., Any] = getattr(getattr(import_module(self._module), self._name), self._member)
        return function

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self._function.__doc__


def _run_of_given(package: str, name: str, member: str) -> Callable[..., Any]:
    """Return a function that a vendor's tables provide: a reader's "read", or the "run" of a check or rule."""
    from accel.vendors.toolkit.members import given_by

    given = given_by(package)
    objects: Iterable[Any] = (*given.readers, *given.checks, *given.rules)
    function: Callable[..., Any] = next(
        getattr(one, member) for one in objects if one.name == name and hasattr(one, member)
    )
    return function


def _run_of_row(topic: str, name: str) -> Callable[..., Any]:
    from accel.checks.rows import row_check, table_rows
    from accel.specs import load

    rows = table_rows(topic, load(environment={}).table(topic) or {})
    return next(row_check(row, topic).run for row in rows if row["name"] == name)


class Catalogue:
    """The stand-ins, by plugin; those of accel's core under "accel"."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self._told = told

    def knows(self, plugin: str, module: str) -> bool:
        return plugin in self._told and self._told[plugin]["module"] == module

    @property
    def plugins(self) -> Sequence[str]:
        """The names of the plugins, including the core."""
        return tuple(self._told)

    def backend_name(self, plugin: str) -> str | None:
        """Return the name of a plugin's backend; None if it has none."""
        name: str | None = self._told[plugin]["backend"]
        return name

    def has_hook(self, plugin: str, hook: str) -> bool:
        return hook in self._told[plugin]["hooks"]

    def readers(self, plugin: str) -> "Iterator[Reader]":
        from accel.vendors.contract.backend import Reader

        for name, signs, module, attribute in self._told[plugin]["readers"]:
            yield Reader(name=name, signs=signs, read=Deferred(module, attribute, "read"))

    def checks(self, plugin: str) -> "Iterator[Check]":
        from accel.vendors.contract.check import Check

        for told, module, attribute in self._told[plugin]["checks"]:
            yield Check(run=Deferred(module, attribute, "run"), **told)

    @property
    def order(self) -> Sequence[str]:
        """The codes of all its checks, premises first: sorting them at every start would take longer than reading."""
        codes: Sequence[str] = self._told[CORE]["order"]
        return codes

    def rules(self, plugin: str) -> "Iterator[Rule]":
        from accel.vendors.contract.rule import Rule

        for name, gives, triggers, module, attribute in self._told[plugin]["rules"]:
            yield Rule(name=name, gives=gives, run=Deferred(module, attribute, "run"), triggers=triggers)


@cache
def catalogue() -> Catalogue | None:
    """Return the catalogue that the build created; None if there is none, or if a source file is newer."""
    path = os.path.join(COMPILED, FILE)
    try:
        made_at = os.stat(path).st_mtime_ns
        if os.path.isdir(CHECKOUT) and made_at < max(_changed_at(_sources()), default=0):
            return None
        with open(path, "rb") as file:
            return Catalogue(marshal.loads(file.read()))
    except (OSError, ValueError, EOFError, TypeError):
        return None


def _sources() -> Sequence[str]:
    """Return the folders whose Python files the catalogue was created from."""
    plugins = os.path.join(os.path.dirname(CHECKOUT), "plugins")
    return [PACKAGE, *(os.path.join(plugins, name, f"accel_{name}") for name in os.listdir(plugins))]


def _changed_at(folders: Iterable[str]) -> Iterator[int]:
    for folder in folders:
        for _, changed_at in dated(folder, ".py"):
            yield changed_at
