"""Intel's GPUs: the i915 and xe drivers' files, xpu-smi's and sycl-ls's texts, their faults."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from accel_intel.vendor import VENDOR

__all__ = ["VENDOR"]


def __getattr__(name: str) -> object:
    """Load the statement when it is asked for: a module that does without it is then loaded alone."""
    if name != "VENDOR":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from accel_intel.vendor import VENDOR

    return VENDOR
