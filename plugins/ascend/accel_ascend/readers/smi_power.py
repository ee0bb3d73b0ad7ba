"""`npu-smi info -t power -i N`.

    NPU ID                         : 0          NPU ID                   : 2944
    NPU Real-time Power(W)         : 296.5      Chip Count               : 2
                                                Power Dissipation(W)     : 42.9

Seen   25.5 to 25.7. A 310P card of two chips has one figure for the card: it is not a chip's, and is left out.
"""

from typing import Final

from accel.text.amounts import number
from accel_ascend.readers.smi_query import query_reader

READER: Final = query_reader(
    "npu-smi info -t power",
    ("Power Dissipation", "Real-time Power"),
    {"npu real-time power": ("power_watts", number), "power dissipation": ("power_watts", number)},
)
