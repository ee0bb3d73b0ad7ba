"""The sentences of an answer: why this choice, what was assumed, and what would make more fit."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from accel.model.dataclass import dataclass, replace
from accel.resolver.candidates import candidates
from accel.resolver.catalogue import Catalogue, Record
from accel.resolver.constraints import Verdict, glibc_of_tag
from accel.resolver.hosts import is_beside_arm
from accel.resolver.parsed import parsed
from accel.resolver.records import Candidate
from accel.resolver.request import within
from accel.resolver.situation import Situation
from accel.resolver.target import Target
from accel.specs.versions import numbers

if TYPE_CHECKING:
    from accel.specs.frameworks import Build

Best = Callable[[Target], Verdict | None]


def why(best: Verdict, situation: Situation) -> str:
    """Return why the candidate fits, with the figures."""
    c, target = best.candidate, situation.target
    family = situation.catalogue.family(c.family)
    mine = target.of(family["vendor"])
    if c.family == "cpu":
        told = {**(family.get("also") or {}), **(situation.catalogue.packages[c.package].get("also") or {})}
        also = [text for vendor, text in told.items() if target.of(vendor)]
        none = "this machine has no accelerator" if target.accelerators is not None else "no accelerator is known"
        if target.accelerators:
            none = f"builds for {target.system} are the same for all devices"
        asked = "the CPU build, as requested" if situation.wants_cpu else none
        return "; ".join(["the newest that fits", *(also or [asked])])
    if not mine and situation.follows:
        return "the build that an installer chooses; it computes on the CPU, because this machine has no accelerator"
    if not mine:
        return "the newest that fits; it needs no accelerator"
    devices = ", ".join(dict.fromkeys(d.title for d in mine))
    codes = {
        "machine": f"has machine code for {devices}" if c.architectures is not None else f"supports {devices}",
        "portable": f"has portable code for {devices}, compiled at first use",
    }
    named = any(device.name or device.code for device in mine)
    code = codes.get(best.fit or "machine") if named else None  # what is unknown is told as an assumption
    parts = [f"the newest that fits: {code}" if code else "the newest that fits"]
    floor, driver = situation.floor(c, family), target.drivers.get(family["vendor"])
    if floor is not None and (driver or family["vendor"] in target.serves):  # else it is told as an assumption
        parts.append(f"needs driver {floor} or newer" + (f" (installed: {driver})" if driver else ""))
    if c.stack is not None:
        parts.append(f"made with {situation.catalogue.packages[c.package].get('stack', 'stack').upper()} {c.stack}")
    return "; ".join(parts)


def described(target: Target) -> str:
    """Return a one-line description of the machine."""
    devices: dict[str, int] = {}
    for device in target.accelerators or ():
        devices[device.title] = devices.get(device.title, 0) + 1
    hardware = ", ".join(f"{count} × {title}" if count > 1 else title for title, count in devices.items())
    parts = [
        hardware or ("no accelerator" if target.accelerators is not None else "accelerators not known"),
        ", ".join(f"driver {v}" for v in dict.fromkeys(target.drivers.values())),
        target.platform + (" (WSL)" if target.wsl else ""),
        f"Python {target.exact_python or target.python}" if target.python else "",
        target.libc or "",
        "PyPI alone" if target.index is not None else "",
    ]
    return ", ".join(part for part in parts if part)


def idle_devices(catalogue: Catalogue, target: Target, chosen: Sequence[Candidate]) -> tuple[str, ...]:
    """Return sentences on devices that the choice does not use."""
    used = {catalogue.family(c.family)["vendor"] for c in chosen}
    if not chosen or "*" in used or all(c.family == "cpu" for c in chosen):
        return ()
    others = [d.title for d in dict.fromkeys(target.accelerators or ()) if d.vendor not in used]
    return (f"not used by it: {', '.join(others)}",) if others else ()


def clashes(catalogue: Catalogue, chosen: Sequence[Candidate]) -> tuple[str, ...]:
    """Return sentences on frameworks in one environment whose pinned cuDNN violates another's bound."""
    found = []
    for one in chosen:
        brought = _pinned_cudnn(_build(catalogue, one))
        for other in chosen:
            asking = _build(catalogue, other)
            bound = (asking.requires or {}).get("cudnn") if asking is not None else None
            if other is not one and brought and bound and not within(brought, bound):
                found.append(
                    f"{other.package} {other.label} requires cuDNN {bound}, but {one.package} {one.label} "
                    f"includes {brought}: use an environment for each"
                )
    return tuple(found)


def _pinned_cudnn(build: "Build | None") -> str | None:
    """Return the cuDNN version that a build pins: by an exact requirement, or the bundled one if it declares none."""
    declared = (build.requires or {}).get("cudnn") if build is not None else None
    if build is None or (declared is not None and not declared.startswith("==")):
        return None
    return declared.removeprefix("==") if declared is not None else build.cudnn_version


def _build(catalogue: Catalogue, c: Candidate) -> "Build | None":
    table = catalogue.packages[c.package].get("table")
    return catalogue.specs.build(table, c.version, c.variant, c.platform) if table else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """A change that would make something fit. found, target: what then fits, and the changed machine; None if unknown.

    command  installs a build that is in no table
    """

    text: str
    command: str | None = None
    found: Verdict | None = None
    target: Target | None = None


def upgrades(
    catalogue: Catalogue, target: Target, best: Verdict | None, best_for: Best, package: str
) -> tuple[Hint, ...]:
    """Return changes that would make something of the package fit, or a newer release; smallest change first."""
    changes = [
        *(_least_changes(catalogue, target, best_for, package) if best is None else ()),
        *_changes(catalogue, target),
    ]
    single: dict[str, Hint] = {}
    for need, other in changes:
        hint = _gain(need, best, best_for(other), other)
        if hint is not None:
            single.setdefault(hint.text, hint)
    if single or best is not None:
        return tuple(single.values())
    everything = replace(
        target,
        drivers={},
        serves={},
        stacks={},
        python=None,
        libc=None,
        system_version=None,
        index=None,
        cautious=False,
    )
    found = best_for(everything)
    if found is not None and found.fit != "unknown":
        needs = [text for text in _needs(catalogue, target, found.candidate) if text]
        text = f"{found.candidate.package} {found.candidate.label} would fit with {' and '.join(needs)}"
        return (Hint(text=text, found=found, target=everything),)
    return tuple(_last_resorts(catalogue, target, best_for, package))


def _least_changes(
    catalogue: Catalogue, target: Target, best_for: Best, package: str
) -> Iterator[tuple[Callable[[Candidate], str], Target]]:
    """Yield the oldest newer driver, and the nearest other Python, with which something fits."""
    told = {**target.serves, **target.drivers}
    situation = Situation(catalogue, replace(target, drivers={}, serves={}))
    for family in catalogue.families if told else ():
        vendor, have = family["vendor"], numbers(target.drivers.get(family["vendor"], "0"))
        if vendor not in told or not family.get("toolkit"):
            continue
        mine = [
            c for c in candidates(catalogue, package) if c.family == family["name"] and c.platform == target.platform
        ]
        floors = {floor for c in mine if (floor := situation.floor(c, family)) is not None}
        floors |= {str(first) for d in target.of(vendor) if (first := situation.limits(d).first_branch) is not None}
        for floor in sorted((f for f in floors if numbers(f) > have), key=numbers):
            other = replace(target, drivers={**target.drivers, vendor: floor}, serves={}, cautious=False)
            found = best_for(other)
            if found is not None and found.fit != "unknown":
                yield lambda c: driver_need(catalogue, target, c), other
                break
    for python in _pythons_near(catalogue, target, package):
        other = replace(target, python=python)
        found = best_for(other)
        if found is not None and found.fit != "unknown":
            yield lambda c, python=python: f"Python {python}", other  # type: ignore[misc]
            break


def _pythons_near(catalogue: Catalogue, target: Target, package: str) -> list[str]:
    """Return the other Pythons that some build has wheels for, nearest first, newer before older."""
    here = numbers((target.python or "").rstrip("t"))
    if len(here) < 2:
        return []
    known = {p for c in candidates(catalogue, package) for p in c.pythons or () if not p.endswith("t")} - {
        target.python
    }
    near = [p for p in known if len(numbers(p)) == 2 and numbers(p)[0] == here[0]]
    return sorted(near, key=lambda p: (abs(numbers(p)[1] - here[1]), -numbers(p)[1]))


def _changes(catalogue: Catalogue, target: Target) -> Iterator[tuple[Callable[[Candidate], str], Target]]:
    if target.python is not None and target.exact_python != target.python.rstrip("t"):
        yield (lambda c: f"another patch of Python {target.python}", replace(target, python_release=None))
    if target.index is not None:
        yield (lambda c: "other indexes than PyPI", replace(target, index=None))
    if target.drivers or target.serves:
        yield (lambda c: driver_need(catalogue, target, c), replace(target, drivers={}, serves={}, cautious=False))
    if target.python is not None:
        yield (lambda c: _python_need(c, target), replace(target, python=None))
    if target.libc is not None:
        yield (lambda c: _libc_need(c), replace(target, libc=None))
    if target.system_version is not None:
        yield (lambda c: _system_need(c), replace(target, system_version=None))
    if target.stacks:
        yield (lambda c: f"{_stack_name(catalogue, c)} {c.stack}", replace(target, stacks={}))


def _gain(need: Callable[[Candidate], str], best: Verdict | None, found: Verdict | None, target: Target) -> Hint | None:
    """Return the hint for a change if it makes something fit, or something newer."""
    if found is None or (found.fit == "unknown" and best is not None):
        return None
    c = found.candidate
    if best is not None and parsed(c.version) <= parsed(best.candidate.version):
        return None
    text = need(c)
    fits = "fits" if found.fit != "unknown" else "fits, as far as is known"
    return Hint(text=f"with {text}: {c.package} {c.label} {fits}", found=found, target=target) if text else None


def _needs(catalogue: Catalogue, target: Target, c: Candidate) -> Iterator[str]:
    family = catalogue.family(c.family)
    driver = target.drivers.get(family["vendor"])
    floor = driver_need(catalogue, target, c)
    if driver is not None and floor:
        yield floor
    if target.python and c.pythons is not None and target.python not in c.pythons:
        yield _python_need(c, target)
    if target.libc is not None and _libc_need(c):
        yield _libc_need(c)
    if c.stack is not None:
        yield f"{_stack_name(catalogue, c)} {c.stack}"


def driver_need(catalogue: Catalogue, target: Target, c: Candidate) -> str:
    """Return the driver that the candidate and the devices need."""
    family: Record = catalogue.family(c.family)
    situation = Situation(catalogue, target)
    floors = [floor for floor in (situation.floor(c, family),) if floor is not None]
    lasts = []
    for device in target.of(family["vendor"]):
        limits = situation.limits(device)
        floors += [str(limits.first_branch)] if limits.first_branch is not None else []
        lasts += [limits.last_branch] if limits.last_branch is not None else []
    if not floors:
        return "another driver"
    least, driver = max(floors, key=numbers), target.drivers.get(family["vendor"])
    branch = catalogue.branch(family, driver) if driver else None
    if lasts and branch is not None and branch > min(lasts):
        return f"driver branch {min(lasts)}, the last for these devices"
    return f"driver {least} or newer" + (f" (up to branch {min(lasts)})" if lasts else "")


def _python_need(c: Candidate, target: Target) -> str:
    """Return the nearest Python that the candidate has wheels for."""
    plain = [p for p in c.pythons or () if not p.endswith("t")]
    later = [p for p in plain if target.python is None or numbers(p) > numbers(target.python.rstrip("t"))]
    if plain:
        nearest = later[0] if later else plain[-1]
        return f"Python {nearest}" if nearest != target.python else ""  # a companion needs another
    return f"Python {c.python_bound}" if c.python_bound else "another Python"


def _libc_need(c: Candidate) -> str:
    floor = glibc_of_tag(c.linux_tag)
    return f"glibc {floor} or newer" if floor else "glibc"


def _system_need(c: Candidate) -> str:
    need = re.match(r"macosx_(\d+)_", c.linux_tag or "")
    return f"macOS {need[1]} or newer" if need else "another macOS"


def _stack_name(catalogue: Catalogue, c: Candidate) -> str:
    return str(catalogue.packages[c.package].get("stack", "its software")).upper()


def _last_resorts(catalogue: Catalogue, target: Target, best_for: Best, package: str) -> Iterator[Hint]:
    """Yield alternatives if no software change helps on this platform."""
    built = {c.family for c in candidates(catalogue, package)}
    situation = Situation(catalogue, target)
    for device in situation.devices:
        family = next((f for f in catalogue.families if f["vendor"] == device.vendor), None)
        if family is None:
            yield Hint(text=f"no known build uses {device.title}; its vendor may have one")
        if family is None or family["name"] not in built:
            continue
        if family.get("own_builds") and situation.limits(device).integrated:
            yield Hint(text=family["own_builds"])
        override = _override(catalogue, family, device.code)
        if override:
            yield Hint(text=family["override_hint"].format(override=override))
    if target.platform != "linux_x86_64" and not any(is_beside_arm(d, catalogue.specs) for d in situation.devices):
        yield from _on_linux(catalogue, target, best_for)
    for keep in situation.devices if len(situation.devices) > 1 else ():
        alone = best_for(replace(target, accelerators=(keep,)))
        if alone is not None:
            text = f"with only {keep.title} (hide the others): {alone.candidate.package} {alone.candidate.label} fits"
            yield Hint(text=text, found=alone, target=replace(target, accelerators=(keep,)))
    if target.accelerators:
        without = best_for(replace(target, accelerators=()))
        if without is not None and without.candidate.family == "cpu":
            c = without.candidate
            text = f"without the accelerator (accel resolve {c.package} --variant cpu): {c.package} {c.label} fits"
            yield Hint(text=text, found=without, target=replace(target, accelerators=()))


def _on_linux(catalogue: Catalogue, target: Target, best_for: Best) -> Iterator[Hint]:
    """Yield what fits the devices on Linux on x86-64: with the target's driver and Python, else with others.

    The driver is the Windows one also under WSL.
    """
    is_windows = target.system == "windows"
    there = replace(
        target, system="linux", machine="x86_64", wsl=is_windows or None, stacks={}, libc=None, system_version=None
    )
    free = replace(there, drivers={}, serves={}, python=None, wsl=None)
    for other in (there, replace(there, python=None), free):
        found = best_for(other)
        if found is not None:
            passed = all(
                f.get("in_wsl")
                for f in catalogue.families
                for d in target.accelerators or ()
                if f["vendor"] == d.vendor
            )
            way = ", or WSL 2 on this Windows" if is_windows and passed else ""
            c = found.candidate
            needs = [need for need in _needs(catalogue, there, c) if need] if other is not there else []
            more = f", with {' and '.join(needs)}" if needs else ""
            yield Hint(text=f"on Linux x86-64{way}{more}: {c.package} {c.label} fits", found=found, target=other)
            return


def _override(catalogue: Catalogue, family: Record | None, code: str | None) -> str | None:
    table = catalogue.specs.table(family["overrides"]) if family and family.get("overrides") else None
    rows = (table or {}).get("targets") or ()
    return next((row["override"] for row in rows if row["target"] == code), None)
