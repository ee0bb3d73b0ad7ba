"""The probability that a whole text reports a present fault, from its words alone. Pure.

A repair log, a run book, a review, a rule's source and a story about somebody else's machine contain the same error
lines as a fault report, and rarely a sentence that says so. They use other words around them. A logistic regression
over single words, pairs of words, and the number of lines of each kind separates most of them. Its weights are in
specs/language/report_words.yaml; specs/refresh/report_words.py fits them.

It is used last, if nothing else decides, and never for a text that is hardly more than output.
"""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import exp, log, sqrt
from typing import Any, Final

from accel.text.pattern import pattern

_TOKEN: Final = pattern(r"[a-z][a-z']*|[\u4e00-\u9fff]|[.!?:;\u3002\uff1b\uff1f\uff01]|\d+", exact_case=True)
_WRITTEN: Final = frozenset(("prose", "quote", "diff", "source", "config", "test", "document"))  # by people
_COVERED: Final = 0.6  # share of known words: most texts in English have 0.8, most in German, French and Spanish 0.5
_FEWEST: Final = 10  # words around the faults
_LONGEST: Final = 30_000  # characters of a text that are weighed


def likelihood(
    lines: Iterable[tuple[str, str]], faults: Container[int], table: Mapping[str, Any] | None
) -> float | None:
    """Return the probability that a text reports a present fault, from 0 to 1; None if its words are not evidence.

    lines   the kind of each line (accel.text.segments) and the line
    faults  the numbers, from 1, of the lines that state a fault: the text around them is the evidence
    table   language/report_words; None: not available
    """
    told = list(lines)
    if not table or not is_written(told, faults):
        return None
    weights: Mapping[str, float] = table["weights"]
    counts = Counter(one for one in features(told) if one in weights)
    if not counts:
        return None
    values = {one: 1 + log(count) for one, count in counts.items()}
    length = sqrt(sum(value * value for value in values.values()))
    score: float = table["bias"] + sum(weights[one] * value for one, value in values.items()) / length
    return 1 / (1 + exp(-score))


def knows_its_words(lines: Iterable[tuple[str, str]], table: Mapping[str, Any] | None) -> bool:
    """Return whether the weights cover most words of a text: they were fitted on texts in English and Chinese."""
    words = [one for one in features(lines) if one[0].isalpha() and " " not in one]
    return sum(one in table["weights"] for one in words) >= _COVERED * len(words) if table else False


def is_written(lines: Sequence[tuple[str, str]], faults: Container[int]) -> bool:
    """Return whether people wrote enough around the faults of a text to identify its genre."""
    return words_around(lines, faults) >= _FEWEST


def words_around(lines: Sequence[tuple[str, str]], faults: Container[int]) -> int:
    """Return how many words people wrote on lines without faults."""
    around = (line for at, (kind, line) in enumerate(lines, 1) if kind in _WRITTEN and at not in faults)
    return sum(len(_TOKEN.findall(line.lower())) for line in around)


def features(lines: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the features: the kind of each line, its words, and each pair of consecutive words.

    >>> list(features([("prose", "Fixed since v2.")]))
    ['=prose', 'fixed', 'since', 'v', '#', '.', 'fixed since', 'since v', 'v #', '# .']
    """
    left = _LONGEST
    for kind, line in lines:
        if kind == "blank" or left <= 0:
            continue
        left -= len(line)
        words = ["#" if word[0].isdecimal() else word for word in _TOKEN.findall(line.lower())]
        yield f"={kind}"
        yield from words
        yield from (f"{one} {other}" for one, other in pairwise(words))
