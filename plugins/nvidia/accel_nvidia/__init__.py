"""NVIDIA's GPUs: NVML on a live machine, and what nvidia-smi and its companions print."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from accel_nvidia.vendor import VENDOR

__all__ = ["VENDOR"]


def __getattr__(name: str) -> object:
    """Load the statement when it is asked for: a module that does without it is then loaded alone."""
    if name != "VENDOR":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from accel_nvidia.vendor import VENDOR

    return VENDOR
