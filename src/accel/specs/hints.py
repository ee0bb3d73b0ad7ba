"""Which layer an error's words tell of, what a text speaks of, and which commands would tell more."""

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Any, TypeAlias

_Words: TypeAlias = tuple[tuple[str, bool], ...]


class Hints:
    """The tables language/layers and language/looks; None of one that is not there."""

    def __init__(self, layers: Mapping[str, Any] | None, looks: Mapping[str, Any] | None) -> None:
        self._layers = layers or {"layers": [], "accelerator": []}
        self._looks = looks or {"subjects": [], "looks": []}

    @property
    def layer_words(self) -> Mapping[str, list[str]]:
        """Beginnings and words, lower case, that tell to which layer an error belongs."""
        return {row["layer"]: row["words"] for row in self._layers["layers"]}

    def asks(self, layer: str, about: Collection[str]) -> tuple[tuple[Mapping[str, str], ...], ...]:
        """Return what would tell more about an error of a layer: on any machine, and on those of the makers mentioned.

        Each is a "command", or "what" to add in words.
        about  what is mentioned; where it names no maker at all, those of all makers are returned
        """
        given: list[Any] = next((row["give"] for row in self._layers["layers"] if row["layer"] == layer), [])
        rows = [{"command": one} if isinstance(one, str) else one for one in given]
        of_makers = [row for row in rows if "about" in row]
        spoken = [row for row in of_makers if row["about"] in about]
        if not spoken and self.makers.keys().isdisjoint(about):
            spoken = [row for row in of_makers if row["about"] in self.makers]
        return tuple(row for row in rows if "about" not in row), tuple(spoken)

    @cached_property
    def accelerator_words(self) -> Mapping[str, Any]:
        """The words that name accelerators or their software; under "*" the beginnings of such words."""
        words = self._layers["accelerator"]
        return {
            **{word: True for word in words if not word.endswith("*")},
            "*": tuple(word[:-1] for word in words if word.endswith("*")),
        }

    @cached_property
    def subjects(self) -> tuple[tuple[str, tuple[tuple[str, bool], ...]], ...]:
        """What a text may speak of, with its words, lower case, and whether each is only a word's beginning ("*")."""
        return tuple((row["subject"], _words(row["words"])) for row in self._looks["subjects"])

    @cached_property
    def shared(self) -> tuple[tuple[str, _Words, _Words], ...]:
        """Words of subjects that others use, too, and those beside which they do not count."""
        rows = (row for row in self._looks["subjects"] if "shared" in row)
        return tuple((row["subject"], _words(row["shared"]), _words(row["unless"])) for row in rows)

    @property
    def makers(self) -> Mapping[str, str]:
        """Which subjects are about one maker's devices, with their backend."""
        makers: Mapping[str, str] = self._looks.get("makers", {})
        return makers

    def lacking(self, system: str | None, subjects: Collection[str]) -> tuple[str, ...]:
        """Return the words of commands that a machine of this system, or of these subjects, does not have."""
        rows = self._looks.get("lacking", ())
        here = (row for row in rows if row.get("system", "") == system or row.get("subject") in subjects)
        return tuple(word for row in here for word in row["words"])

    def tools(self, maker: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return words of the tools of a maker, by its backend, and of those of all others."""
        rows: Mapping[str, list[str]] = self._looks.get("tools", {})
        return tuple(rows.get(maker, ())), tuple(word for one, words in rows.items() if one != maker for word in words)

    @property
    def looks(self) -> list[Mapping[str, Any]]:
        """The commands whose output decides, with the subjects that they are about."""
        rows: list[Mapping[str, Any]] = self._looks["looks"]
        return rows


def _words(listed: list[str]) -> _Words:
    return tuple((word.rstrip("*"), word.endswith("*")) for word in listed)
