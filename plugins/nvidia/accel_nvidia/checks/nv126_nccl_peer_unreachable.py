from typing import Final

from accel.text.pattern import pattern
from accel.vendors.contract.check import Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import chained, command_line, name_word, number_word
from accel.vendors.toolkit.table_steps import fix, fixes

_PEER: Final = pattern(
    r"(?i)(?:connect(?:ing)? to|(?:recv|recvMsg|send|read|write) (?:from|to)) "
    r"\[?(?P<address>[\w.:%-]{3,80}?)\]?(?:<(?P<port>\d{1,5})>|:(?P<number>\d{1,5})\b|\s)"
)
_USED: Final = pattern(r"Using (?:\[\d\])?(?P<interface>[\w.-]{1,20}):(?P<address>[\d.]{7,15})<", exact_case=True)
_OF_MACHINE: Final = pattern(
    r"bond|team|en[opsx]|ib|em\d|p\d+p\d|hsn|mlx", exact_case=True
)  # no bridged container has it


@check(
    code="NV126",
    name="nccl-peer-unreachable",
    layer="access",
    family="nccl-problem",
    reads=("nccl-connect-refused", "nccl-connection-lost", "container-on-host-network", "nccl-interface-used"),
    needs=("run.program",),
    requires=("nccl-set-up-wrong",),
)
def nccl_peer_unreachable(facts: Facts, specs: Specs) -> Problems:
    """A rank cannot connect to the address and port that another rank gave it.

    Why it matters   The job hangs and then stops: NCCL opens further ports besides the rendezvous port.
    What to do       Open all ports between the machines; make every rank use the interface of the shared network; if
                     the port is refused, restart all ranks with a fresh rendezvous.
    Looks at         NCCL's failed connections: no route to host, timed out, refused, unreachable, also of a running job
    Silent when      the address is a bridge's or the machine's own: the interface is then wrong
    Source           NCCL user guide: troubleshooting, networking; NCCL_SOCKET_IFNAME
    """
    refused, lost = facts.stated("nccl-connect-refused"), facts.stated("nccl-connection-lost")
    if not refused and not lost:
        return
    peer = next((found for fact in (*refused, *lost) if (found := _PEER.search(fact.text))), None)
    address = peer["address"] if peer else None
    port = (peer["port"] or peer["number"]) if peer else None
    where = f" {address}" if address else ""
    used = [found for fact in facts.stated("nccl-interface-used") if (found := _USED.search(fact.text))]
    own = next((found["address"] for found in used if found["address"] != address), None)
    on_host = bool(facts.stated("container-on-host-network")) or any(
        _OF_MACHINE.match(one["interface"]) for one in used
    )
    machine = name_word(address)
    probe = chained(
        command_line("ping -c1", machine),
        command_line("nc -vz", machine, number_word(port)),
        by=";",
    )
    yield Problem(
        title=f"A rank cannot reach another rank at{where or ' the address that it gave'}"
        if refused
        else f"The connection to the rank at{where or ' another machine'} stopped responding",
        evidence=quoted((*refused[:4], *lost[:2])),
        remedies=(
            Remedy(
                text="Test it from the machine that failed, while the job runs.",
                command=probe or "ip route; sudo iptables -L -n",
                action="env",
                kind="look",
            ),
            *fixes(specs, "nvidia", "new-rendezvous") * _nobody_listens((*refused, *lost)),
            _through_the_firewall(address, own),
            fix(specs, "nvidia", "shared-interface"),
            *fixes(specs, "nvidia", "container-on-host-network") * (not on_host),
        ),
    )


def _through_the_firewall(peer: str | None, own: str | None) -> Remedy:
    """Return how the peer's firewall lets this machine in; what to look at if the text does not tell both addresses."""
    text = "Let the machines' firewalls pass all traffic between them: NCCL uses any free port."
    if peer is None or own is None:
        look = "sudo firewall-cmd --list-all; sudo ufw status; sudo iptables -S | grep -iE 'reject|drop'"
        return Remedy(text=text, command=look, action="admin")
    let_in = command_line("sudo firewall-cmd --zone=trusted --add-source", name_word(own), "--permanent")
    return Remedy(
        text=f"{text} On {peer} let in {own}, and on each other machine its peers in the same way (with ufw: sudo ufw "
        f"allow from {own}); then start the job again.",
        command=chained(let_in, "sudo firewall-cmd --reload"),
        action="admin",
    )


def _nobody_listens(told: tuple[Fact, ...]) -> bool:
    """Return whether the other machine refuses the port: a firewall usually drops packets, or reports no route."""
    words = [fact.text.lower() for fact in told]
    return any("refused" in text for text in words) and not any(
        other in text for text in words for other in ("no route", "timed out", "unreachable")
    )
