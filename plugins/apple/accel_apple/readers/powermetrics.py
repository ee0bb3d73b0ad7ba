"""The GPU section of `sudo powermetrics` on a Mac with an Apple chip; the last of several samples counts.

    Machine model: MacBookPro18,2
    **** GPU usage ****
    GPU HW active frequency: 389 MHz                      macOS 11 and 12: "GPU active frequency: …"
    GPU HW active residency:   2.85% (389 MHz: 2.9% 486 MHz:   0%)
    GPU idle residency:  97.15%
    GPU Power: 20 mW

Seen: macOS 11 to 15. It does not name the GPU. An Apple chip has one, so the readings belong to "apple:0".
"""

from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.report import Report
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_apple.model import BACKEND, AppleDevice

_HEADING: Final = "** GPU usage **"  # two of the stars may have been taken for Markdown
_ACTIVE: Final = pattern(r"^\s*GPU (?:HW )?active residency:\s*(\d+(?:\.\d+)?)%")
_POWER: Final = pattern(r"^\s*GPU Power:\s*(\d+(?:\.\d+)?) mW\s*$")


def _read(text: str) -> Iterator[Reading]:
    device = AppleDevice(id=f"{BACKEND}:0", index=0, backend=BACKEND, vendor="Apple", kind="gpu")
    started = found = False
    first = None
    for number, line in enumerate(text.splitlines(), 1):
        if _HEADING in line:
            started, first = True, first or number
            device = replace(device, utilization_percent=None, power_watts=None)
        active = _ACTIVE.match(line) if started else None
        power = _POWER.match(line) if started else None
        if active and float(active[1]) <= 100:
            device, found = replace(device, utilization_percent=float(active[1])), True
        elif power:
            device = replace(device, power_watts=float(power[1]) / 1000)
    if found:
        report = Report(backend=BACKEND, source=READER.name, trust=50, devices=(device,))
        yield Reading(source=READER.name, reports=(report,), first_line=first)


READER: Final = Reader(name="powermetrics", signs=(_HEADING,), read=_read)
