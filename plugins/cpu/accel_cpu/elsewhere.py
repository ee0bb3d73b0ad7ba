"""The processor of a machine that is no Linux: sysctl on macOS, variables on Windows, psutil where it is installed.

macOS     sysctl -n machdep.cpu.brand_string hw.memsize hw.packages hw.physicalcpu hw.logicalcpu
Windows   PROCESSOR_IDENTIFIER="Intel64 Family 6 Model 85 Stepping 7, GenuineIntel", NUMBER_OF_PROCESSORS
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

from accel.machine.live import LiveMachine
from accel.model.device import Gap
from accel.specs import load
from accel_cpu.model import CpuDevice
from accel_cpu.processor import maker, tidy

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_SYSCTL: Final = ("machdep.cpu.brand_string", "hw.memsize", "hw.packages", "hw.physicalcpu", "hw.logicalcpu")
_ARCHITECTURES: Final = {"AMD64": "x86_64", "ARM64": "aarch64", "X86": "i686"}


def other_cpu(machine: "Machine") -> tuple[CpuDevice, tuple[Gap, ...]]:
    """Return the processor as far as these say, and the gaps."""
    name = vendor = architecture = None
    threads = cores = sockets = total = used = free = None
    if machine.system == "macos":
        lines = machine.run(["sysctl", "-n", *_SYSCTL], timeout_seconds=2.0).stdout.splitlines()
        if len(lines) == len(_SYSCTL):
            name = tidy(lines[0])
            total, sockets, cores, threads = (_number(line) for line in lines[1:])
            vendor = next((v for v in ("Apple", "Intel") if name and v in name), None)
            architecture = {"Apple": "aarch64", "Intel": "x86_64"}.get(vendor or "")
    elif machine.system == "windows":
        identifier, _, vendor_id = machine.environment.get("PROCESSOR_IDENTIFIER", "").partition(", ")
        name = tidy(identifier)
        vendor = maker(vendor_id, load().table("cpu/makers") or {})
        threads = _number(machine.environment.get("NUMBER_OF_PROCESSORS", ""))
        architecture = _ARCHITECTURES.get(machine.environment.get("PROCESSOR_ARCHITECTURE", ""))
    if isinstance(machine, LiveMachine):
        total, used, free, more = _by_psutil(total)
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
    reason = f"not told by {machine.system} itself; the package psutil would tell most:  pip install psutil"
    missing = [fact for fact in wanted if getattr(device, fact) is None]
    return device, tuple(Gap(fact=fact, reason=reason, device="cpu:0", backend="cpu") for fact in missing)


def _by_psutil(total: int | None) -> tuple[int | None, int | None, int | None, int | None]:
    """Return total, used and free bytes and the physical cores, of the machine that this runs on."""
    try:
        psutil = import_module("psutil")
    except ImportError:
        return total, None, None, None
    memory = psutil.virtual_memory()
    return memory.total, memory.total - memory.available, memory.available, psutil.cpu_count(logical=False)


def _number(text: str) -> int | None:
    return int(text) if text.strip().isdecimal() else None
