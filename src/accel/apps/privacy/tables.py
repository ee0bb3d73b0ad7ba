"""The words and patterns that identify secrets, hosts and people: specs/privacy, compiled for searching."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final, Literal

from accel.model.dataclass import dataclass

Meaning = Literal["secret", "maybe", "host", "user", "serial"]
_SIGNS: Final = re.compile(r"[-_. ]+")
_PERSON: Final = r"[^\W\d][\w.-]{0,62}"
_MOST_LINES: Final = 60  # of a command's output
_NAME: Final = r"(?:[^\W\d_]\.|[^\W\d_][\w'’-]{0,30})"
_CAPITAL: Final = "(?=[A-ZÀ-ÖØ-ÞĀ-ŽΑ-ΩА-ЯЁІЇЄ])"
_PARTICLE: Final = r"(?:(?:van|von|de|der|den|da|di|du|la|le|bin|al|el|dos|ten|ter) )"
_WORDS_OF_FORMS: Final = {
    "person": rf"(?P<person>{_NAME}(?: {_PARTICLE}{{0,2}}{_CAPITAL}{_NAME}){{0,3}})",
    "value": r"(?:\\?[\"'](?=\S))?(?P<value>(?<=[\"'])[^\"'\n]{3,400}|(?<![\"'])[^\s\"'|;<>]{3,400})\\?[\"']?",
    "user": rf"(?P<user>{_PERSON})",
    "group": rf"(?P<group>{_PERSON})",
    "host": r"(?P<host>[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,62})(?:\.[A-Za-z0-9_-]{1,63}){0,6})",
    "machine": r"(?P<machine>[a-z][a-z-]{2,24}\d{1,5}(?:-[a-z0-9]{1,12}){0,3}(?:\.[A-Za-z0-9_-]{1,63}){0,5})",
    "words": r"(?P<words>[^\W\d_a-z][\w.'-]{0,30}(?: [^\W\d_a-z][\w.'-]{0,30}){1,3})",
    "stamp": r"(?:[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d{1,9})?"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d:.,+Z-]{0,16})",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A pattern for something to hide. near: lower-case words, one of which must be in a text before it is searched."""

    near: tuple[str, ...]
    form: "re.Pattern[str]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A pattern for names in prose. any_case: whether the name may start with a small letter."""

    near: tuple[str, ...]
    form: "re.Pattern[str]"
    any_case: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A command whose output names someone. form: its whole line; names: "user" or "host"; lines: of output."""

    near: tuple[str, ...]
    form: "re.Pattern[str]"
    names: str
    lines: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """The compiled tables.

    tokens: credentials of known formats, by prefix; meanings: keys without separators, by their last words; foreign:
    keys in other scripts, by length.
    """

    tokens: tuple[Form, ...]
    programs: tuple[Form, ...]
    names: tuple[Form, ...]
    people: tuple[Phrase, ...]
    answers: tuple[Answer, ...]
    numbered_things: frozenset[str]
    family_names: str
    meanings: Mapping[str, Meaning]
    last_words: frozenset[str]
    naming_words: tuple[str, ...]
    foreign: tuple[tuple[str, Meaning], ...]
    foreign_secrets: tuple[str, ...]
    unsure_hosts: frozenset[str]
    person_keys: frozenset[str]
    not_secret_endings: tuple[str, ...]
    columns: Mapping[str, str]
    columns_with: tuple[tuple[str, str, str], ...]
    top_levels: str


@cache
def tables() -> Tables:
    """Return the tables of the bundled database."""
    from accel.specs import load

    specs = load()
    words: dict[str, Any] = specs.table("privacy/words")
    forms: dict[str, Any] = specs.table("privacy/forms")
    people: dict[str, Any] = specs.table("privacy/people")
    kinds: tuple[Meaning, ...] = ("serial", "user", "host", "maybe", "secret")  # later kinds take precedence
    lists = {kind: words["maybe_secret_keys" if kind == "maybe" else f"{kind}_keys"] for kind in kinds}
    lists["user"] = [*lists["user"], *words["person_keys"]]
    meanings: dict[str, Meaning] = {without_signs(word): kind for kind in kinds for word in lists[kind]}
    return Tables(
        tokens=tuple(_token(row["form"], row["begins"]) for row in specs.table("privacy/tokens")["tokens"]),
        programs=_forms(forms["programs"]),
        names=_forms(forms["names"]),
        people=tuple(_phrase(row) for row in (*people["people"], *people["hosts"])),
        answers=tuple(_answer(row) for row in people["answers"]),
        numbered_things=frozenset((*people["numbered_things"], *people["no_persons"])),
        family_names=people["family_names"],
        meanings=meanings,
        last_words=frozenset(_SIGNS.split(word.lower())[-1] for kind in kinds for word in lists[kind]),
        naming_words=tuple(
            {_SIGNS.split(word.lower())[-1] for kind in ("serial", "user", "host") for word in lists[kind]}
        ),
        foreign=tuple(
            (word, kind)
            for word, kind in sorted(meanings.items(), key=lambda item: -len(item[0]))
            if not word.isascii()
        ),
        foreign_secrets=tuple(word for word in words["said_secrets"] if not word.isascii()),
        unsure_hosts=frozenset(map(without_signs, words["unsure_host_keys"])),
        person_keys=frozenset(map(without_signs, words["person_keys"])),
        not_secret_endings=tuple(f"_{one}" for one in words["not_secret_keys"] if "_" in one),
        columns={heading: kind for kind, headings in words["columns"].items() for heading in headings},
        columns_with=tuple((row["heading"], row["with"], row["kind"]) for row in words["columns_with"]),
        top_levels=_any(words["top_levels"]),
    )


@cache
def word_list(name: str) -> frozenset[str]:
    """Return a list of specs/privacy/words.yaml or people.yaml."""
    from accel.specs import load

    lists: dict[str, Any] = {**load().table("privacy/people"), **load().table("privacy/words")}
    return frozenset(lists[name])


@cache
def pattern(name: str) -> "re.Pattern[str]":
    """Return a pattern of specs/privacy/patterns.yaml, with its parts filled in."""
    from accel.specs import load

    table: dict[str, Any] = load().table("privacy/patterns")
    form: str = table["patterns"][name]
    for part, given in table["parts"].items():
        form = form.replace(f"{{{part}}}", given if isinstance(given, str) else "|".join(given))
    return re.compile(form)


def without_signs(name: str) -> str:
    """Return a key in lower case, without the separators between its words.

    >>> without_signs("AWS_Secret-access.key")
    'awssecretaccesskey'
    """
    return _SIGNS.sub("", name).lower()


def _token(form: str, begins: list[str]) -> Form:
    """Return a credential's pattern, starting at a word boundary, with its prefix first so that re searches fast."""
    start = re.escape(begins[0]).replace("\\-", "-")
    if len(begins) == 1 and form.startswith(start):
        pattern = f"{start}(?<![A-Za-z0-9]{start}){form[len(start) :]}"
    else:
        pattern = f"(?<![A-Za-z0-9])(?:{form})"
    return Form(near=tuple(begins), form=re.compile(pattern))


def _forms(rows: Iterable[Mapping[str, Any]]) -> tuple[Form, ...]:
    return tuple(Form(near=_near(row), form=_filled(row["form"])) for row in rows)


def _phrase(row: Mapping[str, Any]) -> Phrase:
    return Phrase(near=_near(row), form=_filled(row["form"]), any_case=row.get("any_case", False))


def _answer(row: Mapping[str, Any]) -> Answer:
    line = rf"^(?:[^\n]{{0,100}}[$#%>❯] ?)?(?:{row['command']})[ \t]{{0,8}}\n"
    return Answer(near=(row["near"],), form=_filled(line), names=row["names"], lines=row.get("lines", _MOST_LINES))


def _near(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(near.lower() for near in row["near"])


def _filled(form: str) -> "re.Pattern[str]":
    for word, pattern in _WORDS_OF_FORMS.items():
        form = form.replace(f"{{{word}}}", pattern)
    return re.compile(form, re.MULTILINE)


def _any(words: Iterable[str]) -> str:
    """Return a pattern that matches any of the words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
