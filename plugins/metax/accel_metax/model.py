"""What only MetaX's hardware has, beyond the facts of any accelerator."""

from accel.model.dataclass import dataclass
from accel.model.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class MetaxDevice(Device):
    """One device, with what mx-smi knows of it.

    name         as the tool has it: "MetaX C500", in old versions and lists "MXC500"
    board        the number of the board; a board of several GPUs is named in its first row alone
    state        the tool's word: "Available", "Not Available"; it tells that the driver can use the GPU, not that the
                 GPU is sound: health is "critical" for the second, and unknown for the first
    state_reason why it is not available, in the tool's words
    *_ecc_errors pages of the memory that were retired after a double-bit error: they stay so after a restart
    """

    board: int | None = None
    performance_state: str | None = None
    persistence_mode: str | None = None
    sgpu_mode: str | None = None
    state: str | None = None
    state_reason: str | None = None
    double_bit_ecc_errors: int | None = None
