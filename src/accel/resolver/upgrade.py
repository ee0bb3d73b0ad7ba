"""Sentences around the choice: why this one, what was assumed, and what would make more fit."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from packaging.version import Version

from accel.resolver.candidates import candidates
from accel.resolver.catalogue import Catalogue, Record
from accel.resolver.constraints import Situation, Verdict, glibc_of_tag, same_release
from accel.resolver.records import Candidate
from accel.resolver.request import within
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
        asked = "the CPU build, as asked for" if situation.wants_cpu else none
        return "; ".join(["the newest that fits", *(also or [asked])])
    if not mine and situation.follows:
        return "the build that an installer takes; it computes on the CPU, since this machine has no accelerator"
    devices = ", ".join(dict.fromkeys(d.title for d in mine))
    codes = {
        "machine": f"has machine code for {devices}" if c.architectures is not None else f"serves {devices}",
        "portable": f"has portable code for {devices}, compiled at first use",
        "unknown": f"no figure speaks against {devices}",
    }
    parts = [f"the newest that fits: {codes[best.fit or 'machine']}"]
    floor, driver = situation.floor(c, family), target.drivers.get(family["vendor"])
    if floor is not None:
        parts.append(f"needs driver {floor} or newer, this is {driver or 'not known'}")
    if c.stack is not None:
        parts.append(f"made with {situation.catalogue.packages[c.package].get('stack', 'stack').upper()} {c.stack}")
    return "; ".join(parts)


def described(target: Target) -> str:
    """Return the machine in a line."""
    devices: dict[str, int] = {}
    for device in target.accelerators or ():
        devices[device.title] = devices.get(device.title, 0) + 1
    hardware = ", ".join(f"{count} × {title}" if count > 1 else title for title, count in devices.items())
    parts = [
        hardware or ("no accelerator" if target.accelerators is not None else "accelerators not known"),
        ", ".join(f"driver {v}" for v in dict.fromkeys(target.drivers.values())),
        target.platform + (" (WSL)" if target.wsl else ""),
        f"Python {target.python}" if target.python else "",
        target.libc or "",
    ]
    return ", ".join(part for part in parts if part)


def assumptions(catalogue: Catalogue, target: Target, chosen: Sequence[Candidate]) -> tuple[str, ...]:
    """Return what is not known of the target and matters, and how it was taken."""
    found = []
    if target.housed_by:
        found.append(f"the platform is {target.platform}, as {target.housed_by} implies")
    elif target.housed_by is not None:
        found.append(f"the processor is not known: taken as {target.platform}; say --arch x86_64 for Intel's")
    elif target.system is None or target.machine is None:
        found.append(f"the platform is not known: taken as {target.platform}")
    if target.accelerators is None:
        found.append("no accelerator is known: taken as a machine without one")
    for device in dict.fromkeys(target.accelerators or ()):
        family = next((f for f in catalogue.families if f["vendor"] == device.vendor), None)
        if family is not None and family.get("code") and device.code is None:
            found.append(f"what code {device.title} runs is not known: nothing was ruled out by it")
    for c in chosen:
        family = catalogue.family(c.family)
        if family.get("code") and c.architectures is None and c.variant not in _documented(catalogue, c):
            is_read = any(other.architectures is not None for other in candidates(catalogue, c.package))
            like = "taken as its neighbours' releases" if is_read else "nothing was ruled out by it"
            found.append(f"which GPU code is in {c.package} {c.label} is not known: {like}")
        served = target.accelerators != ()
        if served and family.get("toolkit") and family["vendor"] not in {**target.drivers, **target.serves}:
            need = _driver_need(catalogue, target, c)
            enough = f" ({need.removeprefix('driver ')})" if need.startswith("driver ") else ""
            found.append(f"the driver is not known: taken as new enough{enough}")
        record = catalogue.packages[c.package]
        if c.stack is not None and "stack" in record:
            name, here = record["stack"].upper(), target.stacks.get(record["stack"])
            if here is None:
                found.append(f"{name} is not known: this build is made with {c.stack}")
            elif not same_release(c.stack, here):
                found.append(f"no build is made with {name} {here}: this one is made with {c.stack} of the same minor")
        if target.python is not None and c.pythons is None and c.python_bound is None and family["name"] != "source":
            found.append(
                f"for which Pythons {c.package} {c.label} has wheels is not known: nothing was ruled out by it"
            )
    if target.python is None:
        found.append("the Python version is not known: taken as one that has wheels")
    return tuple(dict.fromkeys(found))


def _documented(catalogue: Catalogue, c: Candidate) -> Record:
    minimum: Record = catalogue.packages[c.package].get("capability_minimum") or {}
    return minimum


def idle_devices(catalogue: Catalogue, target: Target, chosen: Sequence[Candidate]) -> tuple[str, ...]:
    """Return which devices the choice does not use."""
    used = {catalogue.family(c.family)["vendor"] for c in chosen}
    if not chosen or "*" in used or all(c.family == "cpu" for c in chosen):
        return ()
    others = [d.title for d in dict.fromkeys(target.accelerators or ()) if d.vendor not in used]
    return (f"not used by it: {', '.join(others)}",) if others else ()


def clashes(catalogue: Catalogue, chosen: Sequence[Candidate]) -> tuple[str, ...]:
    """Return which frameworks of one environment pin a cuDNN that another one's bound excludes."""
    found = []
    for one in chosen:
        brought = _pinned_cudnn(_build(catalogue, one))
        for other in chosen:
            asking = _build(catalogue, other)
            bound = (asking.requires or {}).get("cudnn") if asking is not None else None
            if other is not one and brought and bound and not within(brought, bound):
                found.append(
                    f"{other.package} {other.label} asks for cuDNN {bound}, {one.package} {one.label} brings "
                    f"{brought}: use an environment for each"
                )
    return tuple(found)


def _pinned_cudnn(build: "Build | None") -> str | None:
    """Return the cuDNN that a build brings and no other: by its exact requirement, or where it declares none."""
    declared = (build.requires or {}).get("cudnn") if build is not None else None
    if build is None or (declared is not None and not declared.startswith("==")):
        return None
    return declared.removeprefix("==") if declared is not None else build.cudnn_version


def _build(catalogue: Catalogue, c: Candidate) -> "Build | None":
    table = catalogue.packages[c.package].get("table")
    return catalogue.specs.build(table, c.version, c.variant, c.platform) if table else None


def upgrades(
    catalogue: Catalogue, target: Target, best: Verdict | None, best_for: Best, package: str
) -> tuple[str, ...]:
    """Return what would make something of the package fit, or a newer release, the smallest change first."""
    single = [text for need, other in _changes(catalogue, target) if (text := _gain(need, best, best_for(other)))]
    if single or best is not None:
        return tuple(single)
    everything = replace(target, drivers={}, serves={}, stacks={}, python=None, libc=None, cautious=False)
    found = best_for(everything)
    if found is not None and found.fit != "unknown":
        needs = [text for text in _needs(catalogue, target, found.candidate) if text]
        return (f"{found.candidate.package} {found.candidate.label} would fit with {' and '.join(needs)}",)
    return tuple(_last_resorts(catalogue, target, best_for, {c.family for c in candidates(catalogue, package)}))


def _changes(catalogue: Catalogue, target: Target) -> Iterator[tuple[Callable[[Candidate], str], Target]]:
    if target.drivers or target.serves:
        yield (
            lambda c: _driver_need(catalogue, target, c),
            replace(target, drivers={}, serves={}, cautious=False),
        )
    if target.python is not None:
        yield (lambda c: _python_need(c, target), replace(target, python=None))
    if target.libc is not None:
        yield (lambda c: _libc_need(c), replace(target, libc=None))
    if target.stacks:
        yield (lambda c: f"{_stack_name(catalogue, c)} {c.stack}", replace(target, stacks={}))


def _gain(need: Callable[[Candidate], str], best: Verdict | None, found: Verdict | None) -> str | None:
    """Return the sentence if the change gives something, or something newer."""
    if found is None or found.fit == "unknown":
        return None
    c = found.candidate
    if best is not None and Version(c.version) <= Version(best.candidate.version):
        return None
    text = need(c)
    return f"with {text}: {c.package} {c.label} fits" if text else None


def _needs(catalogue: Catalogue, target: Target, c: Candidate) -> Iterator[str]:
    family = catalogue.family(c.family)
    driver = target.drivers.get(family["vendor"])
    floor = _driver_need(catalogue, target, c)
    if driver is not None and floor:
        yield floor
    if target.python and c.pythons is not None and target.python not in c.pythons:
        yield _python_need(c, target)
    if target.libc is not None and _libc_need(c):
        yield _libc_need(c)
    if c.stack is not None:
        yield f"{_stack_name(catalogue, c)} {c.stack}"


def _driver_need(catalogue: Catalogue, target: Target, c: Candidate) -> str:
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
        return f"Python {later[0] if later else plain[-1]}"
    return f"Python {c.python_bound}" if c.python_bound else "another Python"


def _libc_need(c: Candidate) -> str:
    floor = glibc_of_tag(c.linux_tag)
    return f"glibc {floor} or newer" if floor else "glibc"


def _stack_name(catalogue: Catalogue, c: Candidate) -> str:
    return str(catalogue.packages[c.package].get("stack", "its software")).upper()


def _last_resorts(catalogue: Catalogue, target: Target, best_for: Best, built: set[str]) -> Iterator[str]:
    """Yield what is left where no change of software helps on this platform. built: families with builds at all."""
    situation = Situation(catalogue, target)
    for device in situation.devices:
        family = next((f for f in catalogue.families if f["vendor"] == device.vendor), None)
        if family is None:
            yield f"no build in accel's tables uses {device.title}; its maker may have one of its own"
        if family is None or family["name"] not in built:
            continue
        if family.get("own_builds") and situation.limits(device).integrated:
            yield family["own_builds"]
        override = _override(catalogue, family, device.code)
        if override:
            yield family["override_hint"].format(override=override)
    anything = replace(target, drivers={}, serves={}, stacks={}, python=None, libc=None)
    if target.platform != "linux_x86_64":
        elsewhere = best_for(replace(anything, system="linux", machine="x86_64", wsl=None))
        if elsewhere is not None:
            way = ", or WSL 2 on this Windows" if target.system == "windows" else ""
            yield f"on Linux x86-64{way}: {elsewhere.candidate.package} {elsewhere.candidate.label} fits"
    for keep in situation.devices if len(situation.devices) > 1 else ():
        alone = best_for(replace(target, accelerators=(keep,)))
        if alone is not None:
            yield f"with {keep.title} alone (hide the others): {alone.candidate.package} {alone.candidate.label} fits"
    if target.accelerators:
        without = best_for(replace(target, accelerators=()))
        if without is not None and without.candidate.family == "cpu":
            c = without.candidate
            yield f"without the accelerator (accel resolve {c.package} --variant cpu): {c.package} {c.label} fits"


def _override(catalogue: Catalogue, family: Record | None, code: str | None) -> str | None:
    table = catalogue.specs.table(family["overrides"]) if family and family.get("overrides") else None
    rows = (table or {}).get("targets") or ()
    return next((row["override"] for row in rows if row["target"] == code), None)
