"""Finds what the tables lack or have wrong, compared with a registry. Pure.

Releases that are not final, Pythons older than 3.5 and CPU architectures that the tables do not cover are left out.
Data that a registry cannot know is kept: builds on other indexes, GPU code, driver minimums.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accel.apps.refresh.wheels import Wheel, linux_tags, pythons_by_platform
from accel.text.versions import normalised

Value = str | bool | Sequence[str] | Mapping[str, "Value"] | Sequence[Mapping[str, "Value"]]
NEWEST = "newest"  # instead of the first version to consider: only releases newer than the table
Requires = Callable[[Wheel], tuple[str, ...] | None]
_PIN = re.compile(r"(?P<name>[A-Za-z0-9_.-]+)(\[[^\]]*\])?\s*\(?(?P<bound>[<>=!~][^;)]*)?\)?\s*(;\s*(?P<marker>.*))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One change. key None: the whole row is new, and value holds its fields."""

    package: str
    version: str
    key: str | None = None
    value: Value
    why: str


def of_releases(
    package: str,
    wheels: Sequence[Wheel],
    rows: Sequence[Mapping[str, Any]],
    requires: Requires,
    versions_of: str = "",
    variant: str = "",
    since: str = "0",
) -> list[Proposal]:
    """Return the changes to a framework's table.

    versions_of  the row's key that names the release of the wheels, if it is not the row's own: jax's "jaxlib"
    variant      the build that the package is, for a framework whose builds are packages: "rocm7-local"
    """
    by_version: dict[str, list[Wheel]] = {}
    for wheel in wheels:
        by_version.setdefault(wheel.version, []).append(wheel)
    found = []
    for row in rows:
        of_row = by_version.get(str(row.get(versions_of) or row["version"]) if versions_of else row["version"], [])
        if of_row and variant:
            found += _of_variant(package, of_row, row, variant)
        elif of_row:
            found += _of_row(package, of_row, row, with_tags=not versions_of)
    known = [row["version"] for row in rows]
    least = max(known, key=order) if since == NEWEST else min(known, key=order)
    for version in sorted(set(by_version) - set(known), key=order):
        if not versions_of and not variant and order(version) > order(least):
            found.append(_new_release(package, by_version[version], rows, requires))
    return found


def of_packages(
    package: str,
    wheels: Sequence[Wheel],
    rows: Sequence[Mapping[str, Any]],
    requires: Requires,
    pins: Sequence[str],
    parts: int,
    since: str,
    extra: str = "",
) -> list[Proposal]:
    """Return the rows that a table of packages lacks.

    pins   requirements that a row lists; extra: with this extra
    parts  number of version parts to consider: for 2, only the newest patch of each minor version is proposed
    """
    known = {str(row["version"]) for row in rows}
    if since == NEWEST:
        least = max((order(version.replace(".x", ".999")) for version in known), default=())
        wheels = [wheel for wheel in wheels if order(wheel.version) > least]
        since = "0"
    newest: dict[tuple[int, ...], Wheel] = {}
    for wheel in sorted(wheels, key=lambda w: w.platform != "linux_x86_64"):
        place = order(wheel.version)[:parts]
        if order(wheel.version) >= order(since) and (
            place not in newest or order(newest[place].version) < order(wheel.version)
        ):
            newest[place] = wheel
    chosen = sorted((w for w in newest.values() if w.version not in known), key=lambda w: order(w.version))
    newest_row = max(rows, key=lambda row: order(str(row["version"])), default={})
    sources = newest_row.get("sources") or [f"{package}-metadata"]
    made = (_new_package(package, wheel, wheels, requires, pins, extra, sources) for wheel in chosen)
    return [proposal for proposal in made if proposal is not None]


def of_pairs(
    package: str, wheels: Sequence[Wheel], rows: Sequence[Mapping[str, Any]], requires: Requires, key: str, base: str
) -> list[Proposal]:
    """Return the rows that a table of pairs lacks, and the Pythons of existing rows.

    key   the row's key for the package's version: "torch_npu"; base: for the framework's: "torch"
    """
    by_version: dict[str, list[Wheel]] = {}
    for wheel in wheels:
        by_version.setdefault(wheel.version, []).append(wheel)
    known = {str(row[key]): row for row in rows}
    found = []
    for version in sorted(by_version, key=order):
        pythons = pythons_by_platform(by_version[version])
        row = known.get(version)
        if row is None:
            pin = pins_of(requires(by_version[version][0]) or (), (base,)).get(base, "")
            made_for = pin.removeprefix("==") if pin.startswith("==") else version.split(".post")[0]
            members: dict[str, Value] = {key: version, base: made_for, "pythons": pythons, "source": "index"}
            found.append(Proposal(package=package, version=version, value=members, why="it is not in the table"))
        elif row.get("pythons") != pythons:
            why = _differences(row.get("pythons") or {}, pythons)
            found.append(Proposal(package=package, version=version, key="pythons", value=pythons, why=why))
    return found


def of_assets(
    package: str, wheels: Sequence[Wheel], rows: Sequence[Mapping[str, Any]], label: str, versions: Collection[str]
) -> list[Proposal]:
    """Return the rows that the table of release wheels lacks.

    label     a pattern for the local versions that the table covers; versions: the releases that accel knows
    """
    tags: dict[tuple[str, str], dict[str, str]] = {}
    for wheel in wheels:
        if wheel.local and wheel.platform and wheel.version in versions and re.fullmatch(label, wheel.local):
            tags.setdefault((wheel.version, wheel.local), {})[wheel.platform] = wheel.tag
    known = {(row["version"], row["variant"]): row["tags"] for row in rows}
    found = []
    for (version, variant), told in sorted(tags.items(), key=lambda item: (order(item[0][0]), item[0][1])):
        if known.get((version, variant)) == told:
            continue
        members: dict[str, Value] = {"package": package, "version": version, "variant": variant, "tags": told}
        members["sources"] = ["releases"]
        why = "it is not in the table" if (version, variant) not in known else "its platforms or tags differ"
        found.append(Proposal(package=package, version=version, value=members, why=why))
    return found


def order(version: str) -> tuple[int, ...]:
    """Return the numbers of a version as a sort key: (2, 9, 0, 2) for "2.9.0.post2"."""
    return tuple(int(n) for n in re.findall(r"\d+", version))


def pins_of(requires: Sequence[str], wanted: Sequence[str], extra: str = "") -> dict[str, str]:
    """Return the bounds on the wanted packages that apply on Linux x86-64, with one extra or none."""
    found: dict[str, str] = {}
    for line in requires:
        told = _PIN.fullmatch(line.strip())
        marker = (told["marker"] or "") if told else ""
        of = re.search(r"extra\s*==\s*[\"']([^\"']*)", marker)
        if told is None or (of is not None and of[1] != extra) or not _holds(marker):
            continue
        name = normalised(told["name"])
        if name in wanted and told["bound"]:
            found.setdefault(name, told["bound"].replace(" ", ""))
    return {name: found[name] for name in wanted if name in found}


def _holds(marker: str) -> bool:
    """Return whether a marker applies on Linux x86-64, ignoring conditions on the Python version."""
    for name, sign, value in re.findall(r"(\w+)\s*(==|!=)\s*[\"']([^\"']*)[\"']", marker):
        here = {"platform_system": "Linux", "sys_platform": "linux", "platform_machine": "x86_64"}.get(name)
        if here is not None and (here == value) is (sign == "!="):
            return False
    return True


def _of_row(package: str, wheels: Sequence[Wheel], row: Mapping[str, Any], *, with_tags: bool) -> list[Proposal]:
    found = []
    told: Mapping[str, Any] = row.get("pythons") or {}
    seen = pythons_by_platform(wheels)
    kept = {platform: pythons for platform, pythons in told.items() if "+" in platform or platform not in seen}
    wanted = {**seen, **kept}
    if seen and wanted != dict(told):
        found.append(_change(package, row, "pythons", wanted, _differences(told, seen)))
    tags, have = linux_tags(wheels), row.get("wheel_tags") or {}
    if with_tags and tags and any(have.get(platform, tag) != tag for platform, tag in tags.items()):
        found.append(_change(package, row, "wheel_tags", {**have, **tags}, "the tags of the Linux wheels"))
    bound = next((w.requires_python for w in wheels if w.requires_python), None)
    if with_tags and bound and row.get("requires_python") not in (bound, None):
        found.append(_change(package, row, "requires_python", bound, f"the table has {row.get('requires_python')}"))
    return found


def _of_variant(package: str, wheels: Sequence[Wheel], row: Mapping[str, Any], variant: str) -> list[Proposal]:
    told = row.get("pythons") or {}
    seen = {f"{platform}+{variant}": pythons for platform, pythons in pythons_by_platform(wheels).items()}
    if all(told.get(name) == pythons for name, pythons in seen.items()):
        return []
    return [_change(package, row, "pythons", {**told, **seen}, _differences(told, seen))]


def _change(package: str, row: Mapping[str, Any], key: str, value: Value, why: str) -> Proposal:
    return Proposal(package=package, version=row["version"], key=key, value=value, why=why)


def _differences(told: Mapping[str, Any], seen: Mapping[str, Sequence[str]]) -> str:
    parts = []
    for platform, pythons in seen.items():
        more = [p for p in pythons if p not in told.get(platform, ())]
        less = [p for p in told.get(platform, ()) if p not in pythons]
        parts += [f"{platform} also {', '.join(more)}"] if more else []
        parts += [f"{platform} not {', '.join(less)}"] if less else []
    return "; ".join(parts) or "in another order"


def _new_release(
    package: str, wheels: Sequence[Wheel], rows: Sequence[Mapping[str, Any]], requires: Requires
) -> Proposal:
    version, members = wheels[0].version, dict[str, Value]()
    members["version"] = version
    days = [w.uploaded for w in wheels if w.uploaded]
    if days:
        members["date"] = min(days)
    bound = next((w.requires_python for w in wheels if w.requires_python), None)
    members |= {"requires_python": bound} if bound else {}
    pythons = pythons_by_platform(wheels)
    members["pythons"] = pythons
    members |= {"wheel_tags": linux_tags(wheels)} if linux_tags(wheels) else {}
    if package == "torch":
        members |= _torch_builds(wheels, requires)
    patched = _patched(version, rows) if package != "torch" else None
    if patched is not None:
        if patched.get("builds"):
            members["builds"] = [dict(build) for build in patched["builds"] if build["platform"] in pythons]
        members |= {key: patched[key] for key in ("defaults", "variants", "toolkits") if key in patched}
        members["note"] = f"taken as built like {patched['version']}"
    members["sources"] = [f"{package}-wheel-list"]
    members["confidence"] = "derived" if patched is not None else "official"
    return Proposal(package=package, version=version, value=members, why="it is not in the table")


def _patched(version: str, rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the row of the newest earlier release of the same minor version that has builds."""
    same = [row for row in rows if order(row["version"])[:2] == order(version)[:2]]
    same = [row for row in same if row.get("builds") or row.get("variants")]
    lower = [row for row in same if order(row["version"]) < order(version)]
    return max(lower, key=lambda row: order(row["version"])) if lower else None


def _torch_builds(wheels: Sequence[Wheel], requires: Requires) -> dict[str, Value]:
    """Return the CUDA build named in the METADATA of torch's plain Linux wheel; the CPU build if it names none."""
    asked = next((w for w in wheels if w.platform == "linux_x86_64"), None)
    lines = (requires(asked) if asked is not None else None) or ()
    names = (
        "cuda-toolkit",
        *(f"nvidia-{part}-cu{major}" for part in ("cuda-runtime", "cudnn", "nccl") for major in (12, 13)),
    )
    pins = {name: bound.removeprefix("==") for name, bound in pins_of(lines, (*names, "triton")).items()}
    toolkit = pins.get("cuda-toolkit") or next((v for n, v in pins.items() if "cuda-runtime" in n), None)
    variant = "cu" + "".join(toolkit.split(".")[:2]) if toolkit else "cpu"
    platforms = dict.fromkeys(w.platform for w in wheels if w.platform)
    defaults = {p: variant if p.startswith("linux") else "cpu" for p in platforms}
    made: dict[str, Value] = {
        "defaults": defaults,
        "variants": {p: ["cpu"] if v == "cpu" else ["cpu", v] for p, v in defaults.items()},
    }
    made |= {"cuda_toolkit": toolkit} if toolkit else {}
    for part in ("cudnn", "nccl"):
        pin = next((v for n, v in pins.items() if f"-{part}-" in n), None)
        made |= {part: {variant: pin}} if pin else {}
    made |= {"companions": {"triton": pins["triton"]}} if "triton" in pins else {}
    made["note"] = "builds on their own indexes are not in the registry: add them by hand"
    return made


def _new_package(
    package: str,
    wheel: Wheel,
    wheels: Sequence[Wheel],
    requires: Requires,
    pins: Sequence[str],
    extra: str,
    sources: Sequence[str],
) -> Proposal | None:
    lines = requires(wheel)
    if lines is None:
        return None
    needs = pins_of(lines, pins, extra)
    bounds = wheel.requires_python.replace(" ", "").split(",") if wheel.requires_python else []
    here = [w.interpreter for w in wheels if w.version == wheel.version]
    if all(here):  # a wheel for each Python: none supports a later one
        newest = max(order(python) for python in here if python)
        bounds = [*(b for b in bounds if not b.startswith("<")), f"<{newest[0]}.{newest[1] + 1}"]
    if bounds:
        needs["python"] = ",".join(sorted(bounds, reverse=True))
    members: dict[str, Value] = {"name": package, "version": wheel.version}
    members |= {"requires": needs} if needs else {}
    tags = linux_tags(w for w in wheels if w.version == wheel.version)
    tag = tags.get("linux_x86_64", "").removesuffix("_x86_64")
    members |= {"linux_tag": tag} if tag else {}
    members |= {"sources": list(sources), "confidence": "official"}
    return Proposal(package=package, version=wheel.version, value=members, why="it is not in the table")
