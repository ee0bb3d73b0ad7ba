"""The long text of `cnmon info`.

    ================CNMON v5.10.22================
    Card 0
        Product Name                   : MLU370-X8
        UUID                           : 77013006-2457-0000-0000-000000000000
        Firmware                       : v1.1.6
        Driver                         : v5.10.22
        Health State                   :
            Device                     : Good
        Utilization                    :
            MLU Average                : 66 %
        Temperature                    :
            Board                      : 34 C
            Chip                       : 38 C
        Physical Memory Usage          :
            Total                      : 23308 MiB
            Used                       : 17320 MiB
        Power                          :
            Usage                      : 44 W
            Cap                        : 150 W
        PCI                            :
            Domain ID                  : 0000
            Bus num                    : 3d
            Device                     : 00
            Function                   : 0
        Processes                      :
            Process                    : 0
                PID                    : 101934
                cmdline                : python
                MLU Memory Usage       : 15829 MiB

Seen    excerpts of 4.20 and 5.10. A key without a value is a heading; indentation delimits its section, and in a
        text without indentation the nearest heading above applies.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import dataclass, field
from accel.model.device import Health, Process
from accel.model.report import Driver, Report
from accel.text.amounts import count, pci_address, quantity, size_bytes, word
from accel.text.lines import broken_line, whole_amount
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_cambricon import VENDOR
from accel_cambricon.model import CambriconDevice

SOURCE: Final = "cnmon info"
TRUST: Final = 62
_BANNER: Final = pattern(r"^\s*=+\s*CNMON\s+(v?\d[\w.]*)\s*(?:=+\s*)?$")
_CARD: Final = pattern(r"^\s*Card\s+(\d{1,3})\s*(?::\s*)?$")
_PAIR: Final = pattern(r"^(\s*)([A-Za-z][^\s:|]*(?:\s+[^\s:|]+)*)\s*:(?:\s+(\S+(?:\s+\S+)*))?\s*$")
_HEALTH: Final[dict[str, Health]] = {"good": "ok", "warning": "warning", "bad": "critical", "error": "critical"}


@dataclass(slots=True)
class _Card:
    index: int
    entries: list[tuple[str, str]] = field(default_factory=list)  # "title/key" or "key", lower case
    titles: list[tuple[int, str]] = field(default_factory=list)

    def value(self, *keys: str) -> str | None:
        """Return the value of the first of these keys that is present."""
        return next((value for key in keys for found, value in self.entries if found == key), None)


def read(text: str) -> Iterator[Reading]:
    """Yield one reading of all cards; text after "Card N" counts only if it has cnmon's own keys."""
    cards: list[_Card] = []
    tool: str | None = None
    last, broken = 0, broken_line(text)
    for number, line in enumerate(text.splitlines(), 1):
        if banner := _BANNER.match(line):
            tool = tool or banner[1]
        elif found := _CARD.match(line):
            cards.append(_Card(int(found[1])))
        elif cards and _take(cards[-1], line, number == broken):
            last = number
    devices = {d.id: d for card in cards if (d := _device(card)) is not None}
    if devices:
        version = next((d.driver_version for d in devices.values() if d.driver_version), None)
        report = Report(
            backend=VENDOR.name,
            source=SOURCE,
            trust=TRUST,
            driver=Driver(version=version, library_version=tool),
            devices=tuple(devices.values()),
        )
        yield Reading(source=SOURCE, reports=(report,), last_line=last)


def _take(card: _Card, line: str, broken: bool) -> bool:
    """Parse one line; a value at the very end of the text counts only with its unit."""
    found = _PAIR.match(line)
    if found is None or (broken and not whole_amount(found[3] or "")):
        return False
    depth, key, value = len(found[1].expandtabs(4)), found[2].lower(), found[3]
    if depth:
        card.titles = [title for title in card.titles if title[0] < depth]
    if not value:
        card.titles = [*card.titles[-1:], (depth, key)] if depth else [(0, key)]
    parents = [title for _, title in card.titles]
    card.entries.append((f"{parents[-1]}/{key}" if parents and value else key, value or ""))
    return True


def _device(card: _Card) -> CambriconDevice | None:
    name = word(card.value("product name"))
    total = size_bytes(card.value("physical memory usage/total"), unit_needed=True)
    if total is None and not (name or "").upper().startswith("MLU"):
        return None  # other vendors' tools have cards with product names too
    used, free = (size_bytes(card.value(f"physical memory usage/{key}"), unit_needed=True) for key in ("used", "free"))
    health = word(card.value("health state/device"))
    chip, board = (quantity(card.value(f"temperature/{key}"), "c") for key in ("chip", "board"))
    return VENDOR.device(
        card.index,
        name=name,
        uuid=word(card.value("uuid")),
        serial=word(card.value("sn", "serial number")),
        firmware_version=word(card.value("firmware")),
        driver_version=word(card.value("driver")),
        pci_address=_address(card),
        utilization_percent=quantity(card.value("utilization/mlu average", "utilization/mlu"), "%"),
        temperature_celsius=board if card.value("temperature/chip") is None else chip,
        board_temperature_celsius=board,
        power_watts=quantity(card.value("power/usage"), "w"),
        power_limit_watts=quantity(card.value("power/cap"), "w"),
        memory_total_bytes=total or None,
        memory_used_bytes=used,
        memory_free_bytes=free,
        fan_percent=quantity(card.value("fan speed", "fan"), "%"),
        compute_mode=word(card.value("compute mode")),
        health=_HEALTH.get((health or "").lower(), "unknown"),
        health_text=health,
        processes=_processes(card),
    )


def _address(card: _Card) -> str | None:
    whole = pci_address(card.value("pci/bus id", "pcie/bus id", "bus id"))
    if whole:
        return whole
    parts = [card.value(f"{title}/{key}") for title in ("pci", "pcie") for key in ("domain id", "bus num")]
    domain, bus = (parts[0], parts[1]) if parts[0] or parts[1] else (parts[2], parts[3])
    device = card.value("pci/device", "pcie/device")
    function = card.value("pci/function", "pcie/function")
    if not (domain and bus and device and function):
        return None
    bare = [part.removeprefix("0x") for part in (domain, bus, device, function)]
    return pci_address(f"{bare[0].zfill(4)}:{bare[1].zfill(2)}:{bare[2].zfill(2)}.{bare[3]}")


def _processes(card: _Card) -> tuple[Process, ...] | None:
    """Return the entries under "Processes"; None without that heading."""
    if not any(key == "processes" for key, _ in card.entries):
        return None
    found: list[Process] = []
    for path, value in card.entries:
        key = path.rpartition("/")[2]
        pid = count(value) if key == "pid" else None
        if pid is not None:
            found.append(Process(pid=pid))
        elif found and key in ("cmdline", "command line"):
            found[-1] = Process(pid=found[-1].pid, name=word(value), memory_bytes=found[-1].memory_bytes)
        elif found and key == "mlu memory usage":
            found[-1] = Process(
                pid=found[-1].pid, name=found[-1].name, memory_bytes=size_bytes(value, unit_needed=True)
            )
    return tuple(found)


READER: Final = Reader(name=SOURCE, signs=("Physical Memory Usage", "MLU Average", ": MLU"), read=read)
