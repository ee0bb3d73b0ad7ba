"""The words and forms by which secrets, hosts and people are known: specs/privacy, ready for searching."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final, Literal

from accel.model.dataclass import dataclass

Meaning = Literal["secret", "maybe", "host", "user", "serial"]
_SIGNS: Final = re.compile(r"[-_. ]+")
_PERSON: Final = r"[^\W\d][\w.-]{0,62}"
_WORDS_OF_FORMS: Final = {
    "value": r"(?:\\?[\"'](?=\S))?(?P<value>(?<=[\"'])[^\"'\n]{3,400}|(?<![\"'])[^\s\"'|;<>]{3,400})\\?[\"']?",
    "user": rf"(?P<user>{_PERSON})",
    "group": rf"(?P<group>{_PERSON})",
    "host": r"(?P<host>[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,62})(?:\.[A-Za-z0-9_-]{1,63}){0,6})",
    "words": r"(?P<words>[^\W\d_a-z][\w.'-]{0,30}(?: [^\W\d_a-z][\w.'-]{0,30}){1,3})",
    "stamp": r"(?:[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d{1,9})?"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d:.,+Z-]{0,16})",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A form that hides something. near: words of which a text must hold one, in lower case, before it is searched."""

    near: tuple[str, ...]
    form: "re.Pattern[str]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """tokens: credentials of known forms, by what they begin with; meanings: names, without their signs, by the last
    words; foreign: those of other scripts, by length.
    """

    tokens: tuple[Form, ...]
    programs: tuple[Form, ...]
    names: tuple[Form, ...]
    meanings: Mapping[str, Meaning]
    last_words: frozenset[str]
    foreign: tuple[tuple[str, Meaning], ...]
    unsure_hosts: frozenset[str]
    public_containers: frozenset[str]
    secret_endings: frozenset[str]
    other_endings: frozenset[str]
    not_secret_keys: frozenset[str]
    plain_values: frozenset[str]
    id_words: tuple[str, ...]
    phone_words: tuple[str, ...]
    columns: Mapping[str, str]
    columns_with: tuple[tuple[str, str, str], ...]
    shared_folders: frozenset[str]
    stock_names: frozenset[str]
    public_hosts: tuple[str, ...]
    top_levels: str


@cache
def tables() -> Tables:
    """Return the tables of the bundled database."""
    from accel.specs import load

    specs = load()
    words: dict[str, Any] = specs.table("privacy/words")
    forms: dict[str, Any] = specs.table("privacy/forms")
    kinds: tuple[Meaning, ...] = ("serial", "user", "host", "maybe", "secret")  # what a later one has, it means
    lists = {kind: words["maybe_secret_keys" if kind == "maybe" else f"{kind}_keys"] for kind in kinds}
    meanings: dict[str, Meaning] = {without_signs(word): kind for kind in kinds for word in lists[kind]}
    return Tables(
        tokens=tuple(_token(row["form"], row["begins"]) for row in specs.table("privacy/tokens")["tokens"]),
        programs=_forms(forms["programs"]),
        names=_forms(forms["names"]),
        meanings=meanings,
        last_words=frozenset(_SIGNS.split(word.lower())[-1] for kind in kinds for word in lists[kind]),
        foreign=tuple(
            (word, kind)
            for word, kind in sorted(meanings.items(), key=lambda item: -len(item[0]))
            if not word.isascii()
        ),
        unsure_hosts=frozenset(map(without_signs, words["unsure_host_keys"])),
        public_containers=frozenset(words["public_containers"]),
        secret_endings=frozenset(words["secret_endings"]),
        other_endings=frozenset(words["other_endings"]),
        not_secret_keys=frozenset(words["not_secret_keys"]),
        plain_values=frozenset(words["plain_values"]),
        id_words=tuple(words["id_words"]),
        phone_words=tuple(words["phone_words"]),
        columns={heading: kind for kind, headings in words["columns"].items() for heading in headings},
        columns_with=tuple((row["heading"], row["with"], row["kind"]) for row in words["columns_with"]),
        shared_folders=frozenset(words["shared_folders"]),
        stock_names=frozenset(words["stock_names"]),
        public_hosts=tuple(words["public_hosts"]),
        top_levels=_any(words["top_levels"]),
    )


def without_signs(name: str) -> str:
    """Return a name in lower case, without what parts its words.

    >>> without_signs("AWS_Secret-access.key")
    'awssecretaccesskey'
    """
    return _SIGNS.sub("", name).lower()


def _token(form: str, begins: list[str]) -> Form:
    """Return a credential's form that begins no longer word. What it begins with comes first: re then searches fast."""
    start = re.escape(begins[0]).replace("\\-", "-")
    if len(begins) == 1 and form.startswith(start):
        pattern = f"{start}(?<![A-Za-z0-9]{start}){form[len(start) :]}"
    else:
        pattern = f"(?<![A-Za-z0-9])(?:{form})"
    return Form(near=tuple(begins), form=re.compile(pattern))


def _forms(rows: Iterable[Mapping[str, Any]]) -> tuple[Form, ...]:
    def filled(form: str) -> str:
        for word, pattern in _WORDS_OF_FORMS.items():
            form = form.replace(f"{{{word}}}", pattern)
        return form

    return tuple(
        Form(near=tuple(near.lower() for near in row["near"]), form=re.compile(filled(row["form"]), re.MULTILINE))
        for row in rows
    )


def _any(words: Iterable[str]) -> str:
    """Return a pattern of any of the words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
