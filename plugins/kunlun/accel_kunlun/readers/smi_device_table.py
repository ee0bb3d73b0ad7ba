"""The table of `xpu_smi` before version 5, for Kunlun 1 and 2 cards.

      DEVICES
    -----------------------------------------------------------------------------------------
    | DevID |   PCI Addr   | Model |    SN    |    INODE   | State | UseRate |    L3     |   Memory    |
    -----------------------------------------------------------------------------------------
    |     0 | 0000:01:00.0 | R200  | 02K01... | /dev/xpu0  |     N |     0 % | 0 / 63 MB | 0 / 16384MB |

Seen    4.x, in the documents of the container toolkit, and with further columns. What "N" and other letters of State
        mean is not told, so no health follows from them.
"""

from collections.abc import Iterator
from typing import Any, Final

from accel.model.report import Report
from accel.text import amounts as a
from accel.text.lines import lines_of
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_kunlun import VENDOR
from accel_kunlun.model import KunlunDevice

SOURCE: Final = "xpu_smi devices"
_HEAD: Final = pattern(r"(?i)^[^|]*\|\s*DevID\s*\|.*\bPCI Addr\b")
_PAIR: Final = pattern(r"\s*(\d+)(?:\s*Mi?B)?\s*/\s*(\d+)(?:\s*Mi?B)?\s*")
_TEMPERATURE: Final = ("temp", "temp(c)", "temperature", "temperature(c)")


def read(text: str) -> Iterator[Reading]:
    """Yield the devices of the table."""
    names: list[str] = []
    found: dict[int, KunlunDevice] = {}
    lines: list[int] = []
    for number, line in lines_of(text):
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if _HEAD.match(line):
            names = [cell.lower() for cell in cells]
        elif names and len(cells) == len(names):
            row = dict(zip(names, cells, strict=True))
            index, address = a.count(row.get("devid")), a.pci_address(row.get("pci addr"))
            if index is not None and address is not None:
                found.setdefault(index, VENDOR.device(index, pci_address=address, **_facts(row)))
                lines.append(number)
        elif names and cells:
            names = []
    if found:
        report = Report(backend=VENDOR.name, source=SOURCE, trust=58, devices=tuple(found[i] for i in sorted(found)))
        yield Reading(source=SOURCE, reports=(report,), first_line=lines[0], last_line=lines[-1])


def _facts(row: dict[str, str]) -> dict[str, Any]:
    memory, l3 = (_PAIR.fullmatch(row.get(name, "")) for name in ("memory", "l3"))
    node = row.get("inode", "")
    return {
        "name": a.word(row.get("model")),
        "serial": a.word(row.get("sn")),
        "device_path": node if node.startswith("/dev/") else None,
        "utilization_percent": a.number(row.get("userate")),
        "memory_used_bytes": a.mebibytes(memory[1]) if memory else None,
        "memory_total_bytes": a.capacity(memory[2]) if memory else None,
        "l3_used_bytes": a.mebibytes(l3[1]) if l3 else None,
        "l3_total_bytes": a.capacity(l3[2]) if l3 else None,
        "temperature_celsius": next((a.number(row[n]) for n in _TEMPERATURE if n in row), None),
        "power_watts": a.number(row.get("power(w)")),
    }


READER: Final = Reader(name=SOURCE, signs=("DevID",), read=read)
