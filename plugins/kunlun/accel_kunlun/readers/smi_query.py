"""The text of `xpu-smi -q`.

    Driver Version                            : 5.0.21.26
    XPU-RT Version                            : 5.0.21
    XPU 00000000:01:00.0
        Product Name                          : P800 PCIe
        Minor Number                          : 0
        Memory Usage
            Total                             : 98304 MiB
        ECC Errors
            Volatile
                DRAM Uncorrectable            : 0
        Power Readings
            Enforced Power Limit              : 350.00 W

Seen    5.0.21. The minor number is that of /dev/xpu<N>, and the index of the table; with `-d`, where it is
        left out, the order of the blocks counts.
"""

from collections.abc import Iterator
from typing import Any, Final

from accel.model.report import Driver, Report
from accel.text import amounts as a
from accel.text.pattern import pattern
from accel.text.sections import Block, blocks
from accel.vendors.contract.backend import Reader, Reading
from accel_kunlun import VENDOR
from accel_kunlun.model import KunlunDevice

SOURCE: Final = "xpu-smi -q"
_HEAD: Final = pattern(r"\s*XPU(?:\s+(?P<bus>[0-9A-Fa-f:.]{7,40}|N/?A|ERR!))?\s*")
_DRIVER: Final = pattern(r"(?m)^[ \t]*Driver Version[ \t]*:[ \t]*(\d[\w.-]*)[ \t]*$")
_RUNTIME: Final = pattern(r"(?m)^[ \t]*XPU-RT Version[ \t]*:[ \t]*(\d[\w.]*)[ \t]*$")
_IDS: Final = pattern(r"0x([0-9A-Fa-f]{4})([0-9A-Fa-f]{4})")


def read(text: str) -> Iterator[Reading]:
    """Yield the XPUs of the blocks."""
    found = list(blocks(text, _HEAD))
    if not found:
        return
    version, runtime = _DRIVER.search(text), _RUNTIME.search(text)
    driver = Driver(version=version[1] if version else None, library_version=runtime[1] if runtime else None)
    devices: dict[int, KunlunDevice] = {}
    for order, block in enumerate(found):
        minor = a.count(block.get((None, "minor number")))
        if not block.values or (minor is None and block.get((None, "product name")) is not None):
            continue  # cut before its number
        index = order if minor is None else minor
        devices.setdefault(index, VENDOR.device(index, driver_version=driver.version, **_facts(block)))
    report = Report(backend=VENDOR.name, source=SOURCE, trust=62, driver=driver, devices=tuple(devices.values()))
    yield Reading(source=SOURCE, reports=(report,), first_line=found[0].first_line, last_line=found[-1].last_line)


def _facts(block: Block) -> dict[str, Any]:
    ids = _IDS.fullmatch(block.get(("pci", "device id")) or "")
    uncorrectable = a.count(block.get(("volatile", "dram uncorrectable")))
    return {
        "name": a.word(block.get((None, "product name"))),
        "architecture": (a.word(block.get((None, "product architecture"))) or "").lower() or None,
        "pci_address": a.pci_address(block.head.get("bus")),
        "pci_id": f"{ids[2]}:{ids[1]}".lower() if ids else None,
        "uuid": a.word(block.get((None, "xpu uuid"))),
        "serial": a.word(block.get((None, "serial number"))),
        "firmware_version": a.word(block.get((None, "all version"))),
        "memory_total_bytes": a.capacity(block.get(("memory usage", "total"))),
        "memory_reserved_bytes": a.mebibytes(block.get(("memory usage", "reserved"))),
        "memory_used_bytes": a.mebibytes(block.get(("memory usage", "used"))),
        "memory_free_bytes": a.mebibytes(block.get(("memory usage", "free"))),
        "l3_total_bytes": a.capacity(block.get(("l3 usage", "total"))),
        "l3_used_bytes": a.mebibytes(block.get(("l3 usage", "used"))),
        "utilization_percent": a.number(block.get(("utilization", "xpu"))),
        "temperature_celsius": a.number(block.get((None, "xpu current temp"))),
        "power_watts": a.number(block.get((None, "power draw"))),
        "power_limit_watts": a.number(block.get((None, "enforced power limit"), (None, "power limit"))),
        "health": "critical" if uncorrectable else "unknown",
        "ecc_uncorrectable_errors": uncorrectable,
        "ecc_correctable_errors": a.count(block.get(("volatile", "dram correctable"))),
    }


READER: Final = Reader(name=SOURCE, signs=("XPU 0", "XPU-RT Version"), read=read)
