"""Intel's GPUs: the i915 and xe drivers' files, the output of xpu-smi and sycl-ls, their faults."""

from accel.vendors.contract.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from accel_intel.vendor import VENDOR

__all__ = ["VENDOR"]
__getattr__ = late(__name__, VENDOR="vendor")
