"""Secrets in sentences, and values connected to a secret's name by words or brackets. Pure.

The password for the registry is tulip77.      my passphrase was "quartz pickle otter"      口令改成 tulip77 了
REGISTRY_PASSWORD is set to tulip77            ["REGISTRY_PASSWORD", "tulip77"]             [REGISTRY_PASSWORD] tulip77
what creds did you use? > admin with Tulip77aB
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from accel.apps.privacy.keys import meaning_of
from accel.apps.privacy.near import Lines
from accel.apps.privacy.tables import pattern, tables, word_list
from accel.apps.privacy.values import Place, can_be_secret, looks_secret

_SAID: Final = (
    r"(?P<rest>[^\n=:：\"'`“?!;]{0,48}?)(?:[ \t]?[:：=] ?|[ \t]?[(（]"
    r"|[ \t](?:is|was|are|were|to|be|now|just|ist|lautet|war|est|era|es|es:|é|è|это"
    r"|—|–|->|like|says|being)[ \t:]{1,3}|(?:是|为|為|成|改为|改成|设为|设置为|はは|は|이|는|은)[ \t:：]{0,3})"
    r"(?:(?:now|just|still|simply|currently|literally)[ \t])?"
    r"(?:[\"'`“„«「] ?(?P<quoted>[^\n\"'`”“»」]{4,120}?) ?[\"'`”“»」]|(?P<value>[^\s\"'`<>,;，。；、）)]{5,200}))"
)
_STEM: Final = re.compile(r"[A-Za-z]{2,60}")
_IN_NAMES: Final = ("token", "secret", "passw", "pwd", "passphrase", "key", "cred", "psk", "pass_", "passcode")
_SHORTEST: Final = 8  # characters of a possible password in a line that only mentions one
_MOST_DIGITS_APART: Final = re.compile(r"\d+[xX*]\d+|\d[\d.,]*[a-zA-Z%]{0,3}")


def spoken(text: str) -> Iterator[Place]:
    """Yield (begin, end) of each such value; they may overlap."""
    lines = Lines(text)
    yield from _joined(lines)
    for match in lines.found(_nouns(), word_list("said_secrets")):
        if match["quoted"]:
            if can_be_secret(match["quoted"]) and (" " in match["quoted"] or looks_secret(match["quoted"])):
                yield match.span("quoted")
            continue
        value = match["value"].rstrip(".!?)]}")
        if _is_told(value, weak=match["noun"].lower() in word_list("weak_secret_words")) and not value.endswith(
            (":", "=", "(")
        ):
            yield match.start("value"), match.start("value") + len(value)
    for match in lines.found(pattern("secret_shape"), (*word_list("speaking_of_secrets"), *tables().foreign_secrets)):
        stem = _STEM.match(match[0])
        if (
            len(match[0]) >= _SHORTEST
            and stem
            and stem[0].lower() not in word_list("no_persons")
            and looks_secret(match[0])
        ):
            yield match.span()


def _joined(lines: Lines) -> Iterator[Place]:
    """Yield values that a word or a bracket connects to a variable's name."""
    known: dict[str, bool] = {}
    for match in lines.found(pattern("joined_by_words"), _IN_NAMES):
        name = match["name"]
        if name not in known:
            known[name] = ("_" in name or name != name.lower()) and meaning_of(name) == "secret"
        if known[name] and _is_told(match["value"].rstrip(".!?"), weak=False):
            yield match.start("value"), match.start("value") + len(match["value"].rstrip(".!?"))


def _is_told(value: str, *, weak: bool) -> bool:
    if not looks_secret(value) or _MOST_DIGITS_APART.fullmatch(value) or not any(map(str.isdecimal, value)):
        return False
    return not weak or (len(value) >= _SHORTEST and any(map(str.isalpha, value)) and "." not in value)


@cache
def _nouns() -> "re.Pattern[str]":
    words = "|".join(re.escape(word) for word in sorted(word_list("said_secrets"), key=len, reverse=True))
    return re.compile(rf"(?P<noun>{words})s?{_SAID}", re.IGNORECASE)
