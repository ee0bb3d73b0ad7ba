"""What the records say of a machine in one word, for tables that ask: "@devices-listed". Pure.

@devices-listed    a tool or a program listed accelerators of the maker's; not prose
@driver-known      the version of a driver is known
@cuda-build, @cpu-build   what the installed torch is built for
@torch-seen        torch is installed, or a text shows what it says
@holder-listed     a process is named that holds a device
@on-linux, @on-windows, @on-wsl, @on-mac
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accel.facts.questions import Facts

SITUATIONS = frozenset(
    (
        *("devices-listed", "driver-known", "cuda-build", "cpu-build", "torch-seen", "holder-listed"),
        *("on-linux", "on-windows", "on-wsl", "on-mac"),
    )
)


def situations(facts: "Facts") -> frozenset[str]:
    """Return those that hold, each with its "@"."""
    listed = [r for r in facts.snapshot.reports if r.grade in ("measured", "printed") and r.status in ("ok", "partial")]
    accelerators = [d for report in listed for d in report.devices if d.kind != "cpu"]
    torch = facts.framework("torch")
    built = torch.built_for if torch is not None else None
    system, wsl = facts.host.system, bool(facts.host.wsl)
    holders = facts.snapshot.holdings.holders if facts.snapshot.holdings is not None else ()
    held = any(d.processes for d in accelerators) or bool(holders)
    holds = {
        "devices-listed": bool(accelerators),
        "driver-known": any(report.driver is not None and report.driver.version for report in facts.snapshot.reports),
        "cuda-build": built == "cuda",
        "cpu-build": built == "cpu",
        "torch-seen": torch is not None,
        "holder-listed": held,
        "on-linux": system == "linux" and not wsl,
        "on-windows": system == "windows",
        "on-wsl": wsl,
        "on-mac": system == "macos",
    }
    return frozenset(f"@{name}" for name, so in holds.items() if so)
