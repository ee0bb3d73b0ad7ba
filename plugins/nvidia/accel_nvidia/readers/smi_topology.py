"""The matrix printed by `nvidia-smi topo -m`: how a node's GPUs are connected.

            GPU0    GPU1    NIC0    CPU Affinity    NUMA Affinity   GPU NUMA ID
    GPU0     X      NV18    PXB     0-51,104-155    0               N/A
    GPU1    NV18     X      SYS     0-51,104-155    0               N/A

Seen    drivers 384 to 610. The columns after the links may be empty, so only what is identifiable by its form is
        read. Other vendors print similar matrices: a text that names another vendor's links or tools is skipped.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.link_matrix import ids, links, matrices, number_of
from accel_nvidia.found import BACKEND, gpu, reading

SOURCE: Final = "nvidia-smi topo"
TRUST: Final = 30
_DEVICE: Final = "GPU"
_WORDS: Final = pattern(r"(?:X|NV\d{1,3}|PIX|PXB|PHB|NODE|SYS|SOC|PSB|C2C)")
_OTHERS: Final = pattern(
    r"(?i)mthreads|mtlink|mx-smi|metaxlink|maca\b|\bMX\d+\b|rocm-smi|xgmi|ixsmi|iluvatar|corex|xpu-smi|cnmon|\sMTL?\d"
)


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with a device per row, its NUMA node if the matrix has it, and the links."""
    if _OTHERS.search(text):
        return
    nodes: dict[int, int | None] = {}
    found = list(matrices(text, _DEVICE, _WORDS))
    for matrix in found:
        numa = "numa affinity" in matrix.header_end
        for name, after in matrix.after.items():
            number = number_of(name)
            if name.startswith(_DEVICE) and number is not None:
                nodes.setdefault(number, _numa_node(after) if numa else None)
    if nodes:
        devices = [gpu(index, numa_node=node) for index, node in sorted(nodes.items())]
        joined = tuple(link for matrix in found for link in links(matrix, ids(_DEVICE, None, BACKEND)))
        lines = (found[0].first_line + 1, max(matrix.last_line for matrix in found))
        yield reading(SOURCE, TRUST, devices=devices, links=joined, lines=lines)


def _numa_node(cells: tuple[str, ...]) -> int | None:
    """Return the node after a CPU range; None if the range is missing or there is not exactly one node."""
    if len(cells) > 1 and re.fullmatch(r"[\d,]*\d-\d[\d,-]*", cells[0]) and cells[1].isdecimal():
        return int(cells[1])
    return None


READER: Final = Reader(name=SOURCE, signs=("CPU Affinity",), read=read)
