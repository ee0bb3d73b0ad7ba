from collections.abc import Callable, Iterator, Sequence
from typing import Final

from accel.facts.network import like, name, ports, shown
from accel.facts.questions import Facts
from accel.model.wiring import NetworkPort
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check
from accel.vendors.contract.command import command_line, name_word

_OFTEN: Final = 10  # losses of the link: a switch that was restarted a few times causes fewer
_MANY: Final = 1000  # errors: link training causes some
_TIMES: Final = 3  # times the errors of similar ports: those that all ports share come from the switch, or a restart


@check(
    code="AC102",
    name="network-port-errors",
    layer="hardware",
    severity="warning",
    needs=("wiring.ports.link_downs",),
    explained_by=("network-port-down", "network-port-slow"),
)
def network_port_errors(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """An InfiniBand or RoCE port that is up lost its link repeatedly, or counts many errors.

    Why it matters   Each loss interrupts the traffic for seconds, and a running collective fails or waits; errors cause
                     retransmissions, and precede the loss of the link.
    What to do       Replace the cable or transceiver; check the switch port.
    Looks at         losses of the link (at least 10), including the network interface's; symbol and receive errors (at
                     least 1000): counts since the driver was loaded, against those of similar ports
    Silent when      the counts are lower, or those of similar ports are about as high
    Source           Linux: Documentation/ABI/stable/sysfs-class-infiniband, testing/sysfs-class-net
    """
    every = [port for port in ports(facts) if port.is_active]
    for port in every:
        others = like(port, every)
        losses, errors = _losses(port), _errors(port)
        if _stands_out(losses, [_losses(other) for other in others], _OFTEN):
            yield _problem(port, f"lost its link {losses} times since its driver was loaded")
        elif _stands_out(errors, [_errors(other) for other in others], _MANY):
            yield _problem(port, f"has {errors} errors since its driver was loaded")


def _problem(port: NetworkPort, what: str) -> Problem:
    counts = ("link_downs", "carrier_downs", "link_recoveries", "symbol_errors", "receive_errors")
    look = command_line("perfquery -x -C", name_word(port.card))
    if port.link_layer == "Ethernet":
        look = command_line("ethtool -S", name_word(port.interfaces[0])) if port.interfaces else None
    return Problem(
        title=f"The network port {name(port)} {what}",
        evidence=shown(port, *counts),
        remedies=(
            Remedy(text="Check whether the counts grow.", command=look, action="admin", kind="look"),
            Remedy(text="Reseat or replace cable and transceiver; check the switch's port.", action="admin"),
        ),
    )


def _greatest(*fields: str) -> Callable[[NetworkPort], int]:
    return lambda port: max((count for field in fields if (count := getattr(port, field)) is not None), default=0)


_losses: Final = _greatest("link_downs", "carrier_downs", "link_recoveries")
_errors: Final = _greatest("symbol_errors", "receive_errors")


def _stands_out(count: int, others: Sequence[int], least: int) -> bool:
    if count < least or not others:
        return count >= least
    from statistics import median  # it imports fractions and decimal, for a check that rarely gets this far

    return count >= _TIMES * median(others)
