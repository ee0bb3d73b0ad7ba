"""Whether a job starts more processes than the machine has GPUs."""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Command, Fact, whole_number
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule

_A_PROCESS_A_GPU: Final = (
    *("--nproc_per_node", "--nproc-per-node", "--ntasks-per-node", "--num_gpus", "--num-gpus", "--gpus-per-node"),
    *("--num_processes", "--num-processes", "--tensor-parallel-size", "--tensor_parallel_size", "--tp-size", "-tp"),
)
_OF_ALL_MACHINES: Final = ("--nnodes", "--num_machines", "--nodes", "-N")


@rule(
    gives={"more-processes-than-gpus": "a launcher starts more processes, one to a GPU, than there are GPUs"},
    triggers=("invalid-device-ordinal",),
)
def job_processes(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds if CUDA rejected a device index, the GPUs of the only machine are known, and a launcher option requests
    more processes than GPUs. Multi-machine launchers count all machines' processes and are ignored.
    """
    if not seen.facts("invalid-device-ordinal"):
        return
    counts = [len(report.devices) for report in seen.snapshot.reports if report.backend == "nvidia" and report.devices]
    most = max(counts, default=0)
    for command in seen.of(Command):
        told = dict(option.partition("=")[::2] for option in command.options)
        if command.advice or any((whole_number(told.get(name, "")) or 1) > 1 for name in _OF_ALL_MACHINES):
            continue
        asked = next((n for name in _A_PROCESS_A_GPU if (n := whole_number(told.get(name, "")))), None)
        if most and asked is not None and asked > most:
            yield fact_from("more-processes-than-gpus", command, asked=str(asked), there=str(most))
            return
