"""The readers of the texts that tell of Intel GPUs."""

from accel.contract.backend import Reader
from accel_intel.readers import sycl_ls, xpu_smi_discovery, xpu_smi_dump, xpu_smi_health, xpu_smi_json


def intel_readers() -> tuple[Reader, ...]:
    """Return them, the most trusted first."""
    return (
        xpu_smi_json.READER,
        xpu_smi_discovery.READER,
        xpu_smi_dump.READER,
        xpu_smi_health.READER,
        sycl_ls.READER,
    )
