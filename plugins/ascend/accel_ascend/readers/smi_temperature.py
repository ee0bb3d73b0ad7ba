"""`npu-smi info -t temp -i N`.

    NPU Temperature (C)            : 39
    Chip ID                        : 0

    LM75A_TE (C)                   : 36
    Chip Name                      : MCU

Seen   25.5.1. The controller's sensors have their own section.
"""

from typing import Final

from accel.text.amounts import number
from accel_ascend.readers.smi_query import query_reader

READER: Final = query_reader(
    "npu-smi info -t temp", ("NPU Temperature",), {"npu temperature": ("temperature_celsius", number)}
)
