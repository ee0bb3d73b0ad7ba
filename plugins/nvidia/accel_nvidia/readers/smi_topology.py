"""The matrix that `nvidia-smi topo -m` prints: how the GPUs of a node are joined.

            GPU0    GPU1    NIC0    CPU Affinity    NUMA Affinity   GPU NUMA ID
    GPU0     X      NV18    PXB     0-51,104-155    0               N/A
    GPU1    NV18     X      SYS     0-51,104-155    0               N/A

Seen    drivers 384 to 610. The columns after the links may be empty, so only what can be told apart by its form is
        read. Other vendors print the like: a text that names another vendor's links or tools is not read.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.contract.backend import Reader, Reading
from accel.text.lines import lines_of
from accel.text.pattern import pattern
from accel_nvidia.found import gpu, reading

SOURCE: Final = "nvidia-smi topo"
TRUST: Final = 30
_HEADER: Final = pattern(r"^\s*((?:\x1b\[4m)?GPU0(?:\s+(?:GPU|NIC|mlx5_|roce|bond|ib)\S*)*)\s+CPU Affinity(.*)$")
_LINK: Final = pattern(r"^(?:X|NV\d+|PIX|PXB|PHB|NODE|SYS|SOC|PSB|C2C)$")
_OTHERS: Final = pattern(
    r"(?i)mthreads|mtlink|mx-smi|metaxlink|maca\b|\bMX\d+\b|rocm-smi|xgmi|ixsmi|xpu-smi|cnmon|MTL\d"
)
_ROW: Final = pattern(r"^\s*GPU(\d{1,4})\s(.*)$")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with a device for each row; its NUMA node where the matrix tells it."""
    if _OTHERS.search(text):
        return
    columns: list[str] | None = None
    numa = False
    nodes: dict[int, int | None] = {}
    lines: list[int] = []
    for number, line in lines_of(text):
        if header := _HEADER.match(line):
            columns, numa = header[1].split(), "numa affinity" in header[2].lower()
        elif columns and (row := _ROW.match(line)):
            cells = row[2].split()
            links = cells[: len(columns)]
            if len(links) == len(columns) and all(_LINK.match(cell) for cell in links):
                nodes.setdefault(int(row[1]), _numa_node(cells[len(columns) :]) if numa else None)
                lines.append(number)
    if nodes:
        devices = [gpu(index, numa_node=node) for index, node in sorted(nodes.items())]
        yield reading(SOURCE, TRUST, devices=devices, lines=(lines[0], lines[-1]))


def _numa_node(cells: list[str]) -> int | None:
    """Return the node that stands after a CPU range; None if the range or a single node is missing."""
    if len(cells) > 1 and re.fullmatch(r"[\d,]*\d-\d[\d,-]*", cells[0]) and cells[1].isdigit():
        return int(cells[1])
    return None


READER: Final = Reader(name=SOURCE, signs=("CPU Affinity",), read=read)
