from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, need, quoted
from accel.vendors.contract.command import assignment_word, command_line, name_word
from accel_nvidia import around
from accel_nvidia.model import NvidiaDevice


@check(
    code="NV091",
    name="mig-mask-by-index",
    layer="access",
    family="devices-hidden",
    reads=(
        *("devices-out-of-range-asserted", "mig-named", "mask-set", "mask-in-command", "invalid-device-ordinal"),
        *around.NO_GPU,
    ),
    needs=("use.torch|jax|tensorflow",),
)
def mig_mask_by_index(facts: Facts, specs: Specs) -> Problems:
    """MIG is on, and CUDA_VISIBLE_DEVICES is unset or holds a GPU index instead of a MIG instance.

    Why it matters   NVML counts GPUs and CUDA counts instances; torch stops at an assertion, or finds no GPU. A process
                     can use one instance only.
    What to do       CUDA_VISIBLE_DEVICES=MIG-<uuid>, as nvidia-smi -L lists it.
    Looks at         torch's assertion "device < num_gpus"; signs of MIG; the variable
    Silent when      the variable names an instance; one visible instance per process is correct
    Source           NVIDIA MIG user guide: CUDA device enumeration; PyTorch: CUDAContext.cpp
    """
    asserted = facts.stated("devices-out-of-range-asserted")
    masks = _masks(facts)
    if any(mask.upper().startswith("MIG") for mask in masks):
        return
    fails = asserted or facts.stated("invalid-device-ordinal") or around.no_gpu(facts)
    if not fails:
        return
    if not _is_divided(facts):
        if asserted:
            need(None, "whether MIG is on (nvidia-smi -L)")
        return
    by_number = [mask for mask in masks if mask.split(",")[0].strip().isdecimal()]
    if not asserted and not by_number:
        return
    mask = next(iter(by_number), None)
    named = f"CUDA_VISIBLE_DEVICES={mask} names a number" if mask else "CUDA_VISIBLE_DEVICES names no instance"
    known = [part.uuid for part in facts.parts("nvidia") if part.uuid and part.uuid.startswith("MIG-")]
    uuid = name_word(next(iter(known), "MIG-UUID")) or "MIG-UUID"
    yield Problem(
        title=f"MIG is on, and {named}",
        evidence=(
            *quoted((*asserted, *facts.stated("mig-named")), most=3),
            *((Evidence(fact="CUDA_VISIBLE_DEVICES", value=mask),) if mask else ()),
        ),
        remedies=(
            Remedy(
                text="Set it to one instance's UUID; a process uses one instance.",
                command=command_line("export", assignment_word("CUDA_VISIBLE_DEVICES", uuid)),
                action="env",
            ),
            Remedy(text="This lists the UUIDs.", command="nvidia-smi -L", action="env"),
        ),
    )


def _is_divided(facts: Facts) -> bool:
    modes = [d.mig_mode for d in facts.of("nvidia") if isinstance(d, NvidiaDevice) and hasattr(d, "mig_mode")]
    on = any(str(mode).lower() in ("enabled", "true") for mode in modes)
    return on or bool(facts.parts("nvidia")) or facts.first("mig-named") is not None


def _masks(facts: Facts) -> list[str]:
    known = facts.variable("CUDA_VISIBLE_DEVICES")
    said = [fact.value("value") or "" for fact in facts.stated("mask-in-command", "mask-set")]
    return [value.strip().strip("'\"") for value in ([known] if known else []) + said if value]
