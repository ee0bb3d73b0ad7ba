"""`npu-smi info -t sensors -i N`.

    NPU ID                         : 0
    Soc Max Temperature (C)        : 67
    SFP Temperature (C)            : NA
    NDIE Temperature (C)           : 65
    HBM Temperature (C)            : 63

Seen   in the vendor's documents for 950. Without the NPU ID line, or the command above it, the chip is unknown.
"""

from typing import Final

from accel.text.amounts import number
from accel_ascend.readers.smi_query import query_reader

READER: Final = query_reader(
    "npu-smi info -t sensors",
    ("NDIE Temperature", "Soc Max Temperature", "HBM Temperature (C)"),
    {
        "soc max temperature": ("soc_temperature_celsius", number),
        "ndie temperature": ("ndie_temperature_celsius", number),
        "hbm temperature": ("hbm_temperature_celsius", number),
    },
)
