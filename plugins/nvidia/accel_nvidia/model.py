"""Fields that only NVIDIA's hardware has, in addition to those of any accelerator.

The same record is filled by NVML on a live machine and by the readers of nvidia-smi's output.
None means "unknown" or "this board has no such thing": a Gap distinguishes them if the source does.
"""

from typing import ClassVar

from accel.model.dataclass import dataclass
from accel.model.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class NvLink:
    """One NVLink of one device, from 0.

    active              False: the link is down or not wired; None: not read
    version             of the link itself: 1 to 5
    remote_pci_address  of the device or the switch at the other end
    to_switch           whether the other end is an NVSwitch; None if unknown
    crc_errors, replay_errors, recovery_errors   counts since the driver was loaded
    speed_bytes_per_second   in one direction
    """

    index: int
    active: bool | None = None
    version: int | None = None
    remote_pci_address: str | None = None
    to_switch: bool | None = None
    crc_errors: int | None = None
    replay_errors: int | None = None
    recovery_errors: int | None = None
    speed_bytes_per_second: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VgpuInstance:
    """One virtual GPU running on a board, as seen by its host.

    id                 its number in NVML while it runs
    type_name          its profile: "NVIDIA H100-10C"
    memory_total_bytes its profile's memory; memory_used_bytes: what its guest uses
    vm_id              the virtual machine's id or UUID, from the hypervisor
    vm_driver_version  of the guest's driver; None while none is loaded
    """

    id: int
    uuid: str | None = None
    type_name: str | None = None
    memory_total_bytes: int | None = None
    memory_used_bytes: int | None = None
    vm_id: str | None = None
    vm_driver_version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EccCount:
    """Errors of one kind of memory: since the driver was loaded (volatile), and over the board's life (aggregate).

    memory   "dram" (the device's memory), "sram" (all memory within the chip; Ampere and later), on earlier boards
             "l1", "l2", "registers", "texture", "cbu"
    """

    memory: str
    corrected_volatile: int | None = None
    uncorrected_volatile: int | None = None
    corrected_aggregate: int | None = None
    uncorrected_aggregate: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NvidiaDevice(Device):
    """A GPU, or a MIG partition of one, with the fields from NVML and nvidia-smi.

    ecc_*_volatile      errors since the driver was loaded; ecc_*_aggregate over the board's life
    ecc_counts          the same by kind of memory; () if the board does not count them separately
    sram_threshold_exceeded   the driver reports more errors of the chip's own memory than a board may have
    remapped_rows_*     rows taken out of use for errors; Ampere and later
    retired_pages_*     the same for boards before Ampere
    remap_pending       a reset is needed for the remapping to take effect; likewise retirement_pending
    pcie_*_errors       counts since the driver was loaded; pcie_replay_count likewise
    *_sent_bytes, *_received_bytes   increasing counters that wrap: their growth is the throughput
    energy_joules       drawn since the driver was loaded
    pcie_generation_maximum   of device and slot together; pcie_generation_device_maximum: of the device
    clock_event_reasons why clocks are not higher, () if nothing limits them: "idle", "applications-clocks",
                        "sw-power-cap", "hw-slowdown", "hw-thermal-slowdown", "hw-power-brake", "sync-boost",
                        "sw-thermal-slowdown", "display-clocks"
    power_maximum_watts the highest limit that can be set; power_limit_watts is the limit in force
    operating_celsius   the highest temperature that the platform allows
    below_limit_celsius how far the temperature is below its limit
    power_requested_watts   the limit that was set
    performance_state   "P0" (highest) to "P15"
    compute_mode        "default", "exclusive-process", "exclusive-thread", "prohibited"
    mig_profile         of a partition: "3g.40gb"
    compute_slices      of a partition: how many of the board's compute slices it has, 3 for "3g.40gb"
    compute_share       the same as a share of the board's slices; memory_share: its share of the board's memory
    mig_mode            "enabled" or "disabled"; likewise mig_mode_pending
    fabric_state        "completed", "in-progress", "not-started", "not-supported"
    recovery_action     "none", "gpu-reset", "node-reboot", "drain-p2p", "drain-and-reset"
    fabric_cluster_uuid, fabric_clique_id   GPUs, on any node, with equal values of both are connected by NVLink
    inforom_valid       whether the checksums of the board's InfoROM are correct
    fabric_status       the fabric manager's answer as text: "Success"
    virtualization      "none", "pass-through", "vgpu", "host-vgpu", "host-vsga"
    vgpus               for a vGPU host's board, the virtual GPUs running on it; None if not read, or not such a host
    driver_model        on Windows: "WDDM", "TCC", "MCDM"
    """

    readings_from: ClassVar[tuple[tuple[str, str], ...]] = (
        ("clock_mhz", "clock_sm_mhz"),
        ("memory_busy_percent", "memory_utilization_percent"),
        ("corrected_errors", "ecc_corrected_volatile"),
        ("uncorrected_errors", "ecc_uncorrected_volatile"),
        ("pcie_replays", "pcie_replay_count"),
    )

    ecc_enabled: bool | None = None
    ecc_pending: bool | None = None
    ecc_corrected_volatile: int | None = None
    ecc_uncorrected_volatile: int | None = None
    ecc_corrected_aggregate: int | None = None
    ecc_uncorrected_aggregate: int | None = None
    ecc_counts: tuple[EccCount, ...] | None = None
    sram_threshold_exceeded: bool | None = None
    remapped_rows_corrected: int | None = None
    remapped_rows_uncorrected: int | None = None
    remap_pending: bool | None = None
    remap_failed: bool | None = None
    retired_pages_single_bit: int | None = None
    retired_pages_double_bit: int | None = None
    retirement_pending: bool | None = None

    pcie_generation_current: int | None = None
    pcie_generation_maximum: int | None = None
    pcie_generation_device_maximum: int | None = None
    pcie_width_current: int | None = None
    pcie_width_maximum: int | None = None
    pcie_replay_count: int | None = None
    pcie_corrected_errors: int | None = None
    pcie_nonfatal_errors: int | None = None
    pcie_fatal_errors: int | None = None
    pcie_sent_bytes: int | None = None
    pcie_received_bytes: int | None = None

    clock_sm_mhz: int | None = None
    clock_sm_max_mhz: int | None = None
    clock_memory_mhz: int | None = None
    clock_memory_max_mhz: int | None = None
    clock_event_reasons: tuple[str, ...] | None = None
    performance_state: str | None = None

    energy_joules: float | None = None
    power_default_watts: float | None = None
    power_maximum_watts: float | None = None
    power_requested_watts: float | None = None
    slowdown_celsius: float | None = None
    operating_celsius: float | None = None
    below_limit_celsius: float | None = None
    shutdown_celsius: float | None = None
    memory_temperature_celsius: float | None = None
    memory_slowdown_celsius: float | None = None
    fan_percent: float | None = None
    memory_utilization_percent: float | None = None
    encoder_percent: float | None = None
    decoder_percent: float | None = None

    persistence_mode: bool | None = None
    compute_mode: str | None = None
    display_active: bool | None = None
    driver_model: str | None = None
    virtualization: str | None = None
    addressing_mode: str | None = None
    recovery_action: str | None = None

    mig_mode: str | None = None
    mig_mode_pending: str | None = None
    mig_profile: str | None = None
    compute_slices: int | None = None
    compute_share: float | None = None
    memory_share: float | None = None
    vgpus: tuple[VgpuInstance, ...] | None = None
    gpu_instance_id: int | None = None
    compute_instance_id: int | None = None

    nvlinks: tuple[NvLink, ...] | None = None
    nvlink_sent_bytes: int | None = None
    nvlink_received_bytes: int | None = None
    fabric_cluster_uuid: str | None = None
    fabric_clique_id: int | None = None
    fabric_state: str | None = None
    fabric_status: str | None = None
    fabric_health: str | None = None

    brand: str | None = None
    board_id: str | None = None
    minor_number: int | None = None
    vbios_version: str | None = None
    inforom_version: str | None = None
    inforom_valid: bool | None = None
    gsp_firmware_version: str | None = None
    bar1_total_bytes: int | None = None
    bar1_used_bytes: int | None = None
