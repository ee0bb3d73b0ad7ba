"""Redacts texts before they are parsed, so that the parsers have nothing to leak. Pure.

In a text, names and values appear together, and a name that one line reveals is replaced in all. Line numbers do not
change, and replacements have a format that readers can parse.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from accel.apps.privacy.near import found
from accel.apps.privacy.placeholders import Placeholders, same_form
from accel.model.merge import merged_devices
from accel.model.snapshot import Snapshot

_LISTED: Final = re.compile(r"^[ \t]*([A-Za-z][\w.-]{1,60})[ \t]+v?\d+\.\d", re.MULTILINE)
_PINNED: Final = re.compile(r"([A-Za-z][\w.-]{1,60})(?:==|>=|<=|~=)\d")
_RUN: Final = re.compile(r"[0-9A-Za-z]{6,}")
_LARGE: Final = 2**20  # minimum of an identifying number: smaller ones are counts
_BOUNDS: Final = ("==", ">=", "<=", "~=")


def redacted_texts(texts: Sequence[str], read: Snapshot | None = None) -> tuple[str, ...]:
    """Return the redacted texts, with the same placeholders in all of them.

    read  the snapshot parsed from them; its devices' identifiers may have no recognisable format in the texts
    """
    packages = {match[1].lower() for text in texts for match in _versioned(text)}
    names = Placeholders(packages, same_form)
    names.reserve(texts)
    for number in _numbers(read) if read is not None else ():
        names.word(number, "serial")
    return names.in_texts(texts)


def _numbers(read: Snapshot) -> Iterator[str]:
    """Yield the identifiers of the devices and their users, as texts spell them."""
    for device in merged_devices(read.reports)[0]:
        for name in type(device).identifying:
            value = getattr(device, name)
            written = (
                (str(value), f"{value:x}") if isinstance(value, int) and value >= _LARGE else _RUN.findall(str(value))
            )
            yield from (
                run
                for part in written
                if any(c.isdecimal() for c in part)
                for run in (part, part.upper(), part.lower())
            )


def _versioned(text: str) -> Iterator["re.Match[str]"]:
    """Yield names followed by a version: they are packages."""
    yield from _LISTED.finditer(text)
    yield from found(_PINNED, _BOUNDS, text, text.lower())
