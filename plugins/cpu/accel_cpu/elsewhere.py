"""The CPU of a non-Linux machine: sysctl on macOS, variables on Windows, psutil if installed.

macOS     sysctl -n machdep.cpu.brand_string hw.memsize hw.packages hw.physicalcpu hw.logicalcpu
          vm_stat: free, speculative and inactive pages are available to programs
Windows   PROCESSOR_IDENTIFIER="Intel64 Family 6 Model 85 Stepping 7, GenuineIntel", NUMBER_OF_PROCESSORS
"""

import re
from importlib import import_module
from typing import TYPE_CHECKING, Final

from accel.machine.live import LiveMachine
from accel.model.dataclass import replace
from accel.model.device import Gap
from accel.specs import load
from accel.text.pattern import pattern
from accel_cpu.model import CpuDevice
from accel_cpu.processor import maker, tidy

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.device import Device

_SYSCTL: Final = ("machdep.cpu.brand_string", "hw.memsize", "hw.packages", "hw.physicalcpu", "hw.logicalcpu")
_PAGE: Final = pattern(r"page size of (\d{3,8}) bytes")
_AVAILABLE: Final = pattern(r"^Pages (?:free|speculative|inactive): {1,60}(\d{1,15})\.", re.MULTILINE)
_ARCHITECTURES: Final = {"AMD64": "x86_64", "ARM64": "aarch64", "X86": "i686"}


def other_cpu(machine: "Machine") -> tuple[CpuDevice, tuple[Gap, ...]]:
    """Return the CPU as far as these sources describe it, and the gaps."""
    name = vendor = architecture = None
    threads = cores = sockets = total = used = free = None
    if machine.system == "macos":
        lines = machine.run(["sysctl", "-n", *_SYSCTL], timeout_seconds=2.0).stdout.splitlines()
        if len(lines) == len(_SYSCTL):
            name = tidy(lines[0])
            total, sockets, cores, threads = (_number(line) for line in lines[1:])
            vendor = next((v for v in ("Apple", "Intel") if name and v in name), None)
            architecture = {"Apple": "aarch64", "Intel": "x86_64"}.get(vendor or "")
        free = _available(machine.run(["vm_stat"], timeout_seconds=2.0).stdout)
        used = None if free is None or total is None else max(0, total - free)
    elif machine.system == "windows":
        identifier, _, vendor_id = machine.environment.get("PROCESSOR_IDENTIFIER", "").partition(", ")
        name = tidy(identifier)
        vendor = maker(vendor_id, load().table("cpu/makers") or {})
        threads = _number(machine.environment.get("NUMBER_OF_PROCESSORS", ""))
        architecture = _ARCHITECTURES.get(machine.environment.get("PROCESSOR_ARCHITECTURE", ""))
    if isinstance(machine, LiveMachine):
        total, used, free, more = _by_psutil(total, used, free)
        cores = cores or more
    device = CpuDevice(
        id="cpu:0",
        index=0,
        backend="cpu",
        vendor=vendor or "unknown",
        kind="cpu",
        name=name,
        architecture=architecture,
        memory_total_bytes=total,
        memory_used_bytes=used,
        memory_free_bytes=free,
        sockets=sockets,
        cores_physical=cores,
        threads=threads,
        visible=True,
        runtime_names=("cpu:0", "cpu"),
    )
    wanted = ("name", "cores_physical", "threads", "memory_total_bytes", "memory_used_bytes")
    reason = f"not reported by {machine.system} itself; the package psutil reads most of it:  pip install psutil"
    missing = [fact for fact in wanted if getattr(device, fact) is None]
    return device, tuple(Gap(fact=fact, reason=reason, device="cpu:0", backend="cpu") for fact in missing)


def memory_now(machine: "Machine", device: "Device") -> "Device":
    """Return the CPU device with its currently used and free memory; None if unavailable."""
    free = _available(machine.run(["vm_stat"], timeout_seconds=2.0).stdout) if machine.system == "macos" else None
    total = device.memory_total_bytes
    used = None if free is None or total is None else max(0, total - free)
    if isinstance(machine, LiveMachine):
        total, used, free, _ = _by_psutil(total, used, free)
    return replace(device, memory_used_bytes=used, memory_free_bytes=free)


def _available(told: str) -> int | None:
    r"""Return the bytes that vm_stat reports as available to programs; None for other output.

    >>> _available("Mach … Statistics: (page size of 16384 bytes)\nPages free:  100.\nPages inactive:  50.")
    2457600
    """
    size = _PAGE.search(told)
    pages = [int(number) for number in _AVAILABLE.findall(told)]
    return int(size[1]) * sum(pages) if size is not None and pages else None


def _by_psutil(
    total: int | None, used: int | None, free: int | None
) -> tuple[int | None, int | None, int | None, int | None]:
    """Return total, used and free bytes and the physical cores of the local machine."""
    try:
        psutil = import_module("psutil")
    except ImportError:
        return total, used, free, None
    memory = psutil.virtual_memory()
    return memory.total, memory.total - memory.available, memory.available, psutil.cpu_count(logical=False)


def _number(text: str) -> int | None:
    return int(text) if text.strip().isdecimal() else None
