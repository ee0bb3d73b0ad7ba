"""Find frameworks among installed packages, with what version and build string say about their binaries."""

from collections.abc import Iterable
from typing import Final

from accel.model.dataclass import replace
from accel.model.environment import Framework, Package
from accel.text.versions import variant_of

# Distribution name: (framework, what its binaries are for if the name says so).
_FRAMEWORKS: Final[dict[str, tuple[str, str | None]]] = {
    "torch": ("torch", None),
    "torch-npu": ("torch-npu", "npu"),
    "torch-xla": ("torch-xla", None),
    "jax": ("jax", None),
    "jaxlib": ("jaxlib", None),
    "tensorflow": ("tensorflow", None),
    "tf-nightly": ("tensorflow", None),
    "tensorflow-gpu": ("tensorflow", "cuda"),
    "tensorflow-cpu": ("tensorflow", "cpu"),
    "tensorflow-rocm": ("tensorflow", "rocm"),
    "mindspore": ("mindspore", None),
    "paddlepaddle": ("paddle", "cpu"),
    "paddlepaddle-gpu": ("paddle", "cuda"),
}
FRAMEWORK_PACKAGES: Final = frozenset(_FRAMEWORKS)  # distributions that provide a framework, by normalised name


def framework_of(package: Package) -> Framework | None:
    """Return the framework that a package is; None for any other package."""
    if package.name not in _FRAMEWORKS:
        return None
    name, built_for = _FRAMEWORKS[package.name]
    if package.channel == "conda":
        taken = variant_of(package.version, package.variant)
    else:
        taken = variant_of(f"{package.version or ''}+{package.variant}" if package.variant else package.version)
    return Framework(
        name=name,
        version=package.version,
        variant=package.variant,
        built_for=taken.built_for or built_for,
        cuda_version=taken.cuda_version,
        rocm_version=taken.rocm_version,
        cudnn_version=taken.cudnn_version,
        location=package.location,
    )


def frameworks_of(packages: Iterable[Package]) -> tuple[Framework, ...]:
    """Return each framework once. Its first package counts; a later one of the same version fills its gaps."""
    found: dict[str, Framework] = {}
    for package in packages:
        framework = framework_of(package)
        if framework is None:
            continue
        known = found.get(framework.name)
        if known is None:
            found[framework.name] = framework
        elif known.version == framework.version and known.built_for is None and framework.built_for is not None:
            found[framework.name] = replace(framework, location=known.location or framework.location)
    return tuple(found.values())
