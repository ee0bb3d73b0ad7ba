"""What only Cambricon's cards have, beyond the facts of any accelerator."""

from accel.model.dataclass import dataclass
from accel.model.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class CambriconDevice(Device):
    """One MLU card, or a virtual function of one.

    index         cnmon's card number, which the nodes /dev/cambricon_dev<N> share
    ecc_errors    what cnmon counts; None also where ECC is off, which it prints as N/A
    fan_percent   of the fan's full speed; a passive card prints 0
    mode          of the card: "FULL" for a whole one
    health_text   the tool's word: "Good" is its word for well
    """

    firmware_version: str | None = None
    ecc_errors: int | None = None
    fan_percent: float | None = None
    mode: str | None = None
    compute_mode: str | None = None
    board_temperature_celsius: float | None = None
    health_text: str | None = None
