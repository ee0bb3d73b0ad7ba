"""dkms status: for which kernels the module amdgpu is built and installed.

    amdgpu/6.8.5-2041575.22.04, 6.8.0-45-generic, x86_64: installed (original_module exists)      dkms 3
    amdgpu, 5.18.13-1538762.22.04, 5.15.0-60-generic, x86_64: installed                            dkms 2
    amdgpu/6.3.6-1718217.22.04: added                                                             for no kernel
Noted  amdgpu-dkms (version, kernel, state)
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted_at, reading_of

_LINE: Final = pattern(
    r"^[ \t]*amdgpu(?:/|,[ \t]*)(?P<version>[\w.+~-]+)(?:,[ \t]*(?P<kernel>\d[\w.+-]*))?(?:,[ \t]*(?P<machine>\w+))?"
    r":[ \t]*(?P<state>added|built|installed|broken)\b[^\n]*$",
    re.MULTILINE | re.IGNORECASE,
)


def _read(text: str) -> Iterator[Reading]:
    kept = ("version", "kernel")
    found = (
        noted_at("amdgpu-dkms", hit, READER.name, state=hit["state"].lower(), **{key: hit[key] for key in kept})
        for hit in _LINE.finditer(text)
    )
    yield from reading_of(READER.name, found)


READER: Final = Reader(name="dkms status", signs=("amdgpu",), read=_read)
