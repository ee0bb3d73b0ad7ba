"""The table that `cnmon` prints.

    | CNMON v5.10.22                                               Driver v5.10.22 |
    +-------------------------------+----------------------+-----------------------+
    | Card  VF  Name       Firmware |               Bus-Id | Util        Ecc-Error |
    | Fan   Temp      Pwr:Usage/Cap |         Memory-Usage | Mode     Compute-Mode |
    |===============================+======================+=======================|
    | 0     /   MLU370-X8    v1.1.6 |         0000:13:00.0 | 0%                  0 |
    |  0%   28C        107 W/ 250 W |     0 MiB/ 20638 MiB | FULL          Default |

    | Processes:                                                                   |
    |  Card  MI  PID     Command Line                             MLU Memory Usage |
    |  0     /   2817    python train.py                                 12040 MiB |

Seen    4.20 (the middle header is "Inited  Driver", without a bus), 5.10.10 to 5.10.31 ("SR-IOV", later "Mode").
        VF is "/" for a whole card. The header's words identify each cell. "N/A" means that ECC is off.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import dataclass, field, replace
from accel.model.device import Process
from accel.model.report import Driver, Report
from accel.text.amounts import count, pci_address, quantity, size_bytes, word
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_cambricon import VENDOR
from accel_cambricon.model import CambriconDevice

SOURCE: Final = "cnmon table"
TRUST: Final = 60
_BANNER: Final = pattern(r"CNMON\s+(v?\d[\w.]{0,60})(?:.{0,200}?\bDriver(?: Version)?:?\s+(v?\d[\w.]*))?")
_AMOUNT: Final = r"(?:\d[\d.]*|x+|N/A)\s*(?:[KMG]i?B|W)"  # digits are masked by x in some published tables
_TOKEN: Final = pattern(rf"{_AMOUNT}\s*/\s*{_AMOUNT}|\S+")
_PROCESS: Final = pattern(r"(\d+)\s+(\S+)\s+(\d+)\s+(?:(\S+(?:\s+\S+)*?)\s+)?(\d[\d.]*\s*[KMG]i?B|N/A)")
_FIRST: Final = ("card", "vf", "name")


@dataclass(slots=True)
class _Table:
    first_line: int
    driver: Driver = field(default_factory=Driver)
    headers: list[list[list[str]]] = field(default_factory=list)
    cards: list[CambriconDevice] = field(default_factory=list)
    rows: int = 0  # of the current card
    listing: bool = False  # the process table has begun
    processes: dict[int, list[Process]] = field(default_factory=dict)
    processes_known: bool = False
    last_line: int = 0


def read(text: str) -> Iterator[Reading]:
    """Yield one reading per table; a banner starts a new table."""
    table: _Table | None = None
    for number, line in enumerate(text.splitlines(), 1):
        banner = _BANNER.search(line)
        if banner and "|" in line:
            if table is not None:
                yield from _reading(table)
            table = _Table(number, Driver(version=banner[2], library_version=banner[1]))
        elif line.lstrip().startswith("|"):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            closed = line.rstrip().endswith("|")
            if table is None and _is_header(cells):
                table = _Table(number)
            if table is not None and _take(table, cells if closed else cells[:-1], closed):
                table.last_line = number
        elif table is not None and table.listing and line.lstrip().startswith("+"):
            table.processes_known = True
    if table is not None:
        yield from _reading(table)


def _is_header(cells: list[str]) -> bool:
    return cells[0].lower().split()[:3] == list(_FIRST)


def _take(table: _Table, cells: list[str], closed: bool) -> bool:
    """Parse one table line; return False if it has no values."""
    if not cells or set(cells[0]) <= set("=+-"):
        return False
    if cells[0].startswith("Processes"):
        table.listing = True
    elif len(cells) == 1 and cells[0].endswith(":"):
        table.headers = []  # a table of something else, such as the instances of a divided card
    elif table.listing:
        _take_process(table, cells[0])
    elif _is_header(cells) or (len(table.headers) == 1 and cells[0].lower().startswith("fan")):
        if _is_header(cells):
            table.headers = []
        table.headers.append([cell.lower().split() for cell in cells])
    elif table.headers:
        return _take_card(table, cells)
    return True


def _take_card(table: _Table, cells: list[str]) -> bool:
    tokens = cells[0].split()
    card = count(tokens[0])
    if card is not None and len(tokens) >= 3:
        table.cards.append(_card(card, tokens[1], _named(table.headers[0], cells)))
        table.rows = 1
        return True
    if table.cards and table.rows == 1 and len(table.headers) > 1:
        table.cards[-1] = _completed(table.cards[-1], _named(table.headers[1], cells))
        table.rows = 2
        return True
    return False


def _named(headers: list[list[str]], cells: list[str]) -> dict[str, str]:
    """Return a line's tokens by its header's words; a card's name may contain blanks."""
    named: dict[str, str] = {}
    for words, cell in zip(headers, cells, strict=False):
        tokens = _TOKEN.findall(cell)
        extra = len(tokens) - len(words)
        if extra > 0 and "name" in words:
            at = words.index("name")
            tokens[at : at + extra + 1] = [" ".join(tokens[at : at + extra + 1])]
        if len(tokens) == len(words):
            named |= dict(zip(words, tokens, strict=False))
    return named


def _card(card: int, vf: str, row: dict[str, str]) -> CambriconDevice:
    part = count(vf)
    whole = f"{VENDOR.name}:{card}"
    return CambriconDevice(
        id=whole if part is None else f"{whole}/vf{part}",
        parent=None if part is None else whole,
        index=card,
        backend=VENDOR.name,
        vendor=VENDOR.maker,
        kind="npu",
        name=word(row.get("name")),
        firmware_version=word(row.get("firmware")),
        pci_address=pci_address(row.get("bus-id")),
        driver_version=word(row.get("driver")),
        utilization_percent=quantity(row.get("util"), "%"),
        ecc_errors=count(row.get("ecc-error")),
    )


def _completed(card: CambriconDevice, row: dict[str, str]) -> CambriconDevice:
    power, _, limit = row.get("pwr:usage/cap", "").partition("/")
    used, _, total = row.get("memory-usage", "").partition("/")
    used_bytes, total_bytes = size_bytes(used, unit_needed=True), size_bytes(total, unit_needed=True)
    known = used_bytes is not None and total_bytes is not None and used_bytes <= total_bytes
    return replace(
        card,
        fan_percent=quantity(row.get("fan"), "%"),
        temperature_celsius=quantity(row.get("temp"), "c"),
        power_watts=quantity(power, "w"),
        power_limit_watts=quantity(limit, "w"),
        memory_used_bytes=used_bytes,
        memory_total_bytes=total_bytes or None,
        memory_free_bytes=(total_bytes or 0) - (used_bytes or 0) if known else None,
        mode=word(row.get("mode")),
        compute_mode=word(row.get("compute-mode")),
    )


def _take_process(table: _Table, cell: str) -> None:
    if cell.lower().startswith("no running process"):
        table.processes_known = True
    elif found := _PROCESS.fullmatch(cell):
        process = Process(pid=int(found[3]), name=found[4] or None, memory_bytes=size_bytes(found[5], unit_needed=True))
        table.processes.setdefault(int(found[1]), []).append(process)


def _reading(table: _Table) -> Iterator[Reading]:
    if not table.cards:
        return
    version = table.driver.version or next((c.driver_version for c in table.cards if c.driver_version), None)
    cards = tuple(
        replace(
            card,
            driver_version=card.driver_version or version,
            processes=_processes(table, card) if card.is_top_level else None,
        )
        for card in {c.id: c for c in table.cards}.values()
    )
    driver = replace(table.driver, version=version) if version or table.driver.library_version else None
    report = Report(backend=VENDOR.name, source=SOURCE, trust=TRUST, driver=driver, devices=cards)
    yield Reading(source=SOURCE, reports=(report,), first_line=table.first_line, last_line=table.last_line or None)


def _processes(table: _Table, card: CambriconDevice) -> tuple[Process, ...] | None:
    """Return the card's processes; None if the list is missing or truncated."""
    found = tuple(table.processes.get(card.index, ()))
    return found if found or table.processes_known else None


READER: Final = Reader(name=SOURCE, signs=("CNMON", "Card  VF", "Card VF"), read=read)
