"""What Slurm jobs request, from the options of sbatch, srun and salloc."""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Command, Fact
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule

_TOOLS: Final = ("sbatch", "srun", "salloc")
_GPUS: Final = ("-G", "--gpus", "--gpus-per-node", "--gpus-per-task", "--gpus-per-socket", "--exclusive")


@rule(
    gives={
        "slurm-job-without-gpu": "a Slurm job requests no GPU",
        "slurm-job-with-gpu": "a Slurm job requests a GPU",
    },
    triggers=("command.sbatch", "command.srun", "command.salloc"),
)
def slurm_jobs(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for the options of #SBATCH lines, sbatch, srun and salloc together: one GPU request covers all, since srun
    inherits the job's. -C only selects nodes. A job script without options does not count.
    """
    jobs = [one for one in seen.of(Command) if one.tool in _TOOLS and not one.advice]
    asking = [one for one in jobs if any(_asks(option) for option in one.options)]
    for one in asking[:1]:
        yield fact_from("slurm-job-with-gpu", one, tool=one.tool)
    if asking:
        return
    for one in [one for one in jobs if one.options][:1]:
        yield fact_from("slurm-job-without-gpu", one, tool=one.tool)


def _asks(option: str) -> bool:
    name, _, value = option.partition("=")
    if name == "--gres":
        return "gpu" in value or "mps" in value or "shard" in value
    if name == "--tres-per-task" or name == "--tres-per-job":
        return "gpu" in value
    return name in _GPUS and value not in ("0",)
