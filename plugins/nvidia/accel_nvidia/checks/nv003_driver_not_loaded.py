"""No working NVIDIA kernel module."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Problem, Remedy, applies, check, need
from accel_nvidia import nvml_errors, signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.report import Event
    from accel.specs import Specs

# What is said, the most telling first: (events, title, remedy, command, action)
_KINDS: Final = (
    (
        ("module-key-refused",),
        "Secure Boot refuses the NVIDIA kernel module: it is not signed by a known key",
        "Enrol the key that signed the module (then confirm at the next boot), or switch Secure Boot off.",
        "sudo mokutil --import /var/lib/shim-signed/mok/MOK.der",
        "admin",
    ),
    (
        ("other-driver-bound", "gpu-bound-to-other-driver", "nouveau"),
        "Another kernel driver holds the GPU, so the NVIDIA module cannot have it",
        "First install the NVIDIA driver (without it the screen may stay dark); then keep nouveau and nova from "
        "loading, rebuild the initial ramdisk, and reboot.",
        "printf 'blacklist nouveau\\nblacklist nova_core\\nblacklist nova_drm\\noptions nouveau modeset=0\\n' "
        "| sudo tee /etc/modprobe.d/nvidia-only.conf && (sudo update-initramfs -u || sudo dracut --force) "
        "&& sudo reboot",
        "reboot",
    ),
    (
        ("gpu-needs-other-driver-flavor",),
        "This kind of NVIDIA kernel module does not drive this GPU",
        "Install the kind that does: the open modules for Blackwell, the proprietary ones before Turing, "
        "the legacy branch that the kernel log names for older GPUs.",
        "sudo dmesg | grep -i nvrm",
        "admin",
    ),
    (
        ("module-build-failed", "dkms-not-built", "module-not-found"),
        "There is no NVIDIA kernel module for the running kernel",
        "Install the headers of the running kernel and build the module for it.",
        "sudo dkms autoinstall -k $(uname -r) && sudo modprobe nvidia",
        "admin",
    ),
    (
        ("module-load-error", "module-not-inserted", "driver-probed-nothing"),
        "The NVIDIA kernel module could not be loaded",
        "The kernel log says why; reinstall the driver for the running kernel.",
        "sudo dmesg | grep -iE 'nvrm|nvidia|nouveau|nova'",
        "admin",
    ),
    (
        (
            "driver-no-communication",
            "nvml-driver-not-loaded",
            "nvidia-driver-not-loaded",
            "proc-driver-missing",
            "container-cli-driver-error",
        ),
        "The NVIDIA kernel module is not loaded",
        "Load it; if that fails, it was not built for this kernel: rebuild or reinstall the driver.",
        "sudo modprobe nvidia || sudo dkms autoinstall -k $(uname -r)",
        "admin",
    ),
    (
        ("uvm-missing", "cuda-unknown-error"),
        "The nvidia_uvm module does not serve CUDA: left useless by a suspend, or its device node is missing",
        "Reload nvidia_uvm with nothing on the GPU; a reboot does the same.",
        "sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm",
        "admin",
    ),
)


@check(
    code="NV003",
    name="driver-not-loaded",
    layer="driver",
    requires=("wsl-driver-libs", "driver-library-mismatch", "gpu-lost", "gpu-xid", "cuda-torch-on-amd-machine"),
)
def driver_not_loaded(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """No working NVIDIA kernel module: not built, refused, displaced, or its nvidia_uvm part gone stale.

    Why it matters   Nothing can use the GPU until the module of the running kernel is loaded.
    What to do       Rebuild or reinstall the driver for the running kernel; free the GPU from nouveau or nova; enrol
                     the signing key; after a suspend reload nvidia_uvm.
    Looks at         the sentences of nvidia-smi, NVML, modprobe, DKMS, the installer and the kernel log; error 999
    Silent when      the sentence comes from inside a container, or WSL, or an AMD machine, where others explain it;
                     undecided where "Found no NVIDIA driver" stands alone
    Source           NVIDIA driver README: common problems; Linux kernel module signing
    """
    for names, title, text, command, action in _KINDS:
        events = tuple(event for event in facts.events(*names) if _counts(event, facts))
        if not events and "nvml-driver-not-loaded" in names:
            events = signs.nvml_errors_of(facts, nvml_errors.DRIVER_NOT_LOADED)
        if events:
            remedy = Remedy(text=text, command=command, action=action)  # type: ignore[arg-type]
            yield Problem(title=title, evidence=signs.quoted(events), remedies=(remedy,))
            return
    yield from _from_programs(facts)


def _counts(event: "Event", facts: "Facts") -> bool:
    """Leave out what a container or another module's build explains."""
    if event.name in ("module-build-failed", "dkms-not-built"):
        return "nvidia" in event.message.lower() or signs.nvidia_seen(facts)
    if event.name == "gpu-bound-to-other-driver":
        return (event.value("driver") or "").startswith(("nouveau", "nova"))  # vfio-pci and none are meant so
    if event.name == "cuda-unknown-error":
        return not signs.closed_nodes(facts) and not signs.refused(facts)
    if event.name == "nouveau":
        return not signs.driver_answers(facts)  # it may have stood back for the NVIDIA module later
    if event.name in ("driver-no-communication", "proc-driver-missing", "uvm-missing"):
        return not (event.scope == "container" and signs.driver_answers(facts)) and not signs.on_wsl(facts)
    return True


def _from_programs(facts: "Facts") -> Iterator[Problem]:
    """Judge what frameworks say, which is the same with no driver, in a container, and on an AMD machine."""
    events = facts.events("torch-found-no-driver", "kernel-driver-not-running", "nvml-library-absent")
    if not facts.live and signs.sees_no_gpu(facts):
        events += facts.events("device-node-missing")
    if not events or signs.driver_answers(facts) or signs.amd_seen(facts) or signs.on_wsl(facts):
        return
    applies(not signs.in_container(facts), "a container is involved")
    need(
        True if signs.nvidia_seen(facts) else None, "whether an NVIDIA GPU is in this machine, and what nvidia-smi says"
    )
    remedy = Remedy(text="Install the NVIDIA driver for this GPU, then reboot.", command="nvidia-smi", action="admin")
    yield Problem(title="No NVIDIA driver is loaded", evidence=signs.quoted(events), remedies=(remedy,))
