"""The files of a release as a package index names them: wheels with platform, Python and C library tag. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from accel.text.versions import normalised

_PLATFORMS = (
    (r"manylinux.*_x86_64|linux_x86_64", "linux_x86_64"),
    (r"manylinux.*_aarch64|linux_aarch64", "linux_aarch64"),
    (r"win_amd64", "windows_x86_64"),
    (r"win_arm64", "windows_arm64"),
    (r"macosx_.*_arm64", "macos_arm64"),
    (r"macosx_.*_(x86_64|intel)", "macos_x86_64"),
)
_ORDER = tuple(platform for _, platform in _PLATFORMS)
_NAME = re.compile(
    r"(?P<package>[A-Za-z0-9_.]+)-(?P<version>[^-\s]+)(?:-\d[^-\s]*)?-(?P<python>[^-\s]+)-(?P<abi>[^-\s]+)-(?P<tag>[^-\s]+)"
    r"\.whl"
)
_SOURCE = re.compile(r"(?P<package>[A-Za-z0-9_.-]+)-(?P<version>\d[^-\s]*)\.tar\.gz")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    """One file of a release; a source archive has the tag "source". uploaded: its date; None if unknown.

    local  the build named in its version: "cu129" of "0.31.0+cu129"; None: the plain one
    """

    name: str
    package: str
    version: str
    python: str
    abi: str
    tag: str
    requires_python: str | None = None
    uploaded: str | None = None
    local: str | None = None

    @property
    def platform(self) -> str | None:
        """The platform as build tables write it; None if they do not cover it."""
        first = self.tag.split(".")[0]
        return next((platform for pattern, platform in _PLATFORMS if re.fullmatch(pattern, first)), None)

    @property
    def interpreter(self) -> str | None:
        """The Python that it is for, "3.13t" for a free-threaded one; None if it supports several."""
        found = re.fullmatch(r"cp(\d)(\d+)", self.python)
        if found is None or self.abi in ("abi3", "none"):
            return f"{found[1]}.{found[2]}" if found and self.abi == "none" else None
        return f"{found[1]}.{found[2]}" + ("t" if self.abi.endswith("t") else "")


def wheel_of(
    filename: str, requires_python: str | None = None, uploaded: str | None = None, *, package: str, local: bool = False
) -> Wheel | None:
    """Parse the file name of a wheel or source archive; None for other files, other packages, and non-final versions.

    local  whether versions may name a build ("0.31.0+cu129"), as those of a project's releases do
    """
    plus = filename.replace("%2B", "+")
    found = _NAME.fullmatch(plus) or _SOURCE.fullmatch(plus)
    if found is None or normalised(found["package"]) != normalised(package):
        return None
    version, _, build = found["version"].partition("+")
    if not re.fullmatch(r"\d+(\.\d+)*(\.post\d+)?", version) or (build and not local):
        return None
    is_wheel = plus.endswith(".whl")
    return Wheel(
        name=found[0],
        package=normalised(package),
        version=version,
        python=found["python"] if is_wheel else "",
        abi=found["abi"] if is_wheel else "",
        tag=found["tag"] if is_wheel else "source",
        requires_python=requires_python or None,
        uploaded=uploaded[:10] if uploaded else None,
        local=build or None,
    )


def pythons_by_platform(wheels: Iterable[Wheel]) -> dict[str, list[str]]:
    """Return the Pythons that have wheels, by platform, in the tables' order; none older than 3.5."""
    found: dict[str, set[str]] = {}
    for wheel in wheels:
        if wheel.platform and wheel.interpreter and _number(wheel.interpreter) >= (3, 5, False):
            found.setdefault(wheel.platform, set()).add(wheel.interpreter)
    return {platform: sorted(found[platform], key=_number) for platform in _ORDER if platform in found}


def linux_tags(wheels: Iterable[Wheel]) -> dict[str, str]:
    """Return the tag of the Linux wheels by platform; if there are several, the one with the oldest C library."""
    found: dict[str, str] = {}
    for wheel in wheels:
        platform = wheel.platform
        if platform is not None and platform.startswith("linux"):
            found[platform] = min(found.get(platform, wheel.tag), wheel.tag, key=_glibc)
    return found


def _glibc(tag: str) -> tuple[int, int]:
    told = re.match(r"manylinux_(\d+)_(\d+)", tag)
    old = {"manylinux1": (2, 5), "manylinux2010": (2, 12), "manylinux2014": (2, 17)}
    return (int(told[1]), int(told[2])) if told else old.get(tag.split("_")[0], (0, 0))


def _number(python: str) -> tuple[int, int, bool]:
    major, minor = python.rstrip("t").split(".")
    return int(major), int(minor), python.endswith("t")
