from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from accel.facts.network import like, name, ports, shown
from accel.vendors.contract.check import Problem, Remedy, check
from accel.vendors.contract.command import command_line, name_word, number_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.wiring import NetworkPort
    from accel.specs import Specs

_FIELDS: Final = ("mtu_bytes", "active_mtu_bytes")
_ENOUGH: Final = 2  # minimum similar ports that agree for another one to be the odd one


@check(code="AC380", name="fabric-mtu-unlike", layer="access", severity="warning", needs=("wiring.ports.mtu_bytes",))
def fabric_mtu_unlike(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """An InfiniBand or RoCE port that is up has another MTU than the ports of similar cards.

    Why it matters   If one end sends larger packets than the path supports, they are lost silently: small messages
                     arrive, and the first large one of a collective hangs. Smaller packets only reduce speed.
    What to do       Give all ports of the fabric one MTU, and their switch ports at least as much.
    Looks at         the MTU of each port's network interface, and the one that RDMA uses (ibv_devinfo)
    Silent when      similar ports agree, a port is the only one of its kind, or the others do not agree either
    Source           ip-link(8); ibv_devinfo(1): active_mtu; NCCL user guide: troubleshooting, networking issues
    """
    every = [port for port in ports(facts) if port.is_active]
    for port in every:
        for field in _FIELDS:
            usual = _usual(field, like(port, every))
            own = getattr(port, field)
            if own is None or usual is None or own == usual:
                continue
            whose = "uses packets of" if field == "active_mtu_bytes" else "has an MTU of"
            yield Problem(
                title=f"The network port {name(port)} {whose} {own} bytes; similar ones have {usual}",
                evidence=shown(port, "interfaces", *_FIELDS, "link_layer"),
                remedies=tuple(_remedies(port, usual if field == "mtu_bytes" else None)),
            )
            break


def _usual(field: str, others: "Sequence[NetworkPort]") -> int | None:
    """Return the value that all similar ports report; None if too few report one, or they do not agree."""
    counted = Counter(value for other in others if (value := getattr(other, field)) is not None)
    return next(iter(counted)) if len(counted) == 1 and counted.total() >= _ENOUGH else None


def _remedies(port: "NetworkPort", usual: int | None) -> Iterator[Remedy]:
    interface = name_word(port.interfaces[0]) if port.interfaces else None
    if interface is not None and usual is not None:
        yield Remedy(
            text="Set it like the others, here until the next boot; permanently in the network configuration.",
            command=command_line("sudo ip link set dev", interface, "mtu", number_word(usual)),
            action="admin",
        )
    else:
        yield Remedy(
            text="Set the port's packet size like the others', in the configuration of the subnet manager or of "
            "its network interface, once the whole path supports it.",
            action="admin",
        )
    yield Remedy(
        text="Check whether the whole path supports such packets, including the switch's port.",
        command="ip -d link show; ibv_devinfo | grep -E 'hca_id|mtu'",
        action="admin",
        kind="look",
    )
