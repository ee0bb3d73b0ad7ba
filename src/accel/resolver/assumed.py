"""What the resolver assumed about facts that it does not know, and the commands that show them. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from accel.model.dataclass import dataclass
from accel.resolver.candidates import candidates
from accel.resolver.catalogue import Catalogue, Record
from accel.resolver.command import oldest_alike
from accel.resolver.records import Candidate
from accel.resolver.stacks import needs_stack, same_release
from accel.resolver.target import Target
from accel.resolver.upgrade import driver_need
from accel.specs.age import newest_of

_SYSTEMS: Final = {"linux": "Linux", "windows": "Windows", "macos": "macOS"}
_PROCESSORS: Final = {"x86_64": "x86-64", "arm64": "Arm", "aarch64": "Arm"}
_DRIVER: Final = {"nvidia": "nvidia-smi", "ascend": "npu-smi info", "amd": "cat /sys/module/amdgpu/version"}
_WINDOWS_SHOWS: Final = "cmd /c echo %PROCESSOR_ARCHITECTURE%"  # in cmd and in PowerShell
_ANY_SHOWS: Final = "python -m platform"
_CODE: Final = {"nvidia": "nvidia-smi", "amd": "rocminfo | grep gfx"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """An unknown fact and the assumption made. what: the fact in a few words; shows: the command that shows it."""

    text: str
    what: str | None = None
    shows: str | None = None


def sentence(found: Sequence[Assumption]) -> str | None:
    """Return the assumptions as one sentence, with the commands to check them; None if there are none."""
    counted = [one for one in found if one.what]
    if not counted:
        return None
    *others, last = dict.fromkeys(one.what for one in counted if one.what)
    what = f"{', '.join(others)} and {last}" if others else last
    commands = dict.fromkeys(one.shows for one in counted if one.shows)
    shown = ("  and  " if {_WINDOWS_SHOWS, _ANY_SHOWS} & set(commands) else "; ").join(commands)  # cmd knows no ";"
    return f"This build is for {what} (to check:  {shown})."


def assumptions(catalogue: Catalogue, target: Target, chosen: Sequence[Candidate]) -> tuple[Assumption, ...]:
    """Return the unknown facts about the target that matter, and what was assumed for each."""
    each = (one for c in chosen for one in _of_build(catalogue, target, c))
    return tuple(
        dict.fromkeys((*_of_machine(catalogue, target, chosen), *each, *_of_python(catalogue, target, chosen)))
    )


def _of_machine(catalogue: Catalogue, target: Target, chosen: Sequence[Candidate]) -> Iterator[Assumption]:
    if target.housed_by:
        yield Assumption(text=f"the platform is {target.platform}, as {target.housed_by} implies")
    elif target.housed_by is not None:
        yield Assumption(
            text=f"the processor is unknown: assumed to be {target.platform}; use --arch x86_64 for Intel's",
            what=_platform(target.platform),
            shows=_shows_platform(target.platform),
        )
    elif target.system is None or target.machine is None:
        text, alike = (
            f"the platform is not known: taken as {target.platform}",
            _same_on_windows(catalogue, target, chosen),
        )
        what = _platform(target.platform).replace(" on ", " or Windows on ") if alike else _platform(target.platform)
        yield Assumption(text=text, what=what, shows=_ANY_SHOWS if alike else _shows_platform(target.platform))
    if target.accelerators is None:
        text = "no accelerator is known: taken as a machine without one"
        yield Assumption(text=text, what="a machine without an accelerator", shows="accel devices")
    for device in dict.fromkeys(target.accelerators or ()):
        family = next((f for f in catalogue.families if f["vendor"] == device.vendor), None)
        if family is not None and family.get("code") and device.code is None:
            yield Assumption(
                text=f"which code {device.title} runs is unknown: nothing was ruled out by it",
                what="a GPU that it has code for",
                shows=_CODE.get(device.vendor, "accel devices"),
            )


def _same_on_windows(catalogue: Catalogue, target: Target, chosen: Sequence[Candidate]) -> bool:
    """Return whether the system is unknown and the same command installs the same builds on Windows."""
    return target.system is None and all(
        any(
            (c.version, c.variant, c.default) == (other.version, other.variant, other.default)
            and other.platform == c.platform.replace("linux_", "windows_")
            for other in candidates(catalogue, c.package)
        )
        for c in chosen
    )


def _shows_platform(platform: str) -> str:
    return _WINDOWS_SHOWS if platform.startswith("win") else "uname -sm"


def _of_build(catalogue: Catalogue, target: Target, c: Candidate) -> Iterator[Assumption]:
    family = catalogue.family(c.family)
    if family.get("code") and c.architectures is None and c.variant not in _documented(catalogue, c):
        is_read = any(other.architectures is not None for other in candidates(catalogue, c.package))
        like = "taken as its neighbours' releases" if is_read else "nothing was ruled out by it"
        dated = _dated(catalogue, c.package)
        yield Assumption(text=f"which GPU code is in {c.package} {c.label} is not known{dated}: {like}")
    vendor = family["vendor"]
    if target.accelerators != () and family.get("toolkit") and vendor not in {**target.drivers, **target.serves}:
        need = driver_need(catalogue, target, c)
        enough = need.removeprefix("driver ") if need.startswith("driver ") else None
        yield Assumption(
            text="the driver is not known: taken as new enough" + (f" ({enough})" if enough else ""),
            what=need if enough else "a driver that is new enough",
            shows=_DRIVER.get(vendor, "accel devices"),
        )
    record = catalogue.packages[c.package]
    if c.stack is None and needs_stack(c, catalogue):
        name = record["stack"].upper()
        yield Assumption(text=f"which {name} {c.package} {c.label} needs is unknown{_dated(catalogue, c.package)}")
    if c.stack is not None and "stack" in record:
        name, here = record["stack"].upper(), target.stacks.get(record["stack"])
        if here is None:
            text = f"{name} is not known: this build is made with {c.stack}"
            yield Assumption(text=text, what=f"{name} {c.stack}", shows="accel doctor")
        elif not same_release(c.stack, here):
            yield Assumption(
                text=f"no build is made with {name} {here}: this one is made with {c.stack} of the same minor"
            )
    if target.python is not None and c.pythons is None and c.python_bound is None and family["name"] != "source":
        yield Assumption(
            text=f"for which Pythons {c.package} {c.label} has wheels is not known: nothing was ruled out by it"
        )


def _of_python(catalogue: Catalogue, target: Target, chosen: Sequence[Candidate]) -> Iterator[Assumption]:
    if target.python is None and (len(chosen) != 1 or oldest_alike(catalogue, chosen[0], target) is None):
        text = "the Python version is not known: taken as one that has wheels"
        yield Assumption(text=text, what="a Python that it has wheels for", shows="python --version")


def _platform(platform: str) -> str:
    """Return a platform's display name.

    >>> _platform("linux_x86_64")
    'Linux on x86-64'
    """
    system, _, machine = platform.partition("_")
    return f"{_SYSTEMS.get(system, system)} on {_PROCESSORS.get(machine, machine)}"


def _dated(catalogue: Catalogue, package: str) -> str:
    """Return the age of the data about a package's builds, in parentheses."""
    table = catalogue.packages[package].get("table")
    newest = newest_of(catalogue.specs, table) if table else None
    return f" (data of {newest[1]})" if newest is not None and newest[1] else ""


def _documented(catalogue: Catalogue, c: Candidate) -> Record:
    minimum: Record = catalogue.packages[c.package].get("capability_minimum") or {}
    return minimum
