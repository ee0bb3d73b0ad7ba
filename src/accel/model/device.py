"""Devices, and what could not be learnt of them. These few records are on the hot path of accel.devices()."""

from typing import ClassVar, Literal

from accel.model.dataclass import dataclass

Kind = Literal["gpu", "npu", "tpu", "cpu", "accelerator"]
Health = Literal["ok", "warning", "critical", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A fact that could not be learnt, and why.

    fact    the record field, call or source that is missing: "power_watts", "nvmlInit_v2"
    device  the device's id; None if it is about the whole source
    """

    fact: str
    reason: str
    device: str | None = None
    backend: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process that holds a device. memory_bytes is what it holds on that device."""

    pid: int
    name: str | None = None
    user: str | None = None
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """A device's memory at one moment. used excludes reserved where the source tells them apart."""

    total_bytes: int | None = None
    used_bytes: int | None = None
    free_bytes: int | None = None
    reserved_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """One accelerator (or the CPU), as far as it is known.

    id              "<backend>:<index>", for people; partitions add a part: "nvidia:0/mig1"
    index           the number that the vendor's own tool gives it
    uuid            the vendor's stable name; pci_address is "0000:3b:00.0", lower case
    pci_id          "10de:2330", vendor:device in lower-case hex
    architecture    the vendor's name in lower case: "hopper", "ascend910b", "v5e"
    compute_capability  "9.0" for NVIDIA; the target name elsewhere ("gfx90a")
    temperature_celsius  of the main die
    power_limit_watts    the limit in force, not the board's maximum
    processes       None if they could not be listed; () if there are none
    parent          the id of the whole device of which this is a partition
    visible         whether a new process would be shown it by the runtime's mask variables
    runtime_names   what runtimes call it with the masks applied: ("cuda:0",)
    identifying     of the class: the fields that tell this board from all others, replaced where it leaves the machine
    readings_from   of the class: (reading, field), where a field of accel.model.readings.Readings has another name here
    """

    identifying: ClassVar[tuple[str, ...]] = ("uuid", "serial")
    readings_from: ClassVar[tuple[tuple[str, str], ...]] = ()

    id: str
    index: int
    backend: str
    vendor: str
    kind: Kind
    name: str | None = None
    uuid: str | None = None
    serial: str | None = None
    pci_address: str | None = None
    pci_id: str | None = None
    numa_node: int | None = None
    architecture: str | None = None
    compute_capability: str | None = None
    driver_version: str | None = None
    memory_total_bytes: int | None = None
    memory_used_bytes: int | None = None
    memory_free_bytes: int | None = None
    memory_reserved_bytes: int | None = None
    utilization_percent: float | None = None
    temperature_celsius: float | None = None
    power_watts: float | None = None
    power_limit_watts: float | None = None
    health: Health = "unknown"
    processes: tuple[Process, ...] | None = None
    parent: str | None = None
    visible: bool | None = None
    runtime_names: tuple[str, ...] | None = None

    @property
    def is_partition(self) -> bool:
        """Whether it is a part of a larger device, which need not be listed itself."""
        return self.parent is not None


def memory_of(device: Device | None) -> Memory | None:
    """Return what a device's record says of its memory; None of none."""
    if device is None:
        return None
    return Memory(
        total_bytes=device.memory_total_bytes,
        used_bytes=device.memory_used_bytes,
        free_bytes=device.memory_free_bytes,
        reserved_bytes=device.memory_reserved_bytes,
    )
