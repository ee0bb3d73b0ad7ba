"""Whether the metadata of distributions is complete and matches the installed files.

Reads   <name>.dist-info/METADATA   fields, one of them "Name: torch"
        <name>.dist-info/RECORD     one line per file, including itself: "torch-2.4.0.dist-info/RECORD,,"
        <name>.dist-info/WHEEL      "Tag: cp310-cp310-manylinux_2_28_x86_64"
        torch/version.py            __version__ = '2.4.0+cu121'
        module folders in site-packages that no metadata mentions
Source  packaging.python.org, "Recording installed projects", "Binary distribution format", "Platform compatibility
        tags"
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from accel.collect.environment.distributions import Distribution, Installed, full_version, stated_version
from accel.machine.files import file_text, names_in
from accel.machine.protocol import Machine
from accel.model.observation import Noted
from accel.text.pattern import pattern

_HEAD_BYTES: Final = 1 << 13
_RECORD_BYTES: Final = 16 << 20
_OF_PIP: Final = ("pip", "uv")  # they always write a RECORD that lists itself; Linux distributions and conda may not
_TAG: Final = pattern(r"(?:cp|py)(?P<python>\d{1,4})", exact_case=True)
_SYSTEMS: Final = {"linux": ("linux", "manylinux", "musllinux"), "macos": ("macosx",), "windows": ("win",)}
_BUILDS: Final = ("cu", "rocm", "cpu", "xpu")  # local versions that state a build's target; others name commits


def record_of(machine: Machine, one: Distribution) -> str | None:
    """Return the text of a distribution's RECORD; None if it has no readable one."""
    try:
        return machine.read(f"{one.metadata}/RECORD", _RECORD_BYTES)
    except OSError:
        return None


def unwhole(machine: Machine, one: Distribution, record: str | None) -> Iterator[Noted]:
    """Yield a note for each metadata file that is missing, empty or truncated."""
    if not one.metadata.endswith(".dist-info") or not names_in(machine, one.metadata):
        return  # a folder without any file is what an installation left, or a recording's
    installer = file_text(machine, f"{one.metadata}/INSTALLER")
    head = file_text(machine, f"{one.metadata}/METADATA", _HEAD_BYTES)
    if head is None and record is None and installer is None and not machine.exists(f"{one.metadata}/WHEEL"):
        return  # of the folder its name alone is known, as of a recorded machine
    if head is None or not re.search(r"^Name:", head, re.MULTILINE):
        there = machine.exists(f"{one.metadata}/METADATA")
        yield _note(one, "METADATA", ("is empty" if head is None else "has no name") if there else "is not there")
    if record is None:
        if installer in _OF_PIP and not machine.exists(f"{one.metadata}/RECORD"):
            yield _note(one, "RECORD", "is not there")
    elif len(record) < _RECORD_BYTES and (_ends_short(record) or (installer in _OF_PIP and "/RECORD," not in record)):
        yield _note(one, "RECORD", "ends before its time" if record.strip() else "is empty")


def _ends_short(record: str) -> bool:
    last = record.rstrip("\r\n").rpartition("\n")[2]
    return last.count(",") < 2 and not record.endswith("\n")


def _note(one: Distribution, file: str, state: str) -> Noted:
    path = f"{one.metadata}/{file}"
    return _noted("package-metadata-damaged", f"{path} {state}", one, path, file=file, state=state)


def foreign_wheel(
    machine: Machine, one: Distribution, python: str, architecture: str | None, *, free_threaded: bool
) -> Iterator[Noted]:
    """Yield a note if all tags of a wheel are for another Python, system or machine: it was unpacked by hand."""
    path = f"{one.metadata}/WHEEL"
    text = file_text(machine, path, _HEAD_BYTES)
    tags = re.findall(r"^Tag: *(\S{1,200})-(\S{1,100})-(\S{1,200})[ \r]*$", text or "", re.MULTILINE)
    if not tags or file_text(machine, f"{one.metadata}/INSTALLER") == "conda":
        return
    if not any(_fits_python(tag, python, free_threaded=free_threaded) for tag in tags):
        other = f"this is Python {python}"
    elif not any(_fits_system(platforms, machine.system) for _, _, platforms in tags):
        other = f"this is {machine.system}"
    elif not any(_fits_machine(platforms, machine.system, architecture) for _, _, platforms in tags):
        other = f"this machine is {architecture}"
    else:
        return
    said = f"{'-'.join(tags[0])}, and {other}"
    yield _noted("package-file-foreign", f"{path} names {said}", one, path, other=said)


def _fits_python(tag: tuple[str, str, str], python: str, *, free_threaded: bool) -> bool:
    mine = tuple(int(part) for part in python.split(".")[:2])
    for one in tag[0].split("."):
        found = _TAG.fullmatch(one)
        if found is None:
            return True  # of another Python implementation, which is not judged
        digits = found["python"]
        wanted = (int(digits[0]), int(digits[1:])) if len(digits) > 1 else (int(digits), 0)
        if one.startswith("py"):
            if wanted[0] == mine[0] and wanted <= mine:
                return True
        elif wanted == mine or ("abi3" in tag[1] and wanted <= mine):
            return "abi3" in tag[1] or tag[1] == "none" or tag[1].endswith("t") == free_threaded
    return False


def _fits_system(platforms: str, system: str) -> bool:
    known = _SYSTEMS.get(system)
    return known is None or any(one == "any" or one.startswith(known) for one in platforms.split("."))


def _fits_machine(platforms: str, system: str, architecture: str | None) -> bool:
    if system != "linux" or architecture is None:
        return True
    return any(one == "any" or one.endswith(f"_{architecture}") for one in platforms.split("."))


def of_another_release(machine: Machine, one: Distribution) -> Iterator[Noted]:
    """Yield a note if the files state a different version than the metadata."""
    site = one.package.location or ""
    states = stated_version(machine, site, one.package.name) if one.metadata.endswith(".dist-info") else None
    if states is None:
        return
    is_same, local = _public(states) == _public(one.package.version or ""), states.partition("+")[2]
    known = one.package.variant or ""
    differs = known.startswith(_BUILDS) and local.startswith(_BUILDS) and known != local
    if is_same and not differs:
        return
    text = f"{site}/{one.package.name} says {states}, but {one.metadata} says {full_version(one.package)}"
    yield _noted("package-files-of-another-release", text, one, one.metadata, states=states)


def _public(version: str) -> tuple[Any, ...]:
    """Return a version's public part for comparison, or its text if it cannot be compared."""
    from packaging.version import InvalidVersion, Version

    public = version.partition("+")[0]
    try:
        return (Version(public),)
    except InvalidVersion:
        return (public,)


def without_metadata(machine: Machine, found: Installed, modules: Sequence[str], left: set[str]) -> Iterator[Noted]:
    """Yield a note for each folder of a framework's module in site-packages that belongs to no distribution.

    left  packages with an unfinished installation, which already have a note
    """
    have = {one.package.name for one in found.distributions}
    for site, names in found.names.items():
        for name in modules:
            if (
                name not in names
                or name in have
                or name in left
                or not site.endswith(("site-packages", "dist-packages"))
            ):
                continue
            inside = names_in(machine, f"{site}/{name}")
            if not inside or any(_owns(machine, one, name) for one in found.distributions):
                continue
            whole = "__init__.py" in inside
            version = stated_version(machine, site, name) if whole else None
            state = "which no metadata speaks of" if whole else "without an __init__.py, and no metadata speaks of it"
            values = {"package": name, "path": f"{site}/{name}", "version": version}
            values["whole"] = "yes" if whole else None
            yield Noted(
                fact="package-without-metadata",
                text=f"{site}/{name} is a folder {state}",
                values=tuple((key, value) for key, value in values.items() if value is not None),
                source="environment",
                grade="measured",
            )


def _owns(machine: Machine, one: Distribution, module: str) -> bool:
    """Return whether a distribution with another name contains a module: tensorflow-cpu has the folder tensorflow."""
    record = record_of(machine, one)
    if record is None:
        return one.package.name.startswith(f"{module}-")
    return f"\n{module}/__init__.py," in f"\n{record}"


def _noted(fact: str, text: str, one: Distribution, path: str, **more: str) -> Noted:
    values = {"package": one.package.name, "version": full_version(one.package), "path": path, **more}
    return Noted(fact=fact, text=text, values=tuple(values.items()), source="environment", grade="measured")
