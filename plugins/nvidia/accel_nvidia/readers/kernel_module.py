"""The version of NVIDIA's kernel module, from the kernel and modinfo.

    NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31 09:35:42 UTC 2024
    NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.158.01  Release Build  (…)  Mon Jun  2 …
    $ cat /sys/module/nvidia/version                          (the answer alone on its line)
    filename:       /lib/modules/…/nvidia.ko                  (modinfo; license "Dual MIT/GPL": the open one)
    NVRM: loading NVIDIA UNIX x86_64 Kernel Module  470.223.02  Sat Oct  7 …     (kernel log)
    nvidia/535.104.05, 5.15.0-84-generic, x86_64: installed   (dkms status: not yet loaded, so not read)

Seen    modules 331 to 610; Tegra ("NVIDIA UNIX Open Kernel Module for aarch64").
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.report import Driver
from accel.text.lines import line_at
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_nvidia.found import reading

SOURCE: Final = "NVIDIA kernel module"
TRUST: Final = 65
MODINFO_TRUST: Final = 30  # the file on disk: another version may be loaded
_LOADED: Final = pattern(
    r"NVIDIA UNIX (?:(Open) )?(?:Kernel Module for )?(?:\S{1,20} {1,9})?(?:Kernel Module)?\s{1,9}(\d{3}\.\d+"
    r"(?:\.\d+)?)\b"
)
_SYSFS: Final = pattern(r"/sys/module/nvidia/version[^\s\d]{0,20}\s{0,9}(?:[:=]\s{0,9})?(\d{3}\.\d+(?:\.\d+)?)\b")
_MODINFO: Final = pattern(
    r"(?m)^[ \t]*filename:\s+\S{0,200}?/nvidia(?:[-_]current[^\s.]{0,40})?\.ko\S{0,9}[ \t]*\n((?:.*\n){0,40})"
)


def read(text: str) -> Iterator[Reading]:
    """Yield one reading for each place that names the module's version."""
    for found in _LOADED.finditer(text):
        driver = Driver(version=found[2], flavor="open" if found[1] else "proprietary")
        at = line_at(text, found.start())
        yield reading(SOURCE, TRUST, driver=driver, lines=(at, at))
    for found in _SYSFS.finditer(text):
        at = line_at(text, found.start())
        yield reading(SOURCE, TRUST, driver=Driver(version=found[1]), lines=(at, at))
    for found in _MODINFO.finditer(text):
        version = re.search(r"(?m)^[ \t]*version:[ \t]+(\d{3}\.\d+(?:\.\d+)?)\s*$", found[1])
        licence = re.search(r"(?m)^[ \t]*license:[ \t]+(\S.*)$", found[1])
        if version:
            flavor = None
            if licence:
                flavor = "open" if "MIT" in licence[1] else "proprietary"
            at = line_at(text, found.start())
            driver = Driver(version=version[1], flavor=flavor)
            yield reading("modinfo nvidia", MODINFO_TRUST, driver=driver, lines=(at, at))


READER: Final = Reader(
    name=SOURCE, signs=("NVIDIA UNIX", "/sys/module/nvidia/version", "/nvidia.ko", "/nvidia-current"), read=read
)
