"""Read the one-line platform strings that Python and uname print.

Linux-5.15.0-84-generic-x86_64-with-glibc2.35          platform.platform()
Linux-3.10.0-1160.el7.x86_64-x86_64-with-centos-7.9    the same, Python 3.7 and older
Windows-10-10.0.19045-SP0      macOS-15.1.1-arm64-arm-64bit-Mach-O      Darwin-21.6.0-x86_64-i386-64bit
Linux host 5.15.0-84-generic #93-Ubuntu SMP … x86_64 x86_64 x86_64 GNU/Linux       uname -a
"""

from typing import Final

from accel.model.snapshot import Host
from accel.text.pattern import pattern

MACHINES: Final = r"x86_64|amd64|AMD64|aarch64|arm64|ARM64|ppc64le|s390x|riscv64|loongarch64|i[3-6]86|armv7l"
_LINUX: Final = pattern(
    rf"Linux-(?P<kernel>\d[^\s]{{0,80}}?)-(?P<machine>{MACHINES})(?:-with-(?P<libc>[^\s,)]+))?(?![\w-])"
)
_UNAME: Final = pattern(
    rf"^\W{{0,3}}Linux (?P<name>\S+) (?P<kernel>\d{{1,4}}\.\d\S*) #(?:.*\b(?P<machine>{MACHINES})(?: GNU/Linux)?\s*$)?"
)
_WINDOWS: Final = pattern(r"Windows-(?P<name>[\w.]+)-(?P<version>\d+\.\d+\.\d+)")
_LIBC: Final = pattern(r"(glibc|musl)[-_]?(\d[\d.]*)")
_MACOS: Final = pattern(r"(?P<name>macOS|Darwin)-(?P<version>\d+(?:\.\d+)+)-(?P<machine>arm64|x86_64)")


def is_wsl(kernel: str) -> bool:
    """Return whether a kernel release is Microsoft's: "5.15.90.1-microsoft-standard-WSL2", "4.4.0-19041-Microsoft"."""
    return "microsoft" in kernel.lower() or kernel.upper().endswith("WSL2")


def host_of_platform(text: str) -> Host | None:
    """Parse a platform string into a Host; None if the text is not one."""
    if found := _LINUX.search(text):
        libc = found["libc"]
        match = _LIBC.match(libc or "")
        return Host(
            system="linux",
            kernel=found["kernel"],
            machine=found["machine"],
            libc=f"{match[1].lower()}-{match[2]}" if match else None,
            wsl=is_wsl(found["kernel"]),
        )
    if found := _UNAME.search(text):
        return Host(system="linux", kernel=found["kernel"], machine=found["machine"], wsl=is_wsl(found["kernel"]))
    if found := _WINDOWS.search(text):
        return Host(system="windows", distribution=f"Windows {found['name']}", kernel=found["version"], wsl=False)
    if found := _MACOS.search(text):
        distribution = f"macOS {found['version']}" if found["name"].lower() == "macos" else None
        return Host(system="macos", distribution=distribution, machine=found["machine"], wsl=False)
    return None
