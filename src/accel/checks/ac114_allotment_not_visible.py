from collections.abc import Iterator

from accel.facts.questions import Facts
from accel.model.device import Device
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, check, need, quoted


@check(
    code="AC114",
    name="allotment-not-visible",
    layer="access",
    severity="warning",
    reads=("devices-allotted",),
    needs=("fact.devices-allotted.count",),
    requires=("devices-hidden", "container-without-gpu", "driver-not-loaded"),
)
def allotment_not_visible(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """The scheduler allocated more devices of this node to this job than its programs can see.

    Why it matters   A launcher starts a process for each allocated device, and those for invisible devices fail; or
                     paid devices are idle.
    What to do       Compare the job's variables with the mask; let the scheduler set it, or unset your own.
    Looks at         SLURM_GPUS_ON_NODE and similar variables, against the devices that the masks leave
    Silent when      at least as many are visible; undecided if it is unknown which devices are
    Source           Slurm: sbatch(1), output environment variables; gres.conf(5)
    """
    for fact in facts.stated("devices-allotted")[:1]:
        count = fact.number("count")
        if count is None:
            return
        by_backend: dict[str, list[Device]] = {}
        for device in facts.accelerators:
            by_backend.setdefault(device.backend, []).append(device)
        if not by_backend:
            need(None, "the devices of this machine")
        most = max((_leaves(devices) for devices in by_backend.values()), key=len)
        shown = [device for device in most if device.visible is not False]
        if len(shown) >= count:
            return
        hidden = [device.id for device in most if device.visible is False]
        yield Problem(
            title=f"The job was assigned {count} devices on this node, but programs see {len(shown)}",
            devices=tuple(hidden),
            evidence=(
                *quoted([fact]),
                Evidence(fact="shown", value=", ".join(device.id for device in shown) or "none", grade="measured"),
            ),
            remedies=(
                Remedy(
                    text="Compare the assigned devices with the masks; a mask in a profile or an image overrides "
                    "the scheduler's.",
                    command="env | grep -E 'SLURM.*(GPU|GRES)|VISIBLE_DEVICES'; accel devices",
                    action="env",
                    kind="look",
                ),
                Remedy(
                    text="If no mask hides them, the job's control group does: check the node's gres.conf and "
                    "cgroup.conf (ConstrainDevices).",
                    command="scontrol show job -d $SLURM_JOB_ID | grep -iE 'gres|tres'",
                    action="admin",
                ),
            ),
        )


def _leaves(devices: list[Device]) -> list[Device]:
    """Return partitions, and whole devices without partitions."""
    parents = {device.parent for device in devices}
    return [device for device in devices if device.id not in parents]
