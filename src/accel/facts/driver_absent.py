"""The fact that a vendor's boards are there and its kernel driver is not, out of the vendor's statement.

<name>-driver-absent holds where one of these was seen, and not within a container, which takes its nodes from the host:

    live          a board on the PCI bus, and no node of the driver (accel.vendors.toolkit.tool_probe)
    lspci -k, -v  a board that no kernel driver serves (accel.vendors.toolkit.lspci_reader)
    modprobe …    one of its modules is not there, not loaded, or cannot be inserted; lsmod does not list it
    ls, docker …  its control node, its node 0 or a form of all of them is not there
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
    """Return the rule of a vendor."""
    name = vendor.fact_driver_absent
    modules = {module.replace("-", "_") for module in vendor.modules}

    def run(seen: Seen, specs: "Specs") -> Iterator[Fact]:
        for one in seen.of(Missing):
            if one.scope == "container":
                continue
            is_module = one.piece in _MODULES and one.name.lower().replace("-", "_") in modules
            if is_module or (one.piece in ("node", "file") and _tells_of_all(one.name, vendor.nodes)):
                yield fact_from(name, one)

    gives = {
        name: f"no kernel driver serves the boards of {vendor.maker}",
        vendor.fact_driver_loaded: f"the kernel driver serves a board of {vendor.maker}",
    }
    triggers = tuple(f"missing.{piece}" for piece in (*_MODULES, "node", "file"))
    return Rule(name=name, gives=gives, run=run, triggers=triggers)


def _tells_of_all(path: str, nodes: tuple[str, ...]) -> bool:
    """Say whether the lack of a path means that the driver made no node: one of a number above 0 may not exist at all.

    >>> [_tells_of_all(path, ("/dev/xpu<N>",)) for path in ("/dev/xpu0", "/dev/xpu*", "/dev/xpu7", "/dev/*")]
    [True, True, False, False]
    """
    for node in nodes:
        start = node.removesuffix("<N>")
        if path in (start, f"{start}0") or (path == f"{start}*" and start != node):
            return True
    return False
