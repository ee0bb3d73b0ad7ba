from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV123",
    name="slurm-gres-misconfigured",
    layer="access",
    reads=("slurm-gres-fewer", "slurm-gres-conf-wrong", "slurm-gres-refused", "slurm-job-with-gpu"),
    needs=(),
    explained_by=(
        *("gpu-lost", "gpu-lost-over-cable", "gpu-init-failed", "gpu-unreadable", "gpu-external-power-missing"),
        *("driver-not-loaded", "driver-library-mismatch", "devices-fewer-than-in-machine"),
    ),
)
def slurm_gres_misconfigured(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The GPUs that slurm.conf and gres.conf configure for a node are not those that slurmd finds there.

    Why it matters   slurmd stops, or the node is drained: no job gets its GPUs.
    What to do       Make the two files match the node; if a GPU is missing, repair that first.
    Looks at         "gres/gpu count reported lower than configured", slurmd's fatal errors about gres.conf; "Invalid
                     generic resource", "Requested node configuration is not available" for a job that requests GPUs
    Silent when      the job only requested no GPU
    Source           Slurm: gres.conf(5), slurm.conf(5)
    """
    fewer, wrong = facts.stated("slurm-gres-fewer"), facts.stated("slurm-gres-conf-wrong")
    if not (fewer or wrong):
        yield from _refused(facts)
        return
    title = "slurmd rejects its gres.conf"
    if fewer:
        seen, wanted = fewer[0].value("seen"), fewer[0].value("wanted")
        title = f"Slurm expects {wanted} GPUs on this node, but slurmd reports {seen}, so the node is drained"
    absent = any(fact.value("seen") == "0" for fact in fewer) or any("can't stat" in fact.text for fact in wrong)
    library = next((value for fact in wrong if (value := fact.value("library"))), None)
    twice = any("duplicate" in fact.text for fact in wrong)
    remedies = [
        Remedy(
            text="Check what the node has (GPUs, MIG instances, device nodes) and what slurmd detects.",
            command="nvidia-smi -L; ls /dev/nvidia*; sudo slurmd -G -D",
            action="admin",
            kind="look",
        )
    ]
    if fewer and not absent:
        text = f"Leave the node drained until the bus lists {wanted} GPUs: if it lists fewer, switch the node off at "
        text += "its supply for a minute; if one stays away, reseat or replace it and its power cables."
        remedies.insert(0, Remedy(text=text, action="service", kind="ask"))
    if absent:
        remedies.append(
            Remedy(
                text="slurmd finds no GPU device node: if nvidia-smi lists the GPUs, load the driver before slurmd "
                "starts, then restart slurmd and resume the node. For nodes without a GPU, restrict the line in "
                "gres.conf to the others (NodeName=).",
                command="nvidia-smi -L && sudo nvidia-modprobe -c 0 -u && sudo systemctl restart slurmd && sudo "
                'scontrol update "nodename=$(hostname -s)" state=resume',
                action="admin",
            )
        )
    if library:
        remedies.append(
            Remedy(
                text=f"This slurmd was built without {library}: install the Slurm package that has the plugin, "
                "or build Slurm where that library's headers are installed; until then, use File= lines "
                "instead of AutoDetect.",
                command="ls /usr/lib*/slurm/gpu_*.so /usr/lib/*/slurm-wlm/gpu_*.so",
                action="admin",
            )
        )
    if twice:
        remedies.append(
            Remedy(text="With AutoDetect=nvml, remove the Name=gpu lines without File= from gres.conf.", action="admin")
        )
    remedies.append(
        Remedy(
            text=f"{'If the node is to have no more' if fewer else 'Otherwise'}: write the number of GPUs that it has "
            "into Gres= in slurm.conf and into gres.conf, on every node and on the controller, restart slurmctld and "
            "slurmd, and resume the node.",
            command='sudo scontrol reconfigure && sudo scontrol update "nodename=$(hostname -s)" state=resume',
            action="admin",
        )
    )
    yield Problem(title=title, evidence=quoted((*fewer[:2], *wrong[:3]), most=5), remedies=tuple(remedies))


def _refused(facts: "Facts") -> Iterator[Problem]:
    """Yield the problem if Slurm rejects the request: no node has such GPUs, or a step exceeds its job."""
    refused = facts.stated("slurm-gres-refused")
    asked = facts.stated("slurm-job-with-gpu")
    named = any("gres" in f.text.lower() or "tres" in f.text.lower() for f in refused)
    if not refused or not (asked or named):
        return
    in_step = any("create step" in fact.text.lower() for fact in refused)
    compare = Remedy(
        text="Compare what the job requests (type and number of GPUs, partition) with the GRES column: (null) "
        "there means that slurm.conf gives the nodes no GPUs, which the administrator must fix.",
        command="sinfo -o '%P %N %G %t'; scontrol show node | grep -E 'NodeName|Gres='",
        kind="look",
    )
    step = Remedy(
        text="A step only gets what its job has, and inherits the options of the surrounding job: request the "
        "GPUs in the job (#SBATCH --gres=gpu:1), or unset the outer job's variables before sbatch or srun.",
        command="env | grep -E '^SLURM_|^SBATCH_|^SRUN_'; unset $(compgen -v SLURM_)",
    )
    write = Remedy(
        text="As administrator: set GresTypes=gpu and Gres=gpu:N for the node in slurm.conf, and the devices in "
        "gres.conf; then restart slurmctld and slurmd.",
        command="nvidia-smi -L; sudo slurmd -G; sudo scontrol reconfigure",
        action="admin",
    )
    yield Problem(
        title="Slurm rejects the step: it requests GPUs that its job does not have"
        if in_step
        else "Slurm rejects the job: no node is configured with the requested GPUs",
        evidence=quoted((*refused[:3], *asked[:1])),
        remedies=(step, compare, write) if in_step else (compare, write),
    )
