"""The log printed by `hl-smi -q` and `hl-smi -L`, complete or in part (-d PRODUCT, -d MEMORY …).

    ================ HL-SMI LOG ================
    Driver Version                          : 1.12.1-cb7a7bc
    HL-SMI Version                          : hl-1.12.1-fw-46.0.5.0 (Oct 19 2023 - 01:19:50)
    Attached AIPs                           : 8

    [0] AIP (accel0) 0000:43:00.0
            Product Name                    : HL-225
            Module status                   : Operational
            AIP UUID                        : 01P0-HL2080A0-15-TF8A81-09-07-06
            Memory Usage
                    Total                   : 98304 MB
            Temperature
                    [ 1] On Chip 0          :  29 C
            Power Readings (54V PSU)
                    Power Draw              : 50 W
                    Power Limit             : 550 W

Seen: 1.12 to 1.17; older ones write "AIP (hl0)". The temperature is the highest of the "On Chip" sensors: the log has
no single one. A Gaudi2 has two power supplies; their draws and limits are summed, as in hl-smi's table.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from accel.model.dataclass import replace
from accel.model.report import Driver, Report
from accel.text.amounts import mebibytes, number, pci_address, whole, word
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_gaudi.model import BACKEND, GaudiDevice, gaudi, health_of, with_product

_CARD: Final = pattern(
    r"^\s*\[\s*(?P<index>\d{1,3})\]\s+AIP\s*\((?P<node>(?:accel|hl)\d+)\)\s*(?:(?P<address>[0-9a-fA-F:.]+)\s*)?$"
)
_SENSOR: Final = pattern(r"^\[[^\]]{0,24}\](.+)$")
_PCI_ID: Final = pattern(r"^0x([0-9a-fA-F]{4})([0-9a-fA-F]{4})$")
_Pairs = list[tuple[str, str, str]]  # section, key, value


def _read(text: str) -> Iterator[Reading]:
    cards: list[tuple[int, str, str | None, _Pairs]] = []
    driver = tool = section = ""
    first = None
    for number_, line in enumerate(text.splitlines(), 1):
        card = _CARD.match(line)
        if card:
            cards.append((int(card["index"]), card["node"], card["address"], []))
            first, section = first or number_, ""
            continue
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not colon:
            section = key or section
            continue
        if not cards:
            driver = value if key == "Driver Version" else driver
            tool = value if key == "HL-SMI Version" else tool
        else:
            cards[-1][3].append((section, key, value))
    if not cards:
        return
    version = word(driver)
    devices = {index: _device(index, node, at, pairs, version) for index, node, at, pairs in cards}
    known = Driver(version=version, library_version=word(tool.split(" (")[0])) if version or tool else None
    report = Report(backend=BACKEND, source=READER.name, trust=70, driver=known, devices=tuple(devices.values()))
    yield Reading(source=READER.name, reports=(report,), first_line=first)


def _device(index: int, node: str, at: str | None, pairs: _Pairs, version: str | None) -> GaudiDevice:
    plain = {key: value for _, key, value in reversed(pairs)}
    memory = {key: mebibytes(_whole(value)) for section, key, value in pairs if section == "Memory Usage"}
    rows = {key: value for section, key, value in pairs if section == "Replaced Rows"}
    pci_id = _PCI_ID.match(plain.get("Device Id", ""))
    status = word(plain.get("Module status") or plain.get("Module Status"))
    return with_product(
        replace(
            gaudi(index),
            name=word(plain.get("Product Name")),
            uuid=word(plain.get("AIP UUID")),
            serial=word(plain.get("Serial Number")),
            pci_address=pci_address(at) or pci_address(plain.get("Bus Id")),
            pci_id=f"{pci_id[1]}:{pci_id[2]}".lower() if pci_id else None,
            driver_version=version,
            module_id=whole(plain.get("Module ID")),
            module_status=status,
            health=health_of(status) if status else "unknown",
            memory_total_bytes=memory.get("Total"),
            memory_used_bytes=memory.get("Used"),
            memory_free_bytes=memory.get("Free"),
            temperature_celsius=_hottest(pairs),
            power_watts=_sum(pairs, "Power Draw"),
            power_limit_watts=_sum(pairs, "Power Limit"),
            rows_replaced_double_bit=whole(rows.get("Double Bit ECC")),
            rows_pending={"yes": True, "no": False}.get(rows.get("Pending", "").lower()),
            device_path=f"/dev/accel/{node}" if node.startswith("accel") else f"/dev/{node}",
        )
    )


def _hottest(pairs: _Pairs) -> float | None:
    sensors = [
        (found[1].lstrip(), number(_whole(value)))
        for section, key, value in pairs
        if section == "Temperature" and (found := _SENSOR.match(key))
    ]
    values = [value for name, value in sensors if name.startswith("On Chip")]
    known = [value for value in values if value is not None]
    return max(known) if known and len(known) == len(values) else None  # a missing sensor may be the hottest


def _sum(pairs: _Pairs, key: str) -> float | None:
    """Return the sum over the power supplies; None if a value is missing."""
    values: Sequence[float | None] = [
        number(_whole(value)) for section, name, value in pairs if name == key and section.startswith("Power Readings")
    ]
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None


def _whole(value: str) -> str | None:
    """Return an amount with its unit; None without one: the text may end within the number."""
    return value if value[-1:].isalpha() else None


READER: Final = Reader(name="hl-smi log", signs=("] AIP",), read=_read)
