"""How much work a text makes, told before it is read: what takes long is trying sentences, and looking at lines.

A report of a few pages makes some thousands of tries, at most 5,000 among some hundred outputs of tools and reports. A
text of which nearly each word begins some sentence makes hundreds of thousands, and says no more by them.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from accel.text.bounds import LEAST
from accel.text.phrase_book import PhraseBook
from accel.text.words import Words

MOST_WORK: Final = 45_500
_OF_A_LINE: Final = 4  # what a line costs beside its sentences, in tries


def work_of(text: str, books: Iterable[PhraseBook]) -> int:
    """Return the tries that the sentences and lines of a text cost at the most; 0 of one that is read whole anyway."""
    if len(text) <= LEAST:
        return 0
    counts = Counter(Words(text).words)
    return sum(book.tries(counts) for book in books) + _OF_A_LINE * text.count("\n")
