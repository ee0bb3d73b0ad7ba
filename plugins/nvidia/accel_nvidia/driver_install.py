"""How to get a driver on this machine, from specs/nvidia/driver_installs.yaml. Pure."""

from typing import TYPE_CHECKING

from accel.facts.containers import in_container
from accel.vendors.contract.check import Remedy
from accel_nvidia import around
from accel_nvidia.architecture_fit import capabilities, capability_of

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


def newer_driver(facts: "Facts", specs: "Specs", floor: str | None) -> Remedy:
    """Return the remedy; with a command where the distribution is known. floor: the oldest driver that would do."""
    return _driver(facts, specs, f"Driver {floor} or newer is needed. " if floor else "A newer driver is needed. ")


def first_driver(facts: "Facts", specs: "Specs") -> Remedy:
    """Return the remedy where there is none yet; with a command where the distribution is known."""
    return _driver(facts, specs, "")


def _driver(facts: "Facts", specs: "Specs", wanted: str) -> Remedy:
    if around.on_jetson(facts):
        return Remedy(
            text=f"{wanted}A Jetson's comes with JetPack: bring JetPack up to the release that has that CUDA, or build "
            "the program on the board, with the CUDA that its JetPack brings.",
            command="dpkg -l nvidia-l4t-core nvidia-jetpack; ls -d /usr/local/cuda*",
            action="admin",
        )
    row = next((r for r in specs.table("nvidia/driver_installs")["rows"] if _applies(r["distribution"], facts)), None)
    if row is None:
        return Remedy(
            text=f"{wanted}Install {'it' if wanted else 'the NVIDIA driver'} from nvidia.com/drivers, then reboot.",
            action="admin",
        )
    where = "On the host, not in the container: " if in_container(facts) else ""
    command, says = row["command"], row["says"]
    if "akmod" in row and any("akmod" in one.text or "rpmfusion" in one.text for one in facts.snapshot.observations):
        command, says = row["akmod"], "Install RPM Fusion's driver, and build its module for this kernel, then reboot."
    elif "before_turing" in row and _before_turing(facts, specs):
        command = row["before_turing"]
        says += (
            " This GPU needs the proprietary kernel modules, up to branch 580; the open ones are for Turing and newer."
        )
    return Remedy(text=f"{wanted}{where}{says}", command=command, action="admin")


def _before_turing(facts: "Facts", specs: "Specs") -> bool:
    """Whether a GPU here is too old for the open kernel modules; a GPU that is not known counts as newer."""
    numbers = (capability_of(capability) for capability in capabilities(facts, specs) or ())
    return any(number is not None and number < (7, 5) for number in numbers)


def _applies(distribution: str, facts: "Facts") -> bool:
    if distribution == "WSL":
        return around.on_wsl(facts)
    if distribution == "Windows":
        return facts.host.system == "windows"
    return distribution.lower() in (facts.host.distribution or "").lower()
