from collections.abc import Iterator
from typing import Final

from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fix
from accel_nvidia import around

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
def slurm_gres_missing(facts: Facts, specs: Specs) -> Problems:
    """A job runs on a GPU node but requested no GPU, so Slurm denies it the node's devices.

    Why it matters   nvidia-smi cannot reach the driver and frameworks find no GPU, although the node is healthy.
    What to do       Request a GPU in the job script: --gres=gpu:1 or --gpus=1.
    Looks at         the options of sbatch, srun and salloc; NoDevFiles; TRES in scontrol and sacct; Slurm's variables
                     for a job's GPUs; what the user says about the allocation
    Silent when      a job requests a GPU, or nothing fails
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
                command="srun --gres=gpu:1 --pty bash"
                if any("--pty" in fact.text for fact in without)
                else "sbatch --gres=gpu:1 JOB_SCRIPT",
                action="env",
            ),
            fix(specs, "nvidia", "what-slurm-assigned"),
        ),
    )


def _given_none(facts: Facts) -> Iterator[Evidence]:
    """Yield the variables in which Slurm reports that the job has no GPU; a missing variable is no evidence."""
    for name in _GIVEN:
        value = facts.variable(name)
        if value is not None and value.strip() in ("", "0") and (name == "SLURM_GPUS_ON_NODE" or not value.strip()):
            yield Evidence(fact=name, value=value or "empty")
