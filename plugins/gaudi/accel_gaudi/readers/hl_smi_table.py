"""The table printed by `hl-smi`.

    | HL-SMI Version:                              hl-1.12.1-fw-46.0.5.0          |
    | Driver Version:                                     1.12.1-cb7a7bc          |
    |-------------------------------+----------------------+----------------------+
    | AIP  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
    | Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | AIP-Util  Compute M. |
    |===============================+======================+======================|
    |   0  HL-225              N/A  | 0000:43:00.0     N/A |                   0  |
    | N/A   30C   N/A    84W / 600W |    768MiB / 98304MiB |     0%           N/A |
    |-------------------------------+----------------------+----------------------+
    | Compute Processes:                                               AIP Memory |
    |  AIP       PID   Type   Process name                             Usage      |
    |=============================================================================|
    |   0       4242     C    python3                                  65000MiB   |

Also read: a card's two rows shortened to one, "|   0  HL-225  ... 768MiB / 98304MiB |".

Seen: 1.4 to 1.24, Gaudi to Gaudi3. 1.4 spells the unit "Mib"; from 1.20 there is a "Nic Driver Version" too. Cells may
overflow their column. "N/A" among the processes only means that this user sees none: root outside of
containers sees all, so the value is None with a Gap, not "no process".
"""

from collections.abc import Iterator, Sequence
from typing import Final

from accel.model.dataclass import replace
from accel.model.device import Gap, Process
from accel.model.report import Driver, Report
from accel.text.amounts import mebibytes, pci_address, percent, whole, word
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_gaudi.model import BACKEND, GaudiDevice, gaudi, with_product

_TOOL: Final = pattern(r"HL-SMI Version:\s*(\S+)")
_DRIVER: Final = pattern(r"(?<!Nic )\bDriver Version:\s*([^\s|]+)")
_FIRMWARE: Final = pattern(r"-fw-([\w.]+)")
_FIRST: Final = pattern(r"^\s*(?P<index>\d{1,3})\s+(?P<name>\S+(?:\s+\S+)*?)(?:\s+(?:N/A|On|Off))?\s*$")
_SHORT: Final = pattern(
    r"^(?P<index>\d{1,3})\s{1,9}(?P<name>HL-?\d{3}\w?)\b.{0,80}?\d\s{0,2}[KMG]i?[Bb]\s{0,3}/", exact_case=True
)
_OWN_NAME: Final = pattern(r"HL-?\d{3}")
_BUS: Final = pattern(r"\b((?:[0-9a-fA-F]{4}){1,2}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])\b")
_CELSIUS: Final = pattern(r"(-?\d+(?:\.\d+)?)\s*°?C\b")
_POWER: Final = pattern(
    r"(\d{1,9}(?:\.\d{1,9})?|N/A)(?:\s{0,9}W)?\s{0,9}/\s{0,9}(\d{1,9}(?:\.\d{1,9})?|N/A)(?:\s{0,9}W)?\s{0,99}$"
)
_MEMORY: Final = pattern(r"(\d+(?:\.\d+)?\s*[KMG]i?[Bb])\s*/\s*(\d+(?:\.\d+)?\s*[KMG]i?[Bb])")
_USE: Final = pattern(r"(\d+(?:\.\d+)?)\s*%")
_PROCESS: Final = pattern(
    r"^\s*(?:\|\s*)?(?P<index>\d{1,3})\s+(?P<pid>\d+|N/A)\s+(?P<type>\S+)\s+(?P<name>[^\s|]+(?:\s+[^\s|]+)*)\s+"
    r"(?P<used>[^\s|]+)\s*(?:\|\s*)?$"
)
_RULE: Final = pattern(r"\s*[|+]?[-=+]{3}")
_HIDDEN: Final = "hl-smi shows this user no process; run as root outside of containers, it shows all"


def _read(text: str) -> Iterator[Reading]:
    lines = text.splitlines()
    devices: dict[int, GaudiDevice] = {}
    processes: dict[int, list[Process] | None] = {}
    tool = driver = None
    first = last = waiting = None
    heading = in_processes = False
    for number, line in enumerate(lines, 1):
        found = _TOOL.search(line)
        if found:
            tool, heading, in_processes = found[1], True, False
        found = _DRIVER.search(line)
        if found and heading:
            driver = driver or word(found[1])
        heading = heading or ("AIP" in line and "Name" in line and "|" in line) or "AIP-Util" in line
        if "Compute Processes" in line or ("PID" in line and "Process name" in line and "AIP" in line):
            in_processes = heading
            waiting = None
            continue
        if in_processes:
            row = _PROCESS.match(line)
            if row:
                _add_process(processes, row["index"], row["pid"], row["name"], row["used"])
            continue
        cells = _cells(line)
        start = _first_row(cells, heading)
        short = _SHORT.match(cells[0]) if cells and start is None else None
        if short is not None:
            card = with_product(replace(gaudi(int(short["index"])), name=short["name"]))
            devices[card.index] = _with_second_row(card, (cells[0], " ".join(cells), " ".join(cells[1:]), ""))
            first, waiting, last = first or number, None, number
        elif start is not None:
            waiting = start.index
            devices[waiting] = start
            first, last = first or number, number
        elif waiting is not None and cells:
            devices[waiting] = _with_second_row(devices[waiting], cells)
            waiting, last = None, number
        elif waiting is not None and _RULE.match(line):  # the following lines are another device's
            waiting = None
    if not devices and not (tool and driver):
        return
    made = tuple(_with_processes(device, processes) for device in devices.values())
    gaps = tuple(
        Gap(fact="processes", reason=_HIDDEN, device=device.id, backend=BACKEND, source=READER.name)
        for device in made
        if processes.get(device.index, ()) is None
    )
    report = Report(
        backend=BACKEND,
        source=READER.name,
        status="partial" if gaps else "ok",
        trust=60,
        driver=_driver(tool, driver),
        devices=tuple(replace(device, driver_version=driver) for device in made),
        gaps=gaps,
    )
    yield Reading(source=READER.name, reports=(report,), first_line=first, last_line=last)


def _driver(tool: str | None, driver: str | None) -> Driver | None:
    if tool is None and driver is None:
        return None
    firmware = _FIRMWARE.search(tool or "")
    return Driver(version=driver, library_version=tool, firmware_version=firmware[1] if firmware else None)


def _cells(line: str) -> tuple[str, ...]:
    """Return the cells between the bars; () for lines without any."""
    line = line.strip()
    if not line.startswith("|") or line.startswith(("|-", "|=", "|+")):
        return ()
    return tuple(part.strip() for part in line.strip("|").split("|"))


def _first_row(cells: Sequence[str], heading: bool) -> GaudiDevice | None:
    found = _FIRST.match(cells[0]) if cells else None
    bus = _BUS.search(cells[1]) if len(cells) > 1 else None
    if not found or not bus or not (_OWN_NAME.match(found["name"]) or heading):
        return None
    errors = whole(cells[2]) if len(cells) > 2 else None
    return with_product(
        replace(
            gaudi(int(found["index"])),
            name=word(found["name"]),
            pci_address=pci_address(bus[1]),
            ecc_uncorrectable_errors=errors,
        )
    )


def _with_second_row(device: GaudiDevice, cells: Sequence[str]) -> GaudiDevice:
    celsius = _CELSIUS.search(cells[0])
    power = _POWER.search(cells[0])
    memory = _MEMORY.search(cells[1]) if len(cells) > 1 else None
    use = _USE.search(cells[2]) if len(cells) > 2 else None
    used, total = (mebibytes(memory[1]), mebibytes(memory[2])) if memory else (None, None)
    return replace(
        device,
        temperature_celsius=float(celsius[1]) if celsius else None,
        power_watts=float(power[1]) if power and power[1] != "N/A" else None,
        power_limit_watts=float(power[2]) if power and power[2] != "N/A" else None,
        memory_used_bytes=used,
        memory_total_bytes=total,
        memory_free_bytes=total - used if total is not None and used is not None and total >= used else None,
        utilization_percent=percent(use[1]) if use else None,
    )


def _add_process(found: dict[int, list[Process] | None], index: str, pid: str, name: str, used: str) -> None:
    if pid == "N/A":
        found.setdefault(int(index), None)
        return
    listed = found.get(int(index)) or []
    listed.append(Process(pid=int(pid), name=word(name), memory_bytes=mebibytes(used) if used != "0" else 0))
    found[int(index)] = listed


def _with_processes(device: GaudiDevice, processes: dict[int, list[Process] | None]) -> GaudiDevice:
    listed = processes.get(device.index)
    return device if listed is None else replace(device, processes=tuple(listed))


READER: Final = Reader(name="hl-smi table", signs=("HL-SMI Version", "AIP", "HL-"), read=_read)
