"""What only Enflame's hardware has, beyond the facts of any accelerator."""

from accel.model.dataclass import dataclass
from accel.model.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class EnflameDevice(Device):
    """One device, with what efsmi knows of it.

    ecc_mode         "Enable" or "Disable"
    power_mode       "Sleep", "Active", "LP0" …: the level of its power management
    health           from "Health" of the query: True is ok, False critical; the table does not tell it
    rma_flag         the tool says that the board should be returned
    power_cable      "Normal", or what is wrong with it
    """

    firmware_version: str | None = None
    ecc_mode: str | None = None
    power_mode: str | None = None
    virtualization: str | None = None
    rma_flag: bool | None = None
    power_cable: str | None = None
    double_bit_errors: int | None = None
