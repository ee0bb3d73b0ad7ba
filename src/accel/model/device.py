"""Devices, and what is unknown about them. These few records are on the hot path of accel.devices()."""

from typing import ClassVar, Final, Literal, overload

from accel.model.dataclass import dataclass

Kind = Literal["gpu", "npu", "tpu", "cpu", "accelerator"]
Health = Literal["ok", "warning", "critical", "unknown"]

UNSUPPORTED: Final = "not supported by this device"  # the reason of gaps for unsupported fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A fact that could not be read, and why.

    fact    the record field, call or source that is missing: "power_watts", "nvmlInit_v2"
    device  the device's id; None if it concerns the whole source
    """

    fact: str
    reason: str
    device: str | None = None
    backend: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process that uses a device. memory_bytes: its memory on that device."""

    pid: int
    name: str | None = None
    user: str | None = None
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """A device's memory at one moment. used excludes reserved if the source reports them separately."""

    total_bytes: int | None = None
    used_bytes: int | None = None
    free_bytes: int | None = None
    reserved_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """One accelerator, or the CPU. None means unknown.

    id              "<backend>:<index>", for people; partitions add a suffix: "nvidia:0/mig1"
    index           the index in the vendor's own tool
    uuid            the vendor's stable identifier
    pci_address     "0000:3b:00.0", lower case
    pci_id          "10de:2330": vendor and device, lower-case hex
    architecture    the vendor's name for it, in lower case: "hopper", "ascend910b", "v5e"
    compute_capability  "9.0" on NVIDIA; elsewhere the name of the compiler target ("gfx90a")
    temperature_celsius  of the main die
    power_limit_watts    the limit in force, not the board's maximum
    processes       None if they could not be listed; () if there are none
    parent          for a partition, the id of the whole device, "nvidia:0"; if the vendor lists partitions instead of
                    the board, the backend and PCI address of the board: "amd:0000:3b:00.0"
    multiprocessors the SMs, compute units or cores that programs can use, if the driver reports them
    unified_memory  whether it uses the system's memory and has none of its own; memory_* then describe the system's
    from_specs      which of these fields come from the spec database because the driver does not report them
    visible         whether a new process would see it with the current mask variables of its runtime
    runtime_names   its names in runtimes with the current masks: ("cuda:0",)
    identifying     class attribute: fields that identify this board, replaced before data leaves the machine
    readings_from   class attribute: (reading, field) pairs, for fields of accel.model.readings.Readings and counts
                    of accel.model.readings.COUNTED that have another name here
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
    multiprocessors: int | None = None
    unified_memory: bool | None = None
    from_specs: tuple[str, ...] = ()

    @property
    def is_partition(self) -> bool:
        """Whether it is part of a larger device, which need not be listed itself."""
        return self.parent is not None

    @property
    def is_top_level(self) -> bool:
        """Whether it has an index of its own in its vendor's list: a whole device, or a partition listed instead of
        one.

        False for what is listed below its whole device, such as MIG slices: "nvidia:0/mig1" below "nvidia:0". AMD's
        partitions are numbered like devices and the board is not listed, so they are at the top level.
        """
        return self.parent is None or not self.id.startswith(f"{self.parent}/")

    @property
    def capability(self) -> tuple[int, ...] | None:
        """The compute capability as numbers: (9, 0) for "9.0", (9, 4, 2) for "gfx942"; None if it has none.

        The last two digits of an AMD target are hexadecimal: "gfx90a" is (9, 0, 10).
        """
        return numbers_of(self.compute_capability)

    @property
    def target(self) -> str | None:
        """The compiler's name for it: "sm_90", "gfx942"; None if unknown."""
        known = self.compute_capability
        return known if known is None or not known[:1].isdecimal() else "sm_" + known.replace(".", "")

    @property
    def ordinals(self) -> dict[str, int]:
        """Its ordinal in each runtime with the current masks: {"cuda": 0}; {} if it is hidden or this is unknown.

        If a runtime counts the chip as several devices, this is the ordinal of the first.
        """
        named = [name.rpartition(":") for name in reversed(self.runtime_names or ())]
        return {runtime: int(number) for runtime, _, number in named if runtime and number.isdecimal()}

    @property
    def ordinal(self) -> int | None:
        """Its ordinal in the first runtime of `runtime_names`; None if it is hidden (see `visible`) or unknown."""
        return next(iter(self.ordinals.values()), None)

    @property
    def key(self) -> str:
        """An identifier that survives a reboot: its UUID, else its serial number, else its place on the PCI bus.

        Never empty: a device without these is identified by backend, model and index. For a partition without a UUID,
        its suffix or index is added. Do not publish it: UUIDs and serial numbers identify the device.
        """
        if self.uuid:
            return self.uuid
        part = self.id.partition("/")[2] or str(self.index) if self.is_partition else ""
        if self.serial:
            whole = f"{self.backend}-{self.serial}"
        elif self.pci_address:
            whole = f"{self.backend}-{self.pci_address}" + (f"-{self.pci_id}" if self.pci_id else "")
        else:
            whole = "-".join([self.backend, *(self.name or self.vendor).lower().split(), str(self.index)])
        return f"{whole}/{part}" if part else whole


def numbers_of(capability: str | None) -> tuple[int, ...] | None:
    """Return a compute capability or AMD target as numbers; None for any other word.

    >>> numbers_of("9.0"), numbers_of("gfx90a"), numbers_of("gfx1100"), numbers_of("ascend910b")
    ((9, 0), (9, 0, 10), (11, 0, 0), None)
    """
    if capability is None:
        return None
    if capability.startswith("gfx"):
        major, minor, stepping = capability[3:-2], capability[-2:-1], capability[-1:]
        if not major.isdecimal() or not all(digit in "0123456789abcdef" and digit for digit in (minor, stepping)):
            return None
        return int(major), int(minor, 16), int(stepping, 16)
    numbers = capability.split(".")
    return tuple(map(int, numbers)) if len(numbers) > 1 and all(map(str.isdecimal, numbers)) else None


@overload
def memory_of(device: Device) -> Memory: ...
@overload
def memory_of(device: None) -> None: ...
@overload
def memory_of(device: Device | None) -> Memory | None: ...
def memory_of(device: Device | None) -> Memory | None:
    """Return the memory in a device's record; None if it has none."""
    if device is None:
        return None
    return Memory(
        total_bytes=device.memory_total_bytes,
        used_bytes=device.memory_used_bytes,
        free_bytes=device.memory_free_bytes,
        reserved_bytes=device.memory_reserved_bytes,
    )
