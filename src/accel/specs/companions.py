"""Requirements of packages that accompany a framework: specs/frameworks/companions.yaml, torch's own releases."""

from collections.abc import Callable, Iterable
from typing import Any

from accel.model.dataclass import dataclass
from accel.specs.frameworks import Release
from accel.text.versions import normalised


@dataclass(frozen=True, slots=True, kw_only=True)
class Companion:
    """The requirements of one version of a package that accompanies a framework.

    torch     a requirement on torch ("==2.4.0", ">=2.3,<3"); None if not declared or unknown
    requires  all known requirements: {"torch": "==2.4.0", "cuda": "12"}
    rule      the rule in words, if it is not a single requirement
    """

    name: str
    version: str
    torch: str | None = None
    requires: dict[str, str]
    rule: str | None = None
    sources: tuple[str, ...] = ()
    confidence: str | None = None


def companion(
    tables: Iterable[Any], torch_releases: Callable[[], Iterable[Release]], name: str, version: str
) -> Companion | None:
    """Return the requirements of a package's version; those of torch's own companions come from torch's releases."""
    wanted, public = normalised(name), version.split("+")[0]
    for table in tables:
        rows = [row for row in table["packages"] if normalised(row["name"]) == wanted]
        row = next((r for r in rows if r["version"] == public), None) or _widest(rows, public)
        if row is not None:
            return Companion(
                name=wanted,
                version=public,
                torch=(row.get("requires") or {}).get("torch"),
                requires=dict(row.get("requires") or {}),
                rule=row.get("rule"),
                sources=tuple(row["sources"]),
                confidence=row["confidence"],
            )
    found = [r for r in torch_releases() if wanted in r.companions and r.companions[wanted] == public]
    if not found:
        return None
    # Some versions go with several releases of torch, which then bound them.
    first, last = found[0].version, found[-1].version
    need = f"=={first}" if len(found) == 1 else f">={first},<={last}"
    return Companion(
        name=wanted,
        version=public,
        torch=need,
        requires={"torch": need},
        sources=found[0].sources,
        confidence=found[0].confidence,
    )


def _widest(rows: list[dict[str, Any]], version: str) -> dict[str, Any] | None:
    # "2.8.x" means all of 2.8; "2.x" all of 2.
    fitting = [r for r in rows if r["version"].endswith(".x") and f"{version}.".startswith(r["version"][:-1])]
    return max(fitting, key=lambda r: len(r["version"])) if fitting else None


def companion_for(tables: Iterable[Any], name: str, torch: str, base: str = "torch") -> str | None:
    """Return the newest version of a package that is built for this release of torch, or of `base`; None if unknown.

    A lower bound does not say what a compiled package was built with, unless the package keeps to torch's stable ABI.
    """
    from packaging.requirements import Requirement

    wanted = normalised(name)
    for table in tables:
        for row in table["packages"]:
            bound = (row.get("requires") or {}).get(base) or ""
            exact = bound.startswith("==") or row.get("stable_abi") or (base != "torch" and "<" in bound)
            if normalised(row["name"]) != wanted or not exact:
                continue
            if Requirement(f"{base}{bound}").specifier.contains(torch, prereleases=True):
                return str(row["version"])
    return None
