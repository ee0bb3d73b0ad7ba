"""The tables of `xpu-smi discovery`, short and detailed (-d N), and its CSV (--dump 1,2,…).

    | Device ID | Device Information                                                  |
    +-----------+---------------------------------------------------------------------+
    | 0         | Device Name: Intel(R) Data Center GPU Max 1100                      |
    |           | Vendor Name: Intel(R) Corporation                                   |
    |           | UUID: 00000000-0000-0029-0000-002f0bda8086                          |
    |           | PCI BDF Address: 0000:29:00.0                                       |
    |           | DRM Device: /dev/dri/card1                                          |
    |           | Memory Physical Size: 49136.00 MiB                                  |

    Device ID,Device Name,Vendor Name,PCI BDF Address,Memory Physical Size
    0,"Intel(R) Data Center GPU Flex 170","Intel(R) Corporation","0000:4d:00.0","14248.00 MiB"

Seen: xpu-smi 1.0 to 1.3 (xpumcli prints the same). A virtual function is not a device of its own: it has "Function
Type: virtual".
"""

from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.report import Driver, Report
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_intel.model import BACKEND, IntelDevice
from accel_intel.readers.properties import device_of, is_intel, whole

_ROW: Final = pattern(r"^\s*\|\s*(?:(?P<index>\d{1,3})\s*)?\|(?P<rest>.*)$")
_HEADER: Final = pattern(r"^\s*\|\s*Device ID\s*\|\s*Device Information\b")
_CSV_HEADER: Final = "Device ID,Device Name"
_NODE: Final = "/dev/dri/render"


def _read(text: str) -> Iterator[Reading]:
    found: dict[int, dict[str, str]] = {}
    current: int | None = None
    in_table = False
    import csv

    columns: list[str] = []
    first = None
    for number, line in enumerate(text.splitlines(), 1):
        if _HEADER.match(line):
            in_table, current, columns = True, None, []
        elif line.strip().startswith(_CSV_HEADER):
            columns, in_table, first = line.strip().split(","), False, first or number
        elif in_table:
            row = _ROW.match(line)
            if not row:
                in_table = line.lstrip().startswith("+")
                continue
            current = int(row["index"]) if row["index"] else current
            key, colon, value = row["rest"].strip().removesuffix("|").strip().partition(":")
            if current is not None and colon:
                first = first or number
                found.setdefault(current, {}).setdefault(key.strip(), value.strip())
        elif columns:
            values = next(csv.reader([line.strip()], skipinitialspace=True), [])
            index = whole(values[0]) if values else None
            if index is None or len(values) != len(columns):
                columns = []
            else:
                found[index] = dict(zip(columns, values, strict=True))
    yield from reading(found, READER.name, first)


def reading(found: dict[int, dict[str, str]], source: str, line: int | None) -> Iterator[Reading]:
    """Yield the reading of these properties, by device number."""
    devices = tuple(
        _placed(device_of(index, facts))
        for index, facts in sorted(found.items())
        if is_intel(facts) and facts.get("Function Type", "physical") == "physical"
    )
    if devices:
        version = next((device.driver_version for device in devices if device.driver_version), None)
        driver = Driver(version=version) if version else None
        report = Report(backend=BACKEND, source=source, trust=65, driver=driver, devices=devices)
        yield Reading(source=source, reports=(report,), first_line=line)


def _placed(device: IntelDevice) -> IntelDevice:
    """Set the device's node only to a render node: programs open that one, not the card's."""
    return device if (device.device_path or "").startswith(_NODE) else replace(device, device_path=None)


READER: Final = Reader(name="xpu-smi discovery", signs=("Device Information", _CSV_HEADER), read=_read)
