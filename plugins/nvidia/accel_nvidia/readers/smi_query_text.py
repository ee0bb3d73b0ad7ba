"""The text printed by `nvidia-smi -q`.

    Driver Version                                         : 590.48.01
    Attached GPUs                                          : 1
    GPU 00000000:83:00.0
        Product Name                                       : NVIDIA H200
        FB Memory Usage
            Total                                          : 143771 MiB
        Processes
            Process ID                        : 10291

Seen    drivers 340 to 610, with `-d` for some sections only, MIG devices, Windows. Indentation tells the nesting;
        without it, the nearest heading above applies. Other vendors' tools print similar logs: one with the
        name of another vendor's product is skipped.
"""

from collections.abc import Iterator
from typing import Any, Final

from accel.model.device import Device, Process
from accel.model.report import Driver
from accel.text import amounts as a
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_nvidia import quantities as q
from accel_nvidia.found import gpu, is_foreign, mig, reading
from accel_nvidia.query_facts import facts

SOURCE: Final = "nvidia-smi -q"
TRUST: Final = 68
_START: Final = pattern(r"=[ \t]{0,9}NVSMI LOG[ \t]{0,9}=")
_OTHER_LOG: Final = pattern(r"=[ \t]{0,9}(?!NVSMI)[A-Z-]{2,12}SMI LOG[ \t]{0,9}=")
_GPU: Final = pattern(r"^\s*GPU(?: ([0-9A-Fa-f:.]{7,40}|N/?A|ERR!))?\s*$")
_PAIR: Final = pattern(r"^(\s*)([^\s:]+(?:\s+[^\s:]+)*)\s*:(?:\s+(\S+(?:\s+\S+)*))?\s*$")
_TITLE: Final = pattern(r"^(\s*)([A-Za-z][\w.()/-]*(?: +[\w.()/-]+)*)\s*$")
_DRIVER: Final = pattern(r"^\s*(KMD Version|Driver Version)\s+:(.*)$")
_CUDA: Final = pattern(r"^\s*(CUDA UMD Version|CUDA Version)\s+:(.*)$")
_Instance = tuple[int | None, int | None]


class _Block:
    """One GPU's lines as a tree of titles. entries keep their order: (path, value)."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.entries: list[tuple[str, str]] = []
        self._titles: list[tuple[int, str]] = []
        self._indented: bool | None = None

    def take(self, line: str) -> bool:
        """Take one line; return False if it does not belong to the block."""
        pair = _PAIR.match(line)
        found = pair or _TITLE.match(line)
        if found is None:
            return False
        depth, name = len(found[1].expandtabs(4)), found[2]
        if self._indented is None:
            self._indented = depth > 0
        if self._indented:
            if not depth:
                return False
            parents = [title for title in self._titles if title[0] < depth]
        else:
            parents = self._titles[:1] if pair else []
        path = "/".join([*(title for _, title in parents), name])
        self.entries.append((path, (pair[3] or "") if pair else ""))
        if self._indented or not pair:
            self._titles = [*parents, (depth, name)]
        return True


def read(text: str) -> Iterator[Reading]:
    """Yield one reading per log. A GPU's index is its position in the log, which lists all GPUs in order."""
    first = last = 0
    version: str | None = None
    cuda: str | None = None
    blocks: list[_Block] = []
    foreign = False
    for number, line in enumerate(text.splitlines(), 1):
        if _START.search(line):
            if blocks or version:
                yield from _finished(blocks, version, cuda, (first, last))
            first, version, cuda, blocks = number, None, None, []
            last, foreign = number, False
        elif foreign or _OTHER_LOG.search(line):
            foreign = True
        elif found := _GPU.match(line):
            first = first or number
            blocks.append(_Block(found[1] or ""))
            last = number
        elif first and (found := _DRIVER.match(line)) and not blocks:
            version = version or q.version(found[2])
        elif first and (found := _CUDA.match(line)) and not blocks:
            cuda = cuda or q.version(found[2])
        elif blocks and line.strip() and number - last <= 3 and blocks[-1].take(line):
            last = number
    if blocks or version:
        yield from _finished(blocks, version, cuda, (first, last))


def _finished(blocks: list[_Block], version: str | None, cuda: str | None, lines: tuple[int, int]) -> Iterator[Reading]:
    if any(path.lower() == "product name" and is_foreign(value) for block in blocks for path, value in block.entries):
        return
    devices = [
        device for index, block in enumerate(blocks) if block.entries for device in _devices(index, block, version)
    ]
    driver = Driver(version=version, toolkit_version=cuda) if version else None
    if devices or driver:
        yield reading(SOURCE, TRUST, devices=devices, driver=driver, lines=lines)


def _devices(index: int, block: _Block, version: str | None) -> Iterator[Device]:
    main: dict[str, str] = {}
    parts: list[dict[str, str]] = []
    held: list[tuple[str, str]] = []
    for printed, value in block.entries:
        path = printed.lower()
        if path == "mig device":
            parts.append({})
        elif path.startswith("mig device/") and parts:
            parts[-1].setdefault(path.removeprefix("mig device/"), value)
        elif path.split("/")[0] == "processes":
            held.append((path.split("/")[-1], value))
        else:
            main.setdefault(path, value)
    known = facts(main, "text")
    known.setdefault("pci_address", a.pci_address(block.address))
    known["driver_version"] = version
    rows = _processes(held)
    yield gpu(index, **known, processes=None if rows is None else tuple(p for _, p in rows))
    for part in parts:
        yield from _partition(index, part, rows, version)


def _partition(
    parent: int, part: dict[str, str], rows: list[tuple[_Instance, Process]] | None, version: str | None
) -> Iterator[Device]:
    number = a.whole(part.get("index"))
    if number is None:
        return
    instance = (a.whole(part.get("gpu instance id")), a.whole(part.get("compute instance id")))
    renamed = {k.replace("shared ", "").replace("bar1 memory/", "bar1 memory usage/"): v for k, v in part.items()}
    sizes: dict[str, Any] = {k: v for k, v in facts(renamed, "text").items() if k.startswith(("memory_", "bar1_"))}
    yield mig(
        parent,
        number,
        **sizes,
        driver_version=version,
        uuid=a.word(part.get("uuid")),
        gpu_instance_id=instance[0],
        compute_instance_id=instance[1],
        ecc_uncorrected_volatile=a.whole(part.get("ecc errors/volatile/sram uncorrectable")),
        processes=None if rows is None else tuple(p for ids, p in rows if ids == instance),
    )


def _processes(held: list[tuple[str, str]]) -> list[tuple[_Instance, Process]] | None:
    """Return the processes with their instances; [] if the log says "None"; None if it has no such section."""
    rows: list[tuple[_Instance, Process]] = []
    instance: _Instance = (None, None)
    pid: int | None = None
    name: str | None = None
    memory: int | None = None

    def keep() -> None:
        if pid is not None:
            rows.append((instance, Process(pid=pid, name=name, memory_bytes=memory)))

    pending: _Instance = (None, None)
    for key, value in held:
        if key == "processes" and value:
            return [] if value.lower() == "none" else None
        if key == "gpu instance id":
            pending = (a.whole(value), None)
        elif key == "compute instance id":
            pending = (pending[0], a.whole(value))
        elif key == "process id":
            keep()
            instance, pid, name, memory = pending, a.whole(value), None, None
        elif key in ("name", "process name"):
            name = a.word(value)
        elif key == "used gpu memory":
            memory = a.mebibytes(value)
    keep()
    return rows or None


READER: Final = Reader(
    name=SOURCE,
    signs=(
        *("NVSMI LOG", "Product Name", "FB Memory Usage", "ECC Errors", "Remapped Rows", "Retired Pages"),
        *("Throttle Reasons", "Event Reasons", "Power Readings", "GPU Link Info", "Persistence Mode", "Temperature"),
        "Recovery Action",
    ),
    read=read,
)
