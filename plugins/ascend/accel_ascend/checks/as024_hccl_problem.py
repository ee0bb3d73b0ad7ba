from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel_ascend.chip_network import each_chip

_SAID = {
    "hccl-version-differs": "Ranks of one job use different releases of HCCL",
    "hccl-rank-table": "HCCL rejects the rank table",
    "hccl-network-failed": "The network between chips failed",
    "hccl-connect-timeout": "Ranks could not connect to each other in time",
    "hccl-notify-timeout": "Ranks could not connect to each other in time",
}


@check(
    code="AS024",
    name="npu-hccl-problem",
    layer="application",
    reads=tuple(_SAID),
    needs=("run.program",),
    requires=("npu-hccl-port-in-use", "npu-link-down", "npu-container-without-devices"),
    explained_by=("npu-unhealthy", "npu-lost-card", "npu-memory-taken", "npu-device-used-elsewhere"),
)
def npu_hccl_problem(facts: Facts, specs: Specs) -> Problems:
    """Ranks of a distributed job cannot reach each other.

    Why it matters   The job stops after a timeout, and the rank that reports it is rarely the faulty one.
    What to do       Find the rank that failed first; check the links between chips; raise the connect timeout.
    Looks at         HCCL messages: EI0006, EI0002, EI0009, the rank table, versions
    Silent when      there is no such message; it names a port or a link (see AS031 and AS032)
    Source           Ascend/pytorch docs HCCL_timeout; mind-cluster AISW_CANN_HCCL_003; hiascend.com, HCCL error codes
    """
    told = facts.stated(*_SAID)
    if not told:
        return
    first = next(name for name in _SAID if any(fact.name == name for fact in told))
    chip = next((value for fact in told if (value := fact.value("npu"))), None)
    yield Problem(title=_SAID[first], evidence=quoted(told, most=5), remedies=_remedies(first, chip))


def _remedies(first: str, chip: str | None) -> tuple[Remedy, ...]:
    earliest = Remedy(
        text="Find the rank that failed first, or was not started, in the logs of all ranks, and fix that one: "
        "the others only wait for it.",
        command="grep -rl ERROR ~/ascend/log/debug/plog | xargs ls -tr | head",
    )
    links = Remedy(
        text="Check whether the links are up and the addresses set.",
        command=each_chip(chip, "-link -g", "-ip -g"),
        action="admin",
        kind="look",
    )
    if first == "hccl-version-differs":
        return (Remedy(text="Use the same image, or the same CANN, on all nodes.", action="env"),)
    if first == "hccl-rank-table":
        table = Remedy(text="Rewrite the rank table with the chips' addresses.", action="env")
        return (links, table)
    if first == "hccl-network-failed":
        return (links, earliest)
    late = Remedy(
        text="If all ranks start, but some late: allow them more time.",
        command="export HCCL_CONNECT_TIMEOUT=600",
        action="env",
    )
    return (earliest, links, late)
