"""`npu-smi info -t usages -i N`: the utilisation of each resource.

    NPU ID                         : 0
    Chip Count                     : 1

    HBM Capacity(MB)               : 65536
    HBM Usage Rate(%)              : 5
    Aicore Usage Rate(%)           : 0
    Aicpu Usage Rate(%)            : 0
    DDR Bandwidth Usage Rate(%)    : 0
    NPU Utilization(%)             : 0
    Chip ID                        : 0

Seen   23.0.5 to 25.5.1. A capacity of 0 means no such memory. There is no used amount, only a rounded percentage.
"""

from typing import Any, Final

from accel.text.amounts import capacity, count, number
from accel_ascend.readers.smi_query import query_reader


def _complete(facts: dict[str, Any]) -> dict[str, Any]:
    total = facts.get("hbm_total_bytes") or facts.get("ddr_total_bytes")
    return facts | {"utilization_percent": facts.get("aicore_percent"), "memory_total_bytes": total}


READER: Final = query_reader(
    "npu-smi info -t usages",
    ("Ctrlcpu Usage Rate", "Aicpu Usage Rate", "Bandwidth Usage Rate", "DDR Usage Rate", "HBM Usage Rate"),
    {
        "ddr capacity": ("ddr_total_bytes", capacity),
        "ddr usage rate": ("ddr_percent", number),
        "ddr hugepages total": ("hugepages_total", count),
        "hbm capacity": ("hbm_total_bytes", capacity),
        "hbm usage rate": ("hbm_percent", number),
        "aicore usage rate": ("aicore_percent", number),
        "aivector usage rate": ("aivector_percent", number),
        "aicube usage rate": ("aicube_percent", number),
        "aicpu usage rate": ("aicpu_percent", number),
        "ctrlcpu usage rate": ("ctrlcpu_percent", number),
        "ddr bandwidth usage rate": ("ddr_bandwidth_percent", number),
        "hbm bandwidth usage rate": ("hbm_bandwidth_percent", number),
    },
    complete=_complete,
)
