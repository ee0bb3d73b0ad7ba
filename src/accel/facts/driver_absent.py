"""The fact that a vendor's boards are present but its kernel driver is not, derived from the vendor's declaration.

<name>-driver-absent holds if one of these was seen outside a container, which gets its nodes from the host:

    live          a board on the PCI bus, and no node of the driver (accel.vendors.toolkit.tool_probe)
    lspci -k, -v  a board without a kernel driver (accel.vendors.toolkit.lspci_reader)
    modprobe …    one of its modules does not exist, is not loaded, or cannot be inserted; lsmod does not list it
    ls, docker …  its control node, its node 0, or a pattern for all of them does not exist
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from accel.model.observation import Fact, Missing
from accel.vendors.contract.rule import Rule, Seen, fact_from
from accel.vendors.contract.vendor import Vendor

if TYPE_CHECKING:
    from accel.specs import Specs

_MODULES: Final = ("kernel-module", "loaded-module")


def driver_absent(vendor: Vendor[Any]) -> Rule:
    """Return a vendor's rule."""
    name = vendor.fact_driver_absent
    modules = {module.replace("-", "_") for module in vendor.modules}

    def run(seen: Seen, specs: "Specs") -> Iterator[Fact]:
        for one in seen.of(Missing):
            if one.scope == "container":
                continue
            is_module = one.piece in _MODULES and _is_of(one.name.lower().replace("-", "_"), modules)
            if is_module or (one.piece in ("node", "file") and _tells_of_all(one.name, vendor.nodes)):
                yield fact_from(name, one)

    gives = {
        name: f"no kernel driver is bound to {vendor.maker}'s boards",
        vendor.fact_driver_loaded: f"the kernel driver is bound to a board from {vendor.maker}",
    }
    triggers = tuple(f"missing.{piece}" for piece in (*_MODULES, "node", "file"))
    return Rule(name=name, gives=gives, run=run, triggers=triggers)


def _is_of(name: str, modules: set[str]) -> bool:
    """Return whether a word that was searched for is a module, or the start of several: "drv_"."""
    return name in modules or (name.endswith("_") and any(one.startswith(name) for one in modules))


def _tells_of_all(path: str, nodes: tuple[str, ...]) -> bool:
    """Return whether a missing path means that the driver created no node: one with a number above 0 may never exist.

    >>> [_tells_of_all(path, ("/dev/xpu<N>",)) for path in ("/dev/xpu0", "/dev/xpu*", "/dev/xpu7", "/dev/*")]
    [True, True, False, False]
    """
    for node in nodes:
        start = node.removesuffix("<N>")
        if path in (start, f"{start}0") or (path == f"{start}*" and start != node):
            return True
    return False
