"""What only Kunlunxin's hardware has, beyond the facts of any accelerator."""

from accel.model.dataclass import dataclass
from accel.model.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class KunlunDevice(Device):
    """One device, with what xpu-smi knows of it.

    l3_*                      the memory on the chip, beside the HBM or GDDR of memory_total_bytes
    ecc_uncorrectable_errors  since the driver was loaded ("volatile")
    health                    "critical" if an error could not be corrected; no count tells that a device is well
    device_path               "/dev/xpu0"
    """

    fan_percent: float | None = None
    compute_mode: str | None = None
    sriov_mode: str | None = None
    l3_total_bytes: int | None = None
    l3_used_bytes: int | None = None
    firmware_version: str | None = None
    device_path: str | None = None
    ecc_uncorrectable_errors: int | None = None
    ecc_correctable_errors: int | None = None
