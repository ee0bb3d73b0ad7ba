from typing import Final

from accel.text.pattern import pattern
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import assignment_word, chained, command_line, variable_word
from accel.vendors.toolkit.table_steps import fix, fixes

_LOCAL: Final = pattern(r"\b(?:127\.\d+\.\d+\.\d+|172\.1[7-9]\.0\.\d+|192\.168\.122\.\d+)\b", exact_case=True)
_PEER: Final = pattern(r"\d{1,3}(?:\.\d{1,3}){3}|fe80:", exact_case=True)
_BRIDGES: Final = ("docker", "br-", "virbr", "veth", "cni", "lo", "lxd", "lxc", "podman", "flannel", "cali", "vnet")
_LOOPBACK: Final = pattern(r"\blo:127\.", exact_case=True)
_ADDRESS: Final = pattern(r"\d{1,3}(?:\.\d{1,3}){3}|\[[0-9A-Fa-f:]+\]", exact_case=True)


@check(
    code="NV056",
    name="nccl-set-up-wrong",
    layer="application",
    family="nccl-problem",
    reads=(
        *("nccl-duplicate-gpu", "nccl-no-interface", "nccl-interface-absent", "nccl-connect-refused"),
        *("network-interface", "variable-misspelt", "peer-transfer-wrong", "nccl-system-error", "nccl-comm-id"),
        *(
            "nccl-peer-on-bridge",
            "nccl-nodes-on-bridge",
            "nccl-bridge-chosen",
            "collective-timeout",
            "rendezvous-incomplete",
            "nccl-interface-is-the-cure",
        ),
    ),
    needs=("run.program",),
    requires=("gpu-without-p2p",),
)
def nccl_set_up_wrong(facts: Facts, specs: Specs) -> Problems:
    """The job's NCCL configuration cannot work: one GPU for two ranks, a missing interface, a wrong name.

    Why it matters   The job stops when its processes first communicate.
    What to do       Give each rank its own GPU; name an existing interface, or none.
    Looks at         NCCL's messages about duplicate GPUs and socket interfaces; the listed interfaces; misspelled NCCL
                     environment variables; connections refused at an address that only one machine has; machines whose
                     ranks wait for each other on a local bridge; a failure that naming the interface fixed
    Silent when      there is no such message; the failed connection is HTTP
    Source           NCCL: src/init.cc, src/bootstrap.cc; NCCL user guide: environment variables
    """
    twice = facts.stated("nccl-duplicate-gpu")
    if twice:
        remedy = fix(specs, "nvidia", "gpu-of-local-rank")
        yield Problem(title="Two ranks of this job use the same GPU", evidence=quoted(twice), remedies=(remedy,))
    absent = facts.stated("nccl-interface-absent")
    lost = (*facts.stated("nccl-no-interface"), *absent)
    foreign = _comm_id(facts)
    if lost and foreign:
        yield Problem(
            title=f"NCCL_COMM_ID is {foreign}, which is not an address of this machine or container",
            evidence=quoted((*lost[:2], *facts.stated("nccl-comm-id")[:1])),
            remedies=fixes(specs, "nvidia", "rank-0-address"),
        )
        return
    bare = tuple(fact for fact in lost if "socket creation failed" in fact.text.lower())
    if bare:
        yield Problem(
            title="NCCL finds no network interface with a usable address",
            evidence=quoted(lost[:3]),
            remedies=fixes(specs, "nvidia", "nccl-interface"),
        )
        return
    if lost:
        remedy = fix(specs, "nvidia", "interface-that-is-up")
        named = next((name for fact in lost if (name := fact.value("interface"))), None)
        yield Problem(
            title=f"NCCL finds no network interface {named}" if named else "NCCL finds no network interface",
            evidence=quoted((*lost[:3], *(facts.stated("network-interface")[:3] if absent else ()))),
            remedies=(remedy,),
        )
        return
    yield from _refused(facts)
    yield from _misspelt(facts)


def _comm_id(facts: Facts) -> str | None:
    """Return the address in NCCL_COMM_ID if NCCL reports that it has no interface for it."""
    named = {found[0] for fact in facts.stated("nccl-comm-id") if (found := _ADDRESS.search(fact.text))}
    return next((a for a in sorted(named) if any(a in fact.text for fact in facts.stated("nccl-no-interface"))), None)


def _refused(facts: Facts) -> Problems:
    """Yield the problem of a rank that published a bridge or loopback address, which other machines cannot reach."""
    local = [fact for fact in facts.stated("nccl-connect-refused") if _LOCAL.search(fact.text)]
    local += facts.stated("nccl-peer-on-bridge")
    nodes = facts.stated("nccl-nodes-on-bridge")
    waiting = facts.stated("nccl-connect-refused", "collective-timeout", "rendezvous-incomplete", "peer-transfer-wrong")
    waiting = waiting or facts.stated("nccl-system-error")
    cure = facts.stated("nccl-interface-is-the-cure")
    if nodes and waiting:
        local += (*nodes, *waiting[:1])
    chosen = [fact for fact in facts.stated("nccl-bridge-chosen") if _LOOPBACK.search(fact.text)]
    refused = facts.stated("nccl-connect-refused")
    if chosen and refused and not any(_PEER.search(fact.text) for fact in refused):
        local += (chosen[0], refused[0])  # NCCL 2.3 and older do not print the address
    if cure and (waiting or chosen or local):
        local += cure[:1]
    used = next((name for f in nodes if (name := f.value("interface")) and not name.startswith(_BRIDGES)), None)
    chosen_name = assignment_word("NCCL_SOCKET_IFNAME", used) if used else None
    if local:
        yield Problem(
            title="NCCL uses a network interface that other machines cannot reach"
            if chosen_name is None
            else f"NCCL uses bridges of this machine beside {used}, which other machines cannot reach",
            evidence=quoted(local),
            remedies=(
                Remedy(
                    text="Set it to the interface of the network between the machines, not to a container bridge or "
                    "lo.",
                    command="export NCCL_SOCKET_IFNAME=^docker,lo,virbr; ip -brief address"
                    if chosen_name is None
                    else command_line("export", chosen_name, assignment_word("GLOO_SOCKET_IFNAME", used)),
                ),
            ),
        )


def _misspelt(facts: Facts) -> Problems:
    """Yield the problem of a misspelled NCCL variable, which has no effect."""
    for fact in facts.stated("variable-misspelt")[:3]:
        name, meant = fact.value("name"), fact.value("meant")
        right = assignment_word(meant, facts.variable(name)) if name and meant else None
        yield Problem(
            title=f"{name} has no effect: the variable is called {meant}",
            severity="warning",
            evidence=quoted([fact]),
            remedies=(
                Remedy(
                    text=f"Use {meant} instead of {name}, with the same value.",
                    command=chained(command_line("unset", variable_word(name)), command_line("export", right)),
                    action="env",
                ),
            ),
        )
