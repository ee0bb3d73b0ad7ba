"""The versions printed by `tpu-info`: with --version, or above its tables.

    - tpu-info version: 0.8.0                    Libtpu version: 0.0.19.dev20250721+nightly
    - libtpu version: 0.0.18                     Accelerator type: v6e
    - accelerator type: v6e

Seen: 0.4 (its own version only) to 0.14. "N/A (incompatible environment)" means unknown.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.device import Gap
from accel.model.environment import Environment, Package
from accel.model.report import Driver, Report
from accel.text.lines import line_at
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading

_LINE: Final = pattern(
    r"^[ \t]*(?:-[ \t]*)?(?P<what>tpu-info version|libtpu version|accelerator type):[ \t]*(?P<value>\S+"
    r"(?:[ \t]+\S+)*)[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_VERSION: Final = pattern(r"v?(\d+(?:\.\w+)+)(?:\+([\w.]+))?$")


def _read(text: str) -> Iterator[Reading]:
    found = {match["what"].lower(): match["value"] for match in _LINE.finditer(text)}
    if "tpu-info version" not in found and "libtpu version" not in found:
        return
    packages = tuple(p for name in ("tpu-info", "libtpu") if (p := _package(name, found.get(f"{name} version"))))
    libtpu = next((p.version for p in packages if p.name == "libtpu"), None)
    gaps = tuple(
        Gap(fact=what, reason=f"tpu-info says {value}", backend="tpu", source=READER.name)
        for what, value in found.items()
        if value.startswith("N/A")
    )
    report = Report(
        backend="tpu",
        source=READER.name,
        status="partial" if gaps else "ok",
        trust=70,
        driver=Driver(library_version=libtpu) if libtpu else None,
        gaps=gaps,
    )
    first = next(_LINE.finditer(text))
    yield Reading(
        source=READER.name,
        reports=(report,),
        environment=Environment(packages=packages) if packages else None,
        first_line=line_at(text, first.start()),
    )


def _package(name: str, value: str | None) -> Package | None:
    version = _VERSION.match(value) if value else None
    return Package(name=name, version=version[1], variant=version[2]) if version else None


READER: Final = Reader(
    name="tpu-info version",
    signs=("tpu-info version", "ibtpu version"),
    read=_read,
)
