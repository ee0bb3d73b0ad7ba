"""Which versions of a product a snapshot tells, as specs/*/known_faults.yaml says where to look. Pure.

driver:nvidia               the version of a backend's driver
package:nvidia-nccl-cu*     an installed distribution; a name may end in "*"
framework:torch             what a framework says of itself
build:nccl_version          a field of any framework's build
library:libcudnn            a shared library, by its stem
toolkit:cuda                a development kit
host:kernel, python         a field of the host; the Python of an environment
fact:nccl-version.version   a value of a fact that tables infer; "?module=amdgpu" after it: where another value is this
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.model.merge import merged_driver
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from accel.vendors.contract.rule import Seen

_NUMBERS = pattern(r"\d[\w.]*")


def versions_of(places: list[str], seen: "Seen") -> dict[str, str]:
    """Return where each version was read, by version: {"2.18.1": "package nvidia-nccl-cu12"}."""
    found: dict[str, str] = {}
    for place in places:
        kind, _, name = place.partition(":")
        for version, where in _READERS[kind](name, seen):
            found.setdefault(version, where)
    return found


def _driver(backend: str, seen: "Seen") -> Iterator[tuple[str, str]]:
    driver = merged_driver([report for report in seen.snapshot.reports if report.backend == backend])
    if driver is not None and driver.version:
        yield driver.version, "driver"


def _package(name: str, seen: "Seen") -> Iterator[tuple[str, str]]:
    stem = name.removesuffix("*")
    for environment in seen.snapshot.environments:
        for package in environment.packages or ():
            is_it = package.name.startswith(stem) if stem != name else package.name == name
            if is_it and package.version:
                yield package.version, f"package {package.name}"


def _framework(name: str, seen: "Seen") -> Iterator[tuple[str, str]]:
    for environment in seen.snapshot.environments:
        for framework in environment.frameworks:
            if framework.name == name and framework.version:
                yield framework.version, name


def _build(field: str, seen: "Seen") -> Iterator[tuple[str, str]]:
    for environment in seen.snapshot.environments:
        for framework in environment.frameworks:
            if version := getattr(framework, field):
                yield version, f"{field} of {framework.name}"


def _library(name: str, seen: "Seen") -> Iterator[tuple[str, str]]:
    for environment in seen.snapshot.environments:
        for library in environment.libraries:
            if library.name == name and library.version and library.version.count("."):  # "9" tells a line, no release
                yield library.version, library.path or name


def _toolkit(name: str, seen: "Seen") -> Iterator[tuple[str, str]]:
    for environment in seen.snapshot.environments:
        for toolkit in environment.toolkits:
            if toolkit.name == name and toolkit.version:
                yield toolkit.version, toolkit.path or name


def _host(field: str, seen: "Seen") -> Iterator[tuple[str, str]]:
    found = _NUMBERS.search(getattr(seen.snapshot.host, field) or "")
    if found:
        yield found[0].partition("_")[0], field


def _python(_: str, seen: "Seen") -> Iterator[tuple[str, str]]:
    for environment in seen.snapshot.environments:
        if environment.python_version:
            yield environment.python_version, "Python"


def _fact(place: str, seen: "Seen") -> Iterator[tuple[str, str]]:
    told, _, only = place.partition("?")
    name, _, value = told.partition(".")
    key, _, wanted = only.partition("=")
    for fact in seen.facts(name):
        version = _NUMBERS.match((fact.value(value) or "").lstrip("v"))
        if version and (not key or fact.value(key) == wanted):
            yield version[0], fact.text[:80]


_READERS = {
    "driver": _driver,
    "package": _package,
    "framework": _framework,
    "build": _build,
    "library": _library,
    "toolkit": _toolkit,
    "host": _host,
    "python": _python,
    "fact": _fact,
}
