"""How to get a kernel module that loads, by distribution. Pure."""

from typing import Final

from accel.facts.containers import in_container, is_kubernetes
from accel.model.dataclass import replace
from accel.vendors.contract.check import Fact, Facts, Remedy, Specs
from accel.vendors.contract.command import assignment_word, chained, command_line, path_word, system_package_word
from accel.vendors.toolkit.kernel_packages import build_for_kernel, own_kernel, package_manager, rebuild_ramdisk
from accel.vendors.toolkit.secure_boot import let_load
from accel.vendors.toolkit.table_steps import fix, fixes
from accel_nvidia import around
from accel_nvidia.branches import branch_driver, last_branch, legacy_branch, older_kernel
from accel_nvidia.driver_install import first_driver, newer_driver
from accel_nvidia.driver_pod import OF_HOST, newer_in_pod, of_driver_pod
from accel_nvidia.version import parts

_DEBIAN: Final = ("ubuntu", "debian", "mint", "pop", "zorin")
_OTHER: Final = "module-of-other-kernel"
COMPILERS: Final = "kernel-compiler-told"
_OPERATOR: Final = "operator-named"
_CURRENT: Final = 580  # older last branches are in few distributions, whose driver is too new for these GPUs
_INSTALLED: Final = ("module-kept-for", "module-for-other-kernels", "driver-installed-named")
READS: Final = (*around.TWO_SOURCES, _OTHER, *_INSTALLED, _OPERATOR, OF_HOST, COMPILERS, "dkms-absent", "smi-not-found")
_WITHOUT_NOUVEAU: Final = (
    "printf 'blacklist nouveau\\nblacklist nova_core\\nblacklist nova_drm\\noptions nouveau modeset=0\\n' | "
    "sudo tee /etc/modprobe.d/nvidia-only.conf"
)


def _is(facts: Facts, names: tuple[str, ...]) -> bool:
    distribution = (facts.host.distribution or "").lower()
    return any(name in distribution for name in names)


def build_module(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    """Return how to build the module for the running kernel."""
    stale = any(fact.value("has") for fact in facts.stated(_OTHER))
    built = build_for_kernel(facts, specs, "nvidia", stale=stale)
    last, version = last_branch(facts, specs), _source_version(facts)
    if last is not None and last["branch"] < _CURRENT and parts(version or "999")[0] > last["branch"]:
        return (branch_driver(facts, specs, last), built)
    if in_container(facts):
        built = replace(built, text=f"On the host, not in the container: {built.text[0].lower()}{built.text[1:]}")
    later = fix(specs, "nvidia", "newer-driver-or-older-kernel")
    return (built, later)


def _source_version(facts: Facts) -> str | None:
    """Return the version of the driver whose module is built here, if the text names it."""
    return next((v for fact in facts.stated("nvidia-module-source") if (v := fact.value("version"))), None)


def from_one_source(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    """Return how to make a driver consistent whose parts come from a .run file and packages; () if it already is."""
    if not all(facts.stated(name) for name in around.TWO_SOURCES):
        return ()
    packaged = first_driver(facts, specs)
    command = (
        "sudo nvidia-uninstall --silent; sudo apt purge -y '^nvidia-.*' '^libnvidia-.*' && sudo ubuntu-drivers install "
        "&& sudo reboot"
        if package_manager(facts, specs) in ("apt", None)
        else None
    )
    return (
        Remedy(
            text="The driver was installed with NVIDIA's .run file, and distribution packages replaced parts of "
            "it: remove both, install the driver from packages only, and reboot. Updates then change all "
            "parts together, and DKMS builds the module for each new kernel.",
            command=command or packaged.command,
            action="reboot",
        ),
    )


def of_runfile(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    """Return how to have a .run file's driver rebuilt for each new kernel, which nothing does by itself."""
    if not (facts.stated("driver-from-runfile") and facts.stated("dkms-absent")):
        return ()
    version = _source_version(facts)
    again = version and command_line("sudo sh", path_word(f"./NVIDIA-Linux-x86_64-{version}.run"), "--dkms --silent")
    headers = build_for_kernel(facts, specs, "nvidia", again or None)
    return (
        replace(
            headers,
            text="The .run file only built the module for the kernel that was running then. Install DKMS and the "
            "headers, and run the same .run file again with --dkms: the module is then built for this "
            "kernel and each later one.",
            command=headers.command if again else None,
        ),
    )


def build_again(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    """Return what to do if the module's build failed for an unknown reason."""
    if is_kubernetes(facts):
        return of_driver_pod(facts, specs)
    headers, _ = build_module(facts, specs)
    own = own_kernel(facts, specs)
    return (
        *((own,) if own is not None else ()),
        *newer_source(facts, specs, certain=bool(facts.stated("kernel-newer-than-driver"))),
        Remedy(
            text="If the build log reports missing headers or a missing compiler: install those for the running "
            "kernel, and build again.",
            command=headers.command,
            action="admin",
        ),
        fix(specs, "nvidia", "first-build-error"),
    )


def newer_source(facts: Facts, specs: Specs, certain: bool = True) -> tuple[Remedy, ...]:
    """Return what to do if the driver's sources do not compile for the kernel: the driver is older than it.

    certain  the compiler's errors say so; otherwise it is the most frequent reason
    """
    version = _source_version(facts)
    last = legacy_branch(version, specs) or last_branch(facts, specs)
    if last is not None and last["too_new"]:
        return (older_kernel(last, facts, specs),)
    if facts.stated(_OPERATOR) and is_kubernetes(facts):
        return newer_in_pod(version, facts, specs)
    name = f"The driver {version}" if version else "The driver"
    was = (
        f"{name} is older than this kernel. "
        if certain
        else f"{name} does not build, usually because it is older than the kernel. "
    )
    return (
        newer_driver(facts, specs, None, was),
        fix(specs, "nvidia", "kernel-that-built"),
    )


def in_windows(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    """Return what to do if the Windows driver itself does not respond."""
    install = first_driver(facts, specs)
    return (
        replace(
            install,
            text=f"{install.text[:-1]} (custom, clean installation), and restart Windows. On a laptop, first "
            "switch the graphics mode from Eco or integrated to standard, because it hides the GPU.",
        ),
        fix(specs, "nvidia", "windows-problem-code"),
    )


def kernel_compiler(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    """Return what to do if the module's build rejects the installed compiler, or the compiler is too old for it."""
    told = facts.first(COMPILERS)
    kernel, here = (told.value("kernel") or "", told.value("here") or "") if told is not None else ("", "")
    major = kernel.split(".")[0]
    accept = fix(specs, "nvidia", "accept-other-compiler")
    if major and major == here.split(".")[0]:
        text = (
            f"The kernel was built with GCC {kernel}, and GCC {here} is installed: with the same major "
            "version they are compatible, so tell the build "
        )
        return (replace(accept, text=f"{text}to accept it."),)
    if package_manager(facts, specs) in ("swupd", "pacman"):  # a rolling distribution has one compiler
        return (build_for_kernel(facts, specs, "nvidia"), accept)
    if package_manager(facts, specs) == "xbps":
        until = "The compiler was updated before the kernel was built again with it. Until then tell the build to "
        return (replace(accept, text=f"{until}accept it."),)
    package = system_package_word(f"gcc-{major}") if major.isdecimal() else None
    if package is not None and package_manager(facts, specs) == "apt":
        build = command_line(
            "sudo env", assignment_word("CC", f"gcc-{major}"), "dkms autoinstall && sudo modprobe nvidia"
        )
        return (
            Remedy(
                text=f"The kernel was built with GCC {kernel}, but {here or 'another one'} is used: install that "
                "one, and build the module with it.",
                command=chained(command_line("sudo apt install -y", package), build),
                action="admin",
            ),
        )
    return (
        fix(specs, "nvidia", "kernel-compiler"),
        accept,
    )


def one_version(specs: Specs) -> tuple[Remedy, ...]:
    """Return how to bring all of NVIDIA's modules to one version."""
    return fixes(specs, "nvidia", "one-module-version")


def signed_module(facts: Facts, stated: tuple[Fact, ...], specs: Specs) -> tuple[Remedy, ...]:
    """Return how to install a module that Secure Boot accepts on this machine."""
    if is_kubernetes(facts):
        return fixes(specs, "nvidia", "operator-signed-modules")
    if not any("unable to load the kernel module" in fact.text.lower() for fact in stated):
        return let_load(facts, specs, "nvidia")
    packaged = first_driver(facts, specs)
    return (
        Remedy(
            text="nvidia-installer builds an unsigned module, also inside a driver container. Install the "
            "distribution's own driver packages on the host instead, whose module is signed or gets a key "
            "that you enrol at the next boot; or disable Secure Boot in the firmware setup and load the "
            "module as it is.",
            command=packaged.command,
            action="admin",
        ),
        *fixes(specs, "nvidia", "operator-signed-modules")[:1],
    )


def drives_no_gpu(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    """Return what to do if the module is present but says "No such device": it finds no GPU that it supports."""
    look = fix(specs, "nvidia", "bound-driver")
    last = last_branch(facts, specs)
    if last is None:
        return (look, *free_from_other(facts, specs)[1:])
    return (branch_driver(facts, specs, last), look)


def switch_on(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    """Return how to allow modprobe to load NVIDIA's module again."""
    choose = fix(specs, "nvidia", "laptop-profile")
    find = fix(specs, "nvidia", "module-alias-off")
    return (choose, find) if _is(facts, _DEBIAN) or facts.host.distribution is None else (find, choose)


_RELOAD: Final = "sudo fuser -v /dev/nvidia*; sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm"
_RELOAD_BESIDE_OLLAMA: Final = (
    "sudo systemctl stop ollama; sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm && sudo systemctl start ollama"
)


def reload_uvm(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    """Return how to make nvidia_uvm respond again, after stopping its users; Ollama by its service."""
    of_ollama = any("ollama" in fact.text.lower() for fact in facts.stated("woke-from-sleep"))
    reload = Remedy(
        text="Stop what uses the GPU, including containers, and reload nvidia_uvm; a reboot does the same.",
        command=_RELOAD_BESIDE_OLLAMA if of_ollama else _RELOAD,
        action="admin",
    )
    keep = fix(specs, "nvidia", "memory-kept-over-suspend")
    return (reload, keep) if facts.first("woke-from-sleep") is not None else (reload,)


def free_from_other(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    """Return how to give the NVIDIA module the GPUs that another, unknown kernel driver took first."""
    return (
        fix(specs, "nvidia", "drivers-bound"),
        Remedy(
            text="For nouveau and nova: keep them from loading, rebuild the initial ramdisk, and reboot.",
            command=_keep_nouveau_out(facts, specs),
            action="reboot",
        ),
    )


def displace_nouveau(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    """Return how to give the NVIDIA module the GPU that nouveau or nova drives.

    If the driver is not installed, its packages do all of this: they block nouveau and write the initial ramdisk.
    """
    there = bool(facts.stated(*_INSTALLED, _OPERATOR))  # the operator installs it in a container
    again = build_module(facts, specs)[:1] if facts.stated("module-for-other-kernels") else ()
    install = first_driver(facts, specs)
    alone = not there and bool(facts.stated("smi-not-found")) and install.command is not None
    first = "Keep" if there else "First install the NVIDIA driver (without it the screen may stay dark); then keep"
    keep = Remedy(
        text=f"{'If nouveau is still bound to it: keep' if alone else first} nouveau and nova from loading, "
        "rebuild the initial ramdisk, and reboot.",
        command=_keep_nouveau_out(facts, specs),
        action="reboot",
    )
    return (install, keep) if alone else (*again, keep)


def _keep_nouveau_out(facts: Facts, specs: Specs) -> str | None:
    return chained(_WITHOUT_NOUVEAU, rebuild_ramdisk(facts, specs), "sudo reboot")


def allow_load(specs: Specs) -> tuple[Remedy, ...]:
    """Return what to do if SELinux prevents loading a module: its label, or the policy, is wrong."""
    return fixes(specs, "nvidia", "selinux-labels")


def one_origin(stated: tuple[Fact, ...]) -> tuple[Remedy, ...]:
    """Return how to replace packages of one driver from different repositories by those of one."""
    look = "Check which driver packages from different sources are mixed; then "
    of_rpm = any(sign in fact.text for fact in stated for sign in (".fc", ".el", "xorg-x11-drv-nvidia", "akmod"))
    if of_rpm:
        return (
            Remedy(
                text=f"{look}keep one repository for NVIDIA's driver (RPM Fusion, negativo17 or NVIDIA's own), "
                "remove the packages of the others, and install the driver from it.",
                command="rpm -qa --qf '%{NAME} %{VERSION} %{VENDOR}\\n' | grep -i nvidia; dnf repolist",
                action="admin",
            ),
        )
    return (
        Remedy(
            text=f"{look}repair and install one of them.",
            command="dpkg -l | grep -iE 'nvidia|libcuda' && sudo apt --fix-broken install",
            action="admin",
        ),
    )
