"""Recognise the subjects of a text by its words: "docker", "TPU", "suspend"; specs/language/subjects.yaml.

A subject states nothing about the machine. If a text says too little, accel.diagnose.requested_output uses its
subjects to suggest what to look at next.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from accel.facts.readers.page import Page
from accel.model.observation import Noted

FACT: Final = "spoken-of"
_TRIED: Final = 50  # maximum occurrences of a word to inspect: it also occurs in longer ones


def recognise(page: Page) -> Iterator[Noted]:
    """Yield each subject once with its word, without a line: it is about the text, and explains nothing near it."""
    lower = page.text.lower()
    found: set[str] = set()
    for subject, words in page.specs.hints.subjects:
        word = first_word(lower, words)
        if word is not None:
            found.add(subject)
            yield Noted(fact=FACT, values=(("subject", subject),), text=word)
    for subject, words, unless in page.specs.hints.shared:
        word = None if subject in found or first_word(lower, unless) else first_word(lower, words)
        if word is not None:
            yield Noted(fact=FACT, values=(("subject", subject),), text=word)


def first_word(lower: str, words: Iterable[tuple[str, bool]]) -> str | None:
    """Return the first of these words that the text contains."""
    for word, begins in words:  # a hundred in each text: a generator would take twice the time
        if word in lower and _holds(lower, word, begins):
            return word
    return None


def _holds(lower: str, word: str, begins: bool) -> bool:
    """Return whether the text contains the word as a whole word, or as a prefix of one."""
    at = lower.find(word)
    for _ in range(_TRIED):
        if at < 0:
            return False
        end = at + len(word)
        stands = not (_is_latin(word[0]) and at and _joins(lower[at - 1]))
        if stands and (begins or not _is_latin(word[-1]) or end == len(lower) or not _joins(lower[end])):
            return True
        at = lower.find(word, end)
    return False


def _is_latin(sign: str) -> bool:
    return sign.isascii() and sign.isalnum()  # Chinese has no blanks between words


def _joins(sign: str) -> bool:
    return _is_latin(sign) or sign == "_"
