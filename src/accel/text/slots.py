"""Scan values inside sentences: versions, numbers, names, paths and the like, by hand-written scanners.

Each scanner gets a text and the start of a word, and returns the end of the value, or None if there is none. A value
may begin before the word with characters that belong to it: the "/" of a path, the "(" of "(8, 3, 2)", the "-" of a
number.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from accel.text.pattern import Pattern, pattern

if TYPE_CHECKING:
    from accel.text.words import Words

_LONGEST: Final = 300  # characters of one value
_QUOTES: Final = {"'": "'", '"': '"', "`": "`'", "‘": "’", "“": "”"}
_ENDINGS: Final = ".,;:!?'\"`’”)]}>"
_OF_PATHS: Final = frozenset("/\\.~$-_@+")
_OF_ONE_PATH: Final = pattern(r"[^\s\"'`’”,;)|<>，。；：！？、（）「」『』《》“‘…]+", exact_case=True)
_TUPLE: Final = pattern(r"\(?(\d{1,5})\s*,\s*(\d{1,5})(?:\s*,\s*(\d{1,5}))?\)?", exact_case=True)
_VERSION: Final = pattern(
    r"[vV]?\d{1,10}(?:\.\d{1,10}){0,6}(?:[._-]?(?:alpha|beta|rc|post|dev|a|b|c|git|nv"
    r"|T)(?:\.?\d{1,12}|(?![A-Za-z]))){0,4}(?:\+[A-Za-z0-9][A-Za-z0-9._]{0,60})?"
)
_NUMBER: Final = pattern(r"-?(?:0x[0-9a-f]{1,16}|\d{1,18})(?![\w])")
_NO_DIGIT: Final = pattern(r"\D", exact_case=True)
_DECIMAL: Final = pattern(r"\d{1,18}(?:\.\d{1,9})?", exact_case=True)
_EAST: Final = "\u2e80-\u9fff\ua000-\ua4cf\uac00-\ud7af\uf900-\ufaff"  # written without blanks around other words
_NAME: Final = pattern(rf"[A-Za-z0-9](?:(?![{_EAST}])[\w.-]){{0,120}}", exact_case=True)
_WORD: Final = pattern(rf"(?:(?![{_EAST}])\w){{1,200}}|\w{{1,200}}", exact_case=True)
_SYMBOL: Final = pattern(rf"(?:(?![{_EAST}])[\w.@~:$]){{1,400}}|[\w.@~:$]{{1,400}}", exact_case=True)
_GOES_ON: Final = pattern(r"[a-z]{1,6} +[A-Za-z]", exact_case=True)  # "undefined symbol when importing": a sentence
_EASTERN: Final = pattern(rf"[{_EAST}]", exact_case=True)
_SENTENCE_BEHIND: Final = pattern(rf"(?<=[A-Za-z0-9_])[{_EAST}][^/\\]*$", exact_case=True)
_IN_A_FOLDER: Final = pattern(r"[/\\][\w.-]{0,40}$", exact_case=True)
_ADDRESS: Final = pattern(r"(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-7])?")
_BOUND: Final = r"[<>=!~^]{1,3}\s{0,2}v?\d[\w.*+!-]{0,60}"
_REQUIREMENT: Final = pattern(
    r"(?P<name>[A-Za-z](?:[\w.-]{0,80}\w)?)(?:\[[\w,. -]{1,60}\])?\s{0,2}\(?"
    rf"(?P<bounds>{_BOUND}(?:\s{{0,2}}(?:,|and\b|\|\||or\b)?\s{{0,2}}{_BOUND}){{0,5}})"
)
_BOUNDS: Final = pattern(rf"{_BOUND}(?:\s{{0,2}}(?:,|and\b|\|\||or\b)?\s{{0,2}}{_BOUND}){{0,5}}")
_ONE_BOUND: Final = pattern(_BOUND, exact_case=True)
_OR: Final = pattern(r"\bor\b")
_BEFORE_BOUND: Final = pattern(r"[<>=!~^]{1,3}\s{0,2}$", exact_case=True)
_OR_NEWER: Final = pattern(r"\s{0,2}\)?\s{0,2}(?:\+(?!\w)|(?:or|and) (?:higher|newer|later|above|greater|up)\b)")
_LIST: Final = pattern(r"[\w-]{1,80}(?:\s?,(?:\s(?=\d|GPU-|MIG-|gpu-|mig-))?[\w-]{1,80}){0,32}", exact_case=True)
_LIBRARY: Final = pattern(r"\.(?:so|dll|dylib|pyd|lib)(?:$|[.\d_-])")
_FILE: Final = pattern(r"[/\\]|[\w)]\.[A-Za-z]\w{0,8}$", exact_case=True)


def scan_slot(kind: str, words: "Words", number: int) -> tuple[str, int] | None:
    """Return the value that begins at a word, and its end; None if there is no value of this type."""
    known = words.scanned
    if (kind, number) not in known:
        known[kind, number] = SLOT_TYPES[kind](words.text, words.starts[number])
    return known[kind, number]


def _by(pattern: Pattern) -> Callable[[str, int], tuple[str, int] | None]:
    def scan(text: str, start: int) -> tuple[str, int] | None:
        found = pattern.match(text, start)
        return (found[0].rstrip(".-:"), start + len(found[0].rstrip(".-:"))) if found else None

    return scan


def _whole(text: str, start: int) -> bool:
    """Return whether the word starts after a blank, quote mark or bracket, so that it is not part of a longer name."""
    before = text[start - 1 : start]
    return start == 0 or before in " \t\n=([{<>'\"`‘“,:;|/\\~!+-" or bool(_EASTERN.match(before))


def _version(text: str, start: int) -> tuple[str, int] | None:
    """Return "8.3.2" for "8.3.2", "v8.3.2" and "(8, 3, 2)"; "11040" stays as it is."""
    if (listed := _TUPLE.match(text, start)) and (text[start - 1 : start] == "(" or listed[3]):
        return ".".join(part for part in listed.groups() if part), listed.end()
    found = _VERSION.match(text, start)
    if not found:
        return None
    value = found[0].rstrip(".-_")
    return value.lstrip("vV"), start + len(value)


def _release(text: str, start: int) -> tuple[str, int] | None:
    """Return a version with at most three digits before a dot: a bare "5403" is a process id or a port."""
    found = _version(text, start)
    return found if found and len(_NO_DIGIT.split(found[0], 1)[0]) <= 3 else None


def _number(text: str, start: int) -> tuple[str, int] | None:
    if start and text[start - 1] == "-" and (start == 1 or not text[start - 2].isalnum()):
        start -= 1
    found = _NUMBER.match(text, start)
    return (found[0], found.end()) if found else None


def _list(text: str, start: int) -> tuple[str, int] | None:
    """Return comma-separated entries: "0,1", "-1", "GPU-3c1f, GPU-99ab"; but "3" of "3, and it fails"."""
    if start and text[start - 1] == "-" and (start == 1 or not text[start - 2].isalnum()):
        start -= 1
    found = _LIST.match(text, start)
    return ("".join(found[0].split()), found.end()) if found else None


def _name(text: str, start: int) -> tuple[str, int] | None:
    found = _NAME.match(text, start) if _whole(text, start) else None
    value = found[0].rstrip(".-") if found else ""
    return (value, start + len(value)) if value else None


def _path(text: str, start: int) -> tuple[str, int] | None:
    """Return the whole text between blanks or quote marks that contains the word."""
    begin = _begin_of_path(text, start)
    opening = text[begin - 1 : begin]
    if opening in _QUOTES and opening:
        ends = [text.find(mark, start, start + _LONGEST) for mark in _QUOTES[opening]]
        line_end = text.find("\n", start, start + _LONGEST)
        closed = [end for end in ends if end > 0 and (line_end < 0 or end < line_end)]
        if closed and ": " not in text[begin : min(closed)]:  # otherwise the quote marks contain a whole message
            return text[begin : min(closed)], min(closed)
    found = _OF_ONE_PATH.match(text, start, max(start, begin + _LONGEST))
    value = text[begin : found.end() if found else start]
    if (
        not value.isascii()
        and (behind := _SENTENCE_BEHIND.search(value)) is not None
        and begin + behind.start() > start
    ):
        value = value[: behind.start()]  # a Chinese or Japanese sentence goes on without a blank
    value = value.rstrip(_ENDINGS)
    return (value, begin + len(value)) if value else None


def _begin_of_path(text: str, start: int) -> int:
    """Return the start of the path that contains a word: before its leading characters and earlier parts."""
    begin, least = start, max(0, start - _LONGEST)
    while begin > least and text[begin - 1] in _OF_PATHS:
        begin -= 1
    if begin == start or not text[begin - 1 : begin].isalnum():
        return begin
    while begin > least and (text[begin - 1].isalnum() or text[begin - 1] in _OF_PATHS):
        foreign = not text[begin - 1].isascii() and _EASTERN.match(text[begin - 1])
        if foreign and not _IN_A_FOLDER.search(text, max(least, begin - 41), begin):
            break  # the words of a sentence before the path
        begin -= 1
    drive = text[begin - 2 : begin] if text[begin : begin + 1] in ("/", "\\") else ""
    return begin - 2 if begin > 1 and drive[:1].isalpha() and drive[1:] == ":" else begin


def _file(text: str, start: int) -> tuple[str, int] | None:
    """Return a path that has a folder or a file extension."""
    found = _path(text, start)
    return found if found and _FILE.search(found[0]) else None


def _said(text: str, start: int) -> tuple[str, int] | None:
    """Return the text in quote marks, or after a colon: "No such file or directory: 'nvcc'"."""
    found = _path(text, start)
    before = text[max(0, start - 12) : start].rstrip("/\\.~$-_@")
    return found if found and ((before[-1:] in _QUOTES and before) or before.rstrip().endswith((":", "："))) else None


def _library(text: str, start: int) -> tuple[str, int] | None:
    """Return the name or the path of a shared library."""
    found = _path(text, start)
    return found if found and _LIBRARY.search(found[0]) and not _EASTERN.match(found[0]) else None


def _rest(text: str, start: int) -> tuple[str, int] | None:
    """Return the rest of the line."""
    end = text.find("\n", start, start + _LONGEST)
    end = min(len(text), start + _LONGEST) if end < 0 else end
    value = text[start:end].rstrip()
    return (value, start + len(value)) if value else None


def _requirement(text: str, start: int) -> tuple[str, int] | None:
    """Return "torch==2.6.0" for "torch==2.6.0", "torch == 2.6.0" and "torch (==2.6.0)"."""
    found = _REQUIREMENT.match(text, start)
    if not found:
        return None
    value = found["name"] + _joined(found["bounds"])
    return value, found.start("bounds") + len(found["bounds"].rstrip(" .-"))


def _bounds(text: str, start: int) -> tuple[str, int] | None:
    """Return ">=2.1,<3" for ">=2.1,<3", and ">=2.1" for "2.1 or newer"; otherwise a version."""
    before = _BEFORE_BOUND.search(text, max(0, start - 5), start)
    found = _BOUNDS.match(text, before.start()) if before else None
    if found:
        return _joined(found[0]), found.start() + len(found[0].rstrip(" .-"))
    version = _version(text, start)
    if version and (newer := _OR_NEWER.match(text, version[1])):
        return f">={version[0]}", newer.end()
    return version


def _joined(bounds: str) -> str:
    """Return ">=2.1,<3" for ">= 2.1, <3", ">=2.1 and <3" and ">=2.1 <3"; alternatives stay as printed."""
    if "|" in bounds or _OR.search(bounds):
        return "".join(bounds.split())
    return ",".join("".join(bound.split()).rstrip(".-") for bound in _ONE_BOUND.findall(bounds))


def _wanted(text: str, start: int) -> tuple[str, int] | None:
    return _requirement(text, start) if text[start].isalpha() else _bounds(text, start)


SLOT_TYPES: Final[dict[str, Callable[[str, int], tuple[str, int] | None]]] = {
    "version": _version,
    "release": _release,
    "number": _number,
    "decimal": _by(_DECIMAL),
    "name": _name,
    "word": _by(_WORD),
    "list": _list,
    "symbol": _by(_SYMBOL),
    "export": lambda text, start: None if _GOES_ON.match(text, start) else _by(_SYMBOL)(text, start),
    "path": _path,
    "address": _by(_ADDRESS),
    "file": _file,
    "said": _said,
    "library": _library,
    "requirement": _requirement,
    "bounds": _bounds,
    "wanted": _wanted,
    "rest": _rest,
}
