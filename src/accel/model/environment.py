"""A Python environment: packages, frameworks, libraries, toolkits and variables."""

from accel.model.dataclass import dataclass
from accel.model.device import Gap
from accel.model.grade import Grade, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """An installed distribution. name is normalised (PEP 503).

    version  without the local part: "2.4.0"
    variant  the local part or the conda build: "cu121"
    channel  "pip" or "conda", if the list says so
    """

    name: str
    version: str | None = None
    variant: str | None = None
    channel: str | None = None
    location: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Framework:
    """What a framework's binaries were built for, and what the framework reported.

    built_for       platform of the build: "cuda", "rocm", "cpu", "npu", "xpu", "tpu"
    cuda_version    CUDA version of the build ("12.1"); rocm_version, cudnn_version, nccl_version likewise
    architectures   GPU code in the binaries: ("sm_80", "sm_90", "compute_90"), ("gfx90a",)
    available       the result of its is_available(); None if it was not called
    devices         the devices that it listed, as it printed them
    """

    name: str
    version: str | None = None
    variant: str | None = None
    built_for: str | None = None
    cuda_version: str | None = None
    rocm_version: str | None = None
    cudnn_version: str | None = None
    nccl_version: str | None = None
    architectures: tuple[str, ...] | None = None
    available: bool | None = None
    devices: tuple[str, ...] | None = None
    location: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """A shared library, by the stem of its soname ("libcudnn"). origin: "system", "toolkit", "wheel", "conda", "wsl",
    "path".
    """

    name: str
    version: str | None = None
    path: str | None = None
    origin: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolkit:
    """An installed development kit: "cuda" (nvcc), "cann", "rocm". version: as its own tool prints it."""

    name: str
    version: str | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """A Python environment and its surroundings. packages None: not listed; (): listed and empty.

    variables  only those that concern accelerators; values may be redacted
    libraries  shared libraries that its processes would load, the first match first
    complete   the package list covers the whole environment, so a package that is not in it is absent
    requirements_read  number of distributions whose declared requirements were read; None: none
    source     what read it
    grade      how certain that is
    """

    scope: Scope | None = None
    source: str | None = None
    grade: Grade = "printed"
    python_version: str | None = None
    python_executable: str | None = None
    packages: tuple[Package, ...] | None = None
    complete: bool = False
    requirements_read: int | None = None
    frameworks: tuple[Framework, ...] = ()
    libraries: tuple[Library, ...] = ()
    toolkits: tuple[Toolkit, ...] = ()
    variables: tuple[tuple[str, str], ...] | None = None
    gaps: tuple[Gap, ...] = ()
