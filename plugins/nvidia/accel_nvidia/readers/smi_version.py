"""The versions printed by `nvidia-smi --version`.

    NVIDIA-SMI version  : 590.48.01
    NVML version        : 590.48
    DRIVER version      : 590.48.01
    CUDA Version        : 13.1

Seen    drivers 545 to 610; since 610 "KMD version" and "CUDA UMD version", the old keys saying "Deprecated, see …".
"""

from collections.abc import Iterator
from typing import Final

from accel.model.report import Driver
from accel.text.lines import line_at
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_nvidia.found import reading
from accel_nvidia.quantities import version

SOURCE: Final = "nvidia-smi --version"
TRUST: Final = 62
_BLOCK: Final = pattern(
    r"(?im)^[ \t]*NVIDIA-SMI version\s*:\s*(\S+)[ \t]*\n"
    r"((?:[ \t]*[A-Z][A-Za-z ]+ version[ \t]*:.*\n)*(?:[ \t]*[A-Z][A-Za-z ]+ version[ \t]*:.*)?)"
)


def read(text: str) -> Iterator[Reading]:
    """Yield one reading per block."""
    for block in _BLOCK.finditer(text):
        values = {}
        for line in block[2].splitlines():
            key, _, value = line.partition(":")
            values[key.strip().lower()] = version(value)
        driver = Driver(
            version=values.get("kmd version") or values.get("driver version"),
            library_version=values.get("nvml version") or version(block[1]),
            toolkit_version=values.get("cuda umd version") or values.get("cuda version"),
        )
        yield reading(
            SOURCE, TRUST, driver=driver, lines=(line_at(text, block.start()), line_at(text, block.end() - 1))
        )


READER: Final = Reader(name=SOURCE, signs=("NVIDIA-SMI version", "NVIDIA-SMI Version"), read=read)
