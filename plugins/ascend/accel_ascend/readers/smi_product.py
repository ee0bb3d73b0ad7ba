"""`npu-smi info -t product -i N`.

    NPU ID                         : 2944
    Chip Count                     : 2

    Product Type                   : Atlas 300I Duo
    Chip ID                        : 0

Seen   25.5.1, on 310, 310B and 310P only.
"""

from typing import Final

from accel.text.amounts import word
from accel_ascend.readers.smi_query import query_reader

READER: Final = query_reader("npu-smi info -t product", ("Product Type",), {"product type": ("product_type", word)})
