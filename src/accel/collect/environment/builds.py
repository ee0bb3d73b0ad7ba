"""What a framework's binaries were built for, from the small text files that it ships, and the GPU code in them.

Reads   torch/version.py          cuda: Optional[str] = '12.1'    hip = None    __version__ = '2.4.0+cu121'
        torch_npu/version.py      __version__ = '2.1.0.post6'
        torch/lib/libtorch_cuda.so, libtorch_hip.so      the headers of the GPU code in it (accel.text.fatbin)
        torch/lib/rocblas/library/TensileLibrary_lazy_gfx90a.dat     the targets that the wheel's rocBLAS supports
Other frameworks state it in the names of their distributions (jax-cuda12-plugin, tensorflow-rocm).
"""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from accel.facts.readers.frameworks import frameworks_of
from accel.model.dataclass import replace
from accel.model.environment import Framework, Package
from accel.text.fatbin import amd_code, nvidia_code
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.text.elf import Read

_ASSIGNED: Final = r"^{name}\s*(?::[^=\n]*)?=\s*(?:'(?P<one>[^'\n]*)'|\"(?P<two>[^\"\n]*)\"|None\b)"


def framework_builds(machine: "Machine", packages: Sequence[Package]) -> tuple[Framework, ...]:
    """Return the installed frameworks, with what their version files add to the names of their distributions."""
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
        architectures=framework.architectures or _code(machine, package.location, framework.name, built_for),
        cuda_version=cuda,
        rocm_version=".".join(hip.split(".")[:2]) if hip else None,
        location=package.location,
    )


_CUDA_LIBRARIES: Final = ("libtorch_cuda.so", "libtorch_cuda_cu.so")  # the second before torch 1.13
_ROCBLAS: Final = pattern(r"TensileLibrary_lazy_(gfx[0-9a-f]{3,5})\.dat", exact_case=True)


def _code(machine: "Machine", location: str, name: str, built_for: str) -> tuple[str, ...] | None:
    """Return the GPU code in torch's libraries: what the build runs on, whatever a table says about its release."""
    if name != "torch" or machine.system != "linux" or built_for not in ("cuda", "rocm"):
        return None
    folder = f"{location}/torch/lib"
    if built_for == "cuda":
        return next(
            (code for file in _CUDA_LIBRARIES if (code := _held(machine, f"{folder}/{file}", nvidia_code))), None
        )
    compiled = _held(machine, f"{folder}/libtorch_hip.so", amd_code)
    served = {m[1] for n in machine.list(f"{folder}/rocblas/library") if (m := _ROCBLAS.fullmatch(n))}
    if compiled is None or not served:
        return compiled or tuple(sorted(served, key=lambda target: (len(target), target))) or None
    return tuple(target for target in compiled if target in served)


def _held(machine: "Machine", path: str, reader: "Callable[[Read], tuple[str, ...] | None]") -> tuple[str, ...] | None:
    try:
        return reader(lambda offset, count: machine.read_bytes(path, offset, count))
    except OSError:
        return None


def assigned(text: str, name: str) -> tuple[bool, str | None]:
    """Return whether a module's text assigns `name` a string or None, and the string.

    >>> assigned("cuda: Optional[str] = '12.1'", "cuda"), assigned("cuda = None", "cuda"), assigned("", "cuda")
    ((True, '12.1'), (True, None), (False, None))
    """
    match = re.search(_ASSIGNED.format(name=name), text, re.MULTILINE)
    if match is None:
        return False, None
    return True, match["one"] or match["two"]
