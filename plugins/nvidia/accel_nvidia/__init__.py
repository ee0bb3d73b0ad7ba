"""NVIDIA's GPUs: NVML on a live machine, and the output of nvidia-smi and related tools."""

from accel.vendors.contract.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from accel_nvidia.vendor import VENDOR

__all__ = ["VENDOR"]
__getattr__ = late(__name__, VENDOR="vendor")
