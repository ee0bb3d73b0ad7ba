from collections.abc import Iterator

from accel.facts.network import like, name, ports, shown
from accel.facts.questions import Facts
from accel.model.wiring import NetworkPort
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check
from accel.vendors.contract.command import command_line, name_word


@check(
    code="AC101",
    name="network-port-slow",
    layer="hardware",
    severity="warning",
    needs=("wiring.ports.rate_bits_per_second",),
)
def network_port_slow(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """An InfiniBand or RoCE port runs on one lane, or slower than most similar ports of this machine.

    Why it matters   A collective is as fast as its slowest port: all nodes of the job wait for this one.
    What to do       Reseat or replace the cable; check whether the switch port is set to that rate.
    Looks at         rate and lanes of each port that is up, and of the ports of similar cards
    Silent when      it is as fast as similar ports; it is the only one of its kind and uses more than one lane
    Source           Linux: Documentation/ABI/stable/sysfs-class-infiniband
    """
    every = [port for port in ports(facts) if port.is_active]
    for port in every:
        faster = _faster(port, like(port, every))
        if faster is None and not (port.link_layer == "InfiniBand" and port.lanes == 1):
            continue
        beside = f"; most similar ports run at {faster / 1000000000.0:g} Gb/s" if faster is not None else " on one lane"
        rate = f"{port.rate_bits_per_second / 1e9:g} Gb/s" if port.rate_bits_per_second is not None else "slowly"
        yield Problem(
            title=f"The network port {name(port)} runs at {rate}{beside}",
            evidence=shown(port, "rate_bits_per_second", "lanes", "signal"),
            remedies=(
                Remedy(
                    text="Check the port's link state.",
                    command=command_line("ibstat", name_word(port.card)),
                    action="env",
                    kind="look",
                ),
                Remedy(
                    text="Reseat or replace cable and transceiver, and check the rate of the switch's port.",
                    action="admin",
                ),
            ),
        )


def _faster(port: NetworkPort, others: tuple[NetworkPort, ...]) -> int | None:
    """Return the rate of most similar ports if it is higher; None otherwise."""
    rates = [rate for other in others if (rate := other.rate_bits_per_second) is not None]
    most = max(set(rates), key=lambda rate: (rates.count(rate), rate), default=0)
    own = port.rate_bits_per_second
    return most if own is not None and most > own and rates.count(most) * 2 > len(rates) + 1 else None
