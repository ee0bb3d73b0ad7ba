"""Whether a job starts more processes than the machine has GPUs, or names a GPU beyond its only one."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.rule import Seen, fact_from, rule
from accel.model.observation import Command, Fact, whole_number

if TYPE_CHECKING:
    from accel.specs import Specs

_A_PROCESS_A_GPU: Final = (
    *("--nproc_per_node", "--nproc-per-node", "--ntasks-per-node", "--num_gpus", "--num-gpus", "--gpus-per-node"),
    *("--num_processes", "--num-processes", "--tensor-parallel-size", "--tensor_parallel_size", "--tp-size", "-tp"),
)
_OF_ALL_MACHINES: Final = ("--nnodes", "--num_machines", "--nodes", "-N")


@rule(
    gives={
        "more-processes-than-gpus": "a launcher starts more processes, one to a GPU, than there are GPUs",
        "device-number-too-high": "CUDA refuses the number of a device, and the machine's only GPU is 0",
    },
    starts=("invalid-device-ordinal",),
)
def job_processes(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Holds where CUDA refused a device's number, the GPUs of the one machine are known, and a launcher's option asks
    for more processes than these. A launcher of several machines counts all of theirs, and says nothing. Where there
    is one GPU, the number that was refused is a higher one.
    """
    refused = seen.facts("invalid-device-ordinal")
    if not refused:
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
    if most == 1 or (most == 0 and seen.facts("one-gpu-told")):
        first = refused[0]
        yield Fact(
            name="device-number-too-high",
            text=first.text,
            grade=first.grade,
            source=first.source,
            line=first.line,
            last_line=first.last_line,
            scope=first.scope,
        )
