"""The record of the CPU."""

from accel.model.dataclass import dataclass
from accel.model.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuDevice(Device):
    """All CPUs of a machine together: there is one such device.

    memory_total_bytes  the smaller of the machine's memory and the cgroup's limit; used and free are relative to it
    threads             online logical CPUs
    vector_units        ("avx2", "avx512f", "amx-int8"), ("neon", "sve"); () if it has none of the known ones
    cgroup_cpu_limit    how many CPUs' time the control group may use: 2.5; None if it sets no limit
    memory_limit_bytes  the control group's limit; None if it sets none
    """

    sockets: int | None = None
    cores_physical: int | None = None
    threads: int | None = None
    numa_nodes: int | None = None
    vector_units: tuple[str, ...] | None = None
    cgroup_cpu_limit: float | None = None
    memory_limit_bytes: int | None = None
