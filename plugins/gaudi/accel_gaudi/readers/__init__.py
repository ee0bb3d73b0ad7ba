"""The readers of the texts that tell of Gaudi cards."""

from accel.contract.backend import Reader
from accel_gaudi.readers import hl_smi_log, hl_smi_query, hl_smi_table, lspci


def gaudi_readers() -> tuple[Reader, ...]:
    """Return them, the most trusted first."""
    return (hl_smi_log.READER, hl_smi_query.READER, hl_smi_table.READER, lspci.READER)
