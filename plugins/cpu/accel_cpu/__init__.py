"""The processor as a device: /proc and /sys, cgroup limits, and what lscpu and collect_env print of it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from accel_cpu.vendor import VENDOR

__all__ = ["VENDOR"]


def __getattr__(name: str) -> object:
    """Load the statement when it is asked for: a module that does without it is then loaded alone."""
    if name != "VENDOR":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from accel_cpu.vendor import VENDOR

    return VENDOR
