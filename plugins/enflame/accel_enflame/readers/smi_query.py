"""The text of `efsmi -q`, with or without `-d` for some sections.

    DEV ID 0
        Driver Info
            Ver                     : 1.4.3.4
        Device Info
            Dev Name                : S60
            Health                  : True
        PCIe Info
            Domain                  : 0000
            Bus                     : 17
        Device Mem Info
            Total Size              : 42976 MiB
        RMA Info
            Flags                   : False

Seen    1.2 ("Mem Size", "Mem Usage", "Mem Ecc") and 1.4 ("Total Size", "Used Size"). Bus and Dev are in hex.
"""

from collections.abc import Iterator
from typing import Any, Final

from accel.model.device import Health
from accel.model.report import Driver, Report
from accel.text import amounts as a
from accel.text.pattern import pattern
from accel.text.sections import Block, blocks
from accel.vendors.contract.backend import Reader, Reading
from accel_enflame import VENDOR
from accel_enflame.model import EnflameDevice

SOURCE: Final = "efsmi -q"
_HEAD: Final = pattern(r"\s*DEV ID(?:\s*:)?\s*(?P<index>\d{1,3})\s*")
_ID: Final = pattern(r"(?:0x)?([0-9A-Fa-f]{4})")
_HEALTH: Final[dict[str, Health]] = {"true": "ok", "false": "critical"}
_KNOWN: Final = {"device info", "pcie info", "device mem info", "temperature info", "device usage info", "power info"}


def read(text: str) -> Iterator[Reading]:
    """Yield the devices of the blocks; a "DEV ID" with none of the tool's sections under it is none."""
    found = [b for b in blocks(text, _HEAD) if any(title in _KNOWN for title, _ in b.values)]
    if not found:
        return
    version = next((v for b in found if (v := a.word(b.get(("driver info", "ver"))))), None)
    devices: dict[int, EnflameDevice] = {}
    for block in found:
        index = int(block.head["index"])
        devices.setdefault(index, VENDOR.device(index, driver_version=version, **_facts(block)))
    driver = Driver(version=version) if version else None
    report = Report(backend=VENDOR.name, source=SOURCE, trust=62, driver=driver, devices=tuple(devices.values()))
    yield Reading(source=SOURCE, reports=(report,), first_line=found[0].first_line, last_line=found[-1].last_line)


def _facts(block: Block) -> dict[str, Any]:
    vendor, device = (_ID.fullmatch(block.get(("pcie info", key)) or "") for key in ("vendor id", "device id"))
    flag = (block.get(("rma info", "flags")) or "").lower()
    return {
        "name": a.word(block.get((None, "dev name"))),
        "uuid": a.word(block.get((None, "dev uuid"))),
        "serial": a.word(block.get((None, "dev sn"))),
        "pci_address": _address(block),
        "pci_id": f"{vendor[1]}:{device[1]}".lower() if vendor and device else None,
        "health": _HEALTH.get((block.get(("device info", "health")) or "").lower(), "unknown"),
        "memory_total_bytes": a.capacity(block.get((None, "total size"), (None, "mem size"))),
        "memory_reserved_bytes": a.mebibytes(block.get((None, "reserved size"))),
        "memory_used_bytes": a.mebibytes(block.get((None, "used size"), (None, "mem usage"))),
        "memory_free_bytes": a.mebibytes(block.get((None, "free size"))),
        "temperature_celsius": a.number(block.get((None, "gcu temp"))),
        "utilization_percent": a.number(block.get((None, "gcu usage"))),
        "power_watts": a.number(block.get((None, "cur power"))),
        "power_limit_watts": a.number(block.get((None, "power capa"))),
        "power_mode": a.word(block.get((None, "dpm level"), (None, "lpm level"))),
        "ecc_mode": a.word(block.get(("ecc mode", "current"), (None, "mem ecc"))),
        "rma_flag": {"true": True, "false": False}.get(flag),
        "double_bit_errors": a.count(block.get(("rma info", "total dbe"))),
        "power_cable": a.word(block.get(("power cable", "status"))),
    }


def _address(block: Block) -> str | None:
    parts = [block.get(("pcie info", key)) or "" for key in ("domain", "bus", "dev", "func")]
    return a.pci_address("{}:{}:{}.{}".format(*parts))


READER: Final = Reader(name=SOURCE, signs=("DEV ID",), read=read)
