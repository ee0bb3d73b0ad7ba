"""The CUDA and cuDNN that a program's release loads, and whether those in a text are compatible. Pure.

TensorFlow 2.1.0, CUDA 10.2                libcudart.so.10.1 is loaded: CUDA before 11 has the minor version in the name
TensorFlow 2.13, CUDA 12.8, cuDNN 9        libcudart.so.11.0 and libcudnn.so.8 are loaded
ONNX Runtime 1.16.0, CUDA 12.2             the default build is for CUDA 11.8
ONNX Runtime 1.27, CUDA 12.4               the default build is for CUDA 13

Tables: the releases of TensorFlow and ONNX Runtime, specs/nvidia/cudnn_of_programs.yaml for older ones.
"""

from collections.abc import Iterator
from typing import Final

from accel.facts.readers.typed_cuda import STATED_CUDA, STATED_CUDNN, STATED_ORT, STATED_ORT_NUGET
from accel.model.dataclass import dataclass
from accel.specs.versions import numbers
from accel.vendors.contract.check import Evidence, Facts, Specs

ORT: Final = "onnxruntime-gpu"
CTRANSLATE2: Final = "ctranslate2"
_KITS: Final = ("cuda", "cuda-libraries", STATED_CUDA)
_TENSORFLOW: Final = ("tensorflow", "tensorflow-gpu")
_ORT_PACKAGES: Final = (ORT, "onnxruntime")
_OWN_MINOR: Final = (10, 2)  # the last CUDA whose libraries have the minor version in their names
_FIRST_OF_11: Final = (11, 0)  # its cuSOLVER and NVRTC have other names than in later CUDA 11


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A program's release and what it loads.

    has_cuda   the first CUDA in the text; None if there is none
    has_cudnn  the first cuDNN in the text, if none is compatible
    nuget      it comes from NuGet, not from a Python package index
    """

    package: str
    title: str
    version: str
    cuda: str
    cudnn: str | None
    has_cuda: str | None
    has_cudnn: str | None
    nuget: bool = False


def unfit_pair(facts: Facts, specs: Specs) -> Pair | None:
    """Return the release for which every CUDA, or every cuDNN, in the text is the wrong one."""
    cuda = [kit.version for kit in facts.environment.toolkits if kit.name in _KITS and kit.version]
    cudnn = [kit.version for kit in facts.environment.toolkits if kit.name == STATED_CUDNN and kit.version]
    for package, version, nuget in _programs(facts):
        build = next(_builds(facts, specs, package, version), None)
        if build is None or _has_own(facts, build[0]):
            continue
        wrong_cuda = cuda[0] if cuda and not any(serves(build[0], one) for one in cuda) else None
        asked = build[1]
        wrong_cudnn = cudnn[0] if asked and cudnn and not any(_same_major(asked, one) for one in cudnn) else None
        if wrong_cuda or wrong_cudnn:
            return Pair(
                package=package,
                title=specs.components.title(package.removesuffix("-gpu")) or package,
                version=version,
                cuda=build[0],
                cudnn=asked,
                has_cuda=wrong_cuda or (cuda[0] if cuda else None),
                has_cudnn=wrong_cudnn,
                nuget=nuget,
            )
    return None


def title_of(pair: Pair) -> str:
    """Return the mismatch in one sentence."""
    built = f"{pair.title} {pair.version} is built for"
    if pair.has_cuda is not None and not serves(pair.cuda, pair.has_cuda):
        return f"{built} CUDA {pair.cuda}, which is missing; CUDA {pair.has_cuda} is installed"
    return f"{built} cuDNN {pair.cudnn}, which is missing; cuDNN {pair.has_cudnn} is installed"


def evidence_of(pair: Pair) -> Iterator[Evidence]:
    """Yield the versions on which the sentence is based."""
    wanted = f"CUDA {pair.cuda}" + (f", cuDNN {pair.cudnn}" if pair.cudnn else "")
    yield Evidence(fact=f"{pair.title} {pair.version} is built for", value=wanted)
    here = [f"CUDA {pair.has_cuda}"] if pair.has_cuda else []
    here += [f"cuDNN {pair.has_cudnn}"] if pair.has_cudnn else []
    yield Evidence(fact="installed", value=", ".join(here))


def serves(wanted: str, has: str) -> bool:
    """Return whether one CUDA's libraries have the names that a build for another loads.

    >>> serves("10.1", "10.2"), serves("11.8", "11.2"), serves("11.0", "11.4"), serves("12", "13.0")
    (False, True, False, False)
    """
    one, other = numbers(wanted)[:2], numbers(has)[:2]
    if one[:1] != other[:1]:
        return False
    exact = one <= _OWN_MINOR or one == _FIRST_OF_11
    return not exact or len(one) < 2 or len(other) < 2 or one == other


def fitting_release(specs: Specs, pair: Pair, cudnn: str | None) -> str | None:
    """Return the nearest release whose default build works with the installed CUDA and cuDNN, older ones first."""
    if pair.package not in (ORT, CTRANSLATE2) or pair.has_cuda is None:
        return None
    fitting = [
        version
        for version, cuda, needed in _releases(specs, pair.package)
        if serves(cuda, pair.has_cuda) and (cudnn is None or needed is None or _same_major(needed, cudnn))
    ]
    here = numbers(pair.version)[:2]
    fitting = [one for one in fitting if numbers(one)[:1] == here[:1]]  # another major version is another interface
    older = [one for one in fitting if numbers(one)[:2] < here]
    newer = [one for one in fitting if numbers(one)[:2] > here]
    first = min(newer, key=numbers, default="")
    alike = [one for one in newer if numbers(one)[:2] == numbers(first)[:2]]
    return max(older or alike, key=numbers, default=None)


def _releases(specs: Specs, package: str) -> Iterator[tuple[str, str, str | None]]:
    """Yield a program's releases with the CUDA and cuDNN of their default builds; "1.4.*" for older ones."""
    for release in specs.frameworks(package):
        for build in release.builds:
            if build.default and build.toolkit_version:
                yield release.version, build.toolkit_version, build.cudnn_version
    for row in (specs.table("nvidia/cudnn_of_programs") or {}).get("programs", ()):
        if package == ORT and row["program"] == "onnxruntime":
            yield f"{row['last']}.*", row["builds"][0]["cuda"], row["builds"][0]["cudnn"]


def _same_major(one: str, other: str) -> bool:
    return one.partition(".")[0] == other.partition(".")[0]


def _has_own(facts: Facts, cuda: str) -> bool:
    """Return whether wheels of that CUDA are installed with the program, which then ignores the system's toolkit."""
    return bool(facts.packages(f"nvidia-cuda-runtime-cu{cuda.partition('.')[0]}"))


def _programs(facts: Facts) -> Iterator[tuple[str, str, bool]]:
    """Yield programs whose release the text gives: in package lists first, then in prose."""
    for package in facts.packages(*_TENSORFLOW):
        if package.version:
            yield "tensorflow", package.version, False
    if (framework := facts.framework("tensorflow")) is not None and framework.version:
        yield "tensorflow", framework.version, False
    for package in facts.packages(*_ORT_PACKAGES):
        if package.version:
            yield ORT, package.version, False
    for package in facts.packages(CTRANSLATE2):
        if package.version:
            yield CTRANSLATE2, package.version, False
    for kit in facts.environment.toolkits:
        if kit.name in (STATED_ORT, STATED_ORT_NUGET) and kit.version:
            yield ORT, kit.version, kit.name == STATED_ORT_NUGET


def _builds(facts: Facts, specs: Specs, package: str, version: str) -> Iterator[tuple[str, str | None]]:
    """Yield the CUDA and cuDNN of a release's GPU builds; a patch release has those of its minor version."""
    minor = ".".join(version.split(".")[:2])
    platform = "windows" if facts.host.system == "windows" else "linux"
    releases = [one for one in specs.frameworks(package) if f"{one.version}.".startswith(f"{minor}.")]
    releases.sort(key=lambda one: one.version != version)
    for release in releases:
        for build in release.builds:
            if build.toolkit_version and build.platform.startswith(platform) and build.variant != "cpu":
                yield build.toolkit_version, build.cudnn_version
    for row in (specs.table("nvidia/cudnn_of_programs") or {}).get("programs", ()):
        if package == ORT and row["program"] == "onnxruntime" and _within(minor, row["first"], row["last"]):
            yield from ((build["cuda"], build["cudnn"]) for build in row["builds"])


def _within(version: str, first: str, last: str) -> bool:
    return numbers(first) <= numbers(version)[:2] <= numbers(last)
