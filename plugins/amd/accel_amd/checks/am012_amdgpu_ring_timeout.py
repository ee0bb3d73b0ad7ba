from collections.abc import Iterator

from accel.specs.support import support_of
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fixes
from accel_amd import signs

_INPUT_NAMED = "program-input-named"
_AGAIN = "Restart every program that used the GPU, including the desktop, or the machine, which brings the GPU back. "


@check(
    code="AM012",
    name="amdgpu-ring-timeout",
    layer="hardware",
    reads=(
        *("amdgpu-ring-hung", "amdgpu-was-reset", "amdgpu-vram-lost", "amdgpu-soft-recovered", "amdgpu-process"),
        *(_INPUT_NAMED, *signs.AMD_NAMED),
    ),
    needs=("amd.devices", "source.kernel log"),
    requires=("hsa-override-wrong",),
)
def amdgpu_ring_timeout(facts: Facts, specs: Specs) -> Problems:
    """A ring of the GPU times out, and the kernel driver resets the GPU.

    Why it matters   Programs on the GPU hang or die; after "VRAM is lost" each of them must be restarted.
    What to do       Restart the programs that used the GPU; then update kernel, firmware and ROCm.
    Looks at         kernel messages about rings, MES, GPU resets and GPU memory
    Silent when      there is only a page fault, which is a program's. A warning if the ring recovered
    Source           Linux: drivers/gpu/drm/amd/amdgpu: amdgpu_job.c, amdgpu_device.c, mes_v11_0.c
    """
    hung, reset = facts.stated("amdgpu-ring-hung"), facts.stated("amdgpu-was-reset")
    lost, soft = facts.stated("amdgpu-vram-lost"), facts.stated("amdgpu-soft-recovered")
    if not hung and not lost and not reset:
        return
    ring = next((value for fact in hung if (value := fact.value("ring"))), None)
    process = next((value for fact in facts.stated("amdgpu-process") if (value := fact.value("process"))), None)
    title = f"The AMD GPU's ring {ring} hangs" if ring else "The AMD GPU hangs"
    if not hung:
        title = "The driver had to reset the AMD GPU"
    title += f", while {process} used it" if process else ""
    title += "; its memory is lost" if lost else ""
    mild = bool(soft) and not reset and not lost
    unserved = tuple(_unserved(facts, specs))
    again = (
        fixes(specs, "amd", "correct-input") if facts.stated(_INPUT_NAMED) else fixes(specs, "amd", "restart-programs")
    )
    yield Problem(
        title=title,
        detail="After a reset with lost memory, no program that used the GPU can continue." if lost else None,
        evidence=quoted((*hung[:2], *lost[:1], *reset[:1], *soft[:1])),
        remedies=unserved or (*again, *fixes(specs, "amd", "newer-kernel", "default-clocks")),
        severity="warning" if mild else None,
    )


def _unserved(facts: Facts, specs: Specs) -> Iterator[Remedy]:
    """Yield steps if no ROCm release supports the GPU: a newer one does not help."""
    found = [device.compute_capability for device in facts.of("amd")]
    found += signs.targets_of_names(facts, specs)
    for target in filter(None, found):
        known = support_of(specs, "rocm", target)
        if known is not None and known.never:
            text = f"{_AGAIN}So that it does not hang again: no release of ROCm serves {target}; {known.instead}."
            yield Remedy(text=text, action="reset")
            return
