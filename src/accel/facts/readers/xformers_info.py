"""Read xFormers' report, `python -m xformers.info`, and its complaint on import.

    xFormers 0.0.25.dev741
    memory_efficient_attention.cutlassF:               unavailable
    pytorch.version:                                   2.2.0+cpu
    pytorch.cuda:                                      not available
    build.cuda_version:                                1201
    build.torch_version:                               2.2.0+cu121
    build.python_version:                              3.11.7

The build.* rows say what the wheel was built for: a running torch other than that is a conflict.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.facts.readers.package import package_of
from accel.model.environment import Environment, Framework
from accel.model.observation import Conflict
from accel.text.lines import line_at
from accel.text.pattern import pattern
from accel.text.versions import VERSION, variant_of
from accel.vendors.contract.backend import Reader, Reading

_NAME: Final = pattern(rf"^[ \t]*xFormers (?P<version>{VERSION})[ \t]*$", re.MULTILINE)
_ROW: Final = pattern(
    r"^[ \t]*(?P<key>pytorch\.\w+|build\.\w+|is_triton_available|gpu\.\w+):[ \t]+(?P<value>\S.*)$", re.MULTILINE
)


def _read(text: str) -> Iterator[Reading]:
    name = _NAME.search(text)
    rows: dict[str, str] = {}
    first: int | None = None
    for row in _ROW.finditer(text):
        first = first if first is not None else line_at(text, row.start())
        rows.setdefault(row["key"].lower(), row["value"].strip())
    if name is None and "pytorch.version" not in rows:
        return
    packages = [package_of("xformers", name["version"], channel=None)] if name else []
    frameworks: tuple[Framework, ...] = ()
    if found := re.match(VERSION, rows.get("pytorch.version", "")):
        packages.append(package_of("torch", found[0], channel=None))
        taken = variant_of(found[0])
        frameworks = (
            Framework(
                name="torch",
                version=taken.version,
                variant=taken.variant,
                built_for=taken.built_for,
                cuda_version=taken.cuda_version,
                rocm_version=taken.rocm_version,
                available={"available": True, "not available": False}.get(rows.get("pytorch.cuda", "").lower()),
            ),
        )
    has, wants = rows.get("pytorch.version"), rows.get("build.torch_version", "None")
    conflicts: tuple[Conflict, ...] = ()
    if has is not None and re.match(VERSION, wants) and has != wants:
        said = f"pytorch.version: {has}, build.torch_version: {wants}"
        conflicts = (
            Conflict(component="torch", has=has, wants=wants, by="xformers", text=said, source=READER.name, line=first),
        )
    environment = Environment(packages=tuple(packages), frameworks=frameworks)
    yield Reading(source=READER.name, environment=environment, observations=conflicts, first_line=first)


READER = Reader(name="xformers.info", signs=("xFormers ", "pytorch.version:"), read=_read)
