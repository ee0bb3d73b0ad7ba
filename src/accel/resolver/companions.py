"""The versions of companions (torchvision, vllm, flash-attn …) that are compatible with a framework's build."""

import re
from collections.abc import Sequence
from typing import Any, Final

from accel.resolver.catalogue import Catalogue, Record, in_range
from accel.resolver.code import fit_of_capability
from accel.resolver.constraints import libc_reason
from accel.resolver.parsed import parsed
from accel.resolver.records import Candidate, Chosen
from accel.resolver.request import Request, within
from accel.resolver.situation import Situation
from accel.resolver.stacks import same_release
from accel.resolver.target import Target
from accel.specs.versions import numbers
from accel.text.versions import normalised

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


def companion_of(request: Request, candidate: Candidate, situation: Situation) -> Chosen | str:
    """Return the newest compatible version of a companion, or a sentence on why there is none."""
    catalogue, target = situation.catalogue, situation.target
    record = catalogue.companions[request.name]
    reason = _unserved(record, candidate, situation)
    if reason is not None:
        return reason
    if record.get("of_release"):
        return _of_release(request, candidate, situation)
    base, python = candidate.base_version or candidate.version, target.exact_python
    newest = nearest = None  # why the newest version does not go with it; why the newest that would is not taken
    for row in _rows(catalogue, record):
        version = record.get("version") or row["version"]
        requires = row.get("requires") or {}
        asked = _pinned(request, row["version"])
        if asked is None and not request.allows(row["version"].replace(".x", ".0")):
            continue
        version = asked or version
        beside = {candidate.package: candidate.version, record["base"]: base}
        others = (name for name, here in beside.items() if name in requires and not within(here, requires[name]))
        if (other := next(others, None)) is not None:
            newest = newest or f"{request.name} {version} needs {other} {requires[other]}, this is {beside[other]}"
            continue
        if python and "python" in requires and not within(python, requires["python"]):
            nearest = nearest or f"{request.name} {version} needs Python {requires['python']}, this is {python}"
            continue
        tag, variant = row.get("linux_tag"), None
        if other := _other_default(record, candidate, catalogue):
            wheel = catalogue.release_wheel(request.name, row["version"], candidate.variant, candidate.platform)
            if wheel is None or target.index is not None:
                without = f", and of {version} no wheel for {candidate.variant} is known" if wheel is None else ""
                nearest = nearest or f"{request.name}'s wheel{' on PyPI' if wheel else ''} is made for {other}{without}"
                continue
            tag, variant = wheel.tag, candidate.variant
        reason = libc_reason(tag, target) or _unbuilt(row, candidate, situation)
        reason = reason or _without_code(record, version, candidate, situation)
        if reason is not None:
            nearest = nearest or f"{request.name} {version}: {reason}"
            continue
        told = (
            f"declares {record['base']} {requires[record['base']]}"
            if record["base"] in requires
            else "the newest known"
        )
        if asked:
            told = f"{told}, like its {row['version']}"
        if "options" in record and not asked:
            version, told = _ready(request, version, told, candidate, situation)
        return Chosen(package=request.name, version=version, variant=variant, why=told)
    return nearest or newest or f"no version of {request.name} in the tables matches {record['base']} {base}"


def _ready(request: Request, version: str, told: str, candidate: Candidate, situation: Situation) -> tuple[str, str]:
    """Return the release of a compiled companion with a prebuilt wheel for the candidate, and a sentence on it."""
    rows = (situation.catalogue.specs.table("frameworks/add_on_wheels") or {}).get("releases", ())
    own = [row for row in rows if row["package"] == request.name and "cuda" in row]
    major, python = (candidate.toolkit_version or "").partition(".")[0], situation.target.python
    for row in own:
        fits = within(candidate.version, row["torch"]) and major in row["cuda"] and request.allows(row["release"])
        if fits and candidate.platform in row["platforms"] and python in (None, *row["pythons"]):
            return row["release"], f"its project has a prebuilt wheel for torch {candidate.version} and CUDA {major}"
    if not own:
        return version, told
    newest = own[0]
    return version, (
        f"{told}; it is compiled here, which needs CUDA's compiler: its prebuilt wheels are for torch "
        f"{newest['torch']}, CUDA {' and '.join(newest['cuda'])}, Python {newest['pythons'][0]} to "
        f"{newest['pythons'][-1]} on Linux x86-64"
    )


def _unbuilt(row: Any, candidate: Candidate, situation: Situation) -> str | None:
    """Return why this version's wheels do not support the candidate's variant or the devices."""
    family = situation.catalogue.family(candidate.family)
    if candidate.variant not in (row.get("variants") or (candidate.variant,)):
        return f"its wheels are made for {', '.join(row['variants'])}, this build is {candidate.variant}"
    system = candidate.platform.split("_")[0]
    if system not in row.get("systems", (system,)):
        return f"it has no build for {system}"
    if candidate.platform not in row.get("platforms", (candidate.platform,)):
        return f"it has wheels for {', '.join(row['platforms'])}, this machine is {candidate.platform}"
    least = row.get("capability_minimum")
    if candidate.platform.endswith("aarch64"):
        least = row.get("capability_minimum_arm", least)
    for device in situation.devices:
        if least and device.vendor == family["vendor"] and device.code and numbers(device.code) < numbers(least):
            return f"its wheels have code for compute capability {least} and newer, {device.title} has {device.code}"
    return None


def _without_code(record: Record, version: str, candidate: Candidate, situation: Situation) -> str | None:
    """Return why a companion's library does not run on the devices; it has one library, with its own code, per toolkit.

    The library for the minor version of the build's toolkit is the one loaded.
    """
    family = situation.catalogue.family(candidate.family)
    kind = {"capability": "cuda", "target": "rocm"}.get(family.get("code", ""))
    if not record.get("code_rules") or kind is None:
        return None
    toolkit = candidate.toolkit_version or candidate.variant.lstrip(_LETTERS)
    rules = [
        rule
        for _, table in situation.catalogue.specs.tables("frameworks/companions")
        for rule in table.get("rules", ())
        if rule.get("package") == record["name"] and kind in rule and rule["platform"] == candidate.platform
        if in_range(rule, version)
    ]
    rule = next((rule for rule in rules if _spans(rule[kind], toolkit)), None)
    if rule is None:
        return f"it has no library for {family['title']} {toolkit}" if rules or kind == "rocm" else None
    exact = kind == "rocm"
    held: list[str] = rule["targets"] if exact else rule["sass"]
    code = tuple(f"sm_{entry.replace('.', '')}" for entry in held)
    for device in situation.target.of(family["vendor"]):
        runs = (
            device.code is None or device.code.split(":")[0] in held
            if exact
            else fit_of_capability(code, toolkit, None, device.code, situation.limits(device)) != "no"
        )
        if not runs:
            library = f"its library for {family['title']} {toolkit}"
            return f"{library} has code for {', '.join(held)}; {device.title} can run none of it"
    return None


def _spans(told: str, toolkit: str) -> bool:
    """Return whether a range of toolkits ("11.8-12.6", "7.2") includes one, by minor version."""
    first, _, last = told.partition("-")
    return numbers(first)[:2] <= numbers(toolkit)[:2] <= numbers(last or first)[:2]


def unknown_pin(request: Request, catalogue: Catalogue) -> str | None:
    """Return a sentence, with similar versions, if a pinned companion version is in no table.

    None if it can be judged.
    """
    record = catalogue.companions[request.name]
    exact = re.fullmatch(r"={2,3}(\d[\w.]*)", request.bound)
    if exact is None or record.get("of_release"):
        return None
    versions = [row["version"] for row in _rows(catalogue, record)]
    if not versions or not all(re.fullmatch(r"\d[\w.]*", version) for version in versions):
        return None
    if any(_pinned(request, v) or request.allows(v.replace(".x", ".0")) for v in versions):
        return None
    newer = [v for v in versions if numbers(v) > numbers(exact[1])]
    near = [*newer[-1:], *[v for v in versions if v not in newer][:1]]
    return (
        f"{request.name}{request.bound} is in no table, so it was not evaluated. Known versions near it: "
        f"{', '.join(near)}. Request one of these, or just {request.name}"
    )


def _pinned(request: Request, known: str) -> str | None:
    """Return the version that a request pins, if the tables only know a post-release of it: "0.6.3"."""
    release, post, _ = known.partition(".post")
    return release if post and request.bound in (f"=={release}", f"==={release}") else None


def _of_release(request: Request, candidate: Candidate, situation: Situation) -> Chosen | str:
    catalogue, python = situation.catalogue, situation.target.exact_python
    known = dict(candidate.release_companions)
    base = catalogue.companions[request.name]["base"]
    made_for = candidate.base_version or candidate.version
    if not known and candidate.base_version:
        release = catalogue.specs.framework(base, candidate.base_version)
        known = dict(release.companions) if release is not None else {}
    version = known.get(request.name)
    if version is None:
        return f"{base} {made_for} has no {request.name} in the tables"
    if not request.allows(version.lstrip("~=")):
        return f"{base} {made_for} needs {request.name} {version}, not {request.bound}"
    version = version.lstrip("~=")
    rows = catalogue.companions[request.name].get("pythons_declared") or ()
    declared = next((row["python"] for row in rows if in_range(row, version)), None)
    if python and declared and not within(python, declared):
        return f"{request.name} {version} needs Python {declared}, this is {python}"
    return Chosen(package=request.name, version=version, why=f"the one that matches {base} {made_for}")


def _unserved(record: Record, candidate: Candidate, situation: Situation) -> str | None:
    """Return why the companion has no build at all for this candidate."""
    catalogue, system = situation.catalogue, situation.target.platform.split("_")[0]
    name, family = record["name"], catalogue.family(candidate.family)
    if "had" in record:
        return f"{name} has no wheels on the public index; {record['had']}"
    without_windows = (catalogue.specs.table("frameworks/wheels") or {}).get("without_windows") or ()
    if (system == "windows" and name in without_windows) or system not in (record.get("systems") or (system,)):
        other = (record.get("system_hints") or {}).get(system)
        return f"{name} has no build for {system}{f'; {other}' if other else ''}"
    if candidate.platform not in (record.get("platforms") or (candidate.platform,)):
        return f"{name} has wheels for {', '.join(record['platforms'])}, this machine is {candidate.platform}"
    if candidate.family not in (record.get("families") or (candidate.family,)):
        hint = (record.get("elsewhere") or {}).get(candidate.family)
        other = f"; {hint}" if hint else ""
        return f"{name} is made for {', '.join(record['families'])} builds, this one is {candidate.family}{other}"
    if situation.target.index is not None and "index" in record:
        return f"{name} is on {record['index']}, not on PyPI"
    toolkit = candidate.toolkit_version
    for least in (record[key] for key in ("toolkit_minimum",) if key in record and toolkit):
        if numbers(toolkit or "") < numbers(least):
            return f"{name} needs {family['title']} {least} or newer, this build has {toolkit}"
    if "capability_minimum" in record:
        least = record["capability_minimum"]
        for device in situation.devices:
            if device.vendor == family["vendor"] and device.code and numbers(device.code) < numbers(least):
                return f"{name} needs compute capability {least} or higher, {device.title} has {device.code}"
    return None


def _other_default(record: Record, candidate: Candidate, catalogue: Catalogue) -> str | None:
    """Return the toolkit of a companion's wheel on the package index, if its major differs from the build's.

    It is that of the framework's default build: "CUDA 13.0, as torch 2.13.0's default build is".
    """
    toolkit = candidate.toolkit_version
    default = _default_toolkit(catalogue, candidate) if record.get("as_default") else None
    if not default or not toolkit or numbers(default)[:1] == numbers(toolkit)[:1]:
        return None
    title = catalogue.family(candidate.family)["title"]
    return f"{title} {default}, as {candidate.package} {candidate.version}'s default build is"


def elsewhere(catalogue: Catalogue, name: str, family: str, target: Target) -> str | None:
    """Return how to get a companion for a family of builds that its wheels do not support, with versions if known.

    Of its rows for the family, use the newest that fits the target's software and Python, final before pre-release.
    """
    record = catalogue.companions[name]
    hint, rows = (record.get(key, {}).get(family) for key in ("elsewhere", "elsewhere_rows"))
    if hint is None or rows is None:
        return f"{name}: {hint}" if hint else None
    here = target.stacks.get(rows["stack"])
    python = target.exact_python
    fitting = [
        row
        for row in (catalogue.specs.table(rows["table"]) or {}).get(rows["list"], {}).get("rows", ())
        if (here is None or _are_of_one_release(row[rows["stack"]], here))
        and (not python or within(python, row["python"]))
    ]
    if not fitting:
        return f"{name}: {hint}; none is known for this {rows['stack'].upper()} and Python"
    versions = {id(row): parsed(row[rows["version"]]) for row in fitting}
    best = max(fitting, key=lambda row: (not versions[id(row)].is_prerelease, versions[id(row)]))
    told = {key: value.removeprefix("v") for key, value in best.items() if isinstance(value, str)}
    return f"{name}: {hint}: {rows['says'].format(**told)}"


def _are_of_one_release(one: str, other: str) -> bool:
    """Return whether one version is the other or a patch of it: a user says "8.5" for "8.5.1"."""
    return same_release(one, other) or same_release(other, one)


def _default_toolkit(catalogue: Catalogue, candidate: Candidate) -> str | None:
    record = catalogue.packages[candidate.package]
    builds = [catalogue.specs.build(record["table"], candidate.version, platform=p) for p in _PLATFORMS]
    return next((build.toolkit_version for build in builds if build is not None and build.toolkit_version), None)


_PLATFORMS = ("linux_x86_64", "linux_aarch64")


def _rows(catalogue: Catalogue, record: Record) -> Sequence[Any]:
    """Return the companion's rows, newest version first."""
    name, version = record["name"], record.get("row")

    def found() -> Sequence[Any]:
        rows = [
            row
            for _, table in catalogue.specs.tables("frameworks/companions")
            for row in table["packages"]
            if normalised(row["name"]) == name and version in (None, row["version"])
        ]
        return sorted(rows, key=lambda row: parsed(row["version"].replace(".x", ".0")), reverse=True)

    return catalogue.specs.cached(("companion's rows", name, version), found)
