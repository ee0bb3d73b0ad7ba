"""Find words of named families in a text: a table says which words and phrases of any language belong to which family.

    driver: "driver*, treiber*, 驱动"         "driver" and "drivers" are of the family "driver"
    reinstall: "reinstall*, reinstalled+"    "+" marks a form that says that it was done

Of the phrases that begin at one word only the longest counts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from accel.model.dataclass import dataclass
from accel.text.pattern import pattern
from accel.text.words import Words

_EAST_ASIAN: Final = pattern(r"[\u2e80-\u9fff\ua000-\ua4cf\uac00-\ud7af\uf900-\ufaff]|[^\s\u2e80-\uffff]+")


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase, by character positions. done: its form says that it was done; typed: a variable or command."""

    start: int
    end: int
    families: frozenset[str]
    done: bool = False
    typed: str = ""


def families_of(hits: Iterable[Hit]) -> frozenset[str]:
    return frozenset().union(*(hit.families for hit in hits))


def compiled_lexicon(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table's words by their first token, with the ways to name an act taken apart."""
    same: dict[str, str] = {pair[0]: pair[1] for pair in table.get("same", "").split()}
    entries: dict[str, list[tuple[list[str], str, bool]]] = {}
    for family, words in {**table.get("verbs", {}), **table.get("things", {}), **table.get("signs", {})}.items():
        for entry in words.split(","):
            phrase = [same.get(word, word) for word in _EAST_ASIAN.findall(entry.rstrip("+").lower())]
            entries.setdefault(phrase[0], []).append((phrase, family, entry.endswith("+")))
    ways = [
        (name, [word for word in words if word[0] != "-"], [word[1:] for word in words if word[0] == "-"])
        for name, every in table.get("acts", {}).items()
        for words in map(str.split, every.split(","))
    ]
    kept = {key: list(table.get(key, ())) for key in ("verbs", "things", "states")}
    return {**kept, "ways": ways, "same": same, "past": table.get("past", "-"), "entries": entries}


class Lexicon:
    """The words of specs/language/attempts.yaml, which explains its keys, as compiled.

    ways  (act, families that it needs, families that rule it out) for each way to name an act
    """

    def __init__(self, compiled: Mapping[str, Any]) -> None:
        self.verbs = frozenset(compiled.get("verbs", ()))
        self.things = frozenset(compiled.get("things", ()))
        self.states = frozenset(compiled.get("states", ()))
        self.ways = [(name, frozenset(needs), frozenset(never)) for name, needs, never in compiled.get("ways", ())]
        self._same: Mapping[str, str] = compiled.get("same", {})
        self._past = pattern(rf"\w{{2,30}}?(?:{compiled.get('past', '-')})")
        self._entries: Mapping[str, Sequence[tuple[Sequence[str], str, bool]]] = compiled.get("entries", {})

    def acts(self, here: frozenset[str], wide: frozenset[str] = frozenset()) -> Iterator[tuple[str, frozenset[str]]]:
        """Yield (act, families that it needs) for the acts that these name. wide: more of them, which rule out none."""
        return ((name, needs) for name, needs, never in self.ways if needs <= (here | wide) and not never & here)

    def find(self, words: Words, first: int, last: int) -> Iterator[Hit]:
        """Yield the phrases between two positions, in order."""
        at, end = words.at_or_after(first), words.at_or_after(last)
        every = [self._known(word) for word in words.words[at:end]]
        offset, at, end = at, 0, len(every)
        while at < end:
            length, families, done = 1, set[str](), False
            for begins in self._beginnings(every[at]):
                for phrase, family, is_done in self._entries[begins]:
                    here = every[at : at + len(phrase)]
                    if len(phrase) < length or at + len(phrase) > end or not _fits(phrase, here):
                        continue
                    if len(phrase) > length:
                        length, families, done = len(phrase), set(), False
                    families.add(family)
                    done |= is_done or any(
                        part.endswith("*") and self._past.fullmatch(word) is not None
                        for part, word in zip(phrase, here, strict=True)
                    )
            if families:
                yield Hit(words.starts[offset + at], words.ends[offset + at + length - 1], frozenset(families), done)
            at += length

    def _known(self, word: str) -> str:
        """Return a word, or the character that counts for it: the simplified one for a traditional one."""
        return self._same.get(word, word)

    def _beginnings(self, word: str) -> Iterator[str]:
        if word in self._entries:
            yield word
        for length in range(2, len(word) + 1):
            if (begins := f"{word[:length]}*") in self._entries:
                yield begins


def _fits(phrase: Sequence[str], words: list[str]) -> bool:
    pairs = zip(phrase, words, strict=True)
    return all(word.startswith(part[:-1]) if part.endswith("*") else part == word for part, word in pairs)
