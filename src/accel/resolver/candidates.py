"""Every release and build of a package, newest first."""

from collections.abc import Iterator
from typing import Any, Final

from accel.model.dataclass import replace
from accel.resolver.catalogue import Catalogue, Record, choice, in_range
from accel.resolver.parsed import parsed
from accel.resolver.records import Candidate
from accel.specs.frameworks import Build, Release
from accel.specs.versions import numbers

_NOT_ON_THE_INDEXES: Final = ("tagged; no installable", "own LTS index")


def candidates(catalogue: Catalogue, package: str) -> tuple[Candidate, ...]:
    """Return every build of every release of the package, newest release first."""
    if package in catalogue.candidates:
        return catalogue.candidates[package]
    record = catalogue.packages[package]
    found = _of_rows(catalogue, record) if "rows" in record else _of_releases(catalogue, record)

    catalogue.candidates[package] = tuple(sorted(found, key=lambda c: parsed(c.version), reverse=True))
    return catalogue.candidates[package]


def _of_releases(catalogue: Catalogue, record: Record) -> Iterator[Candidate]:
    for release in catalogue.specs.frameworks(record["table"]):
        uninstallable = (release.note or "").startswith(_NOT_ON_THE_INDEXES)
        if uninstallable or numbers(release.version) < numbers(record.get("oldest", "0")):
            continue
        builds = [_made(catalogue, record, release, build) for build in release.builds]
        yield from builds
        for added in record.get("builds") or ():
            if in_range(added, release.version):
                yield from _added(catalogue, record, release, added, builds)


def _made(catalogue: Catalogue, record: Record, release: Release, build: Build) -> Candidate:
    return Candidate(
        package=record["name"],
        version=release.version,
        variant=build.variant,
        platform=build.platform,
        family=catalogue.family_of_variant(build.variant),
        toolkit_version=build.toolkit_version,
        driver_floor=build.driver_floor,
        architectures=build.architectures or _documented(record, build.variant, release.version),
        linux_tag=build.linux_tag or _from(record.get("linux_tag_from"), release.version),
        pythons=build.pythons or _pythons(record, release.version),
        python_bound=None if build.pythons else release.requires_python,
        default=build.default,
        preferred=any(other.default and other.variant == build.variant for other in release.builds),
        release_companions=tuple(release.companions.items()),
        stack=release.stacks.get(record.get("stack", "")) if build.variant in record.get("stacked", ()) else None,
        local="index" in record,
    )


def _documented(record: Record, variant: str, version: str) -> tuple[str, ...] | None:
    """Return the documented GPU code of a build whose own list was not read."""
    row = choice(record.get("documented_code"), variant, version)
    return tuple(row["code"]) if row is not None else None


def _added(
    catalogue: Catalogue, record: Record, release: Release, added: Record, builds: list[Candidate]
) -> Iterator[Candidate]:
    """Yield builds that the release tables lack: copied from another platform's build, or bare."""
    if "as_on" in added:
        for like in builds:
            if like.variant == added["variant"] and like.platform == added["as_on"]:
                pythons = release.pythons_by.get(added["platform"]) or like.pythons
                yield replace(like, platform=added["platform"], default=False, pythons=pythons)
        return
    own = release.pythons_by.get(f"{added['platform']}+{added['variant']}")
    if own is None and (added.get("listed") or (release.pythons_by and added["platform"] not in release.pythons_by)):
        return
    yield Candidate(
        package=record["name"],
        version=release.version,
        variant=added["variant"],
        platform=added["platform"],
        family=catalogue.family_of_variant(added["variant"]),
        architectures=_documented(record, added["variant"], release.version),
        linux_tag=added.get("linux_tag")
        or release.linux_tags.get(added["platform"])
        or _from(record.get("linux_tag_from"), release.version),
        pythons=own or release.pythons_by.get(added["platform"]) or _pythons(record, release.version),
        python_bound=None if release.pythons_by else release.requires_python,
    )


def _of_rows(catalogue: Catalogue, record: Record) -> Iterator[Candidate]:
    """Yield candidates from a table of version pairs: the package, the framework, and the stack it was built with."""
    names = record["rows"]
    table = catalogue.specs.table(names["table"]) or {}
    pythons = {row[record["base"]]: tuple(row["python"]) for row in _rows(catalogue, record.get("pythons"))}
    rows = (*(table.get(names["list"]) or ()), *(table.get(names.get("unpaired")) or ()))
    listed = any("pythons" in row for row in rows)  # then a row without them has no wheel on the package index
    for row in rows:
        for platform in record["platforms"]:
            own = tuple((row.get("pythons") or {}).get(platform, ())) if listed else pythons.get(row[names["base"]])
            yield Candidate(
                package=record["name"],
                version=row[names["version"]],
                variant=record["variant"],
                platform=platform,
                family=catalogue.family_of_variant(record["variant"]),
                base_version=row[names["base"]],
                stack=row.get(names["stack"]) if "stack" in names else None,
                linux_tag=record.get("linux_tag"),
                pythons=own,
            )


def _rows(catalogue: Catalogue, where: Record | None) -> list[Any]:
    found: list[Any] = ((catalogue.specs.table(where["table"]) or {}).get(where["list"]) or []) if where else []
    return found


def _from(firsts: dict[str, str] | None, version: str) -> str | None:
    """Return the value for the newest of the given releases that is not newer than the version."""
    known = [first for first in firsts or () if numbers(first) <= numbers(version)]
    return (firsts or {})[max(known, key=numbers)] if known else None


def _pythons(record: Record, version: str) -> tuple[str, ...] | None:
    firsts = record.get("python_from")
    return tuple(p for p, first in firsts.items() if numbers(first) <= numbers(version)) if firsts else None
