"""What a framework's binaries were built for, read from the small text files it ships.

Reads   torch/version.py          cuda: Optional[str] = '12.1'    hip = None    __version__ = '2.4.0+cu121'
        torch_npu/version.py      __version__ = '2.1.0.post6'
Other frameworks say it in the names of their distributions (jax-cuda12-plugin, tensorflow-rocm).
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from accel.model.environment import Framework, Package
from accel.readers.frameworks import frameworks_of

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_ASSIGNED: Final = r"^{name}\s*(?::[^=\n]*)?=\s*(?:'(?P<one>[^'\n]*)'|\"(?P<two>[^\"\n]*)\"|None\b)"


def framework_builds(machine: "Machine", packages: Sequence[Package]) -> tuple[Framework, ...]:
    """Return the frameworks installed, with what their version files add to their distributions' names."""
    return tuple(_with_version_file(machine, framework, packages) for framework in frameworks_of(packages))


def _with_version_file(machine: "Machine", framework: Framework, packages: Sequence[Package]) -> Framework:
    package = next((p for p in packages if p.name == framework.name), None)
    if package is None or package.location is None:
        return framework
    try:
        text = machine.read(f"{package.location}/{framework.name.replace('-', '_')}/version.py", 65536)
    except OSError:
        return replace(framework, location=package.location)
    known, cuda = assigned(text, "cuda")
    _, hip = assigned(text, "hip")
    if not known:
        return replace(framework, location=package.location)
    built_for = "cuda" if cuda else "rocm" if hip else "cpu"
    return replace(
        framework,
        built_for=built_for,
        cuda_version=cuda,
        rocm_version=".".join(hip.split(".")[:2]) if hip else None,
        location=package.location,
    )


def assigned(text: str, name: str) -> tuple[bool, str | None]:
    """Return whether a module's text assigns `name` a string or None, and the string.

    >>> assigned("cuda: Optional[str] = '12.1'", "cuda"), assigned("cuda = None", "cuda"), assigned("", "cuda")
    ((True, '12.1'), (True, None), (False, None))
    """
    match = re.search(_ASSIGNED.format(name=name), text, re.MULTILINE)
    if match is None:
        return False, None
    return True, match["one"] or match["two"]
