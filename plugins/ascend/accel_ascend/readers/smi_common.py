"""`npu-smi info -t common -i N`: the most common figures.

    NPU ID                         : 2944
    Chip Count                     : 2

    Chip ID                        : 0
    Memory Usage Rate(%)           : 2
    Aicore Usage Rate(%)           : 0
    Temperature(C)                 : 45

    Chip Name                      : mcu
    Temperature(C)                 : 48
    NPU Real-time Power(W)         : 42.8

Seen   23.0 to 25.7. Here "Chip ID" starts a section. The power of a 310P card is in the controller's section: it
       is the card's, not a chip's.
"""

from typing import Final

from accel.text.amounts import count, number
from accel_ascend.readers.smi_query import query_reader

READER: Final = query_reader(
    "npu-smi info -t common",
    ("Aicore Usage Rate", "Aicore Freq", "Memory Usage Rate", "Aicore Count"),
    {
        "memory usage rate": ("ddr_percent", number),
        "hbm usage rate": ("hbm_percent", number),
        "aicore usage rate": ("utilization_percent", number),
        "aicore freq": ("aicore_mhz", count),
        "aicore curfreq": ("aicore_current_mhz", count),
        "aicore cur freq": ("aicore_current_mhz", count),
        "aicore count": ("aicore_count", count),
        "temperature": ("temperature_celsius", number),
        "npu real-time power": ("power_watts", number),
    },
    complete=lambda facts: facts | {"aicore_percent": facts.get("utilization_percent")},
)
