"""Replace a machine's messages in other languages by the words of their English forms.

    Impossible d'ouvrir /dev/kfd : Permission non accordée        …  permission denied

The English words get the positions of the original ones, so that quotations show what was printed.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from accel.text.words import Words

Translations = Mapping[str, list[tuple[str, str]]]
_FIRST_EAST_ASIAN: Final = "\u2e80"  # from here on each character is a word


def translations(rows: Iterable[tuple[str, Iterable[str]]]) -> Translations:
    """Return (foreign sentence, English one) by the foreign one's last word. rows: (English, its foreign forms)."""
    found: dict[str, list[tuple[str, str]]] = {}
    for english, said in rows:
        for sentence in said:
            last = sentence[-1] if sentence[-1] >= _FIRST_EAST_ASIAN else sentence.rsplit(None, 1)[-1].lower()
            found.setdefault(last, []).append((sentence, english))
    return found


def translated(words: Words, known: Translations) -> Words:
    """Return the words with each foreign message replaced by its English form; the same object if there is none."""
    places = words.places
    hits: list[tuple[int, int, str]] = []
    for last in places.keys() & known.keys():
        for said, english in known[last]:
            sentence = Words(said).words
            for end in places[last]:
                start = end - len(sentence) + 1
                if start >= 0 and words.words[start : end + 1] == sentence:
                    hits.append((start, end + 1, english))
    return _replaced(words, sorted(hits)) if hits else words


def _replaced(words: Words, hits: list[tuple[int, int, str]]) -> Words:
    """Return the words with these spans replaced; of overlapping spans the first counts."""
    new = Words("")
    new.text = words.text
    done = 0
    for start, end, sentence in hits:
        if start < done:
            continue
        english = Words(sentence).words
        new.words += words.words[done:start] + english
        new.starts += words.starts[done:start] + [words.starts[start]] * len(english)
        new.ends += words.ends[done:start] + [words.ends[end - 1]] * len(english)
        done = end
    new.words += words.words[done:]
    new.starts += words.starts[done:]
    new.ends += words.ends[done:]
    return new
