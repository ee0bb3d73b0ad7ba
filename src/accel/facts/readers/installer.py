"""Read what an installer installed, removed or found. Mechanisms read commands and refusals: commands, offers.

    Successfully installed jax-0.4.30 jaxlib-0.4.30 nvidia-cublas-cu12-12.4.5.8       pip
    Successfully uninstalled triton-3.6.0             Found existing installation: torch 2.3.0
    Requirement already satisfied: numpy<2 in /env/lib/python3.11/site-packages (from torch) (1.26.4)
    Installed 3 packages in 12ms                                                      uv
     + torch==2.1.0+cu118
     - numpy==2.0.0

A package that is installed at the end is a Package; each step is also an observation, in the order of the text.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.facts.readers.package import package_of
from accel.model.environment import Environment, Package
from accel.model.observation import Installed
from accel.text.lines import line_at
from accel.text.pattern import pattern
from accel.text.versions import VERSION
from accel.vendors.contract.backend import Reader, Reading

_INSTALLED: Final = pattern(
    r"^[ \t]*(?:Successfully|已成功) installed (?P<list>.+"
    r"(?:\n(?=[ \t]*[A-Za-z][\w.]*(?:-[\w.]+){0,6}-\d).*){0,200})",
    re.MULTILINE | re.IGNORECASE,
)
_ITEM: Final = pattern(
    rf"(?P<name>[A-Za-z0-9][\w.]*(?:-[A-Za-z][\w.]*|-cu\d+){{0,8}})-(?P<version>{VERSION}|\d+)$", re.IGNORECASE
)
_UV: Final = pattern(
    rf"^[ \t]*(?P<sign>[+~-]) (?P<name>[A-Za-z0-9][\w.-]*)==(?P<version>{VERSION}|\d+)[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_REMOVED: Final = pattern(
    rf"\bSuccessfully uninstalled (?P<name>[A-Za-z0-9][\w.-]{{0,80}}?)-(?P<version>{VERSION}|\d+)(?=\s|$)",
    re.IGNORECASE,
)
_FOUND: Final = pattern(
    rf"\bFound existing installation: (?P<name>[A-Za-z0-9][\w.-]{{0,80}}) (?P<version>{VERSION}|\d+)(?=\s|$)",
    re.IGNORECASE,
)
_SATISFIED: Final = pattern(
    r"\bRequirement already (?:satisfied|up-to-date): (?P<name>[A-Za-z0-9][\w.-]{0,80})[^\n(]{0,200}"
    rf"(?:\(from [^()\n]{{0,160}}\) )?\((?P<version>{VERSION}|\d+)\)",
    re.IGNORECASE,
)


def _read(text: str) -> Iterator[Reading]:
    steps = sorted(_steps(text), key=lambda step: step[0])
    present: dict[str, Package] = {}
    for _, package, removed in steps:
        if removed:
            present.pop(package.name, None)
        else:
            present[package.name] = package
    if not steps:
        return
    yield Reading(
        source=READER.name,
        environment=Environment(packages=tuple(present.values())) if present else None,
        observations=tuple(_seen(text, *step) for step in steps),
    )


def _steps(text: str) -> Iterator[tuple[int, Package, bool]]:
    """Yield (position, package, whether it was removed)."""
    for found in _INSTALLED.finditer(text):
        for word in re.finditer(r"\S+", found["list"]):
            if item := _ITEM.match(word[0]):
                yield found.start("list") + word.start(), package_of(item["name"], item["version"]), False
    for row in _UV.finditer(text):
        yield row.start("name"), package_of(row["name"], row["version"]), row["sign"] == "-"
    for forms, removed in (((_REMOVED,), True), ((_FOUND, _SATISFIED), False)):
        for form in forms:
            for row in form.finditer(text):
                yield row.start("name"), package_of(row["name"], row["version"]), removed


def _seen(text: str, place: int, package: Package, removed: bool) -> Installed:
    end = text.find("\n", place)
    line = text[text.rfind("\n", 0, place) + 1 : end if end >= 0 else len(text)]
    number = line_at(text, place)
    version = package.version and package.version + (f"+{package.variant}" if package.variant else "")
    return Installed(
        text=" ".join(line.split())[:1000],
        source=READER.name,
        line=number,
        last_line=number,
        package=package.name,
        version=version,
        removed=removed,
    )


READER = Reader(
    name="installer output",
    signs=("Successfully ", "+ ", " - ", "existing installation", "Requirement already"),
    read=_read,
)
