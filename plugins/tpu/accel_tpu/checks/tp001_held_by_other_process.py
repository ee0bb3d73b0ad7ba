"""Another process holds the TPU."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check
from accel_tpu.signs import need_tpu, quoted, with_nodes

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="TP001", name="tpu-held-by-other-process", layer="access")
def held_by_other_process(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A program could not have a TPU, because another process holds it.

    Why it matters   A chip serves one process at a time; the second one fails, or falls back to the CPU.
    What to do       End the process that holds the chip, often a worker that outlived its job, or give each its own
                     chips with TPU_VISIBLE_CHIPS, TPU_CHIPS_PER_PROCESS_BOUNDS and TPU_PROCESS_BOUNDS together.
    Looks at         "already in use by process", a node that is busy, the owners of the nodes
    Silent when      no program was refused a chip
    Source           openxla/xla: xla/stream_executor/tpu/tpu_initialize_util.cc
    """
    need_tpu(facts)
    refused = facts.events("tpu-in-use", "tpu-node-busy")
    if not refused:
        return
    nodes = [event.value("path") or event.value("node") for event in refused]
    pids = {pid for event in refused if (pid := event.value("pid"))}
    held = [p for d in facts.of("tpu") for p in d.processes or ()]
    pids |= {str(process.pid) for process in held}
    who = f"process {', '.join(sorted(pids))}" if pids else "another process"
    first = next(iter(sorted(pids)), None)
    yield Problem(
        title=f"The TPU is held by {who}",
        detail="A chip serves one process at a time.",
        devices=with_nodes(facts, nodes),
        evidence=quoted(refused),
        remedies=(
            Remedy(
                text="See whether that process is still wanted; if not, end it.",
                command=f"ps -fp {first}" if first else "sudo lsof /dev/accel* /dev/vfio/*",
                action="app",
            ),
            Remedy(
                text="To share a host among processes, give each its own chips.",
                command="TPU_VISIBLE_CHIPS=0 TPU_CHIPS_PER_PROCESS_BOUNDS=1,1,1 TPU_PROCESS_BOUNDS=1,1,1 COMMAND",
                action="app",
            ),
        ),
    )
