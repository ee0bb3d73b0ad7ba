from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line, number_word
from accel.vendors.toolkit.table_steps import fix
from accel_tpu.signs import tpu_seen, with_nodes

_REFUSED = ("tpu-in-use", "tpu-node-busy", "tpu-node-not-permitted")


@check(
    code="TP001",
    name="tpu-held-by-other-process",
    layer="access",
    reads=(*_REFUSED, "tpu-hangs-while-held", "run-was-interrupted", "tpu-word", "tpu-at-work"),
    needs=("run.program",),
    requires=("tpu-container-without-devices",),
    explained_by=("tpu-stale-lockfile",),
)
def held_by_other_process(facts: Facts, specs: Specs) -> Problems:
    """A program could not acquire a TPU because another process holds it.

    Why it matters   A chip serves one process at a time; the second one fails, or falls back to the CPU.
    What to do       End the process that holds the chip, often a leftover worker, or give each its own chips with
                     TPU_VISIBLE_CHIPS, TPU_CHIPS_PER_PROCESS_BOUNDS and TPU_PROCESS_BOUNDS together.
    Looks at         libtpu's "already in use", a busy node, the owners of the nodes; lsof output together with a hang;
                     EPERM on a node after an interrupted run
    Silent when      no program was refused a chip; EPERM without an earlier run may be a missing permission; a program
                     runs on the chips after libtpu's message, which then came from a process that needs no chip
    Source           openxla/xla: xla/stream_executor/tpu/tpu_initialize_util.cc; pytorch/xla issue 3947
    """
    refused = facts.stated("tpu-in-use", "tpu-node-busy", "tpu-hangs-while-held")
    said = " ".join(fact.text.lower() for fact in refused)
    of_tpu = facts.stated("tpu-in-use", "tpu-word") or "accel" in said or "couldn't open iommu group" in said
    if refused and not of_tpu and not tpu_seen(facts):
        return  # any program with a passed-through PCI device uses /dev/vfio
    works = facts.stated("tpu-at-work")
    if works and (works[-1].line or 0) > max((fact.line or 0 for fact in refused), default=0):
        refused = tuple(fact for fact in refused if fact.name != "tpu-in-use")  # a helper process that needs no chip
    interrupted = facts.stated("run-was-interrupted")
    if interrupted:
        refused += facts.stated("tpu-node-not-permitted")
    if not refused:
        return
    pids = {pid for fact in refused if (pid := fact.value("pid"))}
    pids |= {str(process.pid) for device in facts.of("tpu") for process in device.processes or ()}
    who = f"process {', '.join(sorted(pids))}" if pids else "another process"
    yield Problem(
        title=f"The TPU is in use by {who}",
        detail="Only one process can use a chip at a time. A parent process that has used JAX or torch_xla counts as "
        "one.",
        devices=with_nodes(facts, refused),
        evidence=quoted((*refused, *interrupted[:1])),
        remedies=(_end(sorted(pids)), fix(specs, "tpu", "share-host")),
    )


def _end(pids: list[str]) -> Remedy:
    if pids:
        text = "Check whether that process is still needed; if not, stop it."
        return Remedy(text=text, command=command_line("ps -fp", number_word(pids[0])), action="app")
    text = "Find the process that has the chips open, and stop it if it is no longer needed."
    return Remedy(text=text, command="sudo lsof -w /dev/accel* /dev/vfio/*", action="app")
