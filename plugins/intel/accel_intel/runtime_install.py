"""What makes PyTorch's XPU build find an Intel GPU: a kernel, the compute runtime, or another framework. Pure.

Arc B580, kernel 6.8               a newer kernel comes first
UHD Graphics 620                   torch has no code for it: the CPU, or OpenVINO
Fedora, Arch, Ubuntu 22.04, …      that system's runtime packages: specs/intel/runtime_installs.yaml
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from accel.specs.versions import numbers
from accel.text.pattern import pattern
from accel.vendors.contract.check import Remedy

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_RELEASE: Final = pattern(r"\d{1,2}(?:\.\d{1,2}){0,2}", exact_case=True)


def of_runtime(facts: "Facts", specs: "Specs") -> Remedy:
    """Return what to install so that the runtime lists the GPU."""
    table: Mapping[str, Any] = specs.table("intel/runtime_installs") or {}
    chips = [specs.chip(name=device.name, vendor="intel") for device in facts.of("intel") if device.name]
    known = [chip.architecture for chip in chips if chip is not None]
    if known and all(one in table.get("unserved", ()) for one in known):
        return Remedy(
            text="PyTorch's XPU build has no code for this generation of Intel graphics: compute on the CPU, or "
            "with OpenVINO, which supports it.",
            command="pip install openvino",
            action="env",
        )
    row = next((row for row in table.get("kernels", ()) if row["architecture"] in known), None)
    if row is not None and (newer := _kernel(facts, row)) is not None:
        return newer
    found = next((row for row in table.get("installs", ()) if _fits(row, facts)), None)
    if found is None:
        return Remedy(text="Install Intel's compute runtime and the Level Zero loader.", action="admin")
    return Remedy(text=found["text"], command=found.get("command"), action="admin")


def newer_kernel(facts: "Facts", specs: "Specs", device: str | None) -> Remedy | None:
    """Return the step to a kernel that supports an Intel device, "e20b".

    None if no table has it, or this kernel does.
    """
    chip = specs.chip(pci_id=f"8086:{device.lower()}") if device is not None else None
    rows = (specs.table("intel/runtime_installs") or {}).get("kernels", ())
    row = next((row for row in rows if chip is not None and row["architecture"] == chip.architecture), None)
    return _kernel(facts, row) if row is not None else None


def _kernel(facts: "Facts", row: Mapping[str, Any]) -> Remedy | None:
    """Return the step to a kernel that supports the GPU; None if this kernel does, or is unknown."""
    running = facts.host.kernel
    if (
        running is None
        or facts.host.wsl
        or numbers(running.partition("-")[0]) >= numbers(row.get("hwe", row["kernel"]))
    ):
        return None
    text = f"Linux {running} is older than this GPU: boot {row['kernel']} or newer"
    name = (facts.host.distribution or "").lower()
    if "ubuntu 24" in name:
        return Remedy(
            text=f"{text} (Ubuntu's hardware enablement kernel), then install Intel's compute runtime.",
            command="sudo apt-get install -y linux-generic-hwe-24.04 && sudo reboot",
            action="admin",
        )
    return Remedy(text=f"{text}, with its firmware, then install Intel's compute runtime.", action="admin")


def _fits(row: Mapping[str, Any], facts: "Facts") -> bool:
    host = facts.host
    name = (host.distribution or "").lower()
    found = _RELEASE.search(name)
    release = found[0] if found is not None else ""
    if row.get("wsl", False) != bool(host.wsl) and (row.get("wsl") or "distribution" in row or "system" in row):
        return False
    if "system" in row and host.system != row["system"]:
        return False
    words = row.get("distribution")
    if words is not None and not any(word in name for word in words.split("|")):
        return False
    return "release" not in row or release.startswith(tuple(row["release"].split("|")))
