"""`npu-smi info -t ecc -i N`: bit errors of the memories.

    NPU ID                                   : 1
    Chip Count                               : 1

    HBM Single Bit Error Count               : 0
    HBM Double Bit Error Count               : 0
    HBM Single Bit Aggregate Total Err Cnt   : 0
    HBM Double Bit Isolated Pages Count      : 0
    Chip ID                                  : 0

Seen   in the vendor's documents for 910 and 950. Counts are since the driver was loaded; aggregates over the device's
       lifetime.
"""

from typing import Final

from accel.text.amounts import count
from accel_ascend.readers.smi_query import Convert, query_reader

_COUNTS: Final[tuple[tuple[str, str], ...]] = (
    ("single bit error count", "single_bit_errors"),
    ("double bit error count", "double_bit_errors"),
    ("single bit aggregate total err cnt", "single_bit_aggregate"),
    ("double bit aggregate total err cnt", "double_bit_aggregate"),
)
_KEYS: Final[dict[str, tuple[str, Convert]]] = {
    **{f"{kind} {key}": (f"{kind}_{field}", count) for kind in ("hbm", "ddr") for key, field in _COUNTS},
    "hbm single bit isolated pages count": ("hbm_single_bit_isolated_pages", count),
    "hbm double bit isolated pages count": ("hbm_double_bit_isolated_pages", count),
}

READER: Final = query_reader("npu-smi info -t ecc", ("Bit Error Count", "Bit Aggregate Total"), _KEYS)
