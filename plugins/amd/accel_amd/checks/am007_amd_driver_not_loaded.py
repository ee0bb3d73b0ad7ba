from accel.facts.containers import container_options, in_container
from accel.model.dataclass import replace
from accel.resolver.system_tools import newer_kernel
from accel.vendors.contract.check import Fact, Facts, Problem, Problems, Remedy, Specs, applies, check, quoted
from accel.vendors.toolkit.kernel_packages import build_for_kernel
from accel.vendors.toolkit.table_steps import fix, fixes
from accel_amd import handing_over, signs

_SAID = ("rock-not-loaded", "kfd-missing", "amd-module-not-built")


@check(
    code="AM007",
    name="amd-driver-not-loaded",
    layer="driver",
    reads=(
        *(*_SAID, "amd-gpu-without-driver", "kernel-log-without-kfd", "amdgpu-dkms", "rocm-in-use"),
        *("module-not-buildable", "kfd-wanted", "amd-runtime-failed", "no-hip-gpus", *handing_over.READS),
    ),
    needs=("amd.devices.driver_name",),
    requires=("amd-device-permission", "amd-pcie-atomics-missing"),
)
def amd_driver_not_loaded(facts: Facts, specs: Specs) -> Problems:
    """amdgpu is not bound to an AMD GPU, or started without its compute part (KFD).

    Why it matters   Without amdgpu and its node /dev/kfd no ROCm program sees the GPU.
    What to do       Load amdgpu and read the kernel log; in a container pass the node; vfio-pci means a VM has the GPU.
    Looks at         the driver of each AMD GPU on the PCI bus; /dev/kfd; rocminfo's message about the module; kernel
                     log searches for kfd without a result
    Silent when      amdgpu drives the GPU, or vfio-pci holds it for a virtual machine; the node exists but was refused;
                     under WSL; /dev/kfd is missing but nothing mentions an AMD GPU. "ROCk module is loaded" is true in
                     every container on such a host
    Source           ROCm: installation prerequisites; Linux amdgpu and amdkfd
    """
    applies(not facts.on_wsl, "WSL has no amdgpu of its own")
    applies(
        bool(facts.of("amd")) or not facts.of("hygon"),
        ("the accelerator is Hygon's, whose tools print the same output as AMD's"),
    )
    bare = [f for f in facts.stated("amd-gpu-without-driver") if f.value("driver") != "vfio-pci"]
    if bare:
        yield Problem(
            title=f"amdgpu is not bound to {len(bare)} AMD GPU{'s' if len(bare) > 1 else ''} on the PCI bus",
            devices=tuple(fact.device for fact in bare if fact.device),
            evidence=quoted(bare),
            remedies=(*_newer(facts, specs), fix(specs, "amd", "load-amdgpu"), _build(facts, specs)),
        )
        return
    here = signs.amd_seen(facts) or facts.stated(
        "rocm-in-use", "rock-not-loaded", "amdgpu-dkms", "amd-module-not-built", "kfd-wanted"
    )
    said = facts.stated(*_SAID) if here else ()
    if not said and here and (unseen := _unseen_inside(facts)):
        yield Problem(
            title="HIP finds no GPU in the container: the device nodes were not passed to it, or its user has no "
            "permission to open them",
            evidence=quoted(unseen),
            remedies=(handing_over.with_groups(facts, specs),),
        )
        return
    if not said and not (facts.stated("kernel-log-without-kfd") and facts.stated("amd-runtime-failed")):
        applies(facts.live, "nothing is known about the driver")
        return
    contained = in_container(facts)
    missing = facts.stated("kfd-missing")
    title = "The compute driver for AMD GPUs is missing"
    if facts.stated("amd-module-not-built"):
        refused = [fact for fact in facts.stated("module-not-buildable") if fact.value("module") == "amdgpu"]
        pairs = {(fact.value("release"), fact.value("kernel")) for fact in refused if fact.value("kernel")}
        title = "The kernel driver of AMD GPUs could not be built or configured"
        for release, kernel in pairs if len(pairs) == 1 else ():
            title = f"AMD's driver package amdgpu-dkms {release} does not build for kernel {kernel}"
        yield Problem(
            title=title,
            evidence=quoted((*refused[:2], *said, *facts.stated("kernel-log-without-kfd", "amdgpu-dkms"))),
            remedies=fixes(specs, "amd", "fedora-kernel", "module-not-built")
            if (facts.host.distribution or "").startswith("Fedora")
            else fixes(specs, "amd", "module-not-built"),
        )
        return
    if contained and missing:
        title = "/dev/kfd was not passed to the container"
    yield Problem(
        title=title,
        evidence=quoted((*said, *facts.stated("kernel-log-without-kfd", "amdgpu-dkms"))),
        remedies=(handing_over.nodes(facts, specs), fix(specs, "amd", "load-amdgpu"))
        if contained
        else (
            *_newer(facts, specs),
            fix(specs, "amd", "load-amdgpu"),
            _build(facts, specs),
            handing_over.nodes(facts, specs),
        ),
    )


def _unseen_inside(facts: Facts) -> tuple[Fact, ...]:
    """Return the problem of a container in which no GPU is found, if neither its start nor a mask explains it."""
    masked = any(facts.variable(name) is not None for name in ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"))
    given = "/dev/kfd" in (container_options(facts) or "")
    return facts.stated("no-hip-gpus") if in_container(facts) and not masked and not given and not facts.live else ()


def _newer(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    """Return the step to a newer kernel if the GPU's generation needs one and AMD's own driver is not in use."""
    chips = [chip for device in facts.of("amd") if device.name for chip in specs.find(device.name, vendor="amd")]
    wanted = [one for chip in chips for one in (chip.compute_target, chip.architecture) if one is not None]
    newer = newer_kernel(facts, specs, wanted) if not facts.stated("amdgpu-dkms") else None
    return (newer,) if newer is not None else ()


def _build(facts: Facts, specs: Specs) -> Remedy:
    built = build_for_kernel(facts, specs, "amdgpu")
    how = f"{built.text[:1].lower()}{built.text[1:]}"
    text = f"If the module is not built for the running kernel: {how} Or boot a kernel that this ROCm supports."
    return replace(built, text=text)
