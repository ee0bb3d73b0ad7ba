"""Hints from an error's words: the layer, the subjects of a text, and the commands that would show more."""

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Any, TypeAlias

_Words: TypeAlias = tuple[tuple[str, bool], ...]


class Hints:
    """The tables language/layers and language/subjects; either may be None if it does not exist."""

    def __init__(self, layers: Mapping[str, Any] | None, subjects: Mapping[str, Any] | None) -> None:
        self._layers = layers or {"layers": [], "accelerator": []}
        self._subjects = subjects or {"subjects": [], "requested_output": []}

    @property
    def layer_words(self) -> Mapping[str, list[str]]:
        """Return lower-case words and prefixes that indicate an error's layer."""
        return {row["layer"]: row["words"] for row in self._layers["layers"]}

    def asks(self, layer: str, about: Collection[str]) -> tuple[tuple[Mapping[str, str], ...], ...]:
        """Return what would show more about a layer's error: (for any machine, for machines of the makers mentioned).

        Each row has a "command", or a "what" that describes what to add.
        about  the subjects mentioned; if no maker is among them, rows for all makers are returned
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
        """Return the words that name accelerators or their software; the key "*" has prefixes of such words."""
        words = self._layers["accelerator"]
        return {
            **{word: True for word in words if not word.endswith("*")},
            "*": tuple(word[:-1] for word in words if word.endswith("*")),
        }

    @cached_property
    def subjects(self) -> tuple[tuple[str, tuple[tuple[str, bool], ...]], ...]:
        """Return each subject with its lower-case words, and whether each word is only a prefix ("*"). A maker's own
        words come first: they tell the most.
        """
        own = {word for words in self.own.values() for word in words}
        rows = ((row["subject"], _words(row["words"])) for row in self._subjects["subjects"])
        return tuple((subject, tuple(sorted(words, key=lambda word: word not in own))) for subject, words in rows)

    @cached_property
    def shared(self) -> tuple[tuple[str, _Words, _Words], ...]:
        """Return per subject: words shared with other subjects, and words in whose presence those do not count."""
        rows = (row for row in self._subjects["subjects"] if "shared" in row)
        return tuple((row["subject"], _words(row["shared"]), _words(row["unless"])) for row in rows)

    @property
    def makers(self) -> Mapping[str, str]:
        """Return the backend by subject, for subjects about a single maker's devices."""
        makers: Mapping[str, str] = self._subjects.get("makers", {})
        return makers

    @property
    def named_by(self) -> Mapping[str, list[str]]:
        """Return the facts that show a maker's devices or driver, by backend."""
        named: Mapping[str, list[str]] = self._subjects.get("named", {})
        return named

    @property
    def builds(self) -> Mapping[str, str]:
        """Return the backend by what a framework was built for, if such a build shows the maker."""
        builds: Mapping[str, str] = self._subjects.get("builds", {})
        return builds

    @property
    def systems(self) -> Mapping[str, str]:
        """Return the backend by operating system, for systems of one maker's machines."""
        systems: Mapping[str, str] = self._subjects.get("systems", {})
        return systems

    def lacking(self, system: str | None, subjects: Collection[str]) -> tuple[str, ...]:
        """Return the command words that a machine of this system, or with these subjects, does not have."""
        rows = self._subjects.get("lacking", ())
        here = (row for row in rows if row.get("system", "") == system or row.get("subject") in subjects)
        return tuple(word for row in here for word in row["words"])

    @cached_property
    def own(self) -> Mapping[str, _Words]:
        """Return the words that only one maker's devices, drivers and tools have, by backend."""
        return {maker: _words(words) for maker, words in self._subjects.get("own", {}).items()}

    @cached_property
    def of_maker(self) -> Mapping[str, _Words]:
        """Return all words about a maker's devices, by backend: its own, and those that others use too."""
        found: dict[str, _Words] = dict(self.own)
        for subject, words in self.subjects:
            if maker := self.makers.get(subject):
                found[maker] = (*found.get(maker, ()), *words)
        return found

    def maker_of(self, code: str) -> str | None:
        """Return whose devices a check is about, by its code; None if that does not say."""
        letters: Mapping[str, str | None] = self._subjects.get("letters", {})
        return letters.get(code, letters.get(code[:2]))

    def is_general(self, code: str) -> bool:
        """Return whether a check also serves other makers' GPUs, although its code has one maker's letters."""
        return code[:2] in self._subjects.get("general", ())

    @property
    def requested_output(self) -> list[Mapping[str, Any]]:
        """Return the commands whose output decides, with the subjects that they are about."""
        rows: list[Mapping[str, Any]] = self._subjects["requested_output"]
        return rows


def _words(listed: list[str]) -> _Words:
    return tuple((word.rstrip("*"), word.endswith("*")) for word in listed)
