"""A job of Slurm that asked for no GPU."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.vendors.contract.check import Evidence, Problem, Remedy, check, quoted
from accel_nvidia import around

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_GIVEN: Final = ("SLURM_JOB_GPUS", "SLURM_STEP_GPUS", "SLURM_GPUS_ON_NODE")
_SYMPTOMS: Final = (
    *("nvidia-module-absent", "no-devices-found", "device-nodes-absent", "driver-insufficient", "cuda-unknown-error"),
    *("nvml-no-permission", "nvml-unknown-error", "smi-not-found"),
)


@check(
    code="NV093",
    name="slurm-gres-missing",
    layer="access",
    family="devices-hidden",
    reads=(
        *("slurm-gave-no-gpu", "slurm-job-without-gpu", "slurm-job-with-gpu"),
        *(*_SYMPTOMS, *around.NO_GPU),
    ),
    needs=("use.torch|jax|tensorflow",),
)
def slurm_gres_missing(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A job runs on a GPU node and asked Slurm for no GPU, so the node's devices are kept from it.

    Why it matters   nvidia-smi says that it cannot reach the driver, and frameworks see no GPU, on a sound node.
    What to do       Ask for a GPU in the job script: --gres=gpu:1 or --gpus=1.
    Looks at         the options of sbatch, srun and salloc; NoDevFiles; the TRES of scontrol and sacct; Slurm's own
                     variables of a job's GPUs; what a writer says of the allocation
    Silent when      a job asks for a GPU, or nothing fails
    Source           Slurm: sbatch(1), gres.conf(5)
    """
    said, without = facts.stated("slurm-gave-no-gpu"), facts.stated("slurm-job-without-gpu")
    symptoms = facts.stated(*_SYMPTOMS, *around.NO_GPU)
    no_files = [fact for fact in said if "nodevfiles" in fact.text.lower()]
    if facts.first("slurm-job-with-gpu") is not None and not no_files:
        return
    unseen = any(f.available is False for f in facts.environment.frameworks)
    empty = tuple(_given_none(facts))
    if not no_files and not ((said or without or empty) and (symptoms or unseen)):
        return
    yield Problem(
        title="The Slurm job requested no GPU",
        evidence=(*empty[:1], *quoted((*said[:2], *without[:1], *symptoms[:2]))),
        remedies=(
            Remedy(
                text="Request a GPU in the job script (#SBATCH --gres=gpu:1) or on the command line.",
                command="sbatch --gres=gpu:1 JOB_SCRIPT",
                action="env",
            ),
            Remedy(
                text="Check inside the job what was assigned to it.",
                command="scontrol show job $SLURM_JOB_ID | grep -i tres; echo $CUDA_VISIBLE_DEVICES; nvidia-smi -L",
                action="env",
                kind="look",
            ),
        ),
    )


def _given_none(facts: "Facts") -> Iterator[Evidence]:
    """Yield the variables in which Slurm says that the job has no GPU; one that is not there says nothing."""
    for name in _GIVEN:
        value = facts.variable(name)
        if value is not None and value.strip() in ("", "0") and (name == "SLURM_GPUS_ON_NODE" or not value.strip()):
            yield Evidence(fact=name, value=value or "empty")
