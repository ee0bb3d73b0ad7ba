"""Maintenance of the machine: free disk space, kernel modules built for the running kernel, limits of its services.

Reads    the file systems of /, /tmp, /var/tmp and of the folders in variables, if they are on a local disk;
         /proc/self/mountinfo tells which
         /var/lib/dkms/<module>/<version>/<kernel>/<machine>/module; the link kernel-<kernel>-<machine> if installed
         /sys/module/<module>/taint   "POE": E is a module without a signature that the kernel knows
         the unit files of services that start jobs, and the files in <service>.service.d: "LimitMEMLOCK=infinity"
Source   dkms(8); systemd.unit(5), systemd.exec(5); the names are in specs/system/surroundings.yaml
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from accel.machine.files import file_text, names_in
from accel.machine.protocol import Machine
from accel.model.observation import Noted
from accel.text.amounts import size_bytes
from accel.text.pattern import pattern
from accel.vendors.toolkit.notes import noted

_FOLDERS: Final = ("/", "/tmp", "/var/tmp", "/var")
_DKMS: Final = "/var/lib/dkms"
_DIRECTIVE: Final = pattern(
    r"^[ \t]{0,8}(Limit[A-Z]{2,12}|TasksMax)[ \t]{0,4}=[ \t]{0,4}([A-Za-z0-9:]{1,40})[ \t]{0,8}$",
    re.MULTILINE,
    exact_case=True,
)


def upkeep(machine: Machine) -> tuple[Noted, ...]:
    """Return the facts; what cannot be read is left out."""
    if machine.system != "linux":
        return ()
    from accel.specs import load

    table = load().table("system/surroundings")
    return (*_disks(machine, table), *_modules(machine), *_services(machine, table))


def _disks(machine: Machine, table: Any) -> Iterator[Noted]:
    mounts = mounted(file_text(machine, "/proc/self/mountinfo", 1 << 20) or "")
    named = [(name, machine.environment.get(name, "")) for name in table["written_to"]]
    seen: set[str] = set()
    for name, folder in (*(("", folder) for folder in _FOLDERS), *named):
        mount = mount_of(folder, mounts) if folder.startswith("/") else None
        if mount is None or mount in seen or mounts[mount].startswith(tuple(table["network_file_systems"])):
            continue  # asking a server that does not answer never ends
        if mounts[mount].startswith("fuse"):
            continue
        seen.add(mount)
        size = machine.filesystem_bytes(mount)
        if size is not None and size[0] > 0:
            text = f"{size[1]:,} of {size[0]:,} bytes of {mount} are free{f' ({name})' if name else ''}"
            told = {"path": mount, "total": str(size[0]), "free": str(size[1]), "variable": name}
            yield noted("disk-use", text, mount, **told)


def mounted(text: str) -> dict[str, str]:
    """Return the file system type at each mount point; if several are mounted there, the last one's.

    >>> mounted("30 24 8:1 / / rw - ext4 /dev/sda1 rw\\n31 30 0:5 / /mnt/a\\\\040b rw - nfs4 srv:/x rw\\n")
    {'/': 'ext4', '/mnt/a b': 'nfs4'}
    """
    found: dict[str, str] = {}
    for line in text.splitlines():
        before, dash, after = line.partition(" - ")
        fields = before.split(" ")
        if dash and len(fields) > 4:
            found[fields[4].replace("\\040", " ")] = after.partition(" ")[0]
    return found


def mount_of(folder: str, mounts: Mapping[str, str]) -> str | None:
    """Return the mount point that contains a folder; None if unknown."""
    path = folder.rstrip("/") or "/"
    while path not in mounts:
        if path == "/":
            return None
        path = path.rpartition("/")[0] or "/"
    return path


def _modules(machine: Machine) -> Iterator[Noted]:
    """Yield each DKMS module, with its state for the running kernel."""
    kernel = file_text(machine, "/proc/sys/kernel/osrelease")
    for module in names_in(machine, _DKMS) if kernel else ():
        versions = [name for name in names_in(machine, f"{_DKMS}/{module}") if name[:1].isdecimal()]
        inside = names_in(machine, f"{_DKMS}/{module}")
        installed = any(name.startswith(f"kernel-{kernel}-") for name in inside)
        built = [version for version in versions if names_in(machine, f"{_DKMS}/{module}/{version}/{kernel}")]
        if versions:
            version = (built or versions)[-1]
            state = "installed" if installed else "built" if built else "added"
            loaded = machine.exists(f"/sys/module/{module.removesuffix('-open').replace('-', '_')}")
            taint = file_text(machine, f"/sys/module/{module}/taint") if loaded else None
            signed = None if taint is None else "no" if "E" in taint else "yes"
            told = {"module": module, "version": version, "kernel": kernel, "state": state}
            text = f"dkms: {module}/{version} is {state} for kernel {kernel}"
            yield noted("dkms-module", text, _DKMS, **told, loaded="yes" if loaded else "no", signed=signed)


def _services(machine: Machine, table: Any) -> Iterator[Noted]:
    for service in table["services"]:
        stated: dict[str, tuple[str, str]] = {}
        for folder in table["unit_folders"]:
            unit = f"{folder}/{service}.service"
            for path in (
                unit,
                *(f"{unit}.d/{name}" for name in names_in(machine, f"{unit}.d") if name.endswith(".conf")),
            ):
                for directive, value in _DIRECTIVE.findall(file_text(machine, path) or ""):
                    stated[directive] = (value, path)
        for directive, (value, path) in stated.items():
            resource = table["limits"].get(directive)
            if resource is not None:
                amount = None if value == "infinity" else size_bytes(value.partition(":")[0])
                if amount is not None or value == "infinity":
                    told = {"service": service, "resource": resource, "value": "" if amount is None else str(amount)}
                    yield noted("service-limit", f"{path}: {directive}={value}", path, **told)
