"""`npu-smi info -t volt -i N`.

    NPU ID                         : 0
    Voltage(V)                     : 0.72

Seen   in the vendor's documents for 950.
"""

from typing import Final

from accel.text.amounts import number
from accel_ascend.readers.smi_query import query_reader

READER: Final = query_reader("npu-smi info -t volt", ("Voltage(V)",), {"voltage": ("voltage_volts", number)})
