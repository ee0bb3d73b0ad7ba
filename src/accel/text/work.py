"""Estimate the cost of a text before reading it. Matching sentences and visiting lines dominate.

A report of a few pages causes some thousands of match attempts; about a hundred outputs of tools and reports needed at
most 5,000. A text in which nearly every word begins a sentence causes hundreds of thousands, without saying more.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from accel.text.bounds import LEAST
from accel.text.phrase_book import PhraseBook
from accel.text.words import Words

MOST_WORK: Final = 47_500
_OF_A_LINE: Final = 4  # cost of a line without its sentences, in match attempts


def work_of(text: str, books: Iterable[PhraseBook]) -> int:
    """Return an upper bound of the match attempts for a text's sentences and lines; 0 if it is read in full anyway."""
    if len(text) <= LEAST:
        return 0
    counts = Counter(Words(text).words)
    return sum(book.tries(counts) for book in books) + _OF_A_LINE * text.count("\n")
