"""What is installed in a Python environment, from the names of its metadata folders alone.

Reads   <sys.path>/<name>-<version>.dist-info and .egg-info, and conda-meta/*.json for conda's own packages
Source  packaging.python.org, "Recording installed projects"
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from accel.model.environment import Package

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_METADATA: Final = re.compile(r"^(?P<name>.+?)-(?P<version>[^-]+?)(?:-py\d[\d.]*)?\.(?:dist|egg)-info$")


def distributions(machine: "Machine", paths: Sequence[str]) -> tuple[Package, ...]:
    """Return the installed distributions; of one name in two places, the one found first stands first."""
    found: dict[tuple[str, str | None, str], Package] = {}
    for path in dict.fromkeys(p for p in paths if p):
        for package in _in_folder(machine, path):
            found.setdefault((package.name, package.version, path), package)
    return tuple(found.values())


def _in_folder(machine: "Machine", path: str) -> Iterator[Package]:
    for entry in machine.list(path):
        match = _METADATA.match(entry)
        if match:
            version, _, variant = match["version"].partition("+")
            yield Package(
                name=normalised(match["name"]),
                version=version,
                variant=variant or None,
                channel="pip",
                location=path,
            )


def normalised(name: str) -> str:
    """Return a distribution's name as PEP 503 compares it.

    >>> normalised("Flash_Attn")
    'flash-attn'
    """
    return re.sub(r"[-_.]+", "-", name).lower()
