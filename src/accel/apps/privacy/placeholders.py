"""The replacements for identifying values: equal values get equal ones throughout a report, and they are stable. Pure.

In a snapshot, words (ip-1, uuid-2). In a text, values of the same format, so that its readers can parse them: an
address from the network reserved for documentation, a unique id of zeros and a number. Both are recognised, so that
redacting twice changes nothing.
"""

import re
from collections.abc import Callable, Collection, Iterable
from typing import Final

from accel.apps.privacy.addresses import without_addresses
from accel.apps.privacy.home_folders import other_owners, owners
from accel.apps.privacy.named import named
from accel.apps.privacy.numbers import without_numbers
from accel.apps.privacy.people import is_common
from accel.apps.privacy.secrets import is_distinct, without_secrets
from accel.apps.privacy.tables import word_list
from accel.apps.privacy.values import GONE, PLACEHOLDER
from accel.apps.privacy.words import ALPHANUMERIC, NAME, Words

OTHER_LETTERS: Final = {"user": "usér"}  # some programs fail on non-ASCII names, so keep a letter
_SHORTEST: Final = 3  # characters of a text that can name someone
_LEARNED: Final = ("host", "user", "container", "account", "repository")  # kinds that are replaced wherever they occur
_SHORTEST_CARD: Final = 15  # digits, including a check digit
_MARK: Final = "\0"
_BETWEEN: Final = f"\n{_MARK}\n"  # between texts that are redacted as one: no pattern matches across it
_HELD_PLACES: Final = 4  # letters of a word that is replaced wherever it occurs; three of a user, or with a digit
Form = Callable[[str, str, int], str]  # from a value, its kind and its number to the replacement


class Placeholders:
    """The replacements of one report. packages: names that are not of people or machines; form: makes a replacement."""

    def __init__(self, packages: Iterable[str] = (), form: Form | None = None) -> None:
        self._no_names = word_list("stock_names").union(packages)
        self._form = form or word_form
        self._known: dict[str, str] = {}
        self._given: set[str] = set()
        self._counts: dict[str, int] = {}
        self._words = Words(NAME, any_case=True)
        self._secrets = Words(ALPHANUMERIC)
        self._homes: set[str] = set()
        self._done: dict[str, str] = {}

    def of(self, value: str, kind: str) -> str:
        """Return the replacement of a value."""
        key = value.lower()
        if key in self._given or PLACEHOLDER.fullmatch(key) or _is_given(value, kind, self._form):
            return value
        if key not in self._known:
            number = self._counts.get(kind, 0) + 1
            while (made := self._form(value, kind, number)).lower() in self._given:
                number += 1
            self._counts[kind] = number
            self._known[key] = made
            self._given.add(made.lower())
        return self._known[key]

    def reserve(self, texts: Iterable[str]) -> None:
        """Reserve the placeholders that a text already contains because it was redacted before."""
        for text in texts:
            for found in PLACEHOLDER.finditer(text):
                kind, _, number = found[0].rpartition("-")
                kind = {new: old for old, new in OTHER_LETTERS.items()}.get(kind, kind)
                self._counts[kind] = max(self._counts.get(kind, 0), int(number))
                self._given.add(found[0].lower())
            if self._form is not word_form:
                self._given.update(found[0].lower() for found in _FORMED.finditer(text))

    def word(self, value: str, kind: str) -> None:
        """Replace this exact word wherever it occurs on its own; skip short words, which would match others."""
        exact = kind == "user" or any(c.isdecimal() for c in value)  # a user's short name is matched in its own case
        long_enough = len(value) >= _HELD_PLACES - exact or not value.isascii()
        if long_enough and value not in self._words and not self.is_no_name(value) and not is_common(value):
            self._words.add(value, self.of(value, kind))

    def is_no_name(self, value: str) -> bool:
        low = value.lower()
        return low in self._no_names or low in self._given or PLACEHOLDER.fullmatch(low) is not None

    def secret(self, value: str) -> None:
        """Remove a secret wherever it occurs."""
        value = value.strip()
        if value not in self._secrets and is_distinct(value):
            self._secrets.add(value, GONE)

    def prepare(self, texts: Iterable[str]) -> None:
        """Redact many short texts at once: what one reveals applies to all. in_text then returns the results."""
        apart = [text for text in dict.fromkeys(texts) if len(text) >= _SHORTEST and _MARK not in text]
        shown = self.in_texts((_BETWEEN.join(apart),))[0].split(_BETWEEN)
        if len(shown) == len(apart):
            self._done = dict(zip(apart, shown, strict=True))

    def in_text(self, text: str) -> str:
        if text.isdecimal() and len(text) < _SHORTEST_CARD:  # an amount: no key says otherwise
            return self._words.replaced_in(text)
        done = self._done.get(text)
        return self.in_texts((text,))[0] if done is None else done

    def in_texts(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Return the texts without identifying names: what one of them reveals applies to all."""
        shown = [self._without_forms(text) if len(text) >= _SHORTEST else text for text in texts]
        for text in shown:
            self._homes.update(text[begin:end].lower() for begin, end in owners(text) if " " in text[begin:end])
        spans = [self._spans(text) for text in shown]
        for text, found in zip(shown, spans, strict=True):
            self._note(text, found)
        return tuple(
            self._secrets.replaced_in(self._words.replaced_in(self._replaced(text, found)))
            for text, found in zip(shown, spans, strict=True)
        )

    def variable(self, name: str, value: str) -> str:
        """Return a variable's value, redacted with regard to its name, which may mark it as a secret or a host."""
        shown = self.in_text(f"{name}={value}")
        return shown[len(name) + 1 :] if shown.startswith(f"{name}=") else self.in_text(value)

    def _without_forms(self, text: str) -> str:
        return without_addresses(without_numbers(without_secrets(text, self.secret), self.of), self.of)

    def _spans(self, text: str) -> list[tuple[int, int, str]]:
        spans = [(begin, end, "user") for begin, end in owners(text, self._homes)]
        spans += [(begin, end, "folder") for begin, end in other_owners(text)]
        return [*spans, *named(text)]

    def _note(self, text: str, spans: Collection[tuple[int, int, str]]) -> None:
        for begin, end, kind in sorted(spans):
            name = text[begin:end]
            if GONE in name:
                continue
            if kind == "user" and " " in name:
                for part in name.split(" "):
                    if len(part) >= _HELD_PLACES or not part.isascii():  # "van", "der"
                        self.word(part, kind)
            if kind in (*_LEARNED, "serial"):
                self.word(name, kind)
            if kind == "host" and not _is_domain(name):
                self.word(name.partition(".")[0], kind)

    def _replaced(self, text: str, spans: Iterable[tuple[int, int, str]]) -> str:
        pieces, rest = [], 0
        for begin, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
            name = text[begin:end]
            if begin >= rest and not self.is_no_name(name) and GONE not in name:
                pieces += [text[rest:begin], self.of(name, "user" if kind == "folder" else kind)]
                rest = end
        return "".join([*pieces, text[rest:]])


def _is_domain(name: str) -> bool:
    """Return whether a name is a domain whose first label is not a machine: "onnxruntime.ai"."""
    labels = name.lower().split(".")
    return len(labels) == 2 and labels[1] not in word_list("private_levels")


def word_form(value: str, kind: str, number: int) -> str:
    """Return the placeholder for a snapshot: the kind and a number; for a container id, "<redacted>"."""
    if kind == "host" and _CONTAINER_ID.fullmatch(value):  # a container's own host name, which marks it as a container
        return _zeros(value, number, first="1")
    word = kind if value.isascii() else OTHER_LETTERS.get(kind, kind)
    return GONE if kind == "container-id" else f"{word}-{number}"


def same_form(value: str, kind: str, number: int) -> str:
    """Return the replacement of a value in a text, in the same format.

    >>> same_form("9c:7b:ef:12:34:56", "mac", 1), same_form("10.1.2.3", "ip", 7), same_form("olga", "user", 2)
    ('02:00:00:00:00:01', '192.0.2.7', 'user-2')
    >>> same_form("GPU-2b1077aa-0f0f-1122-3344-556677889900", "uuid", 3)
    '10000000-0000-0000-0000-000000000003'
    """
    if kind == "ip":
        return _address(value, number)
    if kind == "email":
        return f"email-{number}@example.com"
    if kind in _OF_THEIR_FORM and (kind != "cloud" or _ID.fullmatch(value)):
        return _zeros(_LABEL.sub("", value), number, first="02" if kind == "mac" else "1")
    guest = next((ending for ending in _OF_GUESTS if kind == "host" and value.lower().endswith(ending.lower())), "")
    return f"{word_form(value, kind, number)}{guest}"


_OF_GUESTS: Final = ("-virtual-machine", "-VirtualBox")  # a guest's default name is public, and useful
_OF_THEIR_FORM: Final = frozenset({"uuid", "mac", "guid", "serial", "cloud", "container-id", "sid"})
_CONTAINER_ID: Final = re.compile(r"[0-9a-f]{12}")
_ID: Final = re.compile(r"[a-z]{1,9}-[0-9a-f]{8,17}|\d{12}|[0-9a-fA-F-]{36}")  # a cloud id, replaced in its own format
_LABEL: Final = re.compile(r"^(?:GPU|MIG|NPU|TPU|DPU|HPU|MLU)-")
_FORMED: Final = re.compile(
    r"\b192\.0\.2\.\d{1,3}\b|\b240\.0\.\d{1,3}\.\d{1,3}\b|\b2001:db8:ffff::[0-9a-f]{1,4}\b|\bfe80::[0-9a-f]{1,4}\b"
    r"|\bemail-\d{1,6}@example\.com\b|\b(?:1|02)[0:a.-]{6,}\d{1,6}\b"
)
_DOCUMENTED: Final = 254  # addresses in 192.0.2.0/24


def _address(value: str, number: int) -> str:
    address, percent, zone = value.partition("%")
    if ":" in address:
        network = "fe80" if address.lower().startswith("fe80:") else "2001:db8:ffff"
        return f"{network}::{number:x}{percent}{zone}"
    return f"192.0.2.{number}" if number <= _DOCUMENTED else f"240.0.{number // 256 % 256}.{number % 256}"


def _zeros(value: str, number: int, *, first: str) -> str:
    """Return a value with its letters and digits replaced by zeros, with a number at the end."""
    signs = [place for place, c in enumerate(value) if c.isalnum()]
    digits = first + str(number).rjust(len(signs) - len(first), "0")
    made = list(value)
    for place, digit in zip(signs, digits[-len(signs) :], strict=True):
        made[place] = digit
    return "".join(made)


def _is_given(value: str, kind: str, form: Form) -> bool:
    """Return whether a value is itself a replacement."""
    if form is word_form and kind != "host":
        return False
    if kind == "email":
        return re.fullmatch(r"email-\d{1,6}@example\.com", value) is not None
    if kind == "ip":
        return _FORMED.fullmatch(value.partition("%")[0]) is not None
    if kind not in _OF_THEIR_FORM and kind != "host":
        return False
    number = re.search(r"\d{1,6}$", value)
    return (
        number is not None
        and (kind != "host" or _CONTAINER_ID.fullmatch(value) is not None)
        and form(value, kind, int(number[0])) == _LABEL.sub("", value)
    )
