"""Converts non-Latin scripts to product notation: letters, words next to numbers, numerals.

Seen    "РТХ 4090"  "Тесла К80"  "3070ти"  "МИ50 32 гб"  "3060 十二G"
        systems with a release: "윈도우11"  "убунту 22.04"

The words are `spellings` of specs/names.yaml, by position: right before a model's number, after it, or after an
amount of memory. A letter that looks like a Latin one is read so beside a number, in a text with a Russian word: "А100"
alone may be meant to deceive.
"""

import re
from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Final

from accel.text.pattern import pattern

_FULL_WIDTH: Final[dict[int, int | str]] = {
    0x3000: " ",
    **{sign: sign - 0xFEE0 for sign in range(0xFF10, 0xFF5B) if chr(sign).isalnum()},
}
_RUSSIAN: Final = pattern(r"[а-яё]{2}")
_TEN: Final = "十"
_PLACES: Final = (  # where each kind of words applies, and the space that stays before it
    ("before-number", r"(?<!\w)()({words})(?=[ -]?\d{{2,4}}(?!\d))"),
    ("behind-number", r"(?<=\d)( ?)({words})(?!\w)"),
    ("look-alike", r"(?<!\w)()({words})(?=\d{{1,4}}(?!\w))"),
    ("gigabytes", r"(?<=\d)()(?: ?)({words})(?!\w)"),
)
_SYSTEM: Final = r"(?<!\w)()({words}) ?(?=\d{{1,2}}(?!\d))"
_NUMERAL: Final = r"(?:{words}){{1,3}}(?= ?gb?(?!\w))"
Spellings = Mapping[str, Mapping[str, str]]


def with_latin_letters(text: str, spellings: Spellings) -> str:
    """Return the text with letters, words and numerals at models' numbers in Latin.

    >>> from accel.specs.indexing import own_vocabulary
    >>> own = own_vocabulary().spellings
    >>> with_latin_letters("РТХ 3070ти 8 гб", own), with_latin_letters("3060 十二G", own)
    ('RTX 3070Ti 8GB', '3060 12G')
    """
    said = text = text.translate(_FULL_WIDTH)
    for place, shape in _PLACES:
        words = spellings.get(place, {})
        if words and (place != "look-alike" or _RUSSIAN.search(said)):
            text = _compiled(shape, tuple(words)).sub(partial(_spelt, words), text)
    digits = spellings.get("digit", {})
    return _compiled(_NUMERAL, (*digits, _TEN)).sub(lambda found: str(_number(found[0], digits)), text)


def with_latin_systems(text: str, spellings: Spellings) -> str:
    """Return the text with the names of operating systems in Latin where a release follows.

    >>> from accel.specs.indexing import own_vocabulary
    >>> with_latin_systems("윈도우11, 우분투 22.04, 윈도우 없이", own_vocabulary().spellings)
    'Windows 11, Ubuntu 22.04, 윈도우 없이'
    """
    words = spellings.get("system", {})
    return text if text.isascii() or not words else _compiled(_SYSTEM, tuple(words)).sub(partial(_spelt, words), text)


def _spelt(words: Mapping[str, str], found: "re.Match[str]") -> str:
    return f"{found[1]}{words[found[2].lower()]}"


@lru_cache(maxsize=8)
def _compiled(shape: str, words: tuple[str, ...]) -> "re.Pattern[str]":
    longest_first = sorted(words, key=len, reverse=True)
    return re.compile(shape.format(words="|".join(map(re.escape, longest_first))), re.IGNORECASE)


def _number(text: str, digits: Mapping[str, str]) -> int:
    """Return the value of Chinese numerals: 24 for "二十四"."""
    tens, ten, ones = text.partition(_TEN)
    units = int("".join(digits[sign] for sign in ones) or 0) if ten else 0
    if not ten:
        return int("".join(digits[sign] for sign in text))
    return 10 * int("".join(digits[sign] for sign in tens) or 1) + units
