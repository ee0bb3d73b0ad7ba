"""Read Lightning's report, `collect_env_details.py`: bullets below the headings CUDA, Packages or Lightning, System.

    * CUDA:
            - GPU:
                    - NVIDIA A100-SXM4-40GB
            - available:         True
            - version:           11.7
    * Lightning:
            - lightning:         2.0.1
            - torch:             2.0.0
    * System:
            - OS:                Linux
            - architecture:      (64bit, ELF)
            - processor:         x86_64
            - python:            3.10.9
            - release:           5.15.0-84-generic

Seen     1.0 ("* Packages:", "- pyTorch_version: 1.7.0", no release) to 2.4.
         version is torch.version.cuda; None is a CPU build
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.facts.readers.package import package_of
from accel.facts.readers.platform_string import is_wsl
from accel.model.environment import Environment, Framework, Package
from accel.model.snapshot import Host
from accel.text.pattern import pattern
from accel.text.versions import VERSION, variant_of
from accel.vendors.contract.backend import Reader, Reading

_HEADING: Final = pattern(r"[ \t]*[*-][ \t]+(?P<name>CUDA|Packages|Lightning|System|Dependencies):[ \t]*$")
_ROW: Final = pattern(r"[ \t]*[-*][ \t]+(?P<key>[A-Za-z][\w.-]*):[ \t]+(?P<value>\S.*)$")
_RENAMED: Final = {"pytorch-version": "torch", "pytorch-lightning": "pytorch-lightning"}


def _read(text: str) -> Iterator[Reading]:
    part: str | None = None
    cuda: dict[str, str] = {}
    system: dict[str, str] = {}
    packages: list[Package] = []
    first = None
    for number, line in enumerate(text.split("\n")):
        if len(line) > 300:
            continue
        if heading := _HEADING.match(line):
            part = heading["name"].lower()
            first = first or number + 1
            continue
        row = _ROW.match(line) if part else None
        if row is None:
            continue
        key, value = row["key"].lower(), row["value"].strip()
        if part == "cuda":
            cuda.setdefault(key, value)
        elif part == "system":
            system.setdefault(key, value)
        elif found := re.match(rf"({VERSION})$", value):
            package = package_of(key, found[1], channel=None)
            name = _RENAMED.get(package.name, package.name)
            packages.append(package_of(name, found[1], channel=None))
    if not (cuda or system):
        return
    torch = _torch(cuda, next((p for p in packages if p.name == "torch"), None))
    python = re.match(VERSION, system.get("python", ""))
    environment = Environment(
        python_version=python[0] if python else None,
        packages=tuple(dict.fromkeys(packages)) or None,
        frameworks=(torch,) if torch else (),
    )
    yield Reading(source=READER.name, environment=environment, host=_host(system), first_line=first)


def _torch(cuda: dict[str, str], package: Package | None) -> Framework | None:
    said = cuda.get("version")
    if package is None and said is None:
        return None
    version = (
        f"{package.version}+{package.variant}" if package and package.variant else package.version if package else None
    )
    taken = variant_of(version)
    number = re.match(r"\d+\.\d+", said or "")
    built_for = "cuda" if number else taken.built_for or ("cpu" if (said or "").lower() == "none" else None)
    return Framework(
        name="torch",
        version=taken.version,
        variant=taken.variant,
        built_for=built_for,
        cuda_version=number[0] if number else taken.cuda_version,
        rocm_version=taken.rocm_version,
        available={"true": True, "false": False}.get(cuda.get("available", "").lower()),
    )


def _host(system: dict[str, str]) -> Host | None:
    kind = {"linux": "linux", "windows": "windows", "darwin": "macos"}.get(system.get("os", "").lower())
    if kind is None:
        return None
    processor, release = system.get("processor", ""), system.get("release")
    return Host(
        system=kind,
        kernel=release if kind == "linux" else None,
        machine=processor if processor.lower() in ("x86_64", "aarch64", "arm64", "amd64", "ppc64le") else None,
        wsl=is_wsl(release) if kind == "linux" and release else None,
    )


READER = Reader(name="Lightning environment", signs=("* CUDA:", "* System:", "- CUDA:", "* Lightning:"), read=_read)
