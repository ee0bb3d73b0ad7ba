from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line, number_word


@check(
    code="NE002",
    name="neuron-cores-not-available",
    layer="access",
    requires=("neuron-driver-not-loaded",),
    reads=("neuron-cores-not-available",),
    needs=("run.program",),
)
def neuron_cores_not_available(facts: Facts, specs: Specs) -> Problems:
    """The requested NeuronCores are held by another process, or do not exist.

    Why it matters   A core serves one process. Leftover workers of a dead job keep their cores.
    What to do       End the processes that neuron-ls lists, or request free cores.
    Looks at         the runtime's "NeuronCore(s) not available"; the processes in neuron-ls
    Silent when      there is no such message
    Source           aws-neuron-sdk: PyTorch NeuronX troubleshooting, "NeuronCore(s) not available"
    """
    events = facts.stated("neuron-cores-not-available")
    if not events:
        return
    wanted = events[0].value("wanted")
    holders = {
        p.pid: p.name for d in facts.of("neuron") for p in d.processes or () if "neuron-ls" not in (p.name or "")
    }
    evidence = tuple(
        Evidence(fact="process", value=f"{pid} {name or ''}".strip()) for pid, name in list(holders.items())[:4]
    )
    yield Problem(
        title=f"The requested NeuronCores are not available{f': {wanted}' if wanted else ''}",
        devices=tuple(d.id for d in facts.of("neuron") if d.processes),
        evidence=quoted(events) + evidence,
        remedies=(
            Remedy(
                text="Check which processes use the devices.",
                command="neuron-ls --show-all-procs",
                action="app",
                kind="look",
            ),
            Remedy(
                text="Stop what an earlier run left behind, or request other cores with NEURON_RT_VISIBLE_CORES.",
                command=command_line("kill", *map(number_word, list(holders)[:4]))
                if holders
                else "NEURON_RT_VISIBLE_CORES=0-1 python PROGRAM.py",
                action="app",
            ),
        ),
    )
