"""Huawei Ascend NPUs: device nodes, version files, npu-smi's many output formats, faults of the software stack."""

from accel.vendors.contract.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from accel_ascend.vendor import VENDOR

__all__ = ["VENDOR"]
__getattr__ = late(__name__, VENDOR="vendor")
