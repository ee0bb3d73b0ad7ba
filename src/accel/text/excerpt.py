"""Shorten a line to the part that proves something, for people who look for it in their own text. Pure.

excerpt("I0524 08:28:03.9 1 factory.go:107] …: could not load NVML library: libnvidia-ml.so.1: cannot open …",
        ["libnvidia-ml.so.1"], 60)    "… could not load NVML library: libnvidia-ml.so.1: cannot open …"

The part with the most of the deciding words and version numbers is kept, the earliest of several. If the line's start
is left out, a short "RuntimeError:" or "NVRM:" remains, because it says whose line it is.
"""

from collections.abc import Iterable
from typing import Final

from accel.text.pattern import pattern

_WORD: Final = pattern(r"\S+", exact_case=True)
_VERSION: Final = pattern(
    r"(?<![\w:.])v?\d{1,5}(?:\.\d{1,5}){1,4}(?![\w:.]*:\d)|\(\d{1,4}(?:, \d{1,4}){1,3}\)", exact_case=True
)
_CODE: Final = pattern(r"\berror:? (\d{1,6})\b")  # Error 803: …
_SPEAKER: Final = pattern(r"[\w.-]{2,40}: ", exact_case=True)
_FILE: Final = pattern(
    r"(?<![\w.:])(?:[A-Za-z]:)?(?:[/\\][\w.@+-]{1,80}){3,30}[/\\][\w@+-]{1,80}\.[\w.]{1,40}(?![\w.]|:?[/\\])",
    exact_case=True,
)
_NAMES: Final = pattern(r"\w+(?:[.+-]\w+)*", exact_case=True)
_OF_PATH: Final = 2  # last parts of a path that are kept
_SHORT: Final = 3  # letters of a word that may be in any sentence
_MOVED: Final = 1  # what the line's start is worth
_SLACK: Final = 20  # characters over the width that are not worth a cut
_CUT: Final = " …"


def excerpt(text: str, deciding: Iterable[str], width: int) -> str:
    """Return at most `width` characters of a line, around what decides.

    deciding  what the line was found by, or sentences about it: their words and numbers count
    """
    most = width + _SLACK
    if len(text) <= most:
        return text
    text = _FILE.sub(lambda found: _path_end(found[0]), text)
    if len(text) <= most:
        return text
    told = {one.lower() for words in deciding for one in _NAMES.findall(words) if len(one) > _SHORT or "." in one}
    versions = {found.start() for found in _VERSION.finditer(text)}
    codes = {found.start(1) for found in _CODE.finditer(text)}
    spans = [found.span() for found in _WORD.finditer(text)]
    weights = [_weight(text, start, end, told, versions) + 3 * (start in codes) for start, end in spans]
    speaker = _SPEAKER.match(text)
    head = speaker[0] + "… " if speaker else "… "
    if sum(weights[at] for at, (_, end) in enumerate(spans) if end > width - len(_CUT)) == 0:
        return _clipped(text, width)
    best, first = 0.0, 0
    for at, (start, _) in enumerate(spans):
        room = width - len(_CUT) - (len(head) if at else 0)
        gain = sum(weight for weight, (a, b) in zip(weights, spans, strict=True) if a >= start and b <= start + room)
        if gain > best + (_MOVED if first == 0 else 0):
            best, first = gain, at
        if len(text) - start <= room:
            break
    start = spans[first][0]
    if start == 0:
        return _clipped(text, width)
    room = width - len(_CUT) - len(head)
    kept = [at for at, (a, b) in enumerate(spans) if weights[at] and a >= start and b <= start + room]
    lead = (room - spans[kept[-1]][1] + spans[kept[0]][0]) * 2 // 3  # what comes before says what it is about
    start = next(a for a, _ in spans if a >= spans[kept[0]][0] - lead)
    return head + _clipped(text[start:], width - len(head))


def _weight(text: str, start: int, end: int, told: set[str], versions: set[int]) -> float:
    names = [one.lower() for one in _NAMES.findall(text[start:end])]
    found = sum(1 + 2 * any(sign.isdecimal() for sign in one) for one in names if one in told)
    return found + 2 * any(start <= at < end for at in versions) + 0.5 * ("_" in text[start:end])


def _path_end(path: str) -> str:
    mark = "\\" if "\\" in path else "/"
    return "…" + mark + mark.join(path.split(mark)[-_OF_PATH:])


def _clipped(text: str, width: int) -> str:
    if len(text) <= width:
        return text
    cut = text[: width - len(_CUT)]
    return (cut.rpartition(" ")[0] or cut).rstrip() + _CUT
