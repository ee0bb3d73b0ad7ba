"""What to do if the GPU operator's driver container cannot build the driver on a node. Pure.

The container installs the headers of the node's kernel from the repositories of its own distribution. Three kinds of
kernels are not there:

3.10.0-862.el7.x86_64           the distribution's, but superseded: its repositories keep the newest
5.4.124-1.el7.elrepo.x86_64     a third party's: they never had it
5.9.12-200.fc33.x86_64          of a distribution for which there is no driver container
"""

from typing import Final

from accel.model.dataclass import replace
from accel.text.pattern import pattern
from accel.vendors.contract.check import Facts, Remedy, Specs
from accel.vendors.contract.command import boot_option_word, command_line
from accel.vendors.toolkit.kernel_packages import own_kernel, package_manager
from accel.vendors.toolkit.table_steps import fix

_SUPERSEDED: Final = pattern(r"\.el(?P<release>\d{1,2})(?:_\d{1,2})?(?:\.\d{1,3}){0,3}\.(?:x86_64|aarch64|ppc64le)$")
_FOREIGN: Final = pattern(r"\.elrepo|\.fc\d{2}|-(?:arch|zen|pve|MANJARO|cachyos)\b|\.amzn\d")
OF_HOST: Final = "driver-of-host-named"
_FIRST_DNF: Final = 8
_BY_YUM: Final = "sudo yum update -y kernel && sudo reboot"
_BY_DNF: Final = "sudo dnf update -y kernel && sudo reboot"
_UPGRADE: Final = "helm upgrade gpu-operator nvidia/gpu-operator -n gpu-operator --reuse-values"
_BY_NODE: Final = f"{_UPGRADE} --set driver.enabled=false"


def of_driver_pod(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    """Return the steps for this node's kernel; all of them if the text does not name it."""
    kernel = facts.host.kernel or ""
    on_openshift = facts.mentions("openshift") or facts.mentions("rhcos")
    if _FOREIGN.search(kernel) or own_kernel(facts, specs) is not None:
        return (
            _on_node(f"No driver container has packages for the kernel {kernel}: "),
            fix(specs, "nvidia", "driver-image"),
        )
    found = _SUPERSEDED.search(kernel)
    if found is not None and package_manager(facts, specs) == "dnf" and not on_openshift:
        command = _BY_YUM if int(found["release"]) < _FIRST_DNF else _BY_DNF
        update = Remedy(
            text=f"The repositories that the driver container uses no longer have the headers of {kernel}: update "
            "the node's kernel to the one that they have, and reboot the node; the driver pod then builds for it.",
            command=command,
            action="reboot",
        )
        return (update, _on_node("Or keep this kernel, "))
    return (fix(specs, "nvidia", "driver-image"), _on_node("Or "))


def newer_in_pod(version: str | None, facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    """Return the steps if the pod's driver is older than the node's kernel: the node's own, or its branch's newest."""
    branches = (specs.table("nvidia/drivers") or {}).get("branches", ())
    own = (version or "").split(".")[0]
    newest = next((row["latest"] for row in branches if str(row["branch"]) == own and row["latest"] != version), None)
    name = f"The driver {version}" if version else "The driver"
    newer = Remedy(
        text=f"{name} that the operator's pod builds is older than the node's kernel. Give the operator "
        f"{'the newest release of its branch' if newest else 'a newer release'} (driver.version, as its release notes "
        "list them), and let its pods restart.",
        command=command_line(_UPGRADE, "--set", boot_option_word("driver.version", newest or "VERSION")),
        action="admin",
    )
    if facts.stated(OF_HOST):
        own = "The node has a driver of its own: let the operator use it instead of an older one."
        return replace(_on_node(""), text=own), replace(newer, text=f"Or remove the node's own driver. {newer.text}")
    return (newer, _on_node("Or "))


def _on_node(why: str) -> Remedy:
    return Remedy(
        text=f"{why}install the driver on the node itself, from packages of its own distribution or with NVIDIA's "
        "installer, and configure the operator to use it.",
        command=_BY_NODE,
        action="admin",
    )
