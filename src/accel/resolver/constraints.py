"""The rules: each returns None if a candidate passes, else why it does not, with the figures compared.

Unknown facts never reject a candidate; they lower the certainty of a fit (see `Verdict`) or are listed as assumed.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from accel.model.dataclass import dataclass
from accel.resolver.candidates import candidates
from accel.resolver.catalogue import Record
from accel.resolver.code import Fit, fit_of_capability
from accel.resolver.command import other_index
from accel.resolver.records import Candidate
from accel.resolver.request import within
from accel.resolver.situation import Situation
from accel.resolver.stacks import needs_stack, stack_reason
from accel.resolver.target import Accelerator, Target
from accel.specs.versions import numbers

_GLIBC_OF: Final = {"manylinux1": "2.17", "manylinux2010": "2.12", "manylinux2014": "2.17"}
# torch's manylinux1 wheels need 2.17 in fact, as its RELEASE.md says, and so do TensorFlow's.


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The rules' verdict on a candidate. rule None: it fits, and `fit` says how certainly.

    fit  "machine" or "portable" code; "unknown" if a fact is missing; "none" if there is no GPU code that has to fit
    """

    candidate: Candidate
    rule: str | None = None
    because: str = ""
    fit: Fit | None = None
    served_devices: int = 0


Rule = Callable[[Candidate, Record, Situation], str | None]


def platform(candidate: Candidate, family: Record, situation: Situation) -> str | None:
    """Require a build for this system and processor."""
    wanted = situation.target.platform
    return None if candidate.platform == wanted else f"it is for {candidate.platform}, but this machine is {wanted}"


def hardware(candidate: Candidate, family: Record, situation: Situation) -> str | None:
    """Require a build that supports this machine's devices, and leaves none idle unless requested."""
    devices = situation.devices
    if family["name"] == "cpu":
        idle = [d for d in devices if d.vendor not in (family.get("also") or {})]
        if not idle or situation.wants_cpu or situation.target.system in family.get("alone_on", ()):
            return None
        return f"a CPU build would leave {_titles(idle)} unused; ask for it with +cpu or --variant cpu if that is meant"
    mine = [d for d in devices if family["vendor"] in ("*", d.vendor)]
    if not mine and (family.get("alone") or (situation.follows and situation.target.accelerators == ())):
        return None
    if not mine:
        here = _titles(devices) if devices else "no accelerator"
        return f"it supports {family.get('serves') or family['vendor']} devices; here: {here}"
    listed: list[str] = family.get("architectures") or []
    others = [d for d in mine if listed and d.architecture is not None and d.architecture not in listed]
    return f"it does not support {_titles(others)}, only {', '.join(listed)}" if others else None


def board(candidate: Candidate, family: Record, situation: Situation) -> str | None:
    """Reject wheels made only for servers if the device is on a board."""
    rows = situation.catalogue.packages.get(candidate.package, {}).get("not_for") or ()
    found = ((row, d) for row in rows for d in _of(family, situation) if d.code in row["codes"])
    return next((row["because"].format(device=device.title) for row, device in found), None)


def python(candidate: Candidate, family: Record, situation: Situation) -> str | None:
    """Require a wheel for this Python."""
    version = situation.target.python
    if candidate.pythons == ():
        page = situation.catalogue.releases_page(candidate.package)
        return f"the package index has no wheel of it{f'; see {page}' if page else ''}"
    if version is None:
        return None
    if candidate.pythons is not None and version not in candidate.pythons:
        return f"it has wheels for Python {_span(candidate.pythons)}, not {version}"
    if candidate.python_bound and not within(_patched(situation.target), candidate.python_bound):
        return f"it needs Python {candidate.python_bound}, this is {situation.target.exact_python}"
    if candidate.pythons is None and not candidate.python_bound:
        near = _nearest(candidate, situation, lambda c: c.pythons is not None and c.platform == candidate.platform)
        if near and not any(version in (c.pythons or ()) for c in near):
            return f"for which Pythons it has wheels is not known; {near[0].label} has none for {version}"
    return None


def _patched(target: Target) -> str:
    """Return the Python version with its patch; a late patch is assumed if it is unknown."""
    exact = target.exact_python or ""
    return exact if exact.count(".") > 1 else f"{exact}.99"


def system_version(candidate: Candidate, family: Record, situation: Situation) -> str | None:
    """Require a macOS at least as new as the wheel needs."""
    need = re.match(r"macosx_(\d+)_(\d+)", candidate.linux_tag or "")
    here = situation.target.system_version
    if need is None or here is None or situation.target.system != "macos":
        return None
    least = (int(need[1]), int(need[2]))
    if numbers(here)[:2] >= least[: len(numbers(here)[:2])]:
        return None
    return f"its wheels need macOS {need[1]}{f'.{need[2]}' if least[1] else ''} or newer, this is {here}"


def libc(candidate: Candidate, family: Record, situation: Situation) -> str | None:
    """Require the C library that the wheel was built for, in a recent enough version."""
    return libc_reason(candidate.linux_tag, situation.target)


def libc_reason(tag: str | None, target: Target) -> str | None:
    """Return why a Linux wheel with this tag does not run on the target's C library; None if it does or if unknown."""
    here = target.libc
    if here is None or target.platform.split("_")[0] != "linux":
        return None
    if here.startswith("musl"):
        return "its wheels are for glibc; this system has musl"
    floor, have = glibc_of_tag(tag), re.search(r"\d+\.\d+", here)
    if floor is not None and have is not None and numbers(have[0]) < numbers(floor):
        told = f"whatever their tag {tag} says" if tag and tag.startswith("manylinux1_") else tag
        return f"its wheels need glibc {floor} or newer ({told}), but this is {have[0]}"
    return None


def glibc_of_tag(tag: str | None) -> str | None:
    """Return the glibc version that a platform tag needs.

    >>> glibc_of_tag("manylinux_2_28_x86_64"), glibc_of_tag("manylinux2014_aarch64"), glibc_of_tag(None)
    ('2.28', '2.17', None)
    """
    found = re.match(r"manylinux_(\d+)_(\d+)", tag or "")
    if found:
        return f"{found[1]}.{found[2]}"
    known = re.match(r"manylinux\d+", tag or "")
    return _GLIBC_OF.get(known[0]) if known else None


def driver_drives_device(candidate: Candidate, family: Record, situation: Situation) -> str | None:
    """Require a driver branch that supports the devices; otherwise no build helps."""
    driver = situation.target.drivers.get(family["vendor"])
    told = situation.target.serves.get(family["vendor"])
    branch = situation.catalogue.branch(family, driver) if driver else None
    if branch is None and told is not None:
        branch, driver = situation.catalogue.branch_serving(family, told), f"one of {family['title']} {told}"
    if branch is None:
        return None
    for device in _of(family, situation):
        limits = situation.limits(device)
        if limits.first_branch is not None and branch < limits.first_branch:
            return f"{device.title} needs driver {limits.first_branch} or newer, this is {driver}"
        if limits.last_branch is not None and branch > limits.last_branch:
            return f"{limits.last_branch} is the last driver branch for {device.title}, this is {driver}"
    return None


def driver_floor(candidate: Candidate, family: Record, situation: Situation) -> str | None:
    """Require a driver that is new enough for the toolkit's major (before CUDA 11: for the toolkit)."""
    floor = situation.floor(candidate, family)
    driver = situation.target.drivers.get(family["vendor"])
    made_with = f"{family['title']} {candidate.toolkit_version}" if candidate.toolkit_version else candidate.variant
    if floor is not None and driver is not None:
        have = numbers(driver)
        if have < numbers(floor)[: len(have)]:
            return f"{made_with} needs driver {floor} or newer, this is {driver}"
        return None
    told, wanted = situation.target.serves.get(family["vendor"]), toolkit_of(candidate)
    if told is not None and driver is None and wanted and numbers(told)[:1] < wanted[:1]:
        return f"it is built with {made_with}, but the driver supports up to {told}"
    return None


def toolkit_of(candidate: Candidate) -> tuple[int, ...]:
    """Return the toolkit that a build was made with; if no table has it, the one its name implies: "cuda13" is 13."""
    return numbers(candidate.toolkit_version or candidate.variant.lstrip("abcdefghijklmnopqrstuvwxyz"))


def capability_minimum(candidate: Candidate, family: Record, situation: Situation) -> str | None:
    """Require devices with the compute capability that the package's documentation states."""
    record = situation.catalogue.packages.get(candidate.package, {})
    minimum = capability_minimum_of(record, candidate)
    for device in _of(family, situation):
        if minimum is not None and device.code is not None and numbers(device.code) < numbers(minimum):
            return f"it needs compute capability {minimum} or higher, {device.title} has {device.code}"
    return None


def capability_minimum_of(record: Record, candidate: Candidate) -> str | None:
    """Return the minimum compute capability in the package's documentation, by release if it varies."""
    told = (record.get("capability_minimum") or {}).get(candidate.variant)
    if not isinstance(told, dict):
        return told
    firsts = [first for first in told if numbers(first) <= numbers(candidate.version)]
    return told[max(firsts, key=numbers)] if firsts else None


def device_code(candidate: Candidate, family: Record, situation: Situation) -> str | None:
    """Require that every device can run the GPU code in the build."""
    for device in _of(family, situation):
        if _fit(candidate, family, situation, device) == "no":
            return _code_reason(candidate, family, situation, device)
    return None


def index(candidate: Candidate, family: Record, situation: Situation) -> str | None:
    """Require that the build is on the requested index, if one was requested."""
    if situation.target.index is None:
        return None
    place = other_index(situation.catalogue, candidate, situation.target)
    return f"PyPI does not have this build; it is on {place}" if place is not None else None


RULES: Final[tuple[tuple[str, Rule], ...]] = (
    ("platform", platform),
    ("hardware", hardware),
    ("board", board),
    ("driver-drives-device", driver_drives_device),
    ("driver", driver_floor),
    ("capability", capability_minimum),
    ("device-code", device_code),
    ("stack", stack_reason),
    ("python", python),
    ("libc", libc),
    ("system", system_version),
    ("index", index),
)


def verdict(candidate: Candidate, situation: Situation) -> Verdict:
    """Return the first rule that rejects the candidate, or how it fits."""
    family = situation.catalogue.family(candidate.family)
    for name, rule in RULES:
        because = rule(candidate, family, situation)
        if because is not None:
            return Verdict(candidate=candidate, rule=name, because=because)
    fits = [_fit(candidate, family, situation, device) for device in _of(family, situation)]
    order: tuple[Fit, ...] = ("unknown", "portable", "machine")
    worst = next((fit for fit in order if fit in fits), None)
    if needs_stack(candidate, situation.catalogue) and candidate.stack is None:
        worst = "unknown"
    return Verdict(candidate=candidate, fit=worst, served_devices=len(situation.target.of(family["vendor"])))


def _fit(candidate: Candidate, family: Record, situation: Situation, device: Accelerator) -> Fit:
    kind = family.get("code")
    if kind == "capability":
        limits, served, code = situation.limits(device), situation.served(family), situation.code_in(candidate)
        fit = fit_of_capability(code, candidate.toolkit_version, served, device.code, limits)
        record = situation.catalogue.packages.get(candidate.package, {})
        if fit != "unknown" or device.code is None or code is not None:
            return fit
        documented = candidate.variant in (record.get("capability_minimum") or {})
        return "machine" if documented else _by_neighbours(candidate, family, situation, device)
    if kind == "target":
        if device.code is None:
            return "unknown"
        targets = situation.code_in(candidate)
        if targets is None:
            return _by_neighbours(candidate, family, situation, device)
        return "machine" if device.code.split(":")[0] in targets else "no"
    return "machine"


def _by_neighbours(candidate: Candidate, family: Record, situation: Situation, device: Accelerator) -> Fit:
    """For a build with unknown code, return "unknown" if a neighbour's code runs on the device, else "no".

    Neighbours are the nearest older and newer builds of the variant, else of the family, with a known list.
    """
    near = neighbours(candidate, situation)
    if not near and not _has_lists(candidate, situation):
        return "unknown"
    fits = (_fit(other, family, situation, device) for other in near)
    return "unknown" if any(fit != "no" for fit in fits) else "no"


def _has_lists(candidate: Candidate, situation: Situation) -> bool:
    """Return whether the list of GPU code is known for any build of the package."""
    return any(c.architectures is not None for c in candidates(situation.catalogue, candidate.package))


def neighbours(candidate: Candidate, situation: Situation) -> tuple[Candidate, ...]:
    """Return the nearest newer and the nearest older build with a known list of GPU code, if they exist."""
    kept, key = situation.catalogue.neighbours, (candidate.package, candidate.label, candidate.platform)
    if key not in kept:

        def is_listed(c: Candidate) -> bool:
            same = c.platform == candidate.platform and c.family == candidate.family
            return same and c.architectures is not None

        of_variant = _nearest(candidate, situation, lambda c: is_listed(c) and c.variant == candidate.variant)
        kept[key] = of_variant or _nearest(candidate, situation, is_listed)
    return kept[key]


def _nearest(candidate: Candidate, situation: Situation, wanted: Callable[[Candidate], bool]) -> tuple[Candidate, ...]:
    """Return the nearest newer and the nearest older of the wanted candidates, if they exist."""
    every = candidates(situation.catalogue, candidate.package)
    place = next(number for number, c in enumerate(every) if c is candidate)
    newer = next((c for c in reversed(every[:place]) if wanted(c)), None)
    older = next((c for c in every[place + 1 :] if wanted(c)), None)
    return tuple(c for c in (newer, older) if c is not None)


def _code_reason(candidate: Candidate, family: Record, situation: Situation, device: Accelerator) -> str:
    held = situation.code_in(candidate)
    if held is None:
        near = neighbours(candidate, situation)
        like = f"that of {near[0].label} has none for {device.title}" if near else "no like build's is either"
        return f"which GPU code it contains is unknown, and {like}"
    first = situation.limits(device).first_toolkit
    portable = any(entry.startswith("compute_") for entry in held)
    if portable and first and candidate.toolkit_version and numbers(candidate.toolkit_version) < numbers(first):
        return (
            f"its machine code is for other devices than {device.title}, and {family['title']} "
            f"{candidate.toolkit_version}, which made its portable code, is older than the first for it, {first}"
        )
    own = f"; {family['own_builds']}" if situation.limits(device).integrated and family.get("own_builds") else ""
    return f"it has code only for {', '.join(held)}, and {device.title} can run none of that{own}"


def _of(family: Record, situation: Situation) -> Iterator[Accelerator]:
    return (d for d in situation.devices if d.vendor == family["vendor"])


def _titles(devices: "tuple[Accelerator, ...] | list[Accelerator]") -> str:
    return ", ".join(d.title for d in devices)


def _span(pythons: tuple[str, ...]) -> str:
    plain = [p for p in pythons if not p.endswith("t")]
    return f"{plain[0]} to {plain[-1]}" if len(plain) > 2 else ", ".join(pythons)
