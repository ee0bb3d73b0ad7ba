"""The command that installs a PyTorch which fits the driver and the GPUs, from the spec tables. Pure.

Only where it is certain: the driver, every GPU's compute capability and the build's architectures must be known.
"""

from typing import TYPE_CHECKING, Final

from accel_nvidia import signs
from accel_nvidia.architecture_fit import fit
from accel_nvidia.version import older, parts

if TYPE_CHECKING:
    from accel.facts import Facts
    from accel.specs import Build, Release, Specs

_INDEX: Final = "https://download.pytorch.org/whl/"
_PARTS: Final = ("torchvision", "torchaudio")


def capabilities(facts: "Facts", specs: "Specs") -> tuple[str, ...] | None:
    """Return the compute capabilities of the GPUs, without repeats; None if there are none or one is not known."""
    found = [d.compute_capability or (specs.compute_capability(d.name) if d.name else None) for d in facts.of("nvidia")]
    known = tuple(dict.fromkeys(c for c in found if c is not None))
    return known if known and None not in found else None


def install_command(facts: "Facts", specs: "Specs") -> str | None:
    """Return a pip command for the release in use, or else the newest, that fits this machine; None if not certain."""
    wanted = capabilities(facts, specs)
    driver = facts.driver("nvidia")
    if wanted is None or driver is None or (driver.version is None and driver.toolkit_version is None):
        return None
    torch = facts.framework("torch")
    same = specs.framework("torch", torch.version) if torch is not None and torch.version else None
    newest_first = sorted(specs.frameworks("torch"), key=lambda r: parts(r.version), reverse=True)
    for release in (*((same,) if same is not None else ()), *newest_first):
        build = _fitting(release, facts, specs, wanted)
        if build is not None:
            return _command(release, build)
    return None


def _fitting(release: "Release", facts: "Facts", specs: "Specs", wanted: tuple[str, ...]) -> "Build | None":
    python = ".".join((facts.environment.python_version or "").split(".")[:2])
    if python and release.pythons and python not in release.pythons:
        return None
    fitting = [
        build
        for build in release.builds
        if build.platform == platform_of(facts)
        and build.variant.startswith("cu")
        and all(fit(build.architectures or (), capability) == "code" for capability in wanted)
        and _served(build, facts, specs)
    ]
    return max(fitting, key=lambda b: (b.default, parts(b.toolkit_version or "0")), default=None)


def _served(build: "Build", facts: "Facts", specs: "Specs") -> bool:
    driver = facts.driver("nvidia")
    toolkit = specs.toolkit("cuda", build.toolkit_version) if build.toolkit_version else None
    if driver is None or toolkit is None:
        return False
    floor = toolkit.driver_floor_windows if signs.on_windows(facts) else toolkit.driver_floor
    if driver.version is not None:
        return floor is not None and not older(driver.version, floor)
    have, need = parts(driver.toolkit_version or ""), parts(toolkit.version)
    return have[:1] >= need[:1] if need[:1] >= (11,) else have[:2] >= need[:2]


def platform_of(facts: "Facts") -> str:
    """Return the wheel platform; Linux on x86-64 where the text does not say otherwise."""
    arm = facts.host.machine in ("aarch64", "arm64")
    if facts.host.system == "windows":
        return "windows_arm64" if arm else "windows_x86_64"
    return "linux_aarch64" if arm else "linux_x86_64"


def _command(release: "Release", build: "Build") -> str:
    packages = [f"torch=={release.version}"]
    packages += [f"{name}=={release.companions[name]}" for name in _PARTS if name in release.companions]
    return f"pip install --force-reinstall {' '.join(packages)} --index-url {_INDEX}{build.variant}"
