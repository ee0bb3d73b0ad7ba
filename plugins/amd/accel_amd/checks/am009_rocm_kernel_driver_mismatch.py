from accel.vendors.contract.check import Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted

_AMD = ("rocm-in-use", "amd-gpu-named", "gfx-named")  # without one of them the crash may be any program's
_FAILED = ("hsa-out-of-resources", "amd-runtime-failed", "no-hip-gpus", "amd-program-crashed")
_WITHOUT = Remedy(
    text="Go back to the kernel's own driver: remove amdgpu-dkms and reboot (when reinstalling ROCm: "
    "amdgpu-install --no-dkms).",
    command="sudo apt purge amdgpu-dkms && sudo reboot",
    action="admin",
)
_BUILD = Remedy(
    text="Build and install the driver's module for the running kernel, and reboot.",
    command='sudo apt install "linux-headers-$(uname -r)" && sudo dkms autoinstall && dkms status amdgpu',
    action="admin",
)
_PAIR = Remedy(
    text="Install the amdgpu-dkms from the same ROCm release as the runtime, or a kernel that this release supports.",
    command="cat /opt/rocm/.info/version; dkms status amdgpu; uname -r",
    action="admin",
)


@check(
    code="AM009",
    name="rocm-kernel-driver-mismatch",
    layer="driver",
    family="driver-library-mismatch",
    reads=("rocm-driver-unlike", "amd-driver-tried", "amdgpu-dkms", *_FAILED, *_AMD),
    needs=("run.program",),
    requires=("amd-driver-not-loaded", "amd-device-permission"),
)
def rocm_kernel_driver_mismatch(facts: Facts, specs: Specs) -> Problems:
    """The kernel driver is too old or too new for ROCm's runtime, or was not built for this kernel.

    Why it matters   The nodes exist and can be opened, but HSA fails to initialize.
    What to do       Use the kernel's own driver, or amdgpu-dkms of the same ROCm release, built for this kernel.
    Looks at         "Incompatible kernel and userspace"; dkms status "added" without "installed"; a failure that
                     another driver or kernel fixes
    Silent when      dkms has the module installed and nobody tried another driver: out of resources alone may be a
                     limit, a missing permission or an unsupported GPU. The newer driver may be the faulty one
    Source           ROCm: compatibility of kernel driver and user space; dkms: status; Linux: amdkfd
    """
    unlike, tried = facts.stated("rocm-driver-unlike"), facts.stated("amd-driver-tried")
    failed = facts.stated(*_FAILED) if facts.of("amd") or facts.stated(*_AMD) else facts.stated(*_FAILED[:-1])
    unbuilt = _unbuilt(facts)
    if not unlike and not (tried and failed) and not (unbuilt and failed):
        return
    title = "ROCm's runtime and the kernel driver come from releases that do not match"
    remedies = (_PAIR, _WITHOUT)
    if unbuilt and not tried:
        version = unbuilt[0].value("version")
        title = f"amdgpu-dkms {version} is only {unbuilt[0].value('state')}, not installed for the running kernel"
        remedies = (_BUILD, _WITHOUT)
    elif tried and failed:
        title = "ROCm fails with this kernel driver, and works with another one"
        remedies = (_WITHOUT, _PAIR) if any("dkms" in fact.text.lower() for fact in tried) else (_PAIR, _WITHOUT)
    yield Problem(title=title, evidence=quoted((*unlike, *unbuilt, *failed, *tried)), remedies=remedies)


def _unbuilt(facts: Facts) -> tuple[Fact, ...]:
    """Return the dkms status lines, if none of them is installed for the running kernel."""
    lines = facts.stated("amdgpu-dkms")
    running = facts.host.kernel
    for line in lines:
        kernel = line.value("kernel")
        if line.value("state") == "installed" and (running is None or kernel is None or kernel == running):
            return ()
    return lines
