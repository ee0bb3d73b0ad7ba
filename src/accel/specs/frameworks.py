"""Framework releases and their builds, from specs/frameworks/<name>.yaml and <name>_<part>.yaml."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from accel.specs.toolkits import numbers

_CUDA = re.compile(r"cu(\d+)(\d)")
_ROCM = re.compile(r"rocm([\d.]+)")
_BUILD_FIELDS = ("toolkit_version", "cudnn_version", "nccl_version", "driver_floor")


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """One build of a framework's release.

    variant        "cu121", "cpu", "rocm6.0", "xpu"; of JAX "cuda12"; of TensorFlow "cuda"
    platform       "linux_x86_64", "linux_aarch64", "windows_x86_64", "macos_arm64", "macos_x86_64"
    toolkit_version  of the toolkit that it was built with: "12.1"
    cudnn_version, nccl_version   what it was built with or pins
    architectures  GPU code in it: ("sm_50", …, "compute_90"), ("gfx90a", …); None: not known
    default        a plain install gets this one on this platform
    requires       what it declares of its libraries: {"cudnn": ">=9.1,<10.0"}
    """

    variant: str
    platform: str
    toolkit_version: str | None = None
    cudnn_version: str | None = None
    nccl_version: str | None = None
    architectures: tuple[str, ...] | None = None
    default: bool = False
    pythons: tuple[str, ...] | None = None
    driver_floor: str | None = None
    requires: dict[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A framework's release and its builds.

    pythons     Python versions for which some platform has a wheel ("3.13t" is free-threaded)
    companions  versions that go with it: {"torchvision": "0.19.0"}
    """

    name: str
    version: str
    date: str | None = None
    builds: tuple[Build, ...] = ()
    pythons: tuple[str, ...] | None = None
    requires_python: str | None = None
    companions: dict[str, str]
    jaxlib: str | None = None
    jaxlib_minimum: str | None = None
    note: str | None = None
    sources: tuple[str, ...] = ()
    confidence: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Companion:
    """What a version of a package that goes with a framework requires.

    torch     a requirement on torch ("==2.4.0", ">=2.3,<3"); None: not declared or not known
    requires  all that is known of it: {"torch": "==2.4.0", "cuda": "12"}
    rule      in words, where it is no single requirement
    """

    name: str
    version: str
    torch: str | None = None
    requires: dict[str, str]
    rule: str | None = None
    sources: tuple[str, ...] = ()
    confidence: str | None = None


def releases(tables: Iterable[Any], name: str, version: str | None = None) -> tuple[Release, ...]:
    """Return the releases in these tables, oldest first; only the one of `version` if given."""
    tables = list(tables)
    code = [row for table in tables for row in table.get("architectures") or ()]
    rows = [row for table in tables for row in table.get("releases") or ()]
    if version is not None:
        public = version.split("+")[0]
        spellings = (public, f"{public}.0")
        rows = [row for row in rows if row["version"] == next((s for s in spellings if _in(rows, s)), None)]
    return tuple(_release(name, row, code) for row in sorted(rows, key=lambda row: numbers(row["version"])))


def companion(
    tables: Iterable[Any], torch_releases: Callable[[], Iterable[Release]], name: str, version: str
) -> Companion | None:
    """Return what the tables say of the package's version; torch's own companions are read from its releases."""
    wanted, public = _plain(name), version.split("+")[0]
    for table in tables:
        rows = [row for row in table["packages"] if _plain(row["name"]) == wanted]
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
    # torchaudio 2.11.0 and triton 3.6.0 go with several releases: the oldest and newest bound it.
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
    # "2.8.x" stands for all of 2.8; "2.x" for all of 2.
    fitting = [r for r in rows if r["version"].endswith(".x") and f"{version}.".startswith(r["version"][:-1])]
    return max(fitting, key=lambda r: len(r["version"])) if fitting else None


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _in(rows: list[dict[str, Any]], version: str) -> bool:
    return any(row["version"] == version for row in rows)


def _release(name: str, row: dict[str, Any], code: list[dict[str, Any]]) -> Release:
    pythons = row.get("pythons")
    every = dict.fromkeys(python for listed in pythons.values() for python in listed) if pythons else None
    return Release(
        name=name,
        version=row["version"],
        date=row.get("date"),
        builds=tuple(_builds(row, code)),
        pythons=tuple(every) if every else None,
        requires_python=row.get("requires_python"),
        companions=dict(row.get("companions") or {}),
        jaxlib=row.get("jaxlib"),
        jaxlib_minimum=row.get("jaxlib_minimum"),
        note=row.get("note"),
        sources=tuple(row["sources"]),
        confidence=row["confidence"],
    )


def _builds(row: dict[str, Any], code: list[dict[str, Any]]) -> Iterable[Build]:
    pythons, defaults = row.get("pythons") or {}, row.get("defaults") or {}
    mine = [entry for entry in code if row["version"] in entry["versions"]]
    for platform, variants in (row.get("variants") or {}).items():
        for variant in variants:
            yield Build(
                variant=variant,
                platform=platform,
                toolkit_version=_toolkit_of(variant),
                cudnn_version=(row.get("cudnn") or {}).get(variant),
                nccl_version=(row.get("nccl") or {}).get(variant),
                architectures=_listed(mine, variant, platform),
                default=defaults.get(platform) == variant,
                pythons=tuple(pythons[platform]) if platform in pythons else None,
            )
    for build in row.get("builds") or ():
        listed = pythons.get(build["platform"])
        yield Build(
            variant=build["variant"],
            platform=build["platform"],
            architectures=_names(build),
            default=bool(build.get("default")),
            pythons=tuple(listed) if listed else None,
            requires=dict(build["requires"]) if build.get("requires") else None,
            **{field: build.get(field) for field in _BUILD_FIELDS},
        )


def _toolkit_of(variant: str) -> str | None:
    if found := _CUDA.fullmatch(variant):
        return f"{found[1]}.{found[2]}"
    return found[1] if (found := _ROCM.fullmatch(variant)) else None


def _listed(code: list[dict[str, Any]], variant: str, platform: str) -> tuple[str, ...] | None:
    for entry in code:
        if variant in entry["variants"] and platform == entry["platform"]:
            return _names(entry)
    return None


def _names(entry: dict[str, Any]) -> tuple[str, ...] | None:
    if entry.get("targets") is not None:
        return tuple(entry["targets"])
    if entry.get("sass") is None:
        return None
    machine = ("sm_" + capability.replace(".", "") for capability in entry["sass"])
    portable = ("compute_" + capability.replace(".", "") for capability in entry.get("ptx") or ())
    return (*machine, *portable)
