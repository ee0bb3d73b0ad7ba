from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, need, quoted
from accel.vendors.contract.command import chained, command_line
from accel.vendors.toolkit.table_steps import fixes
from accel_nvidia import around


@check(
    code="NV177",
    name="mig-without-instances",
    layer="access",
    severity="warning",
    reads=("mig-none-listed", "mig-label-invalid"),
    needs=("nvidia.devices",),
)
def mig_without_instances(facts: Facts, specs: Specs) -> Problems:
    """A GPU is in MIG mode but has no MIG device: no CUDA program can use it.

    Why it matters   In MIG mode CUDA runs only on MIG devices. Without one the GPU is listed, healthy and idle, but
                     programs find no device.
    What to do       Create instances, each with its compute instance, or disable MIG.
    Looks at         MIG devices that NVML or nvidia-smi lists for a GPU with mig_mode enabled; the label MIG-INVALID
    Silent when      an instance is listed; MIG is off or unknown; undecided if it is on and the instances are unknown
    Source           NVIDIA Multi-Instance GPU user guide: creating GPU instances, device nodes and capabilities
    """
    divided = {device.parent for device in facts.devices if device.parent is not None}
    bare = [device for device in around.gpus(facts) if device.mig_mode == "enabled" and device.id not in divided]
    stated = facts.stated("mig-none-listed")
    named = {fact.device for fact in stated if fact.device is not None}
    empty = [device for device in bare if not named or device.id in named] if stated else []
    if empty:
        ids = ", ".join(device.id for device in empty)
        yield Problem(
            title=f"{ids}: MIG is enabled but there is no MIG device, so no program can use it",
            devices=tuple(device.id for device in empty),
            evidence=(Evidence(fact="mig_mode", value="enabled"), *quoted(stated)),
            remedies=(
                Remedy(
                    text="Create an instance with its compute instance: the first command lists those that fit, "
                    "and PROFILE is the number of one in that list.",
                    command=chained(
                        command_line("sudo nvidia-smi mig", around.gpu_option(empty), "-lgip"),
                        command_line("sudo nvidia-smi mig", around.gpu_option(empty), "-cgi PROFILE -C"),
                        by=";",
                    ),
                    action="admin",
                ),
                Remedy(
                    text="Or use the whole GPU: turn MIG off.",
                    command=command_line("sudo nvidia-smi", around.gpu_option(empty), "-mig 0"),
                    action="admin",
                ),
            ),
        )
        return
    label = facts.stated("mig-label-invalid")
    if label and not divided:
        yield Problem(
            title="A GPU of this node is in MIG mode but has no MIG device, so no pod can use it",
            evidence=quoted(label[:2]),
            remedies=fixes(specs, "nvidia", "mig-layout-again"),
        )
        return
    if bare:
        need(None, f"whether {bare[0].id} has MIG devices (nvidia-smi -L)")
    around.must_know(facts, "mig_mode")
