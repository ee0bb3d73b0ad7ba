"""AMD's GPUs, live and from texts, and faults of their driver and of the frameworks' builds."""

from accel.vendors.contract.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from accel_amd.vendor import VENDOR

__all__ = ["VENDOR"]
__getattr__ = late(__name__, VENDOR="vendor")
