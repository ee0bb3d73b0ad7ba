from collections.abc import Sequence

from accel.model.observation import whole_number
from accel.vendors.contract.check import Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted


@check(
    code="NV123",
    name="slurm-gres-misconfigured",
    layer="access",
    reads=(
        *("slurm-gres-fewer", "slurm-gres-conf-wrong", "slurm-gres-refused", "slurm-job-with-gpu"),
        *("devices-counted", "power-event-told"),
    ),
    needs=(),
    explained_by=(
        *("gpu-lost", "gpu-lost-over-cable", "gpu-init-failed", "gpu-unreadable", "gpu-external-power-missing"),
        *("driver-not-loaded", "driver-library-mismatch", "devices-fewer-than-in-machine"),
    ),
)
def slurm_gres_misconfigured(facts: Facts, specs: Specs) -> Problems:
    """The GPUs that slurm.conf and gres.conf configure for a node are not those that slurmd finds there.

    Why it matters   slurmd stops, or the node is drained: no job gets its GPUs.
    What to do       Make the two files match the node; if a GPU is missing, repair that first.
    Looks at         "gres/gpu count reported lower than configured", with the GPUs that lspci and nvidia-smi count and
                     a power cut or a move before; slurmd's fatal errors about gres.conf; "Invalid
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
    reported = fewer[0].value("seen") if fewer else None
    counted = [fact for fact in facts.stated("devices-counted") if fact.value("count") == reported]
    event = facts.stated("power-event-told")
    if fewer and not absent and counted and event:
        yield _lost(fewer, counted, event)
        return
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
    if fewer and not absent and not counted:
        text = f"Leave the node drained until the bus lists {wanted} GPUs: if it lists fewer, switch the node off at "
        text += "its supply for a minute; if one stays away, reseat or replace it and its power cables."
        remedies.insert(0, Remedy(text=text, command="lspci -d 10de: | grep -iE '3d|vga'", action="service"))
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
            text=f"{'If the node is to have no more' if fewer else 'Otherwise'}: write {reported or 'its GPU count'}"
            " into Gres= in slurm.conf and into gres.conf, on every node and on the controller, restart slurmctld and "
            "slurmd, and resume the node.",
            command='sudo scontrol reconfigure && sudo scontrol update "nodename=$(hostname -s)" state=resume',
            action="admin",
        )
    )
    yield Problem(
        title=title, evidence=quoted((*fewer[:2], *wrong[:3], *counted[:2]), most=5), remedies=tuple(remedies)
    )


def _lost(fewer: Sequence[Fact], counted: Sequence[Fact], event: Sequence[Fact]) -> Problem:
    """Return the problem of a node that had all of its GPUs before its power was off: the configuration is right."""
    seen, wanted = fewer[0].value("seen"), fewer[0].value("wanted")
    missing = (whole_number(wanted) or 0) - (whole_number(seen) or 0)
    gone = f"{missing} of the node's {wanted} GPUs {'is' if missing == 1 else 'are'} missing"
    return Problem(
        title=f"{gone} since its power was off: Slurm drained it",
        detail=f"The machine itself finds only {seen}. The configuration is right: a lower count would hide the fault.",
        evidence=quoted((*fewer[:1], *counted[:2], *event[:1]), most=4),
        remedies=(
            Remedy(
                text="Switch the node off, cut its power for a minute, and start it again. If a GPU is still missing, "
                "reseat it and its power plugs, and have it replaced if that does not help.",
                action="service",
            ),
            Remedy(
                text=f"When all {wanted} are listed: restart slurmd, and resume the node.",
                command="nvidia-smi -L && sudo systemctl restart slurmd && sudo scontrol update "
                '"nodename=$(hostname -s)" state=resume',
                action="admin",
            ),
            Remedy(
                text="See what the kernel says about the slot.",
                command="lspci | grep -i nvidia; sudo dmesg -T | grep -iE 'nvrm|xid|pcieport|fallen off'",
                action="admin",
                kind="look",
            ),
        ),
    )


def _refused(facts: Facts) -> Problems:
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
