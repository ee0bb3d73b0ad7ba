"""Read SGLang's report, `python3 -m sglang.check_env`: one "name: version" per line.

    Python: 3.10.12 (main, Feb  4 2025, 14:57:36) [GCC 11.4.0]
    CUDA available: True
    GPU 0,1: NVIDIA H100 80GB HBM3
    CUDA_HOME: /usr/local/cuda-12.4
    NVCC: Cuda compilation tools, release 12.4, V12.4.131
    CUDA Driver Version: 550.144.03
    PyTorch: 2.5.1+cu124
    flashinfer: 0.2.3+cu124torch2.5
    sgl_kernel: Module Not Found

Seen     0.2 to 0.5; on AMD "ROCM available: True", "HIPCC: …"; on Ascend "NPU available: True", "CANN: …"
The vendor's reader reads the GPU lines and the driver; the nvcc reader reads NVCC.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.facts.readers.package import package_of
from accel.model.environment import Environment, Framework, Package
from accel.text.pattern import pattern
from accel.text.versions import VERSION, normalised, variant_of
from accel.vendors.contract.backend import Reader, Reading

_FIRST: Final = pattern(r"[ \t]*(?:PyTorch|sglang):[ \t]+\d")
_ROW: Final = pattern(rf"[ \t]*(?P<name>[A-Za-z][\w.-]*):[ \t]+(?P<version>{VERSION})[ \t]*$")
_PYTHON: Final = pattern(r"[ \t]*Python:[ \t]+(?P<version>\d{1,4}\.\d{1,4}\.\d\S*)")
_AVAILABLE: Final = pattern(r"^[ \t]*(?P<kind>CUDA|ROCM|NPU|XPU) available:[ \t]+(?P<answer>True|False)", re.MULTILINE)
_SKIPPED: Final = frozenset(("python", "cuda", "version", "libc", "glibc", "driver", "rocm", "gcc", "cann"))


def _read(text: str) -> Iterator[Reading]:
    lines = text.split("\n")
    at = next((n for n, line in enumerate(lines) if _FIRST.match(line)), None)
    if at is None or not any(
        line.lstrip().lower().startswith(("sglang:", "sgl_kernel:", "flashinfer:")) for line in lines
    ):
        return
    packages: list[Package] = []
    python = None
    for line in lines[max(0, at - 60) : at + 80]:
        if len(line) > 300:
            continue
        if found := _PYTHON.match(line):
            python = python or found["version"]
        elif (found := _ROW.match(line)) and normalised(found["name"]) not in _SKIPPED:
            name = "torch" if found["name"].lower() == "pytorch" else found["name"]
            packages.append(package_of(name, found["version"], channel=None))
    torch = next((p for p in packages if p.name == "torch"), None)
    frameworks: tuple[Framework, ...] = ()
    if torch:
        taken = variant_of(f"{torch.version}+{torch.variant}" if torch.variant else torch.version)
        available = next(
            (f["answer"].lower() == "true" for f in _AVAILABLE.finditer(text) if f["kind"].upper() in ("CUDA", "ROCM")),
            None,
        )
        frameworks = (
            Framework(
                name="torch",
                version=torch.version,
                variant=torch.variant,
                built_for=taken.built_for,
                cuda_version=taken.cuda_version,
                rocm_version=taken.rocm_version,
                available=available,
            ),
        )
    environment = Environment(python_version=python, packages=tuple(dict.fromkeys(packages)), frameworks=frameworks)
    yield Reading(source=READER.name, environment=environment, first_line=at + 1)


READER = Reader(name="SGLang check_env", signs=("sglang:", "sgl_kernel:"), read=_read)
