from collections.abc import Iterator
from itertools import combinations
from typing import Final

from accel.facts.questions import Facts
from accel.facts.wiring import by_address, device_ids, named, ports_between
from accel.model.wiring import PciFunction
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, applies, check
from accel.vendors.contract.command import chained, command_line, pci_word

_GIVEN_AWAY: Final = ("vfio-pci", "pci-stub", "xen-pciback")


@check(
    code="AC104",
    name="acs-on-peer-path",
    layer="hardware",
    severity="warning",
    needs=("wiring.functions",),
    requires=("pcie-acs-breaks-p2p",),
)
def acs_on_peer_path(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """Two devices share a PCIe switch, and a port between them redirects their transfers to the root (ACS).

    Why it matters   Transfers between two accelerators, or an accelerator and its network card, then go through the
                     processor: at half the speed or less, and with an IOMMU they may hang.
    What to do       Disable access control at the named ports, unless devices are passed to virtual machines.
    Looks at         the ACS control of each port between two accelerators, or one and an RDMA card, on one switch
    Silent when      no two of them share a switch; in a virtual machine; a device is passed to a virtual machine, which
                     needs it. Not applicable without permission to read it (root)
    Source           PCI Express base specification: access control services; NCCL user guide: troubleshooting
    """
    applies(facts.host.virtualization in (None, "none"), "a virtual machine: access control is the host's")
    known = by_address(facts.snapshot.wiring)
    ends = [one for one in known.values() if one.role != "port"]
    applies(
        not any(one.driver in _GIVEN_AWAY for one in ends), "a device is passed to a virtual machine, which needs it"
    )
    pairs = [pair for pair in combinations(ends, 2) if "accelerator" in (pair[0].role, pair[1].role)]
    between = {pair: tuple(known[address] for address in ports_between(*pair) if address in known) for pair in pairs}
    between = {pair: ports for pair, ports in between.items() if ports}
    applies(bool(between), "no two accelerators or cards share a PCIe switch")
    ports = tuple(dict.fromkeys(port for found in between.values() for port in found))
    read = [port for port in ports if port.redirects_peers is not None]
    applies(bool(read), "only root can read the access control of PCIe ports:  sudo accel doctor")
    bad = tuple(port for port in read if port.redirects_peers)
    if bad:
        hit = dict.fromkeys(one for pair, found in between.items() if set(found) & set(bad) for one in pair)
        yield _problem(bad, named(facts, hit), device_ids(facts, hit))


def _problem(bad: tuple[PciFunction, ...], names: tuple[str, ...], devices: tuple[str, ...]) -> Problem:
    ports = f"port {bad[0].address}" + (f" and {len(bad) - 1} more" if len(bad) > 1 else "")
    return Problem(
        title=f"PCIe access control (ACS) routes transfers between neighbours through the root complex: {ports}",
        detail=f"It separates {', '.join(names[:8])}{' …' if len(names) > 8 else ''}.",
        devices=devices,
        evidence=tuple(Evidence(fact="ACS", value=f"{port.address}: {' '.join(port.acs or ())}") for port in bad[:4]),
        remedies=(
            Remedy(
                text="Disable it until the next boot.",
                command=chained(
                    *(command_line("sudo setpci -s", pci_word(port.address), "ECAP_ACS+6.w=0000") for port in bad[:16])
                ),
                action="admin",
            ),
            Remedy(
                text="Permanently: disable ACS, or IO virtualisation (VT-d, AMD-Vi), in the firmware; not if "
                "devices are passed to virtual machines.",
                action="admin",
            ),
        ),
    )
