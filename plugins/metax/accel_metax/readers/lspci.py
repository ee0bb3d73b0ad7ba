"""MetaX GPUs in what `lspci -nn` prints: its table of names may lack them, so the id tells."""

from typing import Final

from accel.vendors.toolkit.lspci_reader import lspci_reader
from accel_metax import VENDOR

READER: Final = lspci_reader(VENDOR)
