from collections.abc import Iterator
from typing import Final

from accel.facts.containers import OF_LXC, in_container
from accel.model.dataclass import replace
from accel.vendors.contract.check import Evidence, Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import chained, command_line, path_word
from accel.vendors.toolkit.kernel_packages import package_manager
from accel.vendors.toolkit.table_steps import fix, fixes
from accel_nvidia import around
from accel_nvidia.driver_install import appliance
from accel_nvidia.module_remedies import from_one_source

_ONE_VERSION: Final = {
    "apt": "sudo apt-get update && sudo apt-get --fix-broken install && sudo apt-get install --only-upgrade "
    "'^nvidia-.*' '^libnvidia-.*' && sudo dkms autoinstall && sudo reboot",
    "dnf": "sudo dnf distro-sync '*nvidia*' && (sudo akmods --force || sudo dkms autoinstall) && sudo reboot",
    "zypper": "sudo zypper refresh && sudo zypper dup && sudo dracut --regenerate-all --force && sudo reboot",
    "pacman": "sudo pacman -Syu && sudo reboot",
}
_STALE: Final = {
    "apt": "sudo dpkg --configure -a; sudo apt-get --fix-broken install && sudo dkms autoinstall"
    " && sudo update-initramfs -u -k all && sudo reboot",
    "dnf": "(sudo akmods --force || sudo dkms autoinstall) && sudo dracut --regenerate-all --force && sudo reboot",
    "pacman": "sudo mkinitcpio -P && sudo reboot",
}
_INSIDE: Final = ("works-on-host-alone", "host-driver-answers", "container-fails-said")
UNATTENDED: Final = "driver-upgraded-unattended"
_REBOOT: Final = (
    "Reboot the machine: an update replaced the driver's files, but the old version's module is still loaded."
)
_MUST_WAIT: Final = "reboot-must-wait"
_IN_PROFILE: Final = "driver-tools-in-profile"
_OLDER: Final = "container-older-than-driver"
_RELOAD: Final = (
    "If the machine must not be rebooted: stop the programs that use the GPUs, and reload the "
    "modules, so that they match the new libraries."
)
_UNKNOWN: Final = (
    " The command depends on the distribution and on which packages differ, which these show:  cat /etc/os-release; "
    "dpkg -l | grep -i nvidia  (or rpm -qa)."
)


@check(
    code="NV002",
    name="driver-library-mismatch",
    layer="driver",
    reads=(
        *around.UNLIKE,
        *("nvml-library-version", "module-on-disk"),
        "driver-modules-from-source",
        *(UNATTENDED, _MUST_WAIT, *around.TWO_SOURCES),
        *(around.APPLIANCE, OF_LXC, _OLDER, _IN_PROFILE, *_INSIDE),
        *around.AROUND,
    ),
    needs=("use.torch|jax|tensorflow",),
    requires=("wsl-driver-libs", "fabric-manager-version-mismatch"),
)
def driver_library_mismatch(facts: Facts, specs: Specs) -> Problems:
    """The driver's user-space libraries and the loaded kernel module have different versions.

    Why it matters   Nothing that uses the GPU starts: the module refuses libraries of another version. The usual cause
                     is a package update without a reboot, or a driver installed inside a container.
    What to do       On the host: reboot, or reload the modules. In a container: remove the driver packages from it.
    Looks at         NVML error 18, CUDA errors 803 and 804, messages of TensorFlow and the kernel module
    Silent when      the driver answers
    Source           NVML API: NVML_ERROR_LIB_RM_VERSION_MISMATCH; CUDA driver API: errors 803 and 804
    """
    unlike = around.parts_unlike(facts)
    if not unlike:
        return
    printed = facts.stated("nvml-library-version", "forward-compat-refused")
    kernel = next((v for fact in unlike if (v := fact.value("kernel"))), None)
    library = next((v for fact in (*unlike, *printed) if (v := fact.value("library"))), None)
    driver = facts.driver("nvidia")
    if driver is not None:
        kernel = kernel or driver.version
        library = library or driver.library_version
    versions = tuple(
        Evidence(fact=fact, value=value)
        for fact, value in (("kernel module", kernel), ("library", library))
        if value is not None
    )
    differ = kernel and library and not f"{kernel}.".startswith(f"{library}.")  # NVML prints 550.163 for 550.163.01
    said = f" ({kernel} loaded, {library} installed)" if differ else ""
    yield Problem(
        title=f"The driver's libraries do not match the loaded kernel module{said}",
        evidence=(*quoted((*unlike, *printed)), *versions),
        remedies=(*_shadowed(facts, specs, unlike), *_remedies(facts, specs, unlike, kernel)),
    )


def _shadowed(facts: Facts, specs: Specs, unlike: tuple[Fact, ...]) -> Iterator[Remedy]:
    """Yield steps for files of another driver that are found before its own.

    CUDA images ship a libcuda for newer CUDA versions (cuda-compat), in a folder named compat: then nvidia-smi works
    and only CUDA fails. A Nix profile keeps the release that was once installed in it.
    """
    if facts.stated(_IN_PROFILE):
        yield fix(specs, "nvidia", "smi-of-nix-profile")
    answers = around.driver_version(facts) is not None
    if answers and all(fact.value("domain") == "cuda" for fact in unlike):
        yield fix(specs, "nvidia", "older-libcuda-loaded")


def _of_own_modules(facts: Facts) -> tuple[Remedy, ...]:
    """Return how to match a .run file's libraries to modules built from source of another version, which no restart
    changes.
    """
    named = ("driver-from-runfile", "driver-modules-from-source")
    libraries, modules = ({v for fact in facts.stated(name) if (v := fact.value("version"))} for name in named)
    if len(libraries) != 1 or len(modules) != 1 or libraries == modules:
        return ()
    version = modules.pop()
    text = (
        f"The libraries come from the .run file of {libraries.pop()}, the modules from source of {version}: a "
        f"reboot changes neither. Remove the libraries, install those of the .run file of {version} without its "
        "modules, install your modules again in their folder, and reboot."
    )
    run = command_line("sudo sh", path_word(f"./NVIDIA-Linux-x86_64-{version}.run"), "--no-kernel-modules")
    return (Remedy(text=text, command=chained("sudo nvidia-uninstall", run), action="admin"),)


def _remedies(facts: Facts, specs: Specs, unlike: tuple[Fact, ...], kernel: str | None) -> tuple[Remedy, ...]:
    by_hook = any("nvidia-container-cli" in fact.text.lower() for fact in unlike)  # it runs on the host, with its files
    logged = any("nvrm" in fact.text.lower() and fact.scope != "container" for fact in unlike)  # by the host's kernel
    of_lxc = facts.first(OF_LXC) is not None
    inside_one = (
        (in_container(facts) or bool(facts.stated(_OLDER)))
        and not by_hook
        and (not logged or of_lxc or bool(facts.stated(*_INSIDE)))
    )
    on_disk = {fact.value("version") for fact in facts.stated("module-on-disk")}
    reboot = fix(specs, "nvidia", "reboot-host-for-module")
    reload = fix(specs, "nvidia", "reload-module")
    manager = package_manager(facts, specs)
    command = _ONE_VERSION.get(manager or "")
    told = (
        f"The module on disk is the old one, {kernel}, so a reboot would load it again. "
        if kernel in on_disk
        else "A reboot was tried and did not help: the module on disk is from another version, too. "
    )
    if on_disk and kernel not in on_disk and facts.stated("reboot-tried") and manager in _STALE:
        text = "A reboot was tried, and the module on disk is the new one already: an old copy of it is loaded from "
        text += "the initramfs. Finish the interrupted installation, build the module and every initramfs, and reboot."
        return (Remedy(text=text, command=_STALE[manager], action="admin"),)
    again = Remedy(
        text=f"{told}Install module and libraries in one version from one source (remove what a .run file or another "
        f"repository left), build the module for this kernel, then reboot.{_UNKNOWN if command is None else ''}",
        command=command,
        action="admin",
    )
    if (name := appliance(facts)) is not None:
        text = (
            f"{name} loads the module from its own image or extension: reboot, so that module and libraries "
            f"match. If they still differ, reinstall the driver extension for exactly this release of {name}; it "
            "has no package manager."
        )
        return (Remedy(text=text, command="sudo reboot", action="reboot"), reload)
    debian = manager in ("apt", None)
    listed = "" if debian else " Its package manager lists them: rpm -qa | grep -i nvidia."
    inside = Remedy(
        text="In a container: remove the driver packages (libnvidia-*, nvidia-utils, libcuda) from the image; the "
        f"runtime mounts the host's.{listed}",
        command="sudo apt purge -y '^libnvidia-compute-.*' '^nvidia-utils-.*' '^nvidia-driver-.*'" if debian else None,
        action="env",
    )
    if inside_one and kernel is not None and (of_lxc or facts.stated(*_INSIDE)):
        run = command_line("sh", path_word(f"./NVIDIA-Linux-x86_64-{kernel}.run"), "--no-kernel-module")
        inside = Remedy(
            text=f"Install the libraries of the host's driver, {kernel}, in the container: in LXC run its installer "
            "inside without its kernel module; in Docker remove the driver packages from the image.",
            command=run,
            action="env",
        )
    if kernel in on_disk:
        return (again,)
    one_source = () if inside_one else _of_own_modules(facts) or from_one_source(facts, specs)
    if facts.stated("reboot-tried"):
        return (inside, again) if inside_one else (one_source or (again,))
    if inside_one and facts.stated(_OLDER):
        return (fix(specs, "nvidia", "recreate-container"), inside)
    if inside_one:
        return (inside, reboot)
    held = (
        fixes(specs, "nvidia", "exclude-driver-from-upgrades")
        if facts.stated(UNATTENDED) and manager in ("apt", None)
        else ()
    )
    steps = (replace(reboot, text=_REBOOT), reload)
    if facts.stated(_MUST_WAIT):
        steps = (replace(reload, text=_RELOAD), reboot)
    return (*one_source, *steps, *held)
