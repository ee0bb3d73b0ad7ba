"""The table of `neuron-ls`, with and without --wide, --show-all-procs, --topology.

    instance-type: trn2n.48xlarge
    instance-id: i-0123456789abcdef0
    logical-neuroncore-config: 2
    +--------+--------+--------+---------------+---------+--------+----------------------------+---------+
    | NEURON | NEURON | NEURON |   CONNECTED   |   PCI   |  PID   |          COMMAND           | RUNTIME |
    | DEVICE | CORES  | MEMORY |    DEVICES    |   BDF   |        |                            | VERSION |
    +--------+--------+--------+---------------+---------+--------+----------------------------+---------+
    | 0      | 4      | 96 GB  | 12, 3, 4, 1   | cc:00.0 | 268911 | python3 train.py           | 2.0.0   |
    |        |        |        |               |         | 269192 | neuron-ls --show-all-procs | NA      |

Seen: neuron-tools of SDK 1.12 to 2.26. The columns change: "NEURON CORE IDS", "LOGICAL NC", "CPU AFFINITY", "NUMA NODE"
come and go; PID appears only if there is a process. Older ones have the columns "PCI BDF", "LOGICAL ID", "MEMORY
CHANNEL 0", "RUNTIME PID". A heading is wrapped to two lines (three in the oldest). Some lines of the table may have
lost their spaces.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from accel.model.dataclass import replace
from accel.model.device import Process
from accel.model.report import Report
from accel.text.amounts import size_bytes, word
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_neuron.model import BACKEND, NeuronDevice, neuron, with_family
from accel_neuron.readers.values import addresses, count, numbers

_INSTANCE: Final = pattern(r"^\s*instance-type:\s*([a-z]+\d\w*\.[\w-]+)")
_LOGICAL: Final = pattern(r"^\s*logical-neuroncore-config:\s*(\d+)")
_HEADING: Final = ("NEURON", "PCI")


def _read(text: str) -> Iterator[Reading]:
    instance: str | None = None
    per_logical: int | None = None
    heading: list[str] = []
    rows: list[list[str]] = []
    begun = 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        found = _INSTANCE.match(line)
        instance = found[1] if found else instance
        logical = _LOGICAL.match(line)
        per_logical = int(logical[1]) if logical else per_logical
        cells = _cells(line)
        if cells and all(word in " ".join(cells).upper().split() for word in _HEADING) and not _has_number(cells):
            yield from _reading(heading, rows, instance, per_logical, begun)
            heading, rows, begun = cells, [], number
        elif heading and cells and not rows and not _has_number(cells) and len(cells) == len(heading):
            heading = [f"{above} {below}".strip() for above, below in zip(heading, cells, strict=True)]
        elif heading and cells:
            rows.append(cells)
        elif heading and rows and not line.lstrip().startswith(("+", "|")):
            yield from _reading(heading, rows, instance, per_logical, begun)
            heading, rows = [], []


def _cells(line: str) -> list[str]:
    line = line.strip()
    if not line.startswith("|"):
        return []
    return [part.strip() for part in line.strip("|").split("|")]


def _has_number(cells: Sequence[str]) -> bool:
    """Return whether a line is a row: its first cells hold a number or an address, or are empty before a PID."""
    return any(cell[:1].isdecimal() or addresses(cell) != (None, None) for cell in cells)


def _reading(
    heading: Sequence[str], rows: Sequence[Sequence[str]], instance: str | None, per_logical: int | None, line: int
) -> Iterator[Reading]:
    names = [" ".join(name.upper().split()) for name in heading]
    devices: dict[int, NeuronDevice] = {}
    last: int | None = None
    for row in rows:
        cells = dict(zip(names, row, strict=False))
        index = count(cells.get("NEURON DEVICE", cells.get("LOGICAL ID")))
        if index is not None:
            device = _device(index, cells)
            if device.core_count is None and device.memory_total_bytes is None:
                continue
            last = index
            devices[index] = replace(with_family(device, instance=instance), cores_per_logical_core=per_logical)
        elif any(row[:2]):
            last = None
        if last is not None:
            devices[last] = _with_process(devices[last], cells)
    if devices:
        report = Report(backend=BACKEND, source=READER.name, trust=60, devices=tuple(devices.values()))
        yield Reading(source=READER.name, reports=(report,), first_line=line)


def _device(index: int, cells: Mapping[str, str]) -> NeuronDevice:
    whole, short = addresses(cells.get("PCI BDF", ""))
    logical = count(cells.get("LOGICAL NC"))
    links = cells.get("CONNECTED DEVICES")
    ids = numbers(cells.get("NEURON CORE IDS", ""))
    numa = cells.get("NUMA NODE", "")
    return replace(
        neuron(index),
        pci_address=whole,
        bus_address=short,
        numa_node=count(numa),
        core_count=logical if logical is not None else count(cells.get("NEURON CORES")),
        core_ids=ids,
        memory_total_bytes=_memory(cells),
        connected_to=None if links is None else numbers(links) if links else (),
        cpu_affinity=word(cells.get("CPU AFFINITY")),
        processes=() if any(name in cells for name in ("PID", "RUNTIME PID")) else None,
    )


def _memory(cells: Mapping[str, str]) -> int | None:
    """Return the memory, summed over the channels if the table has a column for each."""
    channels = [
        size_bytes(value, unit_needed=True) for name, value in cells.items() if name.startswith("MEMORY CHANNEL")
    ]
    known = [value for value in channels if value is not None]
    if channels:
        return sum(known) if len(known) == len(channels) else None
    return size_bytes(cells.get("NEURON MEMORY"), unit_needed=True)


def _with_process(device: NeuronDevice, cells: Mapping[str, str]) -> NeuronDevice:
    pid = count(cells.get("PID", cells.get("RUNTIME PID")))
    if pid is None:
        return device
    return replace(device, processes=(*(device.processes or ()), Process(pid=pid, name=cells.get("COMMAND") or None)))


READER: Final = Reader(name="neuron-ls table", signs=("| NEURON", "NEURON |", "|NEURON"), read=_read)
