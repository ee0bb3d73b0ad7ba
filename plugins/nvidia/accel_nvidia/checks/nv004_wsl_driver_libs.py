from collections.abc import Iterator
from typing import Final

from accel.specs.support import support_of
from accel.vendors.contract.check import Fact, Facts, Problem, Problems, Remedy, Specs, applies, check, quoted
from accel.vendors.contract.command import chained, command_line, name_word
from accel_nvidia import around
from accel_nvidia.version import parts

_SYMPTOMS: Final = (
    *("cuda-no-device", "no-cuda-gpus", "torch-found-no-driver", "libcuda-missing", "cuda-unknown-error"),
    *("nvidia-module-absent", "nvml-access-blocked", "driver-parts-unlike", "hook-finds-no-adapter"),
    *("driver-insufficient", "cuda-stub-loaded", "smi-cuda-error"),
)
_UNSEEN: Final = ("smi-not-found", "no-gpu-seen", "no-gpu-usable")
_BUILD: Final = "windows-build"

_THEN_DRIVER: Final = Remedy(
    text="Then install the NVIDIA driver in Windows, and no Linux driver inside WSL; /usr/lib/wsl/lib then appears "
    "automatically.",
    command="ls /usr/lib/wsl/lib; /usr/lib/wsl/lib/nvidia-smi",
    action="env",
)
_IN_WINDOWS: Final = Remedy(
    text="In Windows, install NVIDIA's current driver from nvidia.com/drivers, update WSL, and restart it: "
    "/usr/lib/wsl/lib then has libcuda and nvidia-smi. Install no driver inside WSL.",
    command="wsl --update && wsl --shutdown",
    action="admin",
)
_OTHER_DRIVER: Final = (
    Remedy(
        text="Install another Windows driver, trying a newer one first; there is no driver to change inside WSL.",
        command="wsl --update && wsl --shutdown",
        action="admin",
    ),
    Remedy(
        text="Check that nvidia-smi and libcuda are the ones from Windows, and that no Linux driver package is "
        "installed.",
        command="/usr/lib/wsl/lib/nvidia-smi; ldconfig -p | grep libcuda; dpkg -l | grep -iE 'nvidia-utils|libnvidia'",
        action="env",
        kind="look",
    ),
)
_NO_ADAPTER: Final = (
    Remedy(
        text="Check in Windows whether there is an NVIDIA GPU, which driver it has, and its driver model (WDDM "
        "or MCDM, not TCC). A machine without an NVIDIA GPU needs no GPU option.",
        command="nvidia-smi.exe; wsl.exe -l -v",
        action="env",
        kind="look",
    ),
    Remedy(
        text="If there is one: install NVIDIA's current Windows driver, update WSL, and restart it.",
        command="wsl.exe --update && wsl.exe --shutdown",
        action="admin",
    ),
)
_UPDATED: Final = (
    Remedy(
        text="Update Docker Desktop (4.31 or newer), or the NVIDIA container toolkit inside WSL; then restart WSL and "
        "the container.",
        command="wsl --update && wsl --shutdown",
        action="admin",
    ),
    Remedy(text="Or go back to a Windows driver before 555.", action="admin"),
)
_FIRST: Final = Remedy(
    text="Put WSL's libraries first.",
    command="export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH; ldconfig -p | grep libcuda",
    action="env",
)
_PURGE: Final = Remedy(
    text="Remove the Linux driver packages from the distribution; the CUDA toolkit may stay.",
    command="sudo apt purge 'nvidia-driver-*' 'nvidia-utils-*' 'libnvidia-*' 'nvidia-kernel-*' 'cuda-drivers*'",
    action="admin",
)
_COPIED: Final = (
    Remedy(
        text="Copy the driver's files again, from the host's current release. On the host, in PowerShell:  scp "
        "-r C:\\Windows\\System32\\lxss\\lib (Get-Item "
        "C:\\Windows\\System32\\DriverStore\\FileRepository\\nv*.inf_amd64_*).FullName USER@GUEST:/tmp/  "
        "Then put them in the guest where WSL would have them, and load dxgkrnl.",
        command="sudo mkdir -p /usr/lib/wsl/lib /usr/lib/wsl/drivers && sudo cp -r /tmp/nv*.inf_amd64_* "
        "/usr/lib/wsl/drivers/ && sudo cp -r /tmp/lib/. /usr/lib/wsl/lib/ && sudo chmod -R a+rX /usr/lib/wsl && "
        "echo /usr/lib/wsl/lib | sudo tee /etc/ld.so.conf.d/wsl.conf && sudo ldconfig && sudo modprobe dxgkrnl",
        action="admin",
    ),
    Remedy(
        text="Check whether the module dxgkrnl matches the guest's kernel, whether Secure Boot rejects it, and "
        "whether the host's GPU is assigned to the guest as a partition.",
        command="uname -r; modinfo dxgkrnl; mokutil --sb-state; lspci | grep -i microsoft",
        action="admin",
        kind="look",
    ),
)
_ANEW: Final = Remedy(
    text="Shut down WSL's virtual machine from Windows, then start it again.", command="wsl --shutdown", action="admin"
)
_RESTART: Final = Remedy(
    text="Update and restart WSL from Windows.",
    command="wsl --update && wsl --shutdown",
    action="admin",
)


@check(
    code="NV004",
    name="wsl-driver-libs",
    layer="driver",
    reads=(
        *_SYMPTOMS,
        "cuda-entry-missing",
        "no-gpu-seen",
        "wsl-foreign-libcuda",
        *("smi-crashed", "nix-named", "no-gpu-usable", _BUILD),
        *("gpu-lent-by-hyper-v", "windows-channel-broken"),
        *(
            "driver-model-tcc",
            "cuda-failed-at-work",
            "kernel-without-modules",
            "wsl-one",
            "smi-not-found",
            "woke-from-sleep",
        ),
        *around.AROUND,
    ),
    needs=("use.torch|jax|tensorflow",),
    requires=(
        *("container-without-gpu", "devices-hidden", "torch-cpu-build-on-gpu-machine", "driver-too-old"),
        *("windows-tdr-timeout", "wsl-pinned-memory-limit", "container-given-no-gpus"),
    ),
)
def wsl_driver_libs(facts: Facts, specs: Specs) -> Problems:
    """Under WSL, the NVIDIA library in use is not the one that Windows provides in /usr/lib/wsl/lib.

    Why it matters   Under WSL, Windows provides the driver. A Linux driver package in the distribution shadows its
                     libcuda with one that finds no device.
    What to do       Remove the Linux driver packages (not the CUDA toolkit), put /usr/lib/wsl/lib first, restart WSL.
    Looks at         signs of WSL together with an error: no device, no driver, another version; nvidia-smi that crashes
                     or cannot show the CUDA version; Nix programs, which do not search WSL's library folder
    Silent when      there is no sign of WSL; a visibility variable, a container or a CPU build explains the error
    Source           NVIDIA: CUDA on WSL user guide, chapter on known limitations and drivers
    """
    slept = not facts.on_wsl and facts.first("woke-from-sleep") is not None  # see NV071
    blocked = facts.first("nvml-access-blocked") is not None and not slept and not facts.live  # in texts it means WSL
    applies(facts.on_wsl or blocked or facts.first("wsl-one") is not None, "no sign of WSL")
    if any(f.name == "torch" and f.built_for in ("cpu", "rocm") for f in facts.environment.frameworks):
        return
    too_old = tuple(_of_windows(facts, specs))
    if too_old:
        yield from too_old
        return
    first = facts.stated("wsl-one") or (facts.stated("kernel-without-modules") if facts.on_wsl else ())
    missed = facts.stated(*_SYMPTOMS, "smi-not-found", "no-gpu-seen")
    if first and missed:
        yield Problem(
            title="This distribution runs under WSL 1, which has no GPU support",
            detail="WSL 1 translates Linux system calls; only WSL 2's virtual machine gets the GPU.",
            evidence=quoted((*first[:1], *missed[:2])),
            remedies=(_converted(first), _THEN_DRIVER),
        )
        return
    at_work = {fact.line for fact in facts.stated("cuda-failed-at-work")}
    entry = facts.stated("cuda-entry-missing")
    if entry:
        yield Problem(
            title="Under WSL, the files of Windows' driver that were mounted into the container do not match (error "
            "500)",
            detail="Windows drivers from 555 on have one more library than older container tools mount.",
            evidence=quoted((*entry[:2], *facts.stated("wsl-named")[:1])),
            remedies=_UPDATED,
        )
        return
    crashed = facts.stated("smi-crashed")
    if crashed:
        yield Problem(
            title="Under WSL, nvidia-smi crashes in the Windows driver's library",
            evidence=quoted((*crashed[:2], *facts.stated("wsl-named")[:1])),
            remedies=_OTHER_DRIVER,
        )
        return
    no_tool, unseen = facts.stated("smi-not-found"), facts.stated("no-gpu-seen")
    if no_tool and unseen and not facts.stated(*_SYMPTOMS, "wsl-foreign-libcuda"):
        yield Problem(
            title="WSL has no NVIDIA driver from Windows: nvidia-smi is missing, and torch sees no GPU",
            detail="Windows puts both into /usr/lib/wsl/lib if its driver supports WSL and WSL's kernel is recent "
            "enough.",
            evidence=quoted((*no_tool[:1], *unseen[:1])),
            remedies=(_IN_WINDOWS, _FIRST),
        )
        return
    found = tuple(fact for fact in facts.stated(*_SYMPTOMS) if fact.line not in at_work or fact.line is None)
    if facts.stated("wsl-foreign-libcuda", "nix-named"):
        found += facts.stated("no-gpu-seen")
    if not found or (around.amd_seen(facts) and not facts.seen("nvidia")):
        return
    foreign = facts.stated("wsl-foreign-libcuda")
    if {fact.name for fact in found} == {"hook-finds-no-adapter"} and not foreign:
        yield Problem(
            title="Under WSL, Windows offers no NVIDIA GPU to the container",
            detail="Windows passes on the GPUs that its own driver runs: none without an NVIDIA card, with a "
            "driver older than WSL support, in TCC mode, or under WSL 1.",
            evidence=quoted(
                (*found[:2], *facts.stated("driver-model-tcc")[:1], *facts.stated("wsl-named")[:1]), most=5
            ),
            remedies=_NO_ADAPTER,
        )
        return
    refused = facts.stated("nvml-access-blocked")
    lent = facts.stated("gpu-lent-by-hyper-v")
    if refused and lent and not foreign:
        yield Problem(
            title="The Hyper-V guest lacks part of Windows' GPU driver, so it cannot reach the GPU on the host",
            detail="WSL mounts the driver automatically; in a Hyper-V guest it must be copied after each update.",
            evidence=quoted((*refused[:2], *lent[:2])),
            remedies=_COPIED,
        )
        return
    broken = facts.stated("windows-channel-broken")
    if refused and broken and not foreign:
        yield Problem(
            title="Under WSL, the channel to Windows' driver is broken",
            detail="It works again after WSL's virtual machine is restarted; programs that are killed while they "
            "use the GPU can cause this.",
            evidence=quoted((*broken[:2], *refused[:1])),
            remedies=(_ANEW, _RESTART),
        )
        return
    if refused and not foreign:
        tcc = facts.stated("driver-model-tcc")
        yield Problem(
            title="Under WSL, Windows does not give the virtual machine access to the GPU"
            + (": the GPU is in TCC mode, but WSL needs WDDM or MCDM" if tcc else ""),
            evidence=quoted((*refused[:2], *tcc[:1], *facts.stated("wsl-named")[:1]), most=5),
            remedies=tuple(_let_in(bool(tcc))),
        )
        return
    yield Problem(
        title="Under WSL, a program does not reach the Windows driver through /usr/lib/wsl/lib",
        detail="The driver belongs to Windows; a Linux driver package inside the distribution hides its libraries.",
        evidence=quoted((*found[:3], *foreign[:1], *facts.stated("wsl-named")[:1]), most=5),
        remedies=(_PURGE, _FIRST, _RESTART) if _was_installed(facts) else (_FIRST, _PURGE, _RESTART),
    )


def _converted(told: tuple[Fact, ...]) -> Remedy:
    """Return the step that converts a distribution to WSL 2."""
    name = next((name for fact in told if (name := name_word(fact.value("distribution")))), None)
    return Remedy(
        text="From Windows: convert the distribution to WSL 2; its files are kept.",
        command=chained("wsl --update", command_line("wsl --set-version", name or "DISTRIBUTION", "2"))
        if name
        else "wsl --update; wsl -l -v; wsl --set-version DISTRIBUTION 2",
        action="admin",
    )


def _of_windows(facts: Facts, specs: Specs) -> Problems:
    """Judge the Windows build when a program in WSL sees no GPU."""
    known = support_of(specs, "wsl-gpu", "windows-10")
    missed = facts.stated(*_SYMPTOMS, *_UNSEEN)
    for fact in facts.stated(_BUILD) if known is not None and missed else ():
        numbers = parts(fact.value("version") or "")
        build = numbers[2] if len(numbers) > 2 and numbers[0] == 10 else numbers[0] if len(numbers) < 3 else 0
        if known is None or build < 10240 or known.serves(str(build)) is not False:
            continue
        yield Problem(
            title=f"Windows 10 build {build} has no GPU support in WSL 2: that starts with build {known.first}",
            detail=f"See {known.source}",
            evidence=quoted((fact, *missed[:2])),
            remedies=(
                Remedy(
                    text=f"Update Windows to 10 21H2 (build {known.first}) or newer, or to Windows 11, with "
                    "Windows Update; then update WSL, install NVIDIA's current Windows driver, and restart "
                    "WSL. Another CUDA toolkit or torch inside WSL changes nothing.",
                    command="wsl --update && wsl --shutdown",
                    action="admin",
                ),
            ),
        )
        return


def _was_installed(facts: Facts) -> bool:
    """Return whether the text shows the installation of a Linux driver package, not only its library."""
    return any(fact.value("tool") for fact in facts.stated("wsl-foreign-libcuda"))


def _let_in(tcc: bool) -> Iterator[Remedy]:
    """Yield the steps that give WSL the GPU: the driver model, the Windows driver, WSL's kernel and libraries."""
    if tcc:
        yield Remedy(
            text="In Windows, as an administrator: switch the GPU from TCC to WDDM (0) or, with a newer driver, "
            "MCDM (2); then restart Windows.",
            command="nvidia-smi -g 0 -dm 0",
            action="admin",
        )
    yield Remedy(
        text="Update the NVIDIA driver in Windows and WSL, then restart WSL.",
        command="wsl --update && wsl --shutdown",
        action="admin",
    )
    yield Remedy(
        text="Inside: the GPU's device node and Windows' libraries must be there; a custom kernel needs "
        "CONFIG_DXGKRNL=y, a Hyper-V machine with GPU-PV a copy of Windows' driver folder and of lxss\\lib.",
        command="ls -l /dev/dxg /usr/lib/wsl/lib /usr/lib/wsl/drivers; uname -r",
        action="env",
    )
    yield Remedy(
        text="Use WSL's nvidia-smi, and install no Linux driver package.",
        command="/usr/lib/wsl/lib/nvidia-smi; dpkg -l | grep -iE 'nvidia-utils|libnvidia'",
        action="env",
    )
