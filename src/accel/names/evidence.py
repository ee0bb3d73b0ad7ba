"""Whether an ambiguous short code that is a product's name means the product in this text.

Seen    "my T4 is slow"  "Kaggle's T4"  "8x V100"  "T4/V100"  "inference on L4"  "a used 3090"
Not     "P4 language"  "t4 = time.perf_counter()"  "L4 load balancer"  "A10 Networks"  "page 3090 of the manual"

A letter with one to three digits, or a bare number, names a product if it is alone, with its memory or number;
if a count, an article or an owner precedes it; or if the text is about what runs on accelerators.
"""

from typing import Final

from accel.names.aside import is_neutral, telling_of
from accel.names.index import Index, vocabulary_of
from accel.names.meaning import Named
from accel.names.tokens import parts_of, raw_words
from accel.text.pattern import pattern

_SIGN: Final = pattern(r"[a-z]\d{1,3}[a-z]?")
_TOKEN: Final = pattern(r"(?<![\w.\-/])[a-z]?\d{1,4}[a-z]?(?=(?:'?s)?(?![\w\-]|[./]\w))|(?<=/)[a-z]\d{1,3}[a-z]?(?!\w)")
_COUNTED: Final = pattern(
    r"(?:(?<!\w)\d{1,4}[ \-]|(?<![\w.])\d{1,4} ?[x×*✕х] ?"
    r"|[一二两三四五六七八九十单双多用][张块卡片颗]? ?(?:卡 ?)?|\d ?[张块卡片颗] ?|卡 ?)$"
)
_BESIDE: Final = pattern(r"(?<!\w)([^\W\d_]{1,12}(?: the)?)[ \-]$")  # the word right before a sign: "my ", "than the "
_GLUED: Final = pattern(r"(?<![\w.])([1-9]\d{0,2})[x×*](?=[a-z]{0,4}\d)")  # "2x4090"
_RUN_ON: Final = pattern(
    r"(?<!\w)(?:run|runs|ran|running|tested|works?|fits?|benchmarked) (?:\w+ ){0,3}(?:on|with)(?: the)? $"
    r"|\d ?(?:ms|s|sec|seconds?|mins?|minutes?|h|hrs?|hours?) on (?:the )?$"
)
_OF_CARDS: Final = pattern(r" (?:gpus?|cards?)(?!\w)")
_PLURAL: Final = pattern(r"'?s(?!\w)")
_CODED: Final = pattern(
    r"(?<!\w)(?:sm_?\d{2,3}[af]?|gfx[0-9a-f]{3,4}|\d{1,4} ?(?:gi?b|tflops|tops|tok/s|t/s|fps|watts|w))(?!\w)"
)
_MOST_DIGITS: Final = 4  # of an amount next to a name; longer ones are numbers of something else


def is_sign(word: str, index: Index) -> bool:
    """Return whether a lower-case name is a short code or a number that is also the name of many other things."""
    known = vocabulary_of(index)
    if word.isdecimal():
        return True
    return _SIGN.fullmatch(word) is not None and (word not in known.alone or word in known.homonyms)


def speaks_of_devices(index: Index, text: str) -> bool:
    """Return whether a text is about accelerators: by a word of the field, or an amount or code of it."""
    known = vocabulary_of(index)
    if _CODED.search(text):
        return True
    for word in raw_words(text.replace("'", " "), known):
        if word in known.settings or word.removesuffix("s") in known.settings or known.brands.get(word):
            return True
    return any(not said.isascii() and said in text for said in known.settings)


def is_introduced(index: Index, before: str, behind: str) -> bool:
    """Return whether the words next to a short code make it a device: "my T4", "two 3090s", "runs on T4"."""
    beside = _BESIDE.search(before)
    if beside is not None and beside[1].lower().removesuffix(" the") in vocabulary_of(index).introducing:
        return True
    if _COUNTED.search(before) or _RUN_ON.search(before) or _OF_CARDS.match(behind):
        return True
    return bool(_PLURAL.match(behind)) and not behind.startswith("'")


def is_meant(index: Index, text: str, found: Named) -> bool:
    """Return whether the text really means what was found; always, if it has no ambiguous short codes."""
    if found.by != "name" or found.machine is not None or found.part or not found.chips:
        return True
    text = _GLUED.sub(r"\1 x ", text)
    models = index.setdefault("set of models", frozenset(index["models"]))
    tokens = [one for one in _TOKEN.finditer(text) if one[0].lower() in models]
    signs = [one for one in tokens if is_sign(one[0].lower(), index)]
    if len(signs) < len(tokens):
        return True  # "tp=4" next to an L40S
    if not signs or any(_is_name_beside(index, text, one.start(), one.end()) for one in signs):
        return True
    rest = text
    for one in reversed(tokens):
        rest = f"{rest[: one.start()]} {rest[one.end() :]}"
    known = vocabulary_of(index)
    words = raw_words(rest, known)
    if any(_tells(word, index, models) for word in words):
        return True
    board = not known.partners.isdisjoint(words)  # "ASRock Challenger B580"
    foreign = [word for word in words if _is_foreign(word, index) and not (board and word in known.editions)]
    if not foreign:
        return True
    if any(is_introduced(index, text[: one.start()], text[one.end() :]) for one in signs):
        return True
    if all(one[0].isdecimal() for one in signs):
        return any(not _is_counted(index, text[: one.start()]) for one in signs)
    return speaks_of_devices(index, rest)


def _tells(word: str, index: Index, models: frozenset[str]) -> bool:
    """Return whether a word of the rest itself belongs to a product's name."""
    known = vocabulary_of(index)
    if word in known.brands or word in known.series:
        return True
    if any(map(str.isdigit, word)) and not word.isdecimal():
        parts = parts_of(word, known)
        if any(part in known.series or part in known.brands for part in parts):
            return True
        return any(part in models and not is_sign(part, index) and not part.endswith("gb") for part in parts)
    return False


def _is_foreign(word: str, index: Index) -> bool:
    """Return whether a word has nothing to do with a device's name."""
    known = vocabulary_of(index)
    if any(map(str.isdigit, word)):
        models = index["set of models"]
        own = word.startswith(known.memory_types) or any(part in models for part in parts_of(word, known))
        return sum(map(str.isdigit, word)) >= _MOST_DIGITS and not own
    if word in known.fields or word in telling_of(index):
        return False
    said = (known.silent, known.prose, known.units, known.settings, known.host, known.software)
    return not any(word in words for words in said) and (is_neutral(word, index) or word.isalpha())


def _is_name_beside(index: Index, text: str, start: int, end: int) -> bool:
    """Return whether a maker's or series' word directly precedes the short code, or a variant directly follows it."""
    known = vocabulary_of(index)
    before = raw_words(text[max(start - 40, 0) : start], known)[-2:]
    behind = raw_words(text[end : end + 24], known)[:1]
    if any(word in known.brands or word in known.series or word in known.titled for word in before):
        return True
    return any(word in known.backs or word in ("max", "pro", "ultra") for word in behind)


def _is_counted(index: Index, before: str) -> bool:
    """Return whether the word before a bare number is something counted or numbered: "page 3090"."""
    known = vocabulary_of(index)
    words = before.replace("#", " # ").split()
    if not words or not (before.endswith(" ") or words[-1] == "#"):
        return False
    last = words[-1].lower()
    if last == "#":
        return True
    said = (known.prose, known.settings, known.silent, known.processors, known.host)
    return (
        last.isalpha()
        and last.isascii()
        and not any(last in words for words in said)
        and len(last) > 3
        and is_neutral(last, index)
    )
