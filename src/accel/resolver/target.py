"""The machine as the resolver sees it."""

import re
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import dataclass, field
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.device import Device
    from accel.model.environment import Framework
    from accel.specs import Specs

_PYTHON: Final = pattern(r"(\d+\.\d+)(?:\.\w+)?(t?)(?![\w.])", exact_case=True)
_WHEELS: Final = pattern(r"cu\d{2,3}|cpu|xpu|rocm[\d.]+", exact_case=True)
_MACHINES: Final = {"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """One device. code: what compiled code targets ("8.6", "gfx1100"); None if unknown or not applicable."""

    vendor: str
    name: str | None = None
    code: str | None = None
    architecture: str | None = None

    @property
    def title(self) -> str:
        """Return the device's name with its code, for sentences."""
        name = self.name or f"the {self.vendor} device"
        return f"{name} ({self.code})" if self.code else name


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A machine. accelerators is None if unknown, () if it certainly has none.

    system   "linux", "windows", "macos"; system_version: for macOS, "13.6"; machine "x86_64", "aarch64"
    python   "3.12", "3.13t" for a free-threaded one; python_release: with its patch, if known, "3.14.1"
    libc     "glibc 2.31", "glibc", "musl"; Linux only
    drivers  by vendor, in the notation of its tools; wsl: the driver is then the Windows driver
    serves   by vendor: the newest toolkit that the driver reports as supported (CUDA "12.2")
    stacks   installed development kits by name: {"cann": "8.0.0"}
    installed  wheels in the environment by name, with the build if known: {"torch": "2.4.0+cpu"}
    held       GPU code read from an installed framework's own files, by name: it takes precedence over any table
    cautious   assume an old driver if it is unknown: its newest toolkit major is the last choice
    index      the only index that builds may come from, "pypi"; None: any that accel knows
    housed_by  the device that implied the system or the processor; "": the processor is the system's usual one
    """

    system: str | None = None
    system_version: str | None = None
    machine: str | None = None
    python: str | None = None
    python_release: str | None = None
    libc: str | None = None
    wsl: bool | None = None
    accelerators: tuple[Accelerator, ...] | None = None
    drivers: dict[str, str] = field(default_factory=dict)
    serves: dict[str, str] = field(default_factory=dict)
    stacks: dict[str, str] = field(default_factory=dict)
    installed: dict[str, str] = field(default_factory=dict)
    held: dict[str, tuple[str, ...]] = field(default_factory=dict)
    cautious: bool = False
    index: str | None = None
    housed_by: str | None = None

    @property
    def platform(self) -> str:
        """Return the platform in the notation of build tables: "linux_x86_64", "macos_arm64".

        Unknown means Linux on x86-64.
        """
        machine = self.machine or "x86_64"
        if machine == "aarch64" and self.system in ("macos", "windows"):
            machine = "arm64"
        return f"{self.system or 'linux'}_{machine}"

    @property
    def exact_python(self) -> str | None:
        """Return the Python version to compare with requirements, with its patch if known: "3.14.1"."""
        plain = self.python.rstrip("t") if self.python else None
        release = (self.python_release or "").rstrip("t")
        return release if plain and release.startswith(f"{plain}.") else plain

    @property
    def driver_platform(self) -> str:
        """Return the platform that numbered the driver: Windows also under WSL."""
        return "windows" if self.system == "windows" or self.wsl else "linux"

    def of(self, vendor: str) -> tuple[Accelerator, ...]:
        """Return the devices of one vendor; all of them for "*"."""
        return tuple(a for a in self.accelerators or () if vendor in ("*", a.vendor))


def target_of(facts: "Facts", specs: "Specs") -> Target:
    """Return the machine of a snapshot: its visible whole accelerators, drivers, Python and C library."""
    host = facts.host
    seen = [d for d in facts.accelerators if d.is_top_level and d.visible is not False]
    vendors = dict.fromkeys(r.backend for r in facts.snapshot.reports)
    drivers = {v: driver for v in vendors if (driver := facts.driver(v)) is not None}
    accelerators = [accelerator_of(d, specs) for d in seen]
    for vendor, driver in drivers.items():
        if driver.version and vendor != "cpu" and not any(a.vendor == vendor for a in accelerators):
            accelerators.append(Accelerator(vendor=vendor))
    known = bool(accelerators) or facts.live
    return Target(
        system=host.system or ("linux" if host.libc or host.wsl or _is_linux(host.distribution) else None),
        machine=machine_name(host.machine),
        python=python_name(facts.environment.python_version),
        python_release=facts.environment.python_version,
        libc=host.libc,
        wsl=host.wsl,
        accelerators=tuple(accelerators) if known else None,
        drivers={v: d.version for v, d in drivers.items() if d.version},
        serves={v: d.toolkit_version for v, d in drivers.items() if d.toolkit_version},
        stacks={kit.name: kit.version for kit in facts.environment.toolkits if kit.version},
        installed=_installed(facts),
        held={f.name: f.architectures for f in facts.environment.frameworks if f.architectures},
        cautious=True,
    )


def accelerator_of(device: "Device", specs: "Specs") -> Accelerator:
    """Return a device as the resolver sees it; an unknown code is looked up by the device's name."""
    chip = specs.chip(device.name, vendor=device.vendor, pci_id=device.pci_id) if device.name or device.pci_id else None
    code = device.compute_capability
    if code is None and chip is not None:
        code = chip.compute_capability or chip.compute_target
    if code is None and device.name:
        code = specs.compute_capability(device.name) or specs.compute_target(device.name)
    architecture = chip.architecture if chip is not None else device.architecture
    return Accelerator(vendor=device.backend, name=device.name, code=code, architecture=architecture)


def variant_of(framework: "Framework") -> str | None:
    """Return a framework's build in wheel notation: "cu121", also if only its CUDA version is known.

    None if unknown.
    """
    if framework.variant is not None and _WHEELS.fullmatch(framework.variant):
        return framework.variant
    if framework.cuda_version is not None:
        return "cu" + "".join(framework.cuda_version.split(".")[:2])
    return framework.built_for if framework.built_for in ("cpu", "xpu") else None


def _is_linux(distribution: str | None) -> bool:
    return distribution is not None and re.search(r"windows|macos|mac os|darwin", distribution, re.IGNORECASE) is None


def _installed(facts: "Facts") -> dict[str, str]:
    """Return the packages that pip sees.

    A package listed in several versions is left out, since it is unknown which counts.
    """
    found: dict[str, set[str]] = {}
    for package in facts.packages():
        if package.version is not None and package.channel != "conda":
            local = package.variant if _WHEELS.fullmatch(package.variant or "") else None
            found.setdefault(package.name, set()).add(f"{package.version}+{local}" if local else package.version)
    for framework in facts.environment.frameworks:
        from_conda = any(p.channel == "conda" for p in facts.packages(framework.name))
        variant = variant_of(framework)
        if framework.version is not None and variant is not None and not from_conda:
            found[framework.name] = {f"{framework.version}+{variant}"}
    return {name: max(labels, key=len) for name, labels in found.items() if len({v.split("+")[0] for v in labels}) == 1}


def machine_name(text: str | None) -> str | None:
    """Return a canonical name for a processor: "AMD64" is "x86_64", "arm64" is "aarch64"."""
    return _MACHINES.get(text.lower(), text.lower()) if text else None


def python_name(version: str | None) -> str | None:
    """Return the part of a Python version that wheels are made for.

    >>> python_name("3.12.4"), python_name("3.13t"), python_name("3"), python_name("3.15.0a1")
    ('3.12', '3.13t', None, '3.15')
    """
    found = _PYTHON.match(version or "")
    return found[1] + found[2] if found else None
