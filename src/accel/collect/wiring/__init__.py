"""The wiring of a live Linux machine: the PCI bus up to the root, network ports, NUMA nodes, modules for peer
transfers.

Passive and unprivileged; what only root may read is a gap that says so. It is read in a child process like a backend's
probe, with one call per card: a file whose read hangs loses only that card.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from accel.collect.wiring import network, pci
from accel.machine.files import file_text, names_in
from accel.model.dataclass import dataclass, replace
from accel.model.device import Gap
from accel.model.report import Report
from accel.model.wiring import NetworkPort, NumaNode, PciFunction, Role, Wiring

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.vendors.contract.backend import Request

_NAME: Final = "accel wiring"  # which no backend can have
_SECONDS: Final = 5.0  # for all of it, where cards hang
_NODES: Final = "/sys/devices/system/node"
_UNITS: Final = "/sys/class/iommu"
_PCI: Final = "PCI function"
_PORT: Final = "network port"
_MOST_NODES: Final = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class WiringReport(Report):
    """What the child sends. wiring None: nothing could be read."""

    wiring: Wiring | None = None


class WiringSource:
    """Is probed like a backend, but has no devices.

    boards   prefixes of "vendor:device" of accelerators that their PCI class does not identify
    modules  the kernel modules to look for
    brief    only what says how things are connected: no counters and addresses of network ports, which would query
             their firmware; no ids of the PCI ports in between
    """

    name = _NAME
    seconds = _SECONDS

    def __init__(self, boards: Sequence[str] = (), modules: Sequence[str] = (), *, brief: bool = False) -> None:
        self._boards, self._modules, self._brief = tuple(boards), tuple(modules), brief

    def detect(self, machine: "Machine") -> bool:
        """Return whether there is any bus or card."""
        return machine.system == "linux" and (machine.exists(pci.BUS) or machine.exists(network.CARDS))

    def probe(self, machine: "Machine", request: "Request") -> Sequence[Report]:
        """Return the only report."""
        wiring = read(machine, request, self._boards, self._modules, brief=self._brief)
        return (WiringReport(backend=_NAME, source="sysfs", grade="measured", wiring=wiring),)

    def taken_from(self, reports: "Sequence[Report]") -> "tuple[Wiring | None, tuple[Report, ...]]":
        """Return the wiring in the reports, with the gaps from its probe, and the other reports."""
        own = [report for report in reports if report.backend == _NAME]
        lost = tuple(replace(gap, backend=None, source="sysfs") for report in own for gap in report.gaps)
        found = next((one for report in own if (one := getattr(report, "wiring", None)) is not None), None)
        wiring = replace(found or Wiring(), gaps=(*(found.gaps if found else ()), *lost)) if own else None
        return wiring, tuple(report for report in reports if report.backend != _NAME)


def boards_of(signs: Sequence[str]) -> tuple[str, ...]:
    """Return the "vendor:device" prefixes among the plugins' signs.

    >>> boards_of(["pci:10de", "pci:1d0f:706", "/dev/neuron<N>"])
    ('1d0f:706',)
    """
    return tuple(sign[4:] for sign in signs if sign.startswith("pci:") and ":" in sign[4:])


def read(
    machine: "Machine",
    request: "Request",
    boards: Sequence[str] = (),
    modules: Sequence[str] = (),
    *,
    brief: bool = False,
) -> Wiring:
    """Return the wiring; calls that hung before are skipped, with a gap for each card. brief: as in WiringSource."""
    gaps: list[Gap] = []
    request.progress.calling("network cards")
    cards = network.cards(machine) if machine.exists(network.CARDS) else {}
    ports = [port for card, address in cards.items() for port in _ports(machine, request, card, address, gaps, brief)]
    request.progress.calling("PCI bus")
    functions = None
    if machine.exists(pci.BUS):
        wanted: dict[str, Role] = dict.fromkeys(pci.accelerators(machine, boards), "accelerator")
        wanted |= dict.fromkeys(filter(None, cards.values()), "network")
        functions = tuple(_functions(machine, request, wanted, gaps, brief))
    request.progress.calling("NUMA nodes")
    if any(one.role == "port" and one.acs is None and not one.asleep for one in functions or ()):
        reason = "only root reads the access control (ACS) of PCIe ports:  sudo accel doctor"
        gaps.append(Gap(fact="acs", reason=reason, source="sysfs"))
    return Wiring(
        functions=functions,
        ports=tuple(ports),
        numa_nodes=tuple(_numa_nodes(machine)),
        modules=tuple(name for name in modules if machine.exists(f"/sys/module/{name}")),
        iommu=bool(names_in(machine, _UNITS)) if machine.exists("/sys/class") else None,
        gaps=tuple(gaps),
    )


def _functions(
    machine: "Machine", request: "Request", wanted: dict[str, Role], gaps: list[Gap], brief: bool
) -> Iterator[PciFunction]:
    """Yield the functions, each after the new ports above it."""
    seen: set[str] = set()
    for address, role in wanted.items():
        _, above = pci.path_of(machine, address)
        for one, its in (*((port, "port") for port in above or ()), (address, role)):
            if one in seen:
                continue
            seen.add(one)
            if _left_out(request, _PCI, one, gaps):
                continue
            request.progress.calling(_PCI, one)
            yield pci.function(machine, one, its, brief=brief)


def _ports(
    machine: "Machine", request: "Request", card: str, address: str | None, gaps: list[Gap], brief: bool
) -> tuple[NetworkPort, ...]:
    if _left_out(request, _PORT, card, gaps):
        return ()
    request.progress.calling(_PORT, card)
    return network.ports(machine, card, address, brief=brief)


def _left_out(request: "Request", call: str, name: str, gaps: list[Gap]) -> bool:
    if (call, name) not in request.skip and (call, None) not in request.skip:
        return False
    others = "" if (call, name) in request.skip else " of other cards"
    reason = f"not read: its files{others} did not answer; see the kernel log:  sudo dmesg | tail -50"
    gaps.append(Gap(fact=f"{call} {name}", reason=reason, source="sysfs"))
    return True


def _numa_nodes(machine: "Machine") -> Iterator[NumaNode]:
    names = [name for name in names_in(machine, _NODES) if name.startswith("node") and name[4:].isdecimal()]
    for name in sorted(names, key=lambda name: int(name[4:]))[:_MOST_NODES]:
        words = (file_text(machine, f"{_NODES}/{name}/distance", 4096) or "").split()
        yield NumaNode(
            index=int(name[4:]),
            cpus=file_text(machine, f"{_NODES}/{name}/cpulist", 4096),
            distances=tuple(map(int, words))
            if words and all(word.isdecimal() and len(word) < 5 for word in words)
            else None,
        )
