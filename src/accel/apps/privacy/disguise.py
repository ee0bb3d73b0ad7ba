"""Replaces what identifies a board, a host or a person in a text by something of the same format.

The tool's reader must still be able to parse a recording: so "GPU-2b1077aa0f0f1122" becomes "GPU-91c4e07b33d5a618", the
same everywhere, and a host or a user becomes a word. Versions, bus addresses and amounts are kept.
"""

import hashlib
import re
from collections.abc import Iterable
from typing import Final

from accel.apps.privacy.addresses import without_addresses
from accel.apps.privacy.home_folders import other_owners
from accel.apps.privacy.named import named
from accel.apps.privacy.numbers import without_numbers
from accel.apps.privacy.placeholders import OTHER_LETTERS
from accel.apps.privacy.secrets import without_secrets
from accel.model.device import Device

_RUN: Final = re.compile(r"[0-9A-Za-z]{6,}")
_LABEL: Final = re.compile(r"^[A-Z]{3}-")  # "GPU-": kept by the caller
_SHORTEST_NAME: Final = 3
_IN_DOCUMENTATION: Final = {"mac": "00:00:5e:00:53:00", "email": "someone@example.com"}
_ADDRESSES: Final = 254  # in 192.0.2.0/24, which is reserved for documentation
_ZONE_END: Final = re.compile(r"[0-9a-f]{5,16}$")
_CONTAINER_ID: Final = re.compile(r"[0-9a-f]{12}")


class Disguise:
    """The replacements of one recording. salt: unguessable for others; the same salt gives the same replacements."""

    def __init__(self, devices: Iterable[Device], hosts: Iterable[str], users: Iterable[str], salt: str) -> None:
        runs = {run for device in devices for text in _identifying(device) for run in _RUN.findall(text)}
        self._words = {run: same_form(run, salt) for run in runs if any(c.isdecimal() for c in run)}
        for number in {n for device in devices for n in _numbers(device)}:
            self._words[str(number)] = str(int(same_form(f"{number:x}", salt), 16))
            self._words[f"{number:x}"] = same_form(f"{number:x}", salt)
        self._salt = salt
        self._numbers: dict[tuple[str, str], int] = {}
        self._words |= {name: self._name("host", name) for name in hosts if len(name) >= _SHORTEST_NAME}
        self._words |= {name: self._name("user", name) for name in users if len(name) >= _SHORTEST_NAME}
        self._form = _any_of(self._words)
        self._given = {new.lower() for new in self._words.values()}

    def of(self, text: str) -> str:
        """Return the text disguised, without tokens and passwords."""
        text = without_secrets(text)
        text = self._form.sub(self._replacement, text) if self._words else text
        text = without_addresses(without_numbers(text, self._of_form), self._of_form)
        pieces, rest = "", 0
        folders = ((begin, end, "user") for begin, end in other_owners(text))
        for begin, end, kind in sorted((*named(text), *folders)):
            if begin >= rest and text[begin:end] not in self._given:
                new = self._runs(text[begin:end]) if kind == "serial" else self._name(kind, text[begin:end])
                pieces, rest = pieces + text[rest:begin] + new, end
        return pieces + text[rest:]

    def _of_form(self, value: str, kind: str) -> str:
        """Return the replacement for an address or an id: one reserved for documentation, or one of the same format."""
        if kind == "ip":
            number = (self._number(kind, value) - 1) % _ADDRESSES + 1
            address, percent, zone = value.partition("%")
            network = "fe80" if address.lower().startswith("fe80:") else "2001:db8"  # keep link-local addresses apart
            zone = _ZONE_END.sub(lambda m: same_form(m[0], self._salt), zone)  # so does "veth25f2e72"
            return f"{network}::{number:x}{percent}{zone}" if ":" in address else f"192.0.2.{number}"
        return _IN_DOCUMENTATION.get(kind) or self._runs(_LABEL.sub("", value))

    def _name(self, kind: str, name: str) -> str:
        """Return a word for a host or a user: "host", then "host-2"; a container's id is replaced by another one."""
        if kind == "host" and _CONTAINER_ID.fullmatch(name):
            return same_form(name, self._salt)
        number = self._number(kind, name.partition(".")[0] if kind == "host" else name)
        word = kind if name.isascii() else OTHER_LETTERS.get(kind, kind)
        return word if number == 1 else f"{word}-{number}"

    def _number(self, kind: str, value: str) -> int:
        """Return the sequence number of a value among those of its kind, from 1."""
        return self._numbers.setdefault((kind, value.lower()), 1 + sum(known == kind for known, _ in self._numbers))

    def _runs(self, value: str) -> str:
        return _RUN.sub(lambda m: m[0] if m[0].lower() in self._given else same_form(m[0], self._salt), value)

    def _replacement(self, match: "re.Match[str]") -> str:
        found = match[0]
        if found in self._words:
            return self._words[found]
        new = next(new for word, new in self._words.items() if word.lower() == found.lower())
        return new.upper() if found.isupper() else new.lower()


def same_form(run: str, salt: str) -> str:
    """Replace letters and digits by other ones: a hex number becomes another of the same length.

    >>> same_form("2B1077aa", "x") == same_form("2B1077aa", "x"), len(same_form("2B1077aa", "x"))
    (True, 8)
    """
    digest = hashlib.sha256(f"{salt}{run.lower()}".encode()).digest() * (len(run) // 32 + 1)
    is_hex = re.fullmatch(r"[0-9A-Fa-f]+", run) is not None
    made = ""
    for place, (character, byte) in enumerate(zip(run, digest, strict=False)):
        if character.isdecimal():
            made += str(byte % 9 + 1 if place == 0 else byte % 10)
            continue
        letter = chr(ord("a") + byte % (6 if is_hex else 26))
        made += letter.upper() if character.isupper() else letter
    return made


def _identifying(device: Device) -> Iterable[str]:
    return (value for name in type(device).identifying if isinstance(value := getattr(device, name), str))


def _numbers(device: Device) -> Iterable[int]:
    values = (getattr(device, name) for name in type(device).identifying)
    return (value for value in values if isinstance(value, int) and value >= 2**20)


def _any_of(words: Iterable[str]) -> "re.Pattern[str]":
    longest_first = sorted(words, key=len, reverse=True)
    words = "|".join(map(re.escape, longest_first))
    return re.compile(rf"(?:(?<![0-9A-Za-z])|(?<=\b0x))(?:{words})(?![0-9A-Za-z])", re.IGNORECASE)
