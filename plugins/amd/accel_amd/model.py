"""Fields that only AMD's GPUs have, in addition to those of any accelerator.

The same record is filled by sysfs on a live machine and by the readers of amd-smi's, rocm-smi's and KFD's output.
None means "unknown" or "this board has no such thing".
"""

from typing import ClassVar

from accel.model.dataclass import dataclass
from accel.model.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class AmdDevice(Device):
    """One GPU as counted by ROCm: a board, an APU's graphics, or a partition (XCP) of a board.

    compute_capability   the compute target without feature flags: "gfx90a"
    uuid                 "GPU-<16 hex digits>" as in rocminfo and the mask variables; amd-smi's own form if only
                         that is known
    unique_id            the same 64 bits as a number; partitions of one board share it
    node_id, kfd_id      the node's number in KFD's topology, and its gpu_id
    partition_id         of a partition of a board; 0 of a board that is whole
    board                of a partition: the PCI address of its board. ROCm does not list the board
                         in addition to its partitions, so `parent` is "amd:" and this address
    compute_share        of a partition: its share of the board's compute units, from 0 to 1; memory_share likewise
    compute_partition    "SPX", "DPX", "TPX", "QPX", "CPX"; memory_partition "NPS1" to "NPS8"
    temperature_celsius  the edge sensor if the board has one, else the junction (hot spot)
    power_watts          average or current, whichever the board measures; for an APU the whole package
    gtt_*                host memory mapped for the GPU
    ecc_*                counted by RAS since the driver was loaded; deferred: found, not yet used
    ecc_uncorrected_in   the chip's blocks that counted them: ("umc 2", "xgmi_wafl 1"); None if not distinguished
    pages_retired, pages_pending, pages_failed   memory pages that RAS retired, is about to retire, or could not
    throttled            whether the firmware limits the clocks
    power_default_watts  the board's factory limit
    performance_level    how its clocks are chosen: "auto", "low", "high", "manual", "profile_peak" …
    driver_name          the bound kernel driver: "amdgpu", "vfio-pci"; "" if none is
    runtime_suspended    the GPU is suspended, and was not woken to read it
    hive_id              GPUs with the same number are connected by xGMI; 0: not connected
    """

    readings_from: ClassVar[tuple[tuple[str, str], ...]] = (
        ("clock_mhz", "clock_sclk_mhz"),
        ("clock_memory_mhz", "clock_mclk_mhz"),
        ("memory_busy_percent", "memory_utilization_percent"),
        ("corrected_errors", "ecc_corrected"),
        ("uncorrected_errors", "ecc_uncorrected"),
        ("pcie_replays", "pcie_replay_count"),
    )

    identifying: ClassVar[tuple[str, ...]] = (*Device.identifying, "unique_id", "hive_id")

    unique_id: int | None = None
    node_id: int | None = None
    kfd_id: int | None = None
    render_minor: int | None = None
    oam_id: int | None = None
    hive_id: int | None = None
    partition_id: int | None = None
    board: str | None = None
    compute_share: float | None = None
    memory_share: float | None = None
    compute_partition: str | None = None
    memory_partition: str | None = None
    compute_units: int | None = None
    xcc_count: int | None = None

    edge_temperature_celsius: float | None = None
    junction_temperature_celsius: float | None = None
    memory_temperature_celsius: float | None = None
    slowdown_celsius: float | None = None
    shutdown_celsius: float | None = None
    memory_slowdown_celsius: float | None = None
    fan_percent: float | None = None
    fan_rpm: int | None = None
    power_maximum_watts: float | None = None
    power_default_watts: float | None = None
    performance_level: str | None = None
    throttled: bool | None = None

    clock_sclk_mhz: int | None = None
    clock_mclk_mhz: int | None = None
    memory_utilization_percent: float | None = None
    gtt_total_bytes: int | None = None
    gtt_used_bytes: int | None = None

    ecc_corrected: int | None = None
    ecc_uncorrected: int | None = None
    ecc_deferred: int | None = None
    ecc_uncorrected_in: tuple[str, ...] | None = None
    pages_retired: int | None = None
    pages_pending: int | None = None
    pages_failed: int | None = None

    pcie_width_current: int | None = None
    pcie_width_maximum: int | None = None
    pcie_replay_count: int | None = None

    driver_name: str | None = None
    runtime_suspended: bool | None = None
    vbios_version: str | None = None

    @property
    def is_partition(self) -> bool:
        """Return whether it is a partition (XCP); ROCm does not list its board in addition."""
        is_divided = self.compute_partition not in (None, "SPX") or self.memory_partition not in (None, "NPS1")
        return self.parent is not None or bool(self.partition_id) or is_divided
