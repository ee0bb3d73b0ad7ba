"""Where a program ran, according to the facts: container, WSL, GPUs present; and whether it sees a GPU. Pure.

AROUND and NO_GPU list the facts that these functions use: a check that calls them declares them as its `reads`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from accel.facts.containers import CONTAINER, KUBERNETES, in_container
from accel.model.device import Device
from accel.vendors.contract.check import Fact, Facts
from accel.vendors.contract.command import Word, option_word

if TYPE_CHECKING:
    from accel_nvidia.model import NvidiaDevice

AMD: Final = ("amd-gpu-named", "amd-machine", "gfx-named", "no-hip-gpus")
UNLIKE: Final = (
    *("driver-parts-unlike", "forward-compat-refused", "reboot-tried", "system-upgraded-said", "not-restarted-said"),
    *CONTAINER,
)
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


def parts_unlike(facts: Facts) -> tuple[Fact, ...]:
    """Return what shows that the driver's libraries and its loaded module differ: a message with both versions, or
    error 804 after an upgrade without a restart, when the new libcuda asks the old module.
    """
    compat = () if facts.stated("reboot-tried") or in_container(facts) else facts.stated("forward-compat-refused")
    told = (facts.stated("system-upgraded-said"), facts.stated("not-restarted-said"))
    return facts.stated("driver-parts-unlike") or ((*compat, told[0][0], told[1][0]) if compat and all(told) else ())


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


def must_know(facts: Facts, *fields: str) -> None:
    """End a check without a result if none of these fields is known of a GPU, or one could not be read."""
    from accel.facts.row_subjects import must_know  # few checks come to this end

    if gpus(facts):
        must_know(facts, "nvidia", fields, "GPU")


def gpu_option(devices: Sequence[Device]) -> Word | None:
    """Return the nvidia-smi option that selects some GPUs: "--id=0,2"."""
    return option_word("--id", ",".join(str(device.index) for device in devices))
