"""NVIDIA's GPUs: NVML on a live machine, and what nvidia-smi and its companions print."""

from accel.vendors.contract.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from accel_nvidia.vendor import VENDOR

__all__ = ["VENDOR"]
__getattr__ = late(__name__, VENDOR="vendor")
