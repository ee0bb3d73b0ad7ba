"""Cyrillic letters in models' names, as Latin ones: people type the look-alike, or the name's sound.

Seen    "РТХ 4090"  "Тесла К80"  "3070ти"  "МИ50 32 гб"

A letter is one only beside a number, and a look-alike only in a text with a Russian word: "А100" alone may be meant to
deceive. "В" is left: it looks like B and sounds like V.
"""

from typing import Final

from accel.text.pattern import pattern

_ALIKE: Final = str.maketrans("АКМНРТХ", "AKMHPTX")
_RUSSIAN: Final = pattern(r"[а-яё]{2}")
_LETTER: Final = pattern(r"(?<!\w)([акмнртх])(?=\d{1,4}(?!\w))")
_SERIES: Final = {"ртх": "RTX", "ртикс": "RTX", "гтх": "GTX", "гт": "GT", "рх": "RX", "рикс": "RX", "ми": "MI"}
_BEFORE: Final = pattern(rf"(?<!\w)({'|'.join(_SERIES)})(?=[ -]?\d{{2,4}}(?!\d))")
_BEHIND: Final = pattern(r"(?<=\d)( ?)(ти|супер|хтх|хт)(?!\w)")
_BACKS: Final = {"ти": "Ti", "супер": "SUPER", "хтх": "XTX", "хт": "XT"}
_MEMORY: Final = pattern(r"(?<=\d)( ?)(?:гб|гигов|гига|гигабайта?|гиг)(?!\w)")


def with_latin_letters(text: str) -> str:
    """Return the text with the Cyrillic letters of models' names as Latin ones.

    >>> with_latin_letters("РТХ 3070ти 8 гб"), with_latin_letters("Тесла К80")
    ('RTX 3070Ti 8GB', 'Тесла K80')
    """
    said = text
    text = _BEFORE.sub(lambda found: _SERIES[found[1].lower()], text)
    text = _BEHIND.sub(lambda found: f"{found[1]}{_BACKS[found[2].lower()]}", text)
    if _RUSSIAN.search(said):
        text = _LETTER.sub(lambda found: found[1].upper().translate(_ALIKE), text)
    return _MEMORY.sub("GB", text)
