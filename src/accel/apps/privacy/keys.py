"""Keys with values in a text, in any notation, and what the key says about the value. Pure.

export HF_TOKEN=x    $env:X_KEY = "x"    "apiKey": "x"    os.environ['X'] = 'x'    <password>x</password>    密码：x
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from accel.apps.privacy.tables import Meaning, pattern, tables, without_signs, word_list
from accel.apps.privacy.values import PLACEHOLDER
from accel.model.dataclass import dataclass

_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_BEFORE: Final = re.compile(r"(?:\w[\w'-]{0,19}[ \t]){1,3}$")
_LOOK_BACK: Final = 44  # characters: three words
_MOST_WORDS: Final = 4
_LONG_WORD: Final = 6  # letters: the end of "dbpassword" has only one meaning
_LONGEST_START: Final = 61  # characters before a name that starts its line


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
    """A key with a value, which starts at `at`. line_start: only an indentation or a command precedes it."""

    key: str
    meaning: Meaning
    mark: str
    begin: int
    at: int

    @property
    def is_variable(self) -> bool:
        return self.key.isupper()


def assigned(text: str, places: Sequence[tuple[int, int]] | None = None) -> Iterator[Assigned]:
    """Yield the keys that say something about their values, in order. places: where to search; None: everywhere."""
    known: dict[str, Meaning | None] = {}
    last_words = tables().last_words
    everywhere = [(0, len(text))] if places is None else places
    for match in chain.from_iterable(pattern("assigned_key").finditer(text, *place) for place in everywhere):
        key = match["key"]
        if key not in known:
            known[key] = meaning_of(key)
        meaning = known[key]
        if meaning != "secret" and key.lower() in last_words:
            meaning, key = _with_words_before(text, match.start(), key) or (meaning, key)
        if meaning is None or (match["mark"] == ">" and text[match.start() - 1 : match.start()] != "<"):
            continue
        yield Assigned(key=key, meaning=meaning, mark=match["mark"], begin=match.start(), at=match.end())


def meaning_of(key: str) -> Meaning | None:
    """Return what a key says about its value.

    >>> meaning_of("DB_PW"), meaning_of("adminPassword"), meaning_of("SLURM_JOB_USER"), meaning_of("max_tokens")
    ('maybe', 'secret', 'user', None)
    """
    words = tables()
    if PLACEHOLDER.fullmatch(key.lower()):
        return None
    if not key.isascii():
        low = without_signs(key)
        return next((kind for word, kind in words.foreign if low.endswith(word)), None) or _by_last_words(key)
    bare = key.lstrip("-./").lower().replace("-", "_")
    if bare in word_list("not_secret_keys") or bare.endswith(words.not_secret_endings):
        return None
    return _by_last_words(key.lstrip("-./"))


def _by_last_words(key: str) -> Meaning | None:
    table = tables()
    if whole := table.meanings.get(without_signs(key)):
        return whole
    parts = [part.lower() for part in _WORDS.findall(key)]
    while parts and parts[-1].isdecimal():
        parts.pop()
    for place in range(len(parts), 0, -1):
        found = _of_ending(parts[:place], key)
        if found:
            return found
        if parts[place - 1] not in word_list("secret_endings") and not parts[place - 1].isdecimal():
            break
    if key.isupper() and not word_list("other_endings").intersection(parts[-1:]):
        inside = (
            table.meanings.get("".join(parts[at : at + 2])) or table.meanings.get(parts[at]) for at in range(len(parts))
        )
        return "maybe" if "secret" in inside else None
    return "maybe" if _is_of_something(parts) else None


def _is_of_something(parts: list[str]) -> bool:
    """Return whether a key names a secret together with its purpose: tokenForRegistry, db.password.encrypted."""
    if len(parts) > 1 and parts[-1] in word_list("other_endings"):
        return False
    return any(
        part in word_list("sure_secret_words")
        or (part in ("token", "key") and parts[at + 1 : at + 2] in (["for"], ["of"]))
        for at, part in enumerate(parts[:-1])
    )


def _of_ending(parts: list[str], key: str) -> Meaning | None:
    meanings = tables().meanings
    for count in range(min(_MOST_WORDS, len(parts)), 0, -1):
        found = meanings.get("".join(parts[-count:]))
        if found in ("secret", "maybe") or (found and (key.isupper() or count == len(parts))):
            return found
    last = parts[-1] if parts else ""
    ends = (last[at:] for at in range(1, len(last) - _LONG_WORD + 1))
    return "secret" if any(meanings.get(end) == "secret" for end in ends) else None


def _with_words_before(text: str, begin: int, key: str) -> tuple[Meaning, str] | None:
    """Return the meaning of a key of several words that ends in `key`, and the whole key: "mot de passe"."""
    start = max(0, begin - _LOOK_BACK)
    before = _BEFORE.search(text[start:begin])
    words = before[0].split() if before else []
    meanings = tables().meanings
    names = (" ".join([*words[at:], key]) for at in range(len(words)))
    return next(((found, name) for name in names if (found := meanings.get(without_signs(name)))), None)


def starts_line(text: str, begin: int) -> bool:
    """Return whether a key starts its line, after an indentation, a dash, a prompt or the command that sets it."""
    start = max(0, begin - _LONGEST_START)
    line = text[max(start, text.rfind("\n", start, begin) + 1) : begin]
    return len(line) < _LONGEST_START and pattern("line_start").fullmatch(line) is not None
