"""For which place a remedy is, where its first words tell, and whether this machine is one. Pure.

In a container: pass every node.        container
On Windows: install AMD's wheels.       windows
Outside containers: enlarge /dev/shm.   host

The words are in specs/language/remedies.yaml.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from accel.facts.containers import in_container, is_kubernetes
from accel.model.observation import Command

if TYPE_CHECKING:
    from accel.facts.questions import Facts

_CONDA: Final = ("conda", "mamba", "micromamba")


def place_of(text: str, table: Mapping[str, Any]) -> str | None:
    """Return the place that a remedy's first words name; None where it is for any."""
    return next((row["place"] for row in table.get("places", ()) if text.startswith(tuple(row["begins"]))), None)


def is_here(place: str, facts: "Facts") -> bool | None:
    """Whether this machine, or the text's, is such a place; None: not known."""
    return _PLACES[place](facts)


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
