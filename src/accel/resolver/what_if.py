"""A machine described by options: --gpu "RTX 5090" --driver 570 --python 3.12."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import replace
from accel.model.errors import BadInput
from accel.names.counts import without_number
from accel.names.tokens import words_of
from accel.resolver.systems import NamedSystem, system_named
from accel.resolver.target import Accelerator, Target, machine_name, python_name
from accel.specs.indexing import own_vocabulary
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from accel.names.meaning import Named
    from accel.specs import Specs

_MOST_VARIANTS: Final = 6
_MOST_DEVICES: Final = 64  # of a slice: all of them need the same build
_PYPI: Final = "pypi"
_SOFTWARE: Final = pattern(r"(?P<name>cuda|rocm|cann)[ =:/-]{0,2}v?(?P<version>\d[\w.]*)")
_NONE: Final = ("none", "cpu", "no")
_PYTHON: Final = pattern(r"(?:c?python|py|cp)[ -]?(?P<major>3)\.?(?P<minor>\d{1,2})(?P<rest>(?:\.\d{1,2})?t?)")
_CAPABILITY: Final = pattern(r"(?:sm_?|compute_)?(\d{1,2})\.?(\d)[af]?", exact_case=True)


def changed(
    target: Target,
    specs: "Specs",
    *,
    gpus: Sequence[str] = (),
    driver: str | None = None,
    python: str | None = None,
    system: str | None = None,
    machine: str | None = None,
    libc: str | None = None,
    stack: str | None = None,
    cuda: str | None = None,
    index: str | None = None,
) -> Target:
    """Return the target changed by the options. With gpus, its drivers are dropped too.

    gpus   names ("RTX 5090", "4x H100"), codes ("8.6", "gfx1030"), or "none"
    system a system or a distribution as people write it: "windows", "Ubuntu 22.04", "CentOS 7", "JetPack 6"
    cuda   the newest CUDA that the driver supports, as nvidia-smi prints it: a substitute for an unknown driver
    stack  the installed software that builds are made with: "cann=8.0.0"
    index  the only index that builds may come from: "pypi"
    Raises BadInput: an unknown device, with suggestions, or an invalid version.
    """
    if system is not None:
        target = _under(target, system_named(system, specs))
    if gpus:
        named = [g.strip() for group in gpus for g in group.split(",") if g.strip()]
        if not named:
            raise BadInput("--gpu: no device is named. Give a name, or none for a machine without one")
        devices = tuple(d for name in named if name.lower() not in _NONE for d in accelerators_named(name, specs))
        target = replace(target, accelerators=devices, drivers={}, serves={}, stacks={}, installed={}, held={})
    if machine is not None:
        target = replace(target, machine=machine_name(machine))
    if python is not None:
        known = python_name(python_said(python))
        if known is None:
            raise BadInput(f"--python {python!r} is no version. Give it like 3.12, or 3.13t for a free-threaded one")
        held = target.installed if known == target.python else {}
        target = replace(target, python=known, python_release=python_said(python), installed=held)
    if libc is not None:
        target = replace(target, libc=_libc(libc))
    if index is not None:
        if index.lower() != _PYPI:
            raise BadInput(f"--index {index!r} is not known. Give {_PYPI}, or leave it out for all indexes")
        target = replace(target, index=_PYPI)
    if driver is not None and (software := _SOFTWARE.fullmatch(driver.strip())):  # "CUDA 12.4", "ROCm 7.2"
        driver = None
        if software["name"].lower() == "cuda":
            cuda = cuda or software["version"]
        else:
            stack = stack or f"{software['name'].lower()}={software['version']}"
    if driver is not None:
        target = _with_driver(target, driver)
    if cuda is not None:
        target = _with_toolkit(target, "cuda", cuda, specs)
    if stack is not None:
        name, _, version = stack.partition("=")
        if not name or not re.fullmatch(r"\d+(\.\w+)*", version):
            raise BadInput(f"--stack {stack!r}: give it as NAME=VERSION, for example cann=8.0.0")
        target = replace(target, stacks={**target.stacks, name.lower(): version})
    return target


def python_said(text: str) -> str:
    """Return the version meant by "python3.12", "cp312", "Python 3.9.2" or "py310"; other texts unchanged."""
    told = _PYTHON.fullmatch(text.strip())
    return f"{told['major']}.{told['minor']}{told['rest']}" if told else text


def _under(target: Target, named: NamedSystem) -> Target:
    """Return the target under another system, with the C library and processor that the system's name implies."""
    target = _elsewhere(target, named.system)
    libc = named.libc if named.libc is not None else target.libc
    machine = named.machine or target.machine
    return replace(target, system=named.system, wsl=named.wsl, system_version=named.version, libc=libc, machine=machine)


def _elsewhere(target: Target, system: str) -> Target:
    """Return what a machine keeps under another system: not its drivers and packages; a Mac is a different machine."""
    if target.system in (None, system):
        return target
    target = replace(target, libc=None, drivers={}, serves={}, stacks={}, installed={}, held={})
    return replace(target, machine=None, accelerators=None) if "macos" in (system, target.system) else target


def accelerators_named(text: str, specs: "Specs") -> tuple[Accelerator, ...]:
    """Return the named devices, repeated as often as "4x H100", "p5.48xlarge" or "2x 3090 + P40" say.

    Raises BadInput with suggestions, or with the products of a name that need different builds.
    """
    many = re.fullmatch(r"(\d{1,3})\s*[x×*](.+)", text, re.IGNORECASE)
    bare = many[2].strip() if many else text
    found = _by_code(bare, specs) or _by_name(bare, specs)
    if found is not None:
        return (found,) * (int(many[1]) if many else 1)
    meant = specs.named(text)
    devices = tuple(device for one in meant.each or (meant,) for device in _by_meaning(one, text))
    if devices:
        return devices
    near = get_close_matches(" ".join(words_of(text, own_vocabulary())), _names(specs), 3, 0.6)
    hint = f" Did you mean: {', '.join(near)}?" if near else ""
    strange = tuple(word for word in meant.unknown if word != text)
    why = f" Not understood: {', '.join(map(repr, strange))}." if strange else ""
    raise BadInput(
        f"--gpu {text!r} is not known.{why}{hint} A compute capability (8.6) or target (gfx1030) will do too"
    )


def _by_meaning(meant: "Named", text: str) -> tuple[Accelerator, ...]:
    """Return the devices of one parsed name; () if it means none."""
    kinds = {(chip.vendor, chip.compute_capability or chip.compute_target, chip.architecture) for chip in meant.chips}
    if len(kinds) > 1:
        names = "; ".join(chip.name for chip in meant.chips[:_MOST_VARIANTS])
        more = " and others" if len(meant.chips) > _MOST_VARIANTS else ""
        raise BadInput(f"--gpu {text!r} means devices that differ: {names}{more}. Name one of them")
    counted = without_number(meant.asked)
    bare = counted.text if counted else meant.asked
    said = shared_name([chip.name for chip in meant.chips]) or _without(meant.aside, bare)
    devices = tuple(Accelerator(vendor=v, name=said, code=code, architecture=made) for v, code, made in kinds)
    return devices * min(meant.count or 1, _MOST_DEVICES)


def _without(aside: Sequence[str], text: str) -> str:
    """Return a name's text without the ignored words, but with numbers: "on a Jetson Nano with"."""
    left_out = {word.lower() for word in aside if not any(map(str.isdigit, word))}
    words = [word for each in text.split() if (word := each.strip(";,")) and word.lower() not in left_out]
    return " ".join(words) or text


def shared_name(names: Sequence[str]) -> str | None:
    """Return the common part of product names; None if that does not identify a model.

    >>> shared_name(["GeForce GTX 1060 6GB", "GeForce GTX 1060 3GB"]), shared_name(["Ascend 910B1", "Ascend 910B2"])
    ('GeForce GTX 1060', 'Ascend 910B')
    """
    words = takewhile(lambda told: len(set(told)) == 1, zip(*(name.split() for name in names), strict=False))
    signs = takewhile(lambda told: len(set(told)) == 1, zip(*names, strict=False))
    for shared in (" ".join(word for word, *_ in words), "".join(sign for sign, *_ in signs)):
        told = re.sub(r"[\s(-]+$", "", shared)
        if len(names) == 1 or re.search(r"\d", told):
            return told
    return None


def _by_code(text: str, specs: "Specs") -> Accelerator | None:
    for vendor, table in _architecture_tables(specs):
        code = text.lower()
        match = _CAPABILITY.fullmatch(code)
        for row in table["architectures"]:
            if match and f"{match[1]}.{match[2]}" in (row.get("compute_capabilities") or ()):
                return Accelerator(vendor=vendor, code=f"{match[1]}.{match[2]}", architecture=row["name"])
            if code in (row.get("compute_targets") or ()):
                return Accelerator(vendor=vendor, code=code, architecture=row["name"])
    families = (specs.table("frameworks/installers") or {}).get("families", ())
    for family in families if re.fullmatch(r"gfx[0-9a-f]{3,4}", text.lower()) else ():
        if family.get("code") == "target":
            return Accelerator(vendor=family["vendor"], code=text.lower())
    return None


def _by_name(text: str, specs: "Specs") -> Accelerator | None:
    chip = specs.chip(text)
    if chip is not None:
        own = chip.compute_capability or chip.compute_target
        return Accelerator(vendor=chip.vendor, name=chip.name, code=own, architecture=chip.architecture)
    told = specs.compute_capability(text) or specs.compute_target(text)
    if told is not None:
        by_code = _by_code(told, specs)
        return replace(by_code, name=text) if by_code is not None else None
    return _by_architecture(text, specs)


def _by_architecture(text: str, specs: "Specs") -> Accelerator | None:
    """Return a device for a whole generation, if the name is just its architecture's: "Ascend 910B"."""
    wanted = _letters(text)
    if not wanted:
        return None
    for vendor, table in _architecture_tables(specs):
        for row in table["architectures"]:
            names = {_letters(n) for n in (row["name"], *(row.get("aliases") or ()))}
            if {wanted, wanted.removeprefix(vendor), vendor + wanted} & names:
                codes: list[str] = row.get("compute_capabilities") or row.get("compute_targets") or []
                only = codes[0] if len(codes) == 1 else None
                return Accelerator(vendor=vendor, name=text, code=only, architecture=row["name"])
    return None


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _architecture_tables(specs: "Specs") -> list[tuple[str, Any]]:
    return [(name.split("/")[0], t) for name, t in specs.tables("", "/architectures", depth=1) if "architectures" in t]


def _names(specs: "Specs") -> list[str]:
    names = {alias for chip in specs.chips() for alias in (chip.name, *chip.aliases)}
    names |= {
        name
        for table_name, table in specs.tables("", "/compute_")
        for group in table.get("compute_names") or ()
        for name in group["names"]
    }
    known = own_vocabulary()
    return sorted({" ".join(words_of(name, known)) for name in names})


def _with_driver(target: Target, driver: str) -> Target:
    driver = re.sub(r"^(?:driver |r|v)(?=\d)", "", driver.strip().lower()).removesuffix(".xx").removesuffix(".x")
    if not re.fullmatch(r"\d+(\.\w+)*", driver):
        raise BadInput(f"--driver {driver!r} is no version. Give it as the vendor's tool prints it: 570.86, or 570")
    vendors = dict.fromkeys(a.vendor for a in target.accelerators or ())
    if not vendors:
        raise BadInput(f"--driver {driver}: of which device? Give --gpu too")
    return replace(target, drivers={**target.drivers, **dict.fromkeys(vendors, driver)}, serves={})


def _with_toolkit(target: Target, name: str, version: str, specs: "Specs") -> Target:
    """Return the target with the newest toolkit that its driver supports, for the vendor of that toolkit."""
    if not re.fullmatch(r"\d+(\.\d+){0,2}", version):
        raise BadInput(f"--{name} {version!r} is no version. Give the number that nvidia-smi prints: 12.2")
    families = (specs.table("frameworks/installers") or {}).get("families", ())
    vendor = next(family["vendor"] for family in families if family.get("toolkit") == name)
    if not target.of(vendor):
        raise BadInput(f"--{name} {version}: of which device? Give --gpu too")
    served = version if "." in version else f"{version}.0"
    return replace(target, serves={**target.serves, vendor: ".".join(served.split(".")[:2])})


def _libc(text: str) -> str:
    match = re.fullmatch(r"(?:(glibc|musl)[- ]?)?(\d+\.\d+)?", text.strip().lower())
    if not match or not text.strip():
        raise BadInput(f"--libc {text!r} is no C library. Give a glibc version like 2.31, or musl")
    return " ".join(part for part in (match[1] or "glibc", match[2]) if part)
