"""What an installer said that it installed, and the commands that were given to it.

    Successfully installed jax-0.4.30 jaxlib-0.4.30 nvidia-cublas-cu12-12.4.5.8       pip
    Installed 3 packages in 12ms                                                      uv
     + torch==2.1.0+cu118
     - numpy==2.0.0
    $ pip install --upgrade jax jaxlib==0.1.65+cuda112                                a command: an event, no package

A command says what was asked for, not what is installed: it is the event "install-command" with the values
`tool`, `what` (the requirements) and `index` (a wheel index, where one is named).
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.backend import Reader, Reading
from accel.model.environment import Environment, Package
from accel.model.report import Event, Report
from accel.pattern import pattern
from accel.readers.package import package_of
from accel.readers.variant import VERSION

_INSTALLED: Final = pattern(
    r"^[ \t]*Successfully installed (?P<list>.+(?:\n[ \t]*[A-Za-z][\w.]*(?:-[\w.]+)*-\d.*)*)", re.MULTILINE
)
_ITEM: Final = pattern(rf"(?P<name>[A-Za-z0-9][\w.]*(?:-[A-Za-z][\w.]*|-cu\d+)*)-(?P<version>{VERSION}|\d+)$")
_UV: Final = pattern(
    rf"^[ \t]*(?P<sign>[+~-]) (?P<name>[A-Za-z0-9][\w.-]*)==(?P<version>{VERSION}|\d+)[ \t]*$", re.MULTILINE
)
_COMMAND: Final = pattern(
    r"^(?P<before>.{0,80}?)(?P<tool>(?:uv )?pip3?(?:\.exe)?|uv|conda|mamba|micromamba|poetry) (?P<verb>install|"
    r"add|create|sync)\b"
    r"(?P<rest>(?:.{0,600}\\\n){0,10}.{0,600})",
    re.MULTILINE,
)
_ADVICE: Final = pattern(
    r"\b(?:try|should|please|could|example|such as|instead|run|using|via|by|with|to|use)\b[^\n]*$", re.IGNORECASE
)
_INDEX: Final = pattern(r"(?:--extra-index-url|--index-url|-i|-f|--find-links)[= ]+(\S+)")
_VALUED: Final = pattern(r"(?:^|\s)-{1,2}[\w-]*(?:index-url|find-links|i|f|r|c|target|prefix|channel|name|n)[= ]+\S+")


def _read(text: str) -> Iterator[Reading]:
    packages: list[Package] = []
    for found in _INSTALLED.finditer(text):
        for word in found["list"].split():
            if item := _ITEM.match(word):
                packages.append(package_of(item["name"], item["version"]))
    for row in _UV.finditer(text):
        if row["sign"] != "-":
            packages.append(package_of(row["name"], row["version"]))
    if packages:
        latest = {package.name: package for package in packages}
        yield Reading(source=READER.name, environment=Environment(packages=tuple(latest.values())))
    events = tuple(_commands(text))
    if events:
        yield Reading(source=READER.name, reports=(Report(backend="host", source=READER.name, events=events),))


def _commands(text: str) -> Iterator[Event]:
    for found in _COMMAND.finditer(text):
        if _ADVICE.search(found["before"]):
            continue
        rest = found["rest"].replace("\\\n", " ").split("#")[0].split("&&")[0].split(";")[0]
        index = _INDEX.search(rest)
        what = " ".join(
            word.strip("\"'`")
            for word in _VALUED.sub(" ", rest).split()
            if not word.startswith("-") and word.strip("\"'`.")
        )
        if not what:
            continue
        yield Event(
            name="install-command",
            message=" ".join(f"{found['tool']} {found['verb']}{rest}".split())[:400],
            values=(
                ("tool", found["tool"]),
                ("what", what[:300]),
                *((("index", index[1].strip("\"'")),) if index else ()),
            ),
            source=READER.name,
            line=text.count("\n", 0, found.start("tool")) + 1,
        )


READER = Reader(
    name="installer output",
    signs=(
        "Successfully installed",
        " + ",
        "+ ",
        "pip install",
        "pip3 install",
        "uv add",
        "conda install",
        "mamba install",
        "conda create",
        "uv sync",
        "poetry add",
    ),
    read=_read,
)
