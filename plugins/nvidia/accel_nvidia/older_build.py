"""A build with a CUDA older than the GPU, if one of CUDA's libraries fails on it. Pure.

The libraries of such a build run on the GPU by PTX or by code of another generation, or not at all: cuDNN then says
only CUDNN_STATUS_EXECUTION_FAILED, cuBLAS CUBLAS_STATUS_EXECUTION_FAILED, without mentioning an architecture.
"""

from typing import TYPE_CHECKING, Final

from accel.model.dataclass import dataclass
from accel_nvidia.architecture_fit import fit
from accel_nvidia.version import cuda_of_variant, older, parts

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.device import Device
    from accel.model.environment import Framework
    from accel.model.observation import Fact
    from accel.specs import Build, Specs

_PICKY: Final = "cufft-failed"  # its kernel selection supports no GPU newer than its CUDA, whatever code it has
FAILED: Final = ("gpu-library-failed", _PICKY, "math-library-not-started")
_FRAMEWORKS: Final = {"torch": "torch", "tensorflow": "tensorflow", "tensorflow-gpu": "tensorflow"}


@dataclass(frozen=True, slots=True, kw_only=True)
class OlderBuild:
    """A framework's build with CUDA `cuda`, older than `first`, the first CUDA that supports `device`.

    runs  whether the framework's own kernels run on it nonetheless
    """

    framework: "Framework"
    cuda: str
    device: "Device"
    capability: str
    first: str
    failed: "tuple[Fact, ...]"
    runs: bool


def older_build(facts: "Facts", specs: "Specs") -> OlderBuild | None:
    """Return the build that is older than every known GPU; None if no library failed, or it may support one."""
    failed = facts.stated(*FAILED)
    gpus = facts.of("nvidia")
    if not failed or not gpus:
        return None
    for framework in facts.environment.frameworks:
        builds = _builds(framework, specs)
        cuda = framework.cuda_version or cuda_of_variant(framework.variant) or _newest(builds)
        if cuda is None or framework.name not in _FRAMEWORKS:
            continue
        told = [_first(device, specs) for device in gpus]
        if not all(one is not None and older(cuda, one[1]) for one in told):
            continue
        runs = any(one is not None and _serves(builds, cuda, *one) for one in told)
        if not runs or facts.stated(_PICKY):
            capability, first = told[0] or ("", "")
            return OlderBuild(
                framework=framework,
                cuda=cuda,
                device=gpus[0],
                capability=capability,
                first=first,
                failed=failed,
                runs=runs,
            )
    return None


def _first(device: "Device", specs: "Specs") -> tuple[str, str] | None:
    """Return the GPU's capability, and the first CUDA that supports it."""
    capability = device.compute_capability or (specs.compute_capability(device.name) if device.name else None)
    architecture = specs.architecture("nvidia", compute_capability=capability) if capability else None
    first = architecture.first_toolkit if architecture is not None else None
    return (capability, first) if capability and first else None


def _serves(builds: "list[Build]", cuda: str, capability: str, first: str) -> bool:
    """Return whether libraries for an earlier GPU of the generation run: sm_86 on 8.9, sm_120 on 12.1."""
    if cuda.split(".")[0] != first.split(".")[0]:
        return False
    return any(b.architectures is None or fit(b.architectures, capability) == "code" for b in builds) or not builds


def _builds(framework: "Framework", specs: "Specs") -> "list[Build]":
    """Return the release's CUDA builds; those of the oldest known release if it is older."""
    if framework.built_for not in (None, "cuda") or framework.version is None or framework.name not in _FRAMEWORKS:
        return []
    name = _FRAMEWORKS[framework.name]
    version = framework.version if framework.version.count(".") > 1 else f"{framework.version}.0"
    release = specs.framework(name, version)
    if release is None and (known := specs.frameworks(name)) and older(version, known[0].version):
        release = known[0]
    return [b for b in release.builds if b.variant.startswith("cu")] if release is not None else []


def _newest(builds: "list[Build]") -> str | None:
    """Return the newest CUDA of any build: the installed build is no newer."""
    known = [b.toolkit_version for b in builds if b.toolkit_version]
    return max(known, key=parts) if known and len(known) == len(builds) else None
