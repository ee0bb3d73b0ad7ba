"""`npu-smi info -t memory -i N`: sizes and clocks of the memories.

    Total DDR Capacity(MB)         : 49152
    DDR Capacity(MB)               : 44278
    DDR Clock Speed(MHz)           : 451
    HBM Capacity(MB)               : 131072
    HBM Clock Speed(MHz)           : 3200
    HBM Temperature(C)             : 63

Seen   25.5 to 25.7. "Total DDR" is the soldered memory, "DDR Capacity" its usable part.
"""

from typing import Any, Final

from accel.text.amounts import capacity, count, number
from accel_ascend.readers.smi_query import query_reader


def _complete(facts: dict[str, Any]) -> dict[str, Any]:
    total = facts.get("hbm_total_bytes") or facts.get("ddr_total_bytes")
    return facts | {"memory_total_bytes": total}


READER: Final = query_reader(
    "npu-smi info -t memory",
    ("DDR Clock Speed", "HBM Clock Speed", "DDR Capacity(MB)", "HBM Capacity(MB)"),
    {
        "total ddr capacity": ("ddr_physical_bytes", capacity),
        "ddr capacity": ("ddr_total_bytes", capacity),
        "ddr clock speed": ("ddr_mhz", count),
        "hbm capacity": ("hbm_total_bytes", capacity),
        "hbm clock speed": ("hbm_mhz", count),
        "hbm temperature": ("hbm_temperature_celsius", number),
    },
    complete=_complete,
)
