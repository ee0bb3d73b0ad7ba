"""Wheels that a project publishes with its releases, for other toolkits than the one on the package index.

Read from specs/frameworks/release_wheels.yaml. Pure.
"""

from typing import Any

from accel.model.dataclass import dataclass
from accel.resolver.catalogue import Catalogue
from accel.specs.versions import numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseWheel:
    """How an installer gets one of these wheels.

    tag    the wheel's platform tag: "manylinux_2_28_x86_64"
    index  of packages, where the version has the variant as its local part; None: it has to be named by its address
    file   the wheel's address, for a release that has no index
    """

    tag: str
    index: str | None = None
    file: str | None = None


def release_wheel(catalogue: Catalogue, package: str, version: str, variant: str, platform: str) -> ReleaseWheel | None:
    """Return the wheel of a release for a variant ("cu129"); None if none is known."""
    table: dict[str, Any] = catalogue.specs.table("frameworks/release_wheels") or {}
    wanted = {"package": package, "version": version, "variant": variant}
    row = next((row for row in table.get("wheels") or () if wanted.items() <= row.items()), None)
    project = next((row for row in table.get("projects") or () if row["package"] == package), None)
    if row is None or project is None or platform not in row["tags"]:
        return None
    tag = row["tags"][platform]
    told = {"version": version, "variant": variant, "tag": tag}
    if numbers(version) >= numbers(project.get("index_from", "0")) and "index" in project:
        return ReleaseWheel(tag=tag, index=project["index"].format(**told))
    return ReleaseWheel(tag=tag, file=project["file"].format(**told)) if "file" in project else None


def releases_page(catalogue: Catalogue, package: str) -> str | None:
    """Return where a project's releases with their wheels are listed; None if it is in no table."""
    table: dict[str, Any] = catalogue.specs.table("frameworks/release_wheels") or {}
    project = next((row["project"] for row in table.get("projects") or () if row["package"] == package), None)
    return f"https://github.com/{project}/releases" if project else None
