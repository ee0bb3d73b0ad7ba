"""The hosts of a job that use no GPUDirect RDMA while others do."""

from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Fact, Seen, Specs, rule

_CHANNEL: Final = pattern(r"([\w.-]{1,80}):\d{1,9}(?::\d{1,9})? \[\d{1,3}\] NCCL ", exact_case=True)


@rule(
    gives={"gdr-off-on-some": "a channel of a host that uses no GPUDirect RDMA, though others of its job do"},
    triggers=("nccl-over-gdr",),
)
def gdr_hosts(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for NCCL's channels over the network. hosts: up to three of these hosts; only: "yes" if there is one."""
    direct = {found[1] for fact in seen.facts("nccl-over-gdr") if (found := _CHANNEL.match(fact.text))}
    plain = [(found[1], fact) for fact in seen.facts("nccl-over-ib") if (found := _CHANNEL.match(fact.text))]
    lagging = sorted({host for host, fact in plain if "via NET/" in fact.text} - direct) if direct else []
    for host, fact in plain:
        if host in lagging[:1]:
            values = (("host", host), ("hosts", ", ".join(lagging[:3])), ("only", "yes" if len(lagging) == 1 else "no"))
            yield replace(fact, name="gdr-off-on-some", values=values)
