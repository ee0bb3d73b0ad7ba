"""Fields that only Cambricon's cards have, in addition to those of any accelerator."""

from accel.model.dataclass import dataclass
from accel.model.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class CambriconDevice(Device):
    """One MLU card, or a virtual function of one.

    index         cnmon's card number, the N of /dev/cambricon_dev<N>
    ecc_errors    cnmon's count; None also if ECC is off, which it prints as N/A
    fan_percent   share of the fan's full speed; a passive card prints 0
    mode          the card's mode: "FULL" for a whole card
    health_text   the tool's word: "Good" means healthy
    """

    firmware_version: str | None = None
    ecc_errors: int | None = None
    fan_percent: float | None = None
    mode: str | None = None
    compute_mode: str | None = None
    board_temperature_celsius: float | None = None
    health_text: str | None = None
