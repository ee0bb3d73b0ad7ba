"""Questions about RDMA ports: which of them are alike, so that they can be compared."""

from collections.abc import Sequence

from accel.facts.questions import Facts
from accel.model.wiring import NetworkPort
from accel.vendors.contract.check import Evidence


def ports(facts: Facts) -> tuple[NetworkPort, ...]:
    """Return the machine's ports; () if none is known."""
    wiring = facts.snapshot.wiring
    return wiring.ports or () if wiring is not None else ()


def like(port: NetworkPort, every: Sequence[NetworkPort]) -> tuple[NetworkPort, ...]:
    """Return the ports with the same number on other cards of the same model, with the same link layer."""
    return tuple(
        other
        for other in every
        if other.card != port.card
        and (other.model, other.port, other.link_layer) == (port.model, port.port, port.link_layer)
    )


def name(port: NetworkPort) -> str:
    """Return the name of a port for people: its card, with its number if that is not 1."""
    return port.card if port.port == 1 else f"{port.card} port {port.port}"


def shown(port: NetworkPort, *fields: str) -> tuple[Evidence, ...]:
    """Return the known fields of a port as evidence."""
    told = [f"{field} {value}" for field in fields if (value := getattr(port, field)) is not None]
    return (Evidence(fact="network port", value=f"{name(port)}: {', '.join(told)}"),) if told else ()
