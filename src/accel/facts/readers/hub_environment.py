"""Read the bulleted reports of Hugging Face's tools and of LLaMA-Factory.

    - `transformers` version: 4.40.1                   - `llamafactory` version: 0.9.2
    - Platform: Linux-5.15.0-84-generic-x86_64-with-glibc2.35
    - Python version: 3.10.12                          - 🤗 Diffusers version: 0.30.3
    - PyTorch version (GPU?): 2.3.0+cu121 (True)       - PyTorch version: 2.5.1 (NPU)
    - PyTorch version (accelerator?): 2.6.0+cu124 (CUDA)
    - Tensorflow version (GPU?): not installed (NA)    - JaxLib version: not installed
    - PyTorch NPU available: False                     - NPU type: Ascend910B2, - CANN version: 8.0.RC2

Seen     `transformers-cli env`, `accelerate env`, `diffusers-cli env`, `llamafactory-cli env` of 2022 to 2025
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.facts.readers.package import package_of
from accel.facts.readers.platform_string import host_of_platform
from accel.model.environment import Environment, Framework, Package, Toolkit
from accel.text.lines import line_at
from accel.text.pattern import pattern
from accel.text.versions import VERSION, normalised, variant_of
from accel.vendors.contract.backend import Reader, Reading

_ROW: Final = pattern(
    rf"^[ \t]*[-*•][ \t]+[`*]*(?:🤗 ?)?(?P<name>[A-Za-z][\w.-]*)[`*]* version[`*]*"
    rf"(?P<asks>[ ]?\([\w?/]{{2,20}}\))?:[ \t]*(?P<version>{VERSION})(?:[ ]\((?P<answer>\w+)\))?",
    re.MULTILINE | re.IGNORECASE,
)
_PLATFORM: Final = pattern(r"^[ \t]*[-*•][ \t]+Platform:[ \t]*(?P<platform>\S+)", re.MULTILINE)
_CANN: Final = pattern(r"^[ \t]*[-*•][ \t]+CANN version:[ \t]*(?P<version>\d[\w.]*)", re.MULTILINE)
_NPU: Final = pattern(
    r"^[ \t]*[-*•][ \t]+PyTorch (?P<kind>NPU|XPU|MLU) available:[ \t]*(?P<answer>True|False)", re.MULTILINE
)
_NAMES: Final = {"pytorch": "torch", "bitsandbytes": "bitsandbytes", "jaxlib": "jaxlib"}
_SKIPPED: Final = frozenset(("python", "cuda", "cann", "os", "driver", "cudnn", "gcc"))


def _read(text: str) -> Iterator[Reading]:
    packages: list[Package] = []
    torch: Framework | None = None
    python = None
    first = None
    for row in _ROW.finditer(text):
        name = normalised(row["name"])
        first = first if first is not None else line_at(text, row.start())
        if name == "python":
            python = python or row["version"]
        elif name not in _SKIPPED:
            package = package_of(_NAMES.get(name, name), row["version"], channel=None)
            packages.append(package)
            if package.name == "torch" and torch is None:
                torch = _torch(row["version"], row["answer"], bool(row["asks"]))
    platform, cann = _PLATFORM.search(text), _CANN.search(text)
    host = host_of_platform(platform["platform"]) if platform else None
    frameworks = [torch] if torch else []
    if any(found["kind"].upper() == "NPU" and found["answer"].lower() == "true" for found in _NPU.finditer(text)):
        frameworks.append(Framework(name="torch-npu", built_for="npu", available=True))
    if not (packages or python or host or cann):
        return
    environment = Environment(
        python_version=python,
        packages=tuple(dict.fromkeys(packages)) or None,
        frameworks=tuple(frameworks),
        toolkits=(Toolkit(name="cann", version=cann["version"]),) if cann else (),
    )
    yield Reading(source=READER.name, environment=environment, host=host, first_line=first)


def _torch(version: str, answer: str | None, asked: bool) -> Framework:
    taken = variant_of(version)
    said = (answer or "").lower()
    available = None
    if asked and said in ("true", "false"):
        available = said == "true"
    elif said in ("cuda", "gpu"):
        available = True
    elif asked and said == "na":
        available = False
    return Framework(
        name="torch",
        version=taken.version,
        variant=taken.variant,
        built_for=taken.built_for,
        cuda_version=taken.cuda_version,
        rocm_version=taken.rocm_version,
        available=available,
    )


READER = Reader(
    name="Hugging Face environment",
    signs=(" version: ", " version (", "version`", "- Platform:", "CANN version:"),
    read=_read,
)
