"""How to get a newer driver on this machine, from specs/nvidia/driver_installs.yaml. Pure."""

from typing import TYPE_CHECKING

from accel.contract.check import Remedy
from accel_nvidia import around

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


def newer_driver(facts: "Facts", specs: "Specs", floor: str | None) -> Remedy:
    """Return the remedy; with a command where the distribution is known. floor: the oldest driver that would do."""
    wanted = f"Driver {floor} or newer is needed. " if floor else "A newer driver is needed. "
    row = next((r for r in specs.table("nvidia/driver_installs")["rows"] if _applies(r["distribution"], facts)), None)
    if row is None:
        return Remedy(text=f"{wanted}Install it from nvidia.com/drivers, then reboot.", action="admin")
    where = "On the host, not in the container: " if around.in_container(facts) else ""
    return Remedy(text=f"{wanted}{where}{row['says']}", command=row["command"], action="admin")


def _applies(distribution: str, facts: "Facts") -> bool:
    if distribution == "WSL":
        return around.on_wsl(facts)
    if distribution == "Windows":
        return facts.host.system == "windows"
    return distribution.lower() in (facts.host.distribution or "").lower()
