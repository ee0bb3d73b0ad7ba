"""Google TPUs: PCI IDs and device nodes, libtpu's metric service, the output of JAX and tpu-info, and their faults."""

from accel.vendors.contract.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from accel_tpu.vendor import VENDOR

__all__ = ["VENDOR"]
__getattr__ = late(__name__, VENDOR="vendor")
