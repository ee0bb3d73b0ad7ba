"""Facts about any host, from a few small files.

Linux    /etc/os-release, /proc/version, /proc/sys/kernel/{hostname,osrelease,arch}, /proc/meminfo, /proc/cpuinfo,
         the names of the C library, /sys/class/dmi/id, the EFI variable SecureBoot
Container signs, the most reliable first: KUBERNETES_SERVICE_HOST, /run/.containerenv (podman), /.dockerenv, the
         variable `container` (systemd-nspawn, lxc, podman), /run/systemd/container, the paths of /proc/1/cgroup
WSL      /proc/version contains microsoft; WSL_DISTRO_NAME; the interop file of binfmt_misc
Others   Python's platform module, for the machine it runs on
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.machine.files import names_in
from accel.machine.live import LiveMachine
from accel.machine.protocol import Machine
from accel.model.device import Gap
from accel.model.snapshot import Host

_SECURE_BOOT: Final = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
_ENGINES: Final = {
    "kubepods": "kubernetes",
    "libpod": "podman",
    "docker": "docker",
    "containerd": "containerd",
    "lxc": "lxc",
    "machine.slice": "systemd-nspawn",
}
_HYPERVISORS: Final = {  # by the vendor or product name in DMI
    "QEMU": "kvm",
    "KVM": "kvm",
    "Google Compute Engine": "kvm",
    "Amazon EC2": "kvm",
    "OpenStack": "kvm",
    "Alibaba Cloud ECS": "kvm",
    "VMware": "vmware",
    "VirtualBox": "virtualbox",
    "Virtual Machine": "hyper-v",  # Microsoft's product name
    "Xen": "xen",
    "HVM domU": "xen",
    "Parallels": "parallels",
}


def host_facts(machine: Machine) -> Host:
    """Return what is known about this host. Takes a few milliseconds and runs nothing."""
    if machine.system != "linux":
        return _by_python(machine)
    version = _text(machine, "/proc/version") or ""
    wsl = _is_wsl(machine, version)
    engine = next(_engines(machine), None)
    secure_boot, gaps = _secure_boot(machine, container=engine is not None)
    shm = machine.filesystem_bytes("/dev/shm")
    return Host(
        name=_text(machine, "/proc/sys/kernel/hostname"),
        system="linux",
        distribution=_distribution(machine),
        kernel=_text(machine, "/proc/sys/kernel/osrelease") or _found(r"Linux version (\S+)", version),
        machine=_architecture(machine, version),
        libc=_libc(machine),
        wsl=wsl,
        containerized=engine is not None if machine.exists("/proc/1") or engine else None,
        container=engine,
        virtualization="wsl" if wsl else _virtualization(machine),
        secure_boot=secure_boot,
        memory_total_bytes=_memory_total_bytes(machine),
        shm_bytes=shm[0] if shm else None,
        gaps=tuple(gaps),
    )


def _text(machine: Machine, path: str) -> str | None:
    try:
        return machine.read(path).strip("\0 \n\t") or None
    except (OSError, ValueError):
        return None


def _found(pattern: str, text: str | None) -> str | None:
    match = re.search(pattern, text or "", re.MULTILINE)
    return match[1] if match else None


def _distribution(machine: Machine) -> str | None:
    """Return the distribution's own name: "Ubuntu 22.04.4 LTS"."""
    release = _text(machine, "/etc/os-release") or _text(machine, "/usr/lib/os-release")
    name = _found(r"^PRETTY_NAME=[\"']?(.*?)[\"']?\s*$", release)
    return name or _text(machine, "/etc/redhat-release")


def _architecture(machine: Machine, version: str) -> str | None:
    """Return "x86_64", "aarch64" …; since 6.1 the kernel has a file for it."""
    kernel = _text(machine, "/proc/sys/kernel/arch")
    if kernel:
        return kernel
    if isinstance(machine, LiveMachine):
        import os

        return os.uname().machine
    found = _found(r"\b(x86_64|amd64|aarch64|arm64|ppc64le|s390x|riscv64|loongarch64)\b", version)
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(found or "", found)


def _libc(machine: Machine) -> str | None:
    """Return "glibc 2.35" or "musl": from the live process, or else from the names of the loader's files."""
    if isinstance(machine, LiveMachine):
        import os

        try:
            return os.confstr("CS_GNU_LIBC_VERSION")
        except (ValueError, OSError, AttributeError):
            return "musl" if _maps_musl(machine) else None
    for folder in ("/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64"):
        for name in names_in(machine, folder):
            version = _found(r"^(?:libc|ld)-(2\.\d+)\.so$", name)
            if version:
                return f"glibc {version}"
    return "musl" if _maps_musl(machine) else None


def _maps_musl(machine: Machine) -> bool:
    return any(name.startswith("ld-musl-") for name in names_in(machine, "/lib"))


def _is_wsl(machine: Machine, version: str) -> bool:
    if re.search(r"microsoft", version, re.IGNORECASE) or machine.environment.get("WSL_DISTRO_NAME"):
        return True
    return machine.exists("/proc/sys/fs/binfmt_misc/WSLInterop")


def _engines(machine: Machine) -> Iterator[str]:
    if machine.environment.get("KUBERNETES_SERVICE_HOST"):
        yield "kubernetes"
    cgroups = _text(machine, "/proc/1/cgroup") or ""
    if "kubepods" in cgroups:
        yield "kubernetes"
    if machine.exists("/run/.containerenv"):
        yield "podman"
    if machine.exists("/.dockerenv"):
        yield "docker"
    named = machine.environment.get("container") or _text(machine, "/run/systemd/container")
    if named and named != "wsl":  # WSL with systemd writes its own name there
        yield {"oci": "container"}.get(named, named)
    if machine.environment.get("APPTAINER_CONTAINER") or machine.environment.get("SINGULARITY_CONTAINER"):
        yield "apptainer"
    for sign, engine in _ENGINES.items():
        if re.search(rf"[/:-]{re.escape(sign)}[/\-_.]", cgroups):
            yield engine


def _virtualization(machine: Machine) -> str | None:
    """Return "kvm", "vmware", …; "none" if the CPU reports no hypervisor; None if unknown."""
    seen = " ".join(
        text
        for name in ("sys_vendor", "product_name", "board_vendor", "bios_vendor")
        if (text := _text(machine, f"/sys/class/dmi/id/{name}"))
    )
    for sign, kind in _HYPERVISORS.items():
        if sign in seen:
            return kind
    kind_file = _text(machine, "/sys/hypervisor/type")
    if kind_file:
        return kind_file
    flags = _found(r"^flags\s*:(.*)$", _start_of_cpuinfo(machine))
    if flags is None:
        return None
    return None if " hypervisor" in flags else "none"


def _start_of_cpuinfo(machine: Machine) -> str | None:
    try:
        return machine.read("/proc/cpuinfo", 1 << 13)
    except OSError:
        return None


def _secure_boot(machine: Machine, *, container: bool) -> tuple[bool | None, list[Gap]]:
    """Read Secure Boot. The variable has four bytes of attributes, then 1 or 0; it does not exist without EFI."""
    try:
        value = machine.read(_SECURE_BOOT, 16)
    except FileNotFoundError:
        if machine.exists("/sys/firmware/efi") or container or not machine.exists("/sys/firmware"):
            return None, [Gap(fact="secure_boot", reason="the EFI variables are not mounted here")]
        return False, []
    except OSError as error:
        reason = f"{_SECURE_BOOT}: {error.strerror}; root may read it:  mokutil --sb-state"
        return None, [Gap(fact="secure_boot", reason=reason)]
    return {"\1": True, "\0": False}.get(value[-1:]), []


def _memory_total_bytes(machine: Machine) -> int | None:
    kib = _found(r"^MemTotal:\s*(\d+) kB", _text(machine, "/proc/meminfo"))
    return int(kib) * 1024 if kib else None


def _by_python(machine: Machine) -> Host:
    if not isinstance(machine, LiveMachine):
        return Host(system=machine.system)
    import platform

    if machine.system == "macos":
        name = f"macOS {platform.mac_ver()[0]}".strip()
    elif machine.system == "windows":
        name = f"Windows {platform.release()} {platform.version()}".strip()
    else:
        name = f"{platform.system()} {platform.release()}".strip()
    gap = Gap(fact="memory_total_bytes", reason=f"not read on {machine.system}")
    return Host(
        name=platform.node() or None,
        system=machine.system,
        distribution=name,
        kernel=platform.release() or None,
        machine=platform.machine() or None,
        wsl=False,
        containerized=None,
        gaps=(gap,),
    )
