"""What a remedy's words tell: for which place it is, whether this machine is one, and whether it only shows. Pure.

In a container: pass every node.        container
On Windows: install AMD's wheels.       windows
Outside containers: enlarge /dev/shm.   host
Qualcomm: put the skel library …        a machine with that maker's devices
SGLang: raise --mem-fraction-static …   where that program is mentioned
See which GPU is full.                  only shows something

The words are in specs/language/remedies.yaml.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from accel.facts.containers import in_container, is_kubernetes
from accel.model.observation import Command, Product
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from accel.facts.questions import Facts

_CLAUSE: Final = re.compile(r"[.;:,!] |\band |\bor |\bthen ")
_WORD: Final = pattern(r"[^a-z0-9]")
_CONDA: Final = ("conda", "mamba", "micromamba")


def only_shows(text: str, table: Mapping[str, Any]) -> bool:
    """Whether a step shows something and changes nothing: it begins so, and no clause of it bids a change."""
    said = text.lower()
    for word in table.get("binds", ()):
        said = said.removeprefix(word)
    if not said.startswith(tuple(table.get("looks", ()))):
        return False
    acts = frozenset(table.get("acts", ()))
    ends = [0, *(hit.end() for hit in _CLAUSE.finditer(said))]
    clauses = (said[start:].lstrip().rstrip(".") for start in ends[1:])
    return not any(clause.split(" ", 1)[0] in acts for clause in clauses)


def place_of(text: str, table: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the row of the place that a remedy's first words name; None where it is for any."""
    return next((row for row in table.get("places", ()) if text.startswith(tuple(row["begins"]))), None)


def is_here(place: Mapping[str, Any], facts: "Facts") -> bool | None:
    """Whether this machine, or the text's, is such a place; None: not known."""
    if place["place"] == "maker":
        return _of_maker(place, facts)
    if place["place"] == "program":
        return True if _spoken_of(place["words"], facts) else None
    return _PLACES[place["place"]](facts)


def _of_maker(place: Mapping[str, Any], facts: "Facts") -> bool | None:
    """Whether devices of a maker are here, by what tools list, prose names or any line says of it."""
    known = {report.backend for report in facts.snapshot.reports if report.backend != "cpu" and report.devices}
    known |= {one.vendor for one in facts.snapshot.observations if isinstance(one, Product) and one.vendor != "cpu"}
    if place.get("inside") and not in_container(facts):
        return None if facts.live else False
    if known & set(place["vendors"]) or _spoken_of(place["words"], facts):
        return True
    return False if known else None


def _spoken_of(words: Iterable[str], facts: "Facts") -> bool:
    wanted = frozenset(words)
    return any(not wanted.isdisjoint(_WORD.split(one.text.lower())) for one in facts.snapshot.observations)


def _container(facts: "Facts") -> bool | None:
    return True if in_container(facts) else False if facts.host.containerized is False else None


def _host(facts: "Facts") -> bool | None:
    inside = _container(facts)
    return None if inside is None else not inside


def _kubernetes(facts: "Facts") -> bool | None:
    return True if is_kubernetes(facts) else False if facts.host.containerized is False else None


def _windows(facts: "Facts") -> bool | None:
    return True if facts.host.wsl else _system(facts, "windows")


def _macos(facts: "Facts") -> bool | None:
    return _system(facts, "macos")


def _conda(facts: "Facts") -> bool | None:
    called = any(
        isinstance(one, Command) and one.tool in _CONDA and not one.advice for one in facts.snapshot.observations
    )
    return True if called or facts.variable("CONDA_PREFIX") is not None else None


def _guest(facts: "Facts") -> bool | None:
    return True if facts.host.virtualization is not None else None


def _system(facts: "Facts", name: str) -> bool | None:
    return None if facts.host.system is None else facts.host.system == name


_PLACES: Final[Mapping[str, Callable[["Facts"], bool | None]]] = {
    "container": _container,
    "host": _host,
    "kubernetes": _kubernetes,
    "windows": _windows,
    "macos": _macos,
    "conda": _conda,
    "guest": _guest,
}
