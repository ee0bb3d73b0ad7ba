"""Kernel settings, the mount of temporary files, clock synchronisation, and the processors' microcode.

Reads    the files that specs/system/settings.yaml names    "1"
         /run/systemd/timesync/synchronized, /run/chrony    exist once systemd-timesyncd or chrony set the clock
         /proc/mounts     "tmpfs /tmp tmpfs rw,nosuid,nodev,noexec,relatime 0 0"
         /proc/cpuinfo    "microcode	: 0x2b000590", once per processor
         /sys/devices/system/cpu/{present,online}   "0-127"; smt/control "on", "off", "forceoff", "notsupported"
Source   Linux: Documentation/admin-guide/sysctl, filesystems/proc.rst; systemd-timesyncd(8)
These are facts; rules and checks decide which of them are faults.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from accel.collect.surroundings import listed
from accel.machine.files import file_text
from accel.machine.protocol import Machine
from accel.model.observation import Noted
from accel.text.pattern import pattern
from accel.vendors.toolkit.notes import noted

_MICROCODE: Final = pattern(r"^microcode\s{1,8}: (0x[0-9a-f]{1,16})$", 8, exact_case=True)
_SET_ONCE: Final = "/run/systemd/timesync/synchronized"
_MOUNTS: Final = "/proc/mounts"
_CPUINFO: Final = "/proc/cpuinfo"
_CPUINFO_BYTES: Final = 1 << 22
_MOST: Final = 4  # revisions that are listed
_PROCESSORS: Final = "/sys/devices/system/cpu"
_THREADS_OFF: Final = ("off", "forceoff")


def settings(machine: Machine, table: Mapping[str, Any]) -> tuple[Noted, ...]:
    """Return the facts of this machine. table: specs/system/settings; a container has its host's settings."""
    if machine.system != "linux":
        return ()
    return (*_of_kernel(machine, table), *_temporary(machine), *_microcode(machine), *_processors(machine))


def _of_kernel(machine: Machine, table: Mapping[str, Any]) -> Iterator[Noted]:
    told = {row["name"]: text for row in table["settings"] if (text := file_text(machine, row["path"]))}
    if machine.exists(_SET_ONCE):
        told["synchronized"] = "yes"
    if told:
        words = ", ".join(f"{name}={value}" for name, value in told.items())
        yield noted("kernel-settings", words, "kernel settings", **told)


def _temporary(machine: Machine) -> Iterator[Noted]:
    folder = machine.environment.get("TMPDIR") or "/tmp"
    best: tuple[str, str] | None = None
    for line in (file_text(machine, _MOUNTS) or "").splitlines():
        words = line.split()
        inside = len(words) >= 4 and (words[1] == "/" or f"{folder}/".startswith(f"{words[1]}/"))
        if inside and (best is None or len(words[1]) >= len(best[0])):
            best = words[1], words[3]
    if best is not None:
        told = f"{folder} is on {best[0]} ({best[1]})"
        yield noted("mount-of-temporary", told, _MOUNTS, path=folder, options=best[1])
        if "noexec" in best[1].split(","):
            yield noted("temporary-folder-noexec", told, _MOUNTS, path=folder)


def _microcode(machine: Machine) -> Iterator[Noted]:
    found = sorted(set(_MICROCODE.findall(file_text(machine, _CPUINFO, _CPUINFO_BYTES) or "")))
    if found:
        revisions = ", ".join(found[:_MOST])
        yield noted("processor-microcode", f"microcode {revisions}", _CPUINFO, revisions=revisions)
        if len(found) > 1:
            yield noted("microcodes-unlike", f"microcode {revisions}", _CPUINFO, revisions=revisions)


def _processors(machine: Machine) -> Iterator[Noted]:
    present, online = (listed(file_text(machine, f"{_PROCESSORS}/{name}") or "") for name in ("present", "online"))
    if not present or not online:
        return
    smt = file_text(machine, f"{_PROCESSORS}/smt/control")
    told = {"present": str(present), "online": str(online), "offline": str(present - online), "smt": smt}
    text = f"{online} of {present} processors run{f'; second threads: {smt}' if smt else ''}"
    yield noted("processors-online", text, _PROCESSORS, **told)
    if present > online and smt is not None and smt not in _THREADS_OFF and not _is_guest(machine):
        yield noted("processors-offline", text, _PROCESSORS, **told)


def _is_guest(machine: Machine) -> bool:
    return " hypervisor" in (file_text(machine, _CPUINFO, 1 << 13) or "") or machine.exists("/sys/hypervisor/type")
