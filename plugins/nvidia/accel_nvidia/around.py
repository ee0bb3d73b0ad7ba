"""Where a program ran, according to the facts: container, WSL, GPUs present; and whether it sees a GPU. Pure.

AROUND and NO_GPU list the facts that these functions use: a check that calls them declares them as its `reads`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from accel.facts.containers import CONTAINER, KUBERNETES
from accel.model.device import Device
from accel.vendors.contract.check import Fact, Facts, applies, need
from accel.vendors.contract.command import Word, option_word

if TYPE_CHECKING:
    from accel_nvidia.model import NvidiaDevice

AMD: Final = ("amd-gpu-named", "amd-machine", "gfx-named", "no-hip-gpus")
AROUND: Final = (*CONTAINER, "wsl-named", "nvidia-gpu-named", KUBERNETES, *AMD)
BRAND: Final = "nvidia-brand-named"
NO_GPU: Final = ("torch-found-no-driver", "no-cuda-gpus", "cuda-no-device", "no-gpu-seen")
DRIVER_NAMED: Final = ("driver-package", "driver-version-named")
APPLIANCE: Final = "appliance-named"
OF_AZURE: Final = "azure-vgpu-machine"
IN_JOB: Final = ("batch-job", "slurm-job-with-gpu")
BY_DEFAULT: Final = "start-without-option-wanted"
GUEST: Final = "virtual-machine-named"
CDI_MADE: Final = "cdi-description-made"
TWO_SOURCES: Final = ("driver-from-runfile", "driver-from-packages")
NO_LIBRARY: Final = ("torch-found-no-driver", "libcuda-missing", "smi-not-found", "nvml-library-absent")
_JETSONS: Final = ("Jetson", "Orin", "Xavier", "Tegra")
_TRUST_OF_PROSE: Final = 20
_ALL_UNREAD: Final = ("handle", "readings")  # a gap of these covers every field


def on_windows(facts: Facts) -> bool:
    """Return whether the driver is the Windows driver: on Windows itself, or under WSL."""
    return facts.host.system == "windows" or facts.on_wsl


def amd_seen(facts: Facts) -> bool:
    """Return whether an AMD GPU is listed or named."""
    return bool(facts.of("amd") or facts.stated(*AMD))


def on_jetson(facts: Facts) -> bool:
    """Return whether a GPU here is a Jetson's, whose driver comes with the board's operating system."""
    listed = any(board in (device.name or "") for device in facts.of("nvidia") for board in _JETSONS)
    named = not facts.of("nvidia") and any(
        "jetson" in f.text.lower() or "jetpack" in f.text.lower() for f in facts.stated("shared-memory-machine")
    )
    return listed or named


def driver_version(facts: Facts) -> str | None:
    """Return the version of the loaded driver, as printed by a tool."""
    driver = facts.driver("nvidia")
    return driver.version if driver is not None else None


def installed_driver(facts: Facts) -> str | None:
    """Return the version of the driver's packages, or the one named in prose; None if there are several."""
    named = {fact.value("driver") for fact in facts.stated(*DRIVER_NAMED)} - {None}
    return named.pop() if len(named) == 1 else None


def listed(facts: Facts) -> tuple[Device, ...]:
    """Return the GPUs listed by a tool or a program, without those only named in prose."""
    ids = {d.id for report in facts.reports("nvidia") if report.trust > _TRUST_OF_PROSE for d in report.devices}
    return tuple(device for device in facts.of("nvidia") if device.id in ids)


def no_gpu(facts: Facts) -> tuple[Fact, ...]:
    """Return the facts that say that a program sees no GPU."""
    return facts.stated(*NO_GPU)


def sees_no_gpu(facts: Facts) -> bool:
    """Return whether a program, or a framework's record, says that it sees no GPU."""
    return bool(no_gpu(facts)) or any(f.available is False for f in facts.environment.frameworks)


def inside(found: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Return the facts that do not come from the host's own shell."""
    return tuple(fact for fact in found if fact.scope != "host")


def closed_nodes(facts: Facts) -> tuple[Fact, ...]:
    """Return the NVIDIA device nodes in a listing that are closed to everyone but their owner and group."""
    return tuple(fact for fact in facts.stated("device-node-listed") if _is_closed(fact))


def _is_closed(node: Fact) -> bool:
    mode = node.value("mode") or ""
    return "/nvidia" in (node.value("path") or "") and len(mode) >= 10 and mode[7:9] != "rw"


def gpus(facts: Facts) -> "tuple[NvidiaDevice, ...]":
    """Return the whole GPUs for which NVIDIA-specific facts were read."""
    seen = facts.of("nvidia")
    if not seen:
        return ()
    from accel_nvidia.model import NvidiaDevice  # defining the large record class takes milliseconds

    return facts.cached("whole NVIDIA GPUs", lambda: tuple(one for one in seen if isinstance(one, NvidiaDevice)))


def at_address(facts: Facts, pci: str | None) -> tuple[str, ...]:
    """Return the IDs of the GPUs at a PCI address, which may lack its domain or its function."""
    if pci is None:
        return ()
    wanted = _bus(pci)
    return tuple(d.id for d in facts.of("nvidia") if d.pci_address is not None and _bus(d.pci_address) == wanted)


def _bus(pci: str) -> str:
    """Return bus and device of a PCI address: "3b:00"."""
    return ":".join(pci.lower().split(".")[0].split(":")[-2:])


def must_know(facts: Facts, *fields: str) -> None:
    """End a check without a result, unless one of these fields is known for a GPU and all present ones could be read.

    It ends undecided if a GPU has such a field that could not be read, and not applicable if no GPU has one.
    """
    for device in gpus(facts):
        lost = _unread(facts, device.id)
        for field in fields if lost else ():
            if lost & {field, *_ALL_UNREAD} and getattr(device, field) is None and device.is_top_level:
                need(None, f"{field} of {device.id}")
    known = any(getattr(device, field) is not None for device in gpus(facts) for field in fields)
    applies(known or not gpus(facts), f"{fields[0]} is not known of any GPU, or no GPU here has it")


def gpu_option(devices: Sequence[Device]) -> Word | None:
    """Return the nvidia-smi option that selects some GPUs: "--id=0,2"."""
    return option_word("--id", ",".join(str(device.index) for device in devices))


def _unread(facts: Facts, device: str) -> set[str]:
    """Return a GPU's fields that could not be read, without those it does not support."""
    from accel_nvidia.nvml_errors import UNSUPPORTED

    gaps = (gap for gap in facts.gaps if gap.device == device and gap.reason != UNSUPPORTED)
    return {field for gap in gaps for field in gap.fact.split(", ")}
