"""What makes PyTorch's XPU build find an Intel GPU: a kernel, the compute runtime, or another framework. Pure.

Arc B580, kernel 6.8               a newer kernel comes first
UHD Graphics 620                   torch has no code for it: the CPU, or OpenVINO
Fedora, Arch, Ubuntu 22.04, …      that system's runtime packages: specs/intel/runtime_installs.yaml
"""

from collections.abc import Mapping
from typing import Any, Final

from accel.model.dataclass import replace
from accel.model.observation import Product
from accel.resolver.system_tools import newer_kernel
from accel.text.pattern import pattern
from accel.vendors.contract.check import Facts, Remedy, Specs
from accel.vendors.contract.command import chained

_THEN: Final = ", and install Intel's compute runtime"
_RELEASE: Final = pattern(r"\d{1,2}(?:\.\d{1,2}){0,2}", exact_case=True)


def of_runtime(facts: Facts, specs: Specs) -> Remedy:
    """Return what to install so that the runtime lists the GPU."""
    table: Mapping[str, Any] = specs.table("intel/runtime_installs") or {}
    said = (one for one in facts.snapshot.observations if isinstance(one, Product) and one.vendor == "intel")
    names = [d.name for d in facts.of("intel") if d.name] or [one.name for one in said if one.name]
    known = [chip.architecture for name in names for chip in specs.find(name, vendor="intel")]
    if known and all(one in table.get("unserved", ()) for one in known):
        return Remedy(
            text="PyTorch's XPU build has no code for this generation of Intel graphics: compute on the CPU, or "
            "with OpenVINO, which supports it.",
            command="pip install openvino",
            action="env",
        )
    found = next((row for row in table.get("installs", ()) if _fits(row, facts)), None)
    if (newer := newer_kernel(facts, specs, known, _THEN)) is not None:
        before = found.get("command") if found is not None else None
        told = f"{newer.text} {found['text']}" if found is not None and before is None else newer.text
        return replace(
            newer, text=told, command=chained(before, newer.command) if newer.command and before else newer.command
        )
    if found is None:
        return Remedy(text="Install Intel's compute runtime and the Level Zero loader.", action="admin")
    return Remedy(text=found["text"], command=found.get("command"), action="admin")


def _fits(row: Mapping[str, Any], facts: Facts) -> bool:
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
