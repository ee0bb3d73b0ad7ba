"""The readers of texts that describe the processor."""

from accel.contract.backend import Reader
from accel_cpu.readers import collect_env_cpu, lscpu


def cpu_readers() -> tuple[Reader, ...]:
    """Return them."""
    return (lscpu.READER, collect_env_cpu.READER)
