"""Names of hosts, people, containers and serial numbers in a text, outside of home folders. Pure.

jane@gpu-07:~$      [jane@gpu-07 run]$      Nov 22 10:01:02 gpu-07 kernel:      Linux gpu-07 5.15.0-91-generic
MASTER_ADDR=gpu-07.cluster.lan      Host: gpu-07      https://wiki.example.lan/x      ssh jane@gpu-07
uid=1000(jane)      -rw-r--r-- 1 jane staff      jane  1234  0.0  1.2 …      EXAMPLE\\jane      ~jane/x
Serial Number: 1320
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from accel.apps.privacy.columns import answered, column_names
from accel.apps.privacy.keys import assigned
from accel.apps.privacy.near import Lines
from accel.apps.privacy.pairs import sheet_cells
from accel.apps.privacy.people import people
from accel.apps.privacy.tables import pattern, tables, without_signs, word_list
from accel.apps.privacy.values import can_be_secret

Span = tuple[int, int, str]  # begin, end and kind: host, user, serial, container, account, repository, share

_KINDS: Final = {
    "group": "user",
    "words": "user",
    "machine": "host",
}  # groups of patterns whose names differ from their kinds
_VALUE: Final = re.compile(r"\\?\"[^\"\n]{1,300}|\\?'[^'\n]{1,300}|[^\s\"'<>|]{1,300}")
_PART: Final = re.compile(r"[A-Za-z0-9_](?:[\w-]{0,60}(?:\[[\d,-]{1,60}\])?)(?:\.[A-Za-z0-9_-]{1,63}){0,6}")
_STEM: Final = re.compile(r"(?=\d)")  # of a name with a number
_SERVER: Final = re.compile(r"(?<![\w\\])\\\\(?P<host>[A-Za-z][\w.-]{1,60})(?=[\s\"']|$)", re.MULTILINE)
_BACKSLASHES: Final = "\\\\"
_TAG: Final = re.compile(r"(?!DEFAULT|SYSTEM|UNKNOWN|INVALID|NOTSET)[A-Z]{7,12}")  # an asset tag without a digit
_PATHS: Final = frozenset({"/", "\\", "~", "$", "%", "*", "(", "[", "{", "<"})
_SERIAL_WORDS: Final = ("serial", "sn ", "uuid", " tag", " id", "ecid", "imei", "elabel", "bar", "pdi ", "hash")
_PROSE_KEYS: Final = ("owner", "author", "account", "registered")  # which also start a sentence
_GOES_ON: Final = re.compile(r" [a-z]{2,20}\b(?!=|:)")
_PEOPLE: Final = (
    *("user", "log", "sudo", "registered", "benutz", "utili", "usuario", "utente", "gebruik", "użytk", "owner"),
    *("author", "account", "qq", "wechat"),
)


def named(text: str) -> Iterator[Span]:
    """Yield (begin, end, kind) of each name; they may overlap."""
    lines = Lines(text)
    for row in tables().names:
        for match in lines.found(row.form, row.near):
            for group in row.form.groupindex:
                if group == "hosts":
                    yield from _hosts_in(match[group], match.start(group))
                elif match[group] and not _is_nobody(match[group], group):
                    yield (*match.span(group), _KINDS.get(group, group))
    yield from people(lines)
    yield from answered(lines)
    yield from _keyed(text, lines)
    for begin, end, meaning in sheet_cells(text):
        if meaning in ("user", "host") and (meaning == "user" or pattern("machine_value").fullmatch(text[begin:end])):
            yield from _of_value(text, text[begin:end], begin, meaning, meaning, is_set=False)
    for begin, end, kind in column_names(text):
        yield from _hosts_in(text[begin:end], begin) if kind == "host" else [(begin, end, kind)]
    if "." in text or "://" in text:
        yield from _in_addresses(text)
    if "\\\\" in text or "//" in text:
        yield from _network_folders(text)


def _keyed(text: str, lines: Lines) -> Iterator[Span]:
    for one in assigned(text, lines.stretches(tables().naming_words)):
        if one.meaning in ("host", "user", "serial") and (match := _VALUE.match(text, one.at)):
            yield from _of_value(
                text, match[0], match.start(), one.meaning, one.key, is_set=one.mark == "=" and one.is_variable
            )
    for match in lines.found(pattern("labelled_serial"), _SERIAL_WORDS):
        key = match["key"].lower().removesuffix(" number").removesuffix(" no")
        if tables().meanings.get(key.replace(" ", "")) == "serial":
            yield from _of_value(text, match["value"], match.start("value"), "serial", key, is_set=False)


def _of_value(text: str, value: str, begin: int, kind: str, key: str, *, is_set: bool) -> Iterator[Span]:
    bare = value.lstrip("\\\"'")
    begin += len(value) - len(bare)
    bare = bare.rstrip(".,;)}" if "[" in bare else ".,;)]}")
    end = begin + len(bare)
    if not bare or bare[0] in _PATHS or is_stock(bare):
        return
    if kind == "serial":
        tag = "tag" in key.lower() and _TAG.fullmatch(bare)
        if bare.lower() not in word_list("no_serials") and (tag or any(c.isdecimal() for c in bare)):
            yield begin, end, "serial"
    elif kind == "user":
        if key.lower().startswith(_PROSE_KEYS) and _GOES_ON.match(text, end):
            return
        person = not key.isascii() or key.lower().startswith(_PEOPLE) or without_signs(key) in tables().person_keys
        if (
            (is_set or person or pattern("machine_value").fullmatch(bare))
            and "/" not in bare
            and not (bare[0].isdecimal() and not person)
            and (person or not bare.isdecimal())
        ):
            further = pattern("surnames").match(text, end) if person and bare[:1].isupper() else None
            yield begin, further.end() if further else begin + bare.index("(") if "(" in bare else end, "user"
    elif (
        is_set
        or pattern("machine_value").fullmatch(bare)
        or (without_signs(key) not in tables().unsure_hosts and can_be_secret(bare))
    ):
        yield from _hosts_in(bare, begin)


def _hosts_in(value: str, begin: int) -> Iterator[Span]:
    """Yield the hosts in a list, a URL or "host:port"."""
    start = value.find("://") + 3 if "://" in value else 0
    for part in _PART.finditer(value, start):
        if not part[0].isdecimal() and not is_stock(part[0]) and not _is_public(part[0]) and not _is_number(part[0]):
            yield begin + part.start(), begin + part.end(), "host"


def _in_addresses(text: str) -> Iterator[Span]:
    """Yield hosts given by their full names: those in URLs, and those with an ending that only hosts have."""
    for match in _of_urls().finditer(text):
        if not _is_anybodys(match["host"]):
            yield (*match.span("host"), "host")
    for match in _full_name().finditer(text):
        if not _is_anybodys(match[0]):
            before = text[max(0, match.start() - 1) : match.start()]
            after = text[match.end() : match.end() + 1]
            if before not in ("/", "\\", "_", "-", ".") and after not in ("/", "(", "_", "\\", "="):
                yield (*match.span(), "host")


def _is_anybodys(host: str) -> bool:
    return _is_public(host) or _is_number(host) or is_stock(host)


def _network_folders(text: str) -> Iterator[Span]:
    for match in (
        *(pattern("unc").finditer(text) if _BACKSLASHES in text else ()),
        *pattern("shared_folder").finditer(text),
    ):
        for group in ("host", "share"):
            if not is_stock(match[group]) and match[group].lower() not in ("users", "."):
                yield (*match.span(group), group)
    for match in _SERVER.finditer(text) if _BACKSLASHES in text else ():
        if not is_stock(match["host"]):
            yield (*match.span("host"), "host")


_HOST_LABEL: Final = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"


@cache
def _of_urls() -> "re.Pattern[str]":
    return re.compile(rf"://(?:[^\s/@]{{1,100}}@)?(?P<host>{_HOST_LABEL}(?:\.{_HOST_LABEL}){{0,6}})(?=[:/\s\"'<>),]|$)")


@cache
def _full_name() -> "re.Pattern[str]":
    return re.compile(
        rf"(?<![\w.-])(?=[A-Za-z0-9-]{{1,63}}\.)(?:{_HOST_LABEL}\.){{1,6}}(?:{tables().top_levels})(?![\w-]|\.\w)"
    )


def _is_nobody(name: str, group: str) -> bool:
    """Return whether a name identifies no person or machine: a number, a default name, a team named after one."""
    if group == "address":
        return False
    if group == "machine" and _STEM.split(name)[0].rstrip("-") in tables().numbered_things:
        return True
    if group == "container" and not word_list("public_containers").isdisjoint(name.lower().split("-")):
        return True
    return (
        _is_number(name)
        or any(is_stock(word) for word in name.split(" "))
        or (group in ("host", "machine") and _is_public(name))
    )


def is_stock(name: str) -> bool:
    """Return whether the name is a default that any machine may have."""
    return name.lower().strip("\"'$") in word_list("stock_names")


def _is_public(host: str) -> bool:
    low = host.lower()
    return any(low == public or low.endswith(f".{public}") for public in word_list("public_hosts"))


def _is_number(text: str) -> bool:
    return not any(c.isalpha() for c in text)
