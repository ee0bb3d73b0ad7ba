"""Toolkit records, and which toolkit a driver supports, from specs/nvidia/cuda.yaml."""

from typing import Any

from accel.model.dataclass import dataclass
from accel.specs.versions import Numbers, numbers

_WITHIN_BRANCH = 4  # branches are counted in fives; a newer one than the table's newest is not known


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolkit:
    """A toolkit release, the newest patch of its minor version.

    driver_minimum          the Linux driver paired with this release; None if not published
    driver_floor            the oldest Linux driver on which its programs run at all: for CUDA 11 and later that
                            of the major (minor-version compatibility), before 11 the paired driver
    *_windows               the same for Windows
    driver_branch           the branch that supports it natively: 535
    architectures           what its compiler targets: ("sm_50", …, "sm_90")
    """

    name: str
    version: str
    driver_minimum: str | None = None
    driver_minimum_windows: str | None = None
    driver_floor: str | None = None
    driver_floor_windows: str | None = None
    driver_branch: int | None = None
    architectures: tuple[str, ...] | None = None
    month: str | None = None
    note: str | None = None
    sources: tuple[str, ...] = ()
    confidence: str | None = None


def minors(table: Any) -> tuple[str, ...]:
    """Return every minor version in the table, oldest first."""
    found = {numbers(r["version"])[:2] for r in (table or {}).get("toolkits", ())}
    return tuple(f"{major}.{minor}" for major, minor in sorted(found))


def toolkit(table: Any, architectures: Any, name: str, version: str) -> Toolkit | None:
    """Return the newest patch of the minor version; "12" alone is not a version."""
    wanted = numbers(version)[:2]
    if not table or len(wanted) < 2:
        return None
    rows = [r for r in table["toolkits"] if numbers(r["version"])[:2] == wanted]
    if not rows:
        return None
    # A later patch may be paired with a newer driver; the release itself asks for that of its first patch.
    newest, first = max(rows, key=_version), min(rows, key=_version)
    floor: dict[str, Any] = next((f for f in table["floors"] if f["major"] == wanted[0]), {})
    paired = wanted < (11, 0)
    linux, windows = first.get("driver_minimum"), first.get("driver_minimum_windows")
    return Toolkit(
        name=name,
        version=newest["version"],
        driver_minimum=linux,
        driver_minimum_windows=windows,
        driver_floor=linux if paired else _older(floor.get("driver_floor"), linux),
        driver_floor_windows=windows if paired else _older(floor.get("driver_floor_windows"), windows),
        driver_branch=first.get("driver_branch"),
        architectures=_targets(architectures, wanted),
        month=first.get("month"),
        note=newest.get("note"),
        sources=tuple(newest["sources"]),
        confidence=newest["confidence"],
    )


def toolkit_of_driver(table: Any, driver: str, system: str) -> str | None:
    """Return the newest toolkit that the driver supports: by paired drivers on Windows, by driver branch on Linux."""
    version = numbers(driver)
    if not table or not version:
        return None
    if system == "windows":
        return _by_pairs(table, version)
    branches = sorted(((r["branch"], r["toolkit"]) for r in table["serves"]), reverse=True)
    oldest = branches[-1][0]
    if version[0] < oldest or version[0] > branches[0][0] + _WITHIN_BRANCH:
        return None
    served: str = next(toolkit for branch, toolkit in branches if branch <= version[0])
    return served


def _by_pairs(table: Any, version: Numbers) -> str | None:
    # The Windows twin of a Linux branch has other numbers (535 is 536 to 539), so its first driver marks the branch.
    firsts: dict[Numbers, Numbers] = {}
    for row in table["toolkits"]:
        paired = row.get("driver_minimum_windows")
        if paired:
            minor = numbers(row["version"])[:2]
            firsts[minor] = min(firsts.get(minor, (10**6,)), numbers(paired))
    for branch in table["serves"]:
        firsts.setdefault(numbers(branch["toolkit"]), (branch["branch"],))
    if version[0] > max(row["branch"] for row in table["serves"]) + _WITHIN_BRANCH:
        return None
    served = [minor for minor, first in firsts.items() if first[0] <= version[0]]
    return "{}.{}".format(*max(served)) if served else None


def _version(row: dict[str, Any]) -> Numbers:
    return numbers(row["version"])


def _older(one: str | None, other: str | None) -> str | None:
    known = [version for version in (one, other) if version is not None]
    return min(known, key=numbers) if known else None


def _targets(architectures: Any, toolkit_version: Numbers) -> tuple[str, ...] | None:
    found = []
    for row in (architectures or {}).get("compute_capabilities", ()):
        first, last = row.get("first_toolkit"), row.get("last_toolkit")
        if (
            first is not None
            and numbers(first) <= toolkit_version
            and (last is None or toolkit_version <= numbers(last))
        ):
            found.append("sm_" + row["compute_capability"].replace(".", ""))
    return tuple(found) or None
