"""Where in a text a host, a person or a serial number is named, outside of home folders. Pure.

jane@gpu-07:~$      [jane@gpu-07 run]$      Nov 22 10:01:02 gpu-07 kernel:      Linux gpu-07 5.15.0-91-generic
MASTER_ADDR=gpu-07.cluster.lan      Host: gpu-07      https://wiki.example.lan/x      ssh jane@gpu-07
uid=1000(jane)      -rw-r--r-- 1 jane staff      jane  1234  0.0  1.2 …      EXAMPLE\\jane      ~jane/x
Serial Number: 1320
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, Literal

from accel.apps.privacy.tables import tables

Kind = Literal["host", "user", "serial"]
Span = tuple[int, int, Kind]

_HOST: Final = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,62})(?:\.[A-Za-z0-9_-]{1,63}){0,6}"
_USER: Final = r"[A-Za-z_][\w.-]{0,62}"
_STAMP: Final = (
    r"(?:[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d{1,9})?|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d:.,+Z-]{0,16})"
)
# (pattern, the groups that name somebody)
_FORMS: Final = tuple(
    re.compile(form, re.MULTILINE)
    for form in (
        rf"(?<![\w./:@+-])(?P<user>{_USER})@(?P<host>{_HOST})(?=[:\s\]~>$#]|$)",
        rf"^(?:[^\n]{{0,30}}\| )?{_STAMP} (?!(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL) )"
        rf"(?P<host>{_HOST}) (?=[\w./()@ -]{{1,60}}(?:\[\d{{1,8}}\])?:)",
        rf"^(?:\[?{_STAMP}\]? )?(?P<host>{_HOST}):\d{{1,8}}:\d{{1,8}} \[\d{{1,3}}\] NCCL ",
        rf"\bLinux (?P<host>{_HOST}) \d{{1,2}}\.\d{{1,3}}[.\d-]",
        rf"\bDarwin (?P<host>{_HOST}) \d{{1,2}}\.\d",
        rf"\b[ug]id=\d{{1,10}}\((?P<user>{_USER})\)",
        rf"^[bcdlps-][rwxsStT-]{{9}}[.+@]? {{1,4}}\d{{1,6}} {{1,8}}(?P<user>{_USER}) {{1,8}}(?P<group>{_USER}) ",
        rf"^(?P<user>{_USER})\+?\s{{1,12}}\d{{1,8}}\s{{1,8}}\d{{1,3}}\.\d\s{{1,8}}\d{{1,3}}\.\d\s",
        rf"(?<![\w.])(?P<user>{_USER})(?::[\w./-]{{1,40}}/\d{{1,8}})?\(\d{{1,7}}M\)",
        r"\b(?:ssh|scp|rsync|sftp|mosh) (?:-\S{1,40} ){0,4}"
        r"(?P<host>(?=[\w.-]{0,60}[\d.-])[A-Za-z][\w.-]{1,60})(?=[\s:]|$)",
        rf"\b(?:su -|sudo -u|runuser -u|chown(?: -R)?|usermod -aG \S{{1,60}}|gpasswd -a) {{1,3}}(?P<user>{_USER})",
        rf"(?<![\w\\/:])(?P<host>[A-Z][A-Z0-9-]{{1,20}})\\(?P<user>{_USER})(?=\s|$|[>\"'])",
        r"(?<![\w/~.])~(?P<user>[a-z_][\w-]{1,31})(?=/)",
        rf"\b(?:whoami|logname)\n(?P<user>{_USER})$",
        rf"\b(?:hostname(?: -[fs])?|uname -n)\n(?P<host>{_HOST})$",
        r"\b(?:Host|Node|node|host|worker|server|machine) (?P<host>[A-Za-z][\w-]{0,40}\d[\w.-]{0,60})(?=[\s,.:;)]|$)",
        rf"\bNode:\s{{1,12}}(?P<host>{_HOST})/",
    )
)
_VALUE: Final = r"(?P<value>\\?\"[^\"\n]{1,300}|\\?'[^'\n]{1,300}|[^\s\"'<>]{1,300})"
_SIGN: Final = r"\\?[\"']?[ \t]{0,30}(?P<sign>=>|:=|=(?!=)|:(?!:|//))[ \t]{0,20}"
_MACHINE: Final = re.compile(
    r"(?=[A-Za-z0-9_.-]{2,200}$)(?=[^\n]{0,200}(?:\d|-|\.[A-Za-z]))(?![\d.]+$)(?!v?\d+(?:\.\d+)+)[A-Za-z0-9_].*"
)
_PART: Final = re.compile(r"[A-Za-z0-9_](?:[\w-]{0,60}(?:\[[\d,-]{1,60}\])?)(?:\.[A-Za-z0-9_-]{1,63}){0,6}")
_PATHS: Final = frozenset({"/", "\\", "~", "$", "%", "*", "(", "[", "{", "<"})
_NO_SERIAL: Final = frozenset(
    {"n/a", "[n/a]", "na", "none", "unknown", "0", "not", "-", "default", "to", "nil", "null"}
)


def named(text: str) -> Iterator[Span]:
    """Yield where each name begins and ends; they may overlap."""
    for form in _FORMS:
        for match in form.finditer(text):
            for group in form.groupindex:
                if match[group] and not _is_stock(match[group]):
                    yield (*match.span(group), "host" if group == "host" else "user")
    yield from _keyed(text)
    if "." in text:
        yield from _in_addresses(text)


def _keyed(text: str) -> Iterator[Span]:
    for kind, pattern in _key_patterns():
        for match in pattern.finditer(text):
            begin, end = match.span("value")
            value = match["value"]
            bare = value.lstrip("\\\"'")
            begin += len(value) - len(bare)
            bare = bare.rstrip(".,;)]}")
            end = begin + len(bare)
            variable = match["sign"] == "=" and match["key"].isupper()
            if not bare or bare[0] in _PATHS or _is_stock(bare):
                continue
            if kind == "serial":
                if bare.lower() not in _NO_SERIAL and any(c.isdecimal() for c in bare):
                    yield begin, end, "serial"
            elif kind == "user":
                if (
                    variable or _MACHINE.fullmatch(bare) or match["key"].lower().startswith(("user", "log", "sudo"))
                ) and ("/" not in bare and not bare[0].isdecimal()):
                    yield begin, end, "user"
            elif variable or _MACHINE.fullmatch(bare):
                yield from _hosts_in(bare, begin)


def _hosts_in(value: str, begin: int) -> Iterator[Span]:
    """Yield the hosts of a list, of a URL or of "host:port"."""
    start = value.find("://") + 3 if "://" in value else 0
    for part in _PART.finditer(value, start):
        if not part[0].isdecimal() and not _is_stock(part[0]) and not _is_public(part[0]) and not _is_number(part[0]):
            yield begin + part.start(), begin + part.end(), "host"


def _in_addresses(text: str) -> Iterator[Span]:
    """Yield hosts by their full names: those of URLs, and those that end as only hosts do."""
    for match in _full_name().finditer(text):
        group = "host" if match["host"] else "alone"
        host = match[group]
        if _is_public(host) or _is_number(host) or _is_stock(host):
            continue
        before = text[max(0, match.start(group) - 1) : match.start(group)]
        after = text[match.end(group) : match.end(group) + 1]
        if match["url"] or (before not in ("/", "\\", "_", "-", ".") and after not in ("/", "(", "_", "\\", "=")):
            yield (*match.span(group), "host")


@cache
def _key_patterns() -> tuple[tuple[Kind, "re.Pattern[str]"], ...]:
    words = tables()
    kinds: tuple[tuple[Kind, str], ...] = (
        ("host", words.host_keys),
        ("user", words.user_keys),
        ("serial", words.serial_keys),
    )
    start = r"(?<![A-Za-z0-9.-])"
    labelled = rf"{start}(?P<key>(?i:{words.serial_keys})(?i: number| no\.?)?)(?P<sign>[ \t]{{2,40}}){_VALUE}"
    keyed = tuple(
        (kind, re.compile(rf"{start}(?P<key>(?:[A-Z][A-Z0-9]{{0,20}}_){{0,3}}(?:(?i:{keys}))){_SIGN}{_VALUE}"))
        for kind, keys in kinds
    )
    return (*keyed, ("serial", re.compile(labelled)))


@cache
def _full_name() -> "re.Pattern[str]":
    label = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
    return re.compile(
        rf"(?P<url>\b[a-z][a-z0-9+.-]{{1,20}}://(?:[^\s/@]{{1,100}}@)?)"
        rf"(?P<host>{label}(?:\.{label}){{0,6}})(?=[:/\s\"'<>),]|$)"
        rf"|(?<![\w.-])(?P<alone>(?:{label}\.){{1,6}}(?:{tables().top_levels}))(?![\w-]|\.\w)"
    )


def _is_stock(name: str) -> bool:
    return name.lower().strip("\"'") in tables().stock_names


def _is_public(host: str) -> bool:
    low = host.lower()
    return any(low == public or low.endswith(f".{public}") for public in tables().public_hosts)


def _is_number(text: str) -> bool:
    return not any(c.isalpha() for c in text)
