"""The readers of the texts that tell of TPUs."""

from accel.contract.backend import Reader
from accel_tpu.readers import jax_devices, lspci, tpu_info, tpu_info_version, vm_description


def tpu_readers() -> tuple[Reader, ...]:
    """Return them, the most trusted first."""
    return (tpu_info.READER, tpu_info_version.READER, jax_devices.READER, lspci.READER, vm_description.READER)
