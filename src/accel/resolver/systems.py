"""Operating systems as people write them: "Ubuntu 22.04", "CentOS 7", "WSL2", "JetPack 6.2", "macOS 13", "debian:12".

What a name implies is in specs/system/distributions.yaml: the system that builds target, a release's C library, and
for a board's software the processor. Pure.
"""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, Final

from accel.model.dataclass import dataclass
from accel.model.errors import BadInput
from accel.specs import Specs
from accel.specs.versions import numbers

_RELEASE = (
    r"[ :_-]{0,2}(?:lts |leap |server |v)?(\d{1,4}(?:\.\d{1,3}){0,2})(?: sp ?\d)?(?![\w*]|\.\d| ?[x×*] ?\w| gpus?)"
)
_NEAR = r"[^a-z0-9]{0,3}(?:version |release |lts |leap |server |v)?(\d{1,4}(?:\.\d{1,3}){0,2})(?: sp ?(\d))?"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedSystem:
    """What a system's name implies. None if it does not say.

    system   "linux", "windows", "macos"; version: for macOS only, "13.6"
    libc     "glibc 2.35", "musl"; "glibc" if the distribution's release is not given, or it always has the newest
    machine  the processor, in the notation of builds
    """

    system: str
    wsl: bool = False
    version: str | None = None
    libc: str | None = None
    machine: str | None = None


def system_named(text: str, specs: Specs) -> NamedSystem:
    """Return what a system's name implies. Raises BadInput with suggestions."""
    table: Any = specs.table("system/distributions") or {}
    said = _plain(text)
    systems = [(row, row["names"]) for row in table.get("systems", ())]
    distributions = [(row, row["names"]) for row in table.get("distributions", ())]
    under = next((row for row, _ in _found(said, [pair for pair in systems if pair[0].get("wsl")])), None)
    distribution = next(_found(said, distributions), None) or _by_codename(said, distributions)
    if distribution is not None:
        row, version = distribution
        libc = _libc(row, version, said, table)
        return NamedSystem(system="linux", wsl=under is not None, libc=libc, machine=row.get("machine"))
    if under is not None:
        return NamedSystem(system=under["system"], wsl=True)
    system = next(_found(said, systems), None) or _by_codename(said, systems)
    if system is None:
        known = [name for row, names in (*systems, *distributions) for name in (*names, *row.get("codenames", ()))]
        near = get_close_matches(said.rstrip("0123456789. "), known, 2, 0.6)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise BadInput(
            f"--os {text!r} is not known.{hint} Give linux, windows, macos or wsl, or as in: Ubuntu 22.04, RHEL 8"
        )
    row, version = system
    return NamedSystem(system=row["system"], version=version if row["system"] == "macos" else None)


_YEARS: Final = range(2003, 2040)  # of a Windows Server
_MOST_RELEASE: Final = 99
_SHORT: Final = 3  # a name of fewer letters is a system's only with its release: "el8", and not "el"


def systems_in(text: str, specs: Specs) -> list[tuple[int, int]]:
    """Return the spans of system names in a sentence, each including its release, in order."""
    table: Any = specs.table("system/distributions") or {}
    rows = (*table.get("systems", ()), *table.get("distributions", ()))
    names = sorted({(name, row.get("system") == "linux") for row in rows for name in row["names"]}, key=_by_length)
    left = text.lower()
    spans = []
    for name, is_bare in names:
        for hit in re.finditer(rf"(?<![a-z]){re.escape(name)}(?![a-z])", left):
            number = None if is_bare else re.match(_RELEASE, left[hit.end() :])
            if number is not None and not _is_release(numbers(number[1])[0]):
                number = None
            if number is None and len(name) < _SHORT:
                continue
            end = hit.end() + (number.end() if number else 0)
            spans.append((hit.start(), end))
            left = f"{left[: hit.start()]}{' ' * (end - hit.start())}{left[end:]}"
    return sorted(spans)


def _is_release(major: int) -> bool:
    return major <= _MOST_RELEASE or major in _YEARS


def _by_length(pair: tuple[str, bool]) -> tuple[int, str]:
    return -len(pair[0]), pair[0]


def _found(said: str, rows: list[tuple[Any, list[str]]]) -> Iterator[tuple[Any, str | None]]:
    """Yield the rows that the text names, longest name first, each with the release that follows it."""
    names = sorted(((name, row) for row, names in rows for name in names), key=lambda pair: -len(pair[0]))
    for name, row in names:
        hit = re.search(rf"(?<![a-z]){re.escape(_plain(name))}(?![a-z])", said)
        if hit is None:
            continue
        number = re.match(_NEAR, said[hit.end() :])
        told = next(
            (v for word, v in row.get("codenames", {}).items() if re.search(rf"\b{re.escape(word)}\b", said)), None
        )
        yield row, ".".join(part for part in number.groups() if part) if number else told


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("_", " ").replace("!", " ").split())


def _by_codename(said: str, rows: list[tuple[Any, list[str]]]) -> tuple[Any, str | None] | None:
    words = re.split(r"[^a-z ]+", said)
    return next(
        ((row, v) for row, _ in rows for word, v in row.get("codenames", {}).items() if any(word in w for w in words)),
        None,
    )


def _libc(row: Any, version: str | None, said: str, table: Any) -> str | None:
    if row.get("libc") == "musl":
        return "musl"
    if row.get("based_on") is not None:
        below = next(one for one in table["distributions"] if row["based_on"] in one["names"])
        release = _of_release(row["releases"], version)
        return _libc(below, release, said, table)
    glibc = _of_release(row.get("glibc", {}), version)
    return f"glibc {glibc}" if glibc else "glibc"


def _of_release(by_release: dict[str, str], version: str | None) -> str | None:
    """Return the value for the newest release that is not newer than this one."""
    if version is None:
        return None
    firsts = [first for first in by_release if numbers(first) <= numbers(version)]
    return by_release[max(firsts, key=numbers)] if firsts else None
