"""The values that a path of a query (accel.facts.query) has in a snapshot, each with the place where it was read. Pure.

nvidia.driver                    the version of a backend's driver
package.nvidia-nccl-cu*          of installed distributions; a name may end in "*"
framework.torch                  what a framework says of itself; framework.*.nccl_version: a field of any build
library.libcudnn, toolkit.cuda   a shared library, by its stem; a development kit
host.kernel                      a field of the host
environment.python_version       a field of each environment
accelerators.compute_capability  a field of each accelerator
fact.nccl-version.version        a value of a stated fact; "?module=amdgpu" after it: where another value is this
variable.NCCL_IB_GID_INDEX       an environment variable

Versions are compared by "one unlike other", where a side is a path, or several:
"fact.cuda-wanted.release unlike framework.torch.cuda_version|toolkit.cuda".

unlike   none of one side agrees with one of the other: "10.2" and "10.1", "11" and "12.4"; "11" agrees with "11.8"
older    each of one side is before each of the other
newer    each of one side is after each of the other
differs  the sides share no value, as words: "v100" and "a100"
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.specs.versions import numbers
from accel.text.pattern import pattern

_NUMBERS: Final = pattern(r"\d[\w.]*")
_NAMED: Final = "device-named"
_SIDE: Final = r"[\w.*|?=-]{1,200}"
COMPARISON: Final = pattern(
    rf"(?P<one>{_SIDE}) (?P<relation>unlike|older|newer|differs) (?P<other>{_SIDE})", exact_case=True
)


def readings(path: str, facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield each value with the place where it was read: ("2.18.1", "package nvidia-nccl-cu12")."""
    subject, _, rest = path.partition(".")
    if rest == "driver" or rest.startswith("driver."):
        driver, field = facts.driver(subject), rest.partition(".")[2] or "version"
        yield from _told(getattr(driver, field, None), field if field != "version" else "driver")
    elif subject in _READERS:
        yield from _READERS[subject](rest, facts)


def versions_of(paths: Sequence[str], facts: Facts) -> dict[str, str]:
    """Return where each version was read, by version: {"2.18.1": "package nvidia-nccl-cu12"}."""
    found: dict[str, str] = {}
    for path in paths:
        for value, where in readings(path, facts):
            if (version := _version(path, value)) is not None:
                found.setdefault(version, where)
    return found


def compared(one: str, relation: str, other: str, facts: Facts) -> tuple[bool, str | None]:
    """Return whether the versions have this relation, and the side without a known version."""
    words = relation == "differs"
    first, second = (
        _words_of(s.split("|"), facts) if words else versions_of(s.split("|"), facts) for s in (one, other)
    )
    for side, known in ((one, first), (other, second)):
        if not known:
            return False, side
    if words:
        return set(first).isdisjoint(second), None
    pairs = [(a, b) for a in first for b in second]
    if any(_agree(a, b) for a, b in pairs):
        return False, None
    is_so = {"unlike": True, "older": all(numbers(a) < numbers(b) for a, b in pairs)}
    return is_so.get(relation, all(numbers(a) > numbers(b) for a, b in pairs)), None


def _words_of(paths: Sequence[str], facts: Facts) -> dict[str, str]:
    return {value.lower(): where for path in paths for value, where in readings(path, facts)}


def _agree(one: str, other: str) -> bool:
    """Return whether two versions are equal as far as both are known.

    >>> _agree("11", "11.8"), _agree("10.2", "10.1"), _agree("12.4.1", "12.4")
    (True, False, True)
    """
    first, second = numbers(one), numbers(other)
    told = min(len(first), len(second))
    return first[:told] == second[:told]


def _version(path: str, value: str) -> str | None:
    """Return the version in a value: a host's kernel or C library has words around it, a fact's value at most a "v"."""
    if path.startswith("host."):
        found = _NUMBERS.search(value)
        return found[0].partition("_")[0] if found is not None else None
    if path.startswith("fact."):
        found = _NUMBERS.match(value.lstrip("v"))
        return found[0] if found is not None else None
    return value


def stated_with(rest: str, facts: Facts, wanted: Sequence[str] | None) -> list[Fact]:
    """Return the stated facts for "name.key" that have this value, or one of those in `wanted`; all for "name".

    "name.key?other=value" also requires another value.
    """
    told, _, only = rest.partition("?")
    name, _, key = told.partition(".")
    other, _, of = only.partition("=")
    return [
        fact
        for fact in facts.stated(name)
        if (not key or (fact.value(key) if wanted is None else fact.value(key) in wanted))
        and (not other or fact.value(other) == of)
    ]


def _told(value: Any, where: str) -> Iterator[tuple[str, str]]:
    if value is not None and value != "":
        yield str(value), where


def _package(name: str, facts: Facts) -> Iterator[tuple[str, str]]:
    stem = name.removesuffix("*")
    for environment in facts.environments:
        for package in environment.packages or ():
            if package.name.startswith(stem) if stem != name else package.name == name:
                yield from _told(package.version, f"package {package.name}")


def _framework(rest: str, facts: Facts) -> Iterator[tuple[str, str]]:
    name, _, field = rest.partition(".")
    for environment in facts.environments:
        for framework in environment.frameworks:
            if name in ("*", framework.name):
                where = f"{field} of {framework.name}" if field else framework.name
                yield from _told(getattr(framework, field or "version"), where)


def _library(name: str, facts: Facts) -> Iterator[tuple[str, str]]:
    for environment in facts.environments:
        for library in environment.libraries:
            if library.name == name and "." in (library.version or ""):  # "9" tells a line of releases, and no release
                yield from _told(library.version, library.path or name)


def _toolkit(name: str, facts: Facts) -> Iterator[tuple[str, str]]:
    for environment in facts.environments:
        for toolkit in environment.toolkits:
            if toolkit.name == name:
                yield from _told(toolkit.version, toolkit.path or name)


def _host(field: str, facts: Facts) -> Iterator[tuple[str, str]]:
    yield from _told(getattr(facts.host, field), field)


def _environment(field: str, facts: Facts) -> Iterator[tuple[str, str]]:
    where = "Python" if field == "python_version" else field
    for environment in facts.environments:
        yield from _told(getattr(environment, field), where)


def _accelerators(field: str, facts: Facts) -> Iterator[tuple[str, str]]:
    known = False
    for report in facts.snapshot.reports:
        for device in report.devices:
            if device.kind != "cpu":
                known = known or getattr(device, field) is not None
                yield from _told(getattr(device, field), f"{field} of {device.id}")
    if field == "compute_capability" and not known:  # the text only names the product
        yield from ((code, fact.text) for fact in facts.stated(_NAMED) if (code := fact.value("code")) is not None)


def _fact(rest: str, facts: Facts) -> Iterator[tuple[str, str]]:
    key = rest.partition("?")[0].partition(".")[2]
    for fact in stated_with(rest, facts, None):
        yield from _told(fact.value(key), fact.text[:80])


def _variable(name: str, facts: Facts) -> Iterator[tuple[str, str]]:
    yield from _told(facts.variable(name), name)


_READERS: Final = {
    "accelerators": _accelerators,
    "environment": _environment,
    "fact": _fact,
    "framework": _framework,
    "host": _host,
    "library": _library,
    "package": _package,
    "toolkit": _toolkit,
    "variable": _variable,
}
