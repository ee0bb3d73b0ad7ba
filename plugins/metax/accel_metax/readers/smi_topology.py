"""`mx-smi topo -m`: how the GPUs are joined.

            GPU0    GPU1    Node Affinity  CPU Affinity
    GPU0    X       MX      0              0-31,64-95
    GPU1    MX      X       0              0-31,64-95

Seen   mx-smi 2.2.9. A matrix without MetaXLink is that of any vendor: its text must name mx-smi or MetaXLink.
"""

from collections.abc import Iterator
from typing import Final

from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.link_matrix import matrix_readings
from accel_metax import VENDOR

SOURCE: Final = "mx-smi topo"
_WORDS: Final = pattern(r"(?:X|MX|PIX|PXB|PHB|NODE|SYS|ETH|NA)")
_OURS: Final = pattern(r"mx-smi|metaxlink|\bMetaX\b|\sMX\s")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with a device for each row, its NUMA node, and the links."""
    return matrix_readings(text, VENDOR, SOURCE, "GPU", _WORDS) if _OURS.search(text) else iter(())


READER: Final = Reader(name=SOURCE, signs=("CPU Affinity",), read=read)
