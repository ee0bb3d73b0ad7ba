"""How to build a third-party module for the running kernel, depending on who made that kernel. Pure.

build_for_kernel(facts, specs, "amdgpu")
sudo apt install -y dkms "linux-headers-$(uname -r)" && sudo dkms autoinstall && sudo modprobe amdgpu

The kernel's release takes precedence over the distribution's name, which may be that of a container. The commands are
in specs/system/kernel_packages.yaml.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from accel.model.observation import Command
from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import chained, command_line, name_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_TEXT: Final = "Install the headers of the running kernel and build the module for it."
_TELL_KERNEL: Final = ("module-not-built", "module-absent", "module-not-found")
_ANY: Final[Mapping[str, Any]] = {  # and-lists and or-lists of a shell bind alike, from the left
    "headers": 'sudo apt install -y dkms "linux-headers-$(uname -r)" || sudo dnf install -y "kernel-devel-$(uname -r)"',
    "build": "sudo dkms autoinstall",
    "ramdisk": "(sudo update-initramfs -u || sudo dracut --force)",
}


def build_for_kernel(
    facts: "Facts", specs: "Specs", module: str, build: str | None = None, *, stale: bool = False
) -> Remedy:
    """Return the remedy that builds and loads a module. build: the command for this module; None: all of DKMS.

    stale: the running kernel found a module that was built for another one
    """
    row = _row(facts, specs) or _ANY
    row = {**row, **row.get("modules", {}).get(module, {})}
    row = {**row, **row.get("stale", {})} if stale else row
    if "whole" in row:
        return Remedy(text=row["says"], command=row["whole"], action="admin")
    load = command_line("sudo modprobe", name_word(module))
    text = f"{_TEXT} {row['says']}" if "says" in row else _TEXT
    return Remedy(text=text, command=chained(row["headers"], build or row["build"], load), action="admin")


def package_manager(facts: "Facts", specs: "Specs") -> str | None:
    """Return the package manager for the running kernel: "apt", "dnf"; None if unknown."""
    row = _row(facts, specs)
    return row.get("manager") if row is not None else None


def rebuild_ramdisk(facts: "Facts", specs: "Specs") -> str:
    """Return the command that regenerates the initial ramdisk."""
    command: str = (_row(facts, specs) or _ANY).get("ramdisk", _ANY["ramdisk"])
    return command


def own_kernel(facts: "Facts", specs: "Specs") -> Remedy | None:
    """Return how to switch to the distribution's own kernel; None unless a third-party kernel is known to run."""
    row = _row(facts, specs)
    if row is None or "own" not in row:
        return None
    told = (facts.host.distribution or "").lower()
    own: str = next((one for name, one in row.get("own_of", {}).items() if name in told), row["own"])
    return Remedy(
        text=f"The kernel that runs ({facts.host.kernel}) is not the distribution's, and its driver packages are made "
        "for the distribution's: install that kernel, and choose it in the boot menu (Advanced options).",
        command=chained(own, "sudo reboot"),
        action="reboot",
    )


def _row(facts: "Facts", specs: "Specs") -> Mapping[str, Any] | None:
    table: Mapping[str, Any] = specs.table("system/kernel_packages") or {}
    rows = table.get("rows", ())
    kernel, distribution = (facts.host.kernel or _named_kernel(facts)).lower(), (facts.host.distribution or "").lower()
    by_kernel = (row for row in rows if kernel and any(part in kernel for part in row.get("kernels", ())))
    by_name = (row for row in rows if any(name in distribution for name in row.get("names", ())))
    tools = {one.tool for one in facts.snapshot.observations if isinstance(one, Command) and not one.advice}
    by_tool = (row for row in rows if not tools.isdisjoint(row.get("tools", ())))
    return next(by_kernel, None) or next(by_name, None) or next(by_tool, None)


def _named_kernel(facts: "Facts") -> str:
    """Return the release of the kernel for which a module is missing; "" if no message says."""
    return next((named for fact in facts.stated(*_TELL_KERNEL) if (named := fact.value("kernel"))), "")
