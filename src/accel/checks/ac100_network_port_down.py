from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.facts.network import like, name, ports, shown
from accel.vendors.contract.check import Problem, Remedy, check
from accel.vendors.contract.command import command_line, name_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.wiring import NetworkPort
    from accel.specs import Specs

_ENOUGH: Final = 2  # minimum similar ports that are up for one that never was to count as a fault
_WAITING: Final = ("INIT", "ARMED")


@check(code="AC100", name="network-port-down", layer="hardware", severity="warning", needs=("wiring.ports.state",))
def network_port_down(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """An InfiniBand or RoCE port lost its link, waits for a subnet manager, or is the only one of its kind down.

    Why it matters   Multi-node collectives wait for the rank behind it, or use fewer ports and are slower.
    What to do       Check the cable, the transceiver and the switch port; on InfiniBand whether a subnet manager runs.
    Looks at         state and physical state of each port; how often its link was lost; the ports of similar cards
    Silent when      it was never up and no two similar ports are (nothing is plugged in), or it was disabled
    Source           Linux: Documentation/ABI/stable/sysfs-class-infiniband; InfiniBand architecture: port states
    """
    every = ports(facts)
    for port in every:
        if port.state in _WAITING and port.physical_state == "LinkUp" and port.link_layer == "InfiniBand":
            yield _waiting(port)
        elif port.state == "DOWN" and port.physical_state != "Disabled" and (why := _why(port, like(port, every))):
            yield Problem(
                title=f"The network port {name(port)} is down{why}",
                evidence=shown(port, "state", "physical_state", "link_downs"),
                remedies=_remedies(port),
            )


def _why(port: "NetworkPort", others: "tuple[NetworkPort, ...]") -> str | None:
    """Return the evidence that the port should be up; None if there is none."""
    if port.link_downs:
        return f", although it was up: its link was lost {_times(port.link_downs)} since its driver was loaded"
    up = [other for other in others if other.is_active]
    if len(up) >= _ENOUGH and len(up) == len(others):
        return f" although all {len(up)} similar ones are up"
    return None


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _waiting(port: "NetworkPort") -> Problem:
    return Problem(
        title=f"The network port {name(port)} has a link but waits for a subnet manager",
        evidence=shown(port, "state", "physical_state"),
        remedies=(
            Remedy(
                text="If the fabric has no subnet manager, start one: on a managed switch, or on one of the nodes.",
                command="sudo systemctl enable --now opensm",
                action="admin",
            ),
            Remedy(
                text="Check whether a subnet manager runs on the switch or on a node, and whether this port is "
                "admitted.",
                command="sudo sminfo; systemctl status opensm",
                action="admin",
                kind="look",
            ),
        ),
    )


def _remedies(port: "NetworkPort") -> tuple[Remedy, ...]:
    interface = port.interfaces[0] if port.interfaces else None
    look = command_line("ibstat", name_word(port.card))
    if port.link_layer == "Ethernet" and interface is not None:
        look = command_line("ip -s link show dev", name_word(interface))
    return (
        Remedy(text="Check the port's link state.", command=look, action="env", kind="look"),
        Remedy(
            text="Reseat cable and transceiver at both ends, and check the switch's port; replace the cable if "
            "the link does not come up.",
            action="admin",
        ),
    )
