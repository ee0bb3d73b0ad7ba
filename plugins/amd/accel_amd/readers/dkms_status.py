"""dkms status: for which kernels the module amdgpu is built and installed.

    amdgpu/6.8.5-2041575.22.04, 6.8.0-45-generic, x86_64: installed (original_module exists)      dkms 3
    amdgpu, 5.18.13-1538762.22.04, 5.15.0-60-generic, x86_64: installed                            dkms 2
    amdgpu/6.3.6-1718217.22.04: added                                                             for no kernel
Noted  amdgpu-dkms (version, kernel, state)
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.contract.backend import Reader, Reading
from accel.model.observation import Noted
from accel.model.report import Report
from accel.text.pattern import pattern

_LINE: Final = pattern(
    r"^[ \t]*amdgpu(?:/|,[ \t]*)(?P<version>[\w.+~-]+)(?:,[ \t]*(?P<kernel>\d[\w.+-]*))?(?:,[ \t]*(?P<machine>\w+))?"
    r":[ \t]*(?P<state>added|built|installed|broken)\b[^\n]*$",
    re.MULTILINE | re.IGNORECASE,
)


def _read(text: str) -> Iterator[Reading]:
    noted = []
    for match in _LINE.finditer(text):
        line = text.count("\n", 0, match.start("version")) + 1
        stated = {"version": match["version"], "state": match["state"].lower(), "kernel": match["kernel"]}
        values = tuple((key, value) for key, value in stated.items() if value)
        noted.append(
            Noted(
                fact="amdgpu-dkms",
                text=" ".join(match[0].split()),
                values=values,
                source=READER.name,
                line=line,
                last_line=line,
            )
        )
    if noted:
        report = Report(backend="amd", source=READER.name, trust=30, observations=tuple(noted))
        yield Reading(source=READER.name, reports=(report,))


READER: Final = Reader(name="dkms status", signs=("amdgpu",), read=_read)
