"""What is required of the devices to choose, and why one does not meet it, from its record alone. Pure.

Unknown never counts as free.
"""

from collections.abc import Iterator, Sequence
from math import ceil
from typing import TYPE_CHECKING

from accel.model.dataclass import dataclass, replace
from accel.model.device import Device, Process
from accel.model.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from accel.specs import Specs


FREE_SHARE = 0.5  # of a device's memory, where no amount is asked for
MAX_USE_PERCENT = 50.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What each of `count` devices of one vendor must satisfy. None: no requirement.

    min_free_bytes    the minimum free memory; min_free_share: the same as a share of the total, 0 to 1. Without both:
                      half of it is free, or no process uses the device
    max_use_percent   the maximum utilisation; 100: no requirement
    dtype             a format that its architecture supports: "bf16"
    compute_capability  the minimum: "8.0"
    vendor            a backend or vendor name: "nvidia"; kind: "gpu", "npu", "tpu"
    partition         True: only partitions (MIG instances); False: only whole devices
    unused            no process uses it
    """

    count: int = 1
    min_free_bytes: int | None = None
    min_free_share: float | None = None
    max_use_percent: float = MAX_USE_PERCENT
    dtype: str | None = None
    compute_capability: str | None = None
    vendor: str | None = None
    kind: str | None = None
    partition: bool | None = None
    unused: bool = False


def check_wanted(wanted: Wanted, vendors: "Sequence[str]", specs: "Callable[[], Specs]") -> None:
    """Raise BadInput for invalid requirements; the message lists the known values."""
    if wanted.vendor or wanted.kind or wanted.dtype:
        from accel.resolver.requirement import check_names  # with it all of the resolver

        vendor, dtype = ((one,) if one else () for one in (wanted.vendor, wanted.dtype))
        check_names("pick", specs, vendors, vendors=vendor, kind=wanted.kind, dtypes=dtype)
    if wanted.count < 1:
        raise BadInput(f"pick(count={wanted.count}): request at least one device.")
    if wanted.min_free_bytes is not None and wanted.min_free_bytes < 0:
        raise BadInput(f"pick(min_free_bytes={wanted.min_free_bytes}): pass bytes, 0 or more.")
    if wanted.min_free_share is not None and not 0 <= wanted.min_free_share <= 1:
        raise BadInput(f"pick(min_free_share={wanted.min_free_share}): pass a share from 0 to 1.")
    if not 0 <= wanted.max_use_percent <= 100:
        raise BadInput(f"pick(max_use_percent={wanted.max_use_percent}): pass 0 to 100 percent.")


def asked(wanted: Wanted) -> str:
    """Return the requirements in words: "2 nvidia devices, each with 20.0 GiB free, bf16"."""
    kind = wanted.kind or ("partition" if wanted.partition else "device")
    what = " ".join(
        part for part in (str(wanted.count), wanted.vendor, kind if wanted.count == 1 else f"{kind}s") if part
    )
    capability = wanted.compute_capability and f"compute capability {wanted.compute_capability}"
    each = [part for part in (_free(wanted), _use(wanted), capability, wanted.dtype) if part]
    if wanted.unused:
        each.append("no process on it")
    if not each:
        return what
    return f"{what}, {'each ' if wanted.count > 1 else ''}with {', '.join(each)}"


def gibibytes(value: int) -> str:
    """Return "20.0 GiB"."""
    return f"{value / 2**30:.1f} GiB"


def _free(wanted: Wanted) -> str | None:
    if wanted.min_free_bytes is not None:
        return f"{gibibytes(wanted.min_free_bytes)} free"
    share = FREE_SHARE if wanted.min_free_share is None else wanted.min_free_share
    return f"{share * 100:.0f} % of its memory free" if share else None


def _use(wanted: Wanted) -> str | None:
    return f"at most {wanted.max_use_percent:.0f} % busy" if wanted.max_use_percent < 100 else None


def misses(wanted: Wanted, device: Device, specs: "Callable[[], Specs]", divided: bool) -> Iterator[str]:
    """Yield each reason, for people. divided: the device has partitions, which are also listed."""
    if wanted.vendor and wanted.vendor.lower() not in (device.backend.lower(), device.vendor.lower()):
        yield f"it is from {device.vendor}"
        return
    if wanted.kind and device.kind != wanted.kind.lower():
        yield f"its kind is {device.kind}"
        return
    if divided:
        yield "it is divided into partitions, which are offered instead"
        return
    if wanted.partition is not None and wanted.partition != device.is_partition:
        yield "it is a whole device" if wanted.partition else "it is a partition"
        return
    if device.health == "critical":
        yield "its health is critical:  accel doctor  says why"
    used = (*_memory(wanted, device), *_load(wanted, device))
    yield from used
    if device.processes and (used or wanted.unused):
        yield _held_by(device.processes)
    elif device.processes is None and wanted.unused:
        yield "who uses it is unknown"
    if wanted.compute_capability is not None or wanted.dtype is not None:
        yield from _abilities(wanted, device, specs)


def _abilities(wanted: Wanted, device: Device, specs: "Callable[[], Specs]") -> Iterator[str]:
    from accel.resolver.requirement import capability_misses, dtype_misses  # with it all of the resolver

    if wanted.compute_capability is not None:
        yield from capability_misses(wanted.compute_capability, device.compute_capability)
    if wanted.dtype is not None:
        yield from dtype_misses(wanted.dtype, device, specs())


def less_wanted(wanted: Wanted) -> tuple[Wanted, ...]:
    """Return the requirements without those on memory in use, without those on load, and without both."""
    any_memory = replace(wanted, min_free_bytes=0, min_free_share=None)
    return any_memory, replace(wanted, max_use_percent=100.0), replace(any_memory, max_use_percent=100.0)


def options_for(less: Wanted, wanted: Wanted, devices: Sequence[Device]) -> str:
    """Return the options with which the devices would fit: "--min-free 39.2GiB"."""
    words = []
    if (less.min_free_bytes, less.min_free_share) != (wanted.min_free_bytes, wanted.min_free_share):
        free = min(free_bytes(device) or 0 for device in devices)
        words.append(f"--min-free {free * 10 // 2**30 / 10:g}GiB")  # rounded down: it has to fit
    if less.max_use_percent != wanted.max_use_percent:
        loads = [100.0 if one.utilization_percent is None else one.utilization_percent for one in devices]
        words.append(f"--max-use {ceil(max(loads))}")
    return " ".join(words)


def free_bytes(device: Device) -> int | None:
    """Return the free memory; None if unknown."""
    if device.memory_free_bytes is not None:
        return device.memory_free_bytes
    if device.memory_total_bytes is None or device.memory_used_bytes is None:
        return None
    return max(0, device.memory_total_bytes - device.memory_used_bytes - (device.memory_reserved_bytes or 0))


def _memory(wanted: Wanted, device: Device) -> Iterator[str]:
    free, total = free_bytes(device), device.memory_total_bytes
    if wanted.min_free_bytes is not None:
        if wanted.min_free_bytes > 0 and free is None:
            yield "its free memory is not known"
        elif free is not None and free < wanted.min_free_bytes:
            yield f"{_of(free, total)} free"
        return
    share = FREE_SHARE if wanted.min_free_share is None else wanted.min_free_share
    if share <= 0:
        return
    if free is None or not total:
        if wanted.min_free_share is not None:
            yield "its free memory is not known"
        elif device.processes != ():
            yield (
                "its free memory is not known"
                if device.processes
                else "neither its free memory nor who uses it is known"
            )
    elif free < share * total:
        yield f"{_of(free, total)} free"


def _load(wanted: Wanted, device: Device) -> Iterator[str]:
    if wanted.max_use_percent >= 100:
        return
    if device.utilization_percent is not None:
        if device.utilization_percent > wanted.max_use_percent:
            yield f"{device.utilization_percent:.0f} % busy"
    elif device.processes != ():
        yield "how busy it is, is unknown"


def _of(free: int, total: int | None) -> str:
    return gibibytes(free) if total is None else f"{free / 2**30:.1f} of {gibibytes(total)}"


def _held_by(processes: tuple[Process, ...]) -> str:
    """Return "pid 71 (alice, python3) and 2 more hold it", naming the process with the most memory."""
    first = max(processes, key=lambda process: process.memory_bytes or 0)
    told = ", ".join(part for part in (first.user, first.name) if part)
    named = f"pid {first.pid} ({told})" if told else f"pid {first.pid}"
    return f"{named} and {len(processes) - 1} more use it" if len(processes) > 1 else f"{named} uses it"
