"""Framework releases and their builds, from specs/frameworks/<name>.yaml and <name>_<part>.yaml."""

from collections.abc import Iterable
from itertools import product
from typing import Any

from accel.model.dataclass import dataclass
from accel.specs.store import Folder
from accel.specs.versions import numbers

_BUILD_FIELDS = ("toolkit_version", "cudnn_version", "nccl_version", "driver_floor")


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """One build of a framework release.

    variant        "cu121", "cpu", "rocm6.0", "xpu"; for JAX "cuda12"; for TensorFlow "cuda"
    platform       "linux_x86_64", "linux_aarch64", "windows_x86_64", "macos_arm64", "macos_x86_64"
    toolkit_version  version of the toolkit it was built with: "12.1"
    cudnn_version, nccl_version   versions it was built with or pins
    architectures  GPU code it contains: ("sm_50", …, "compute_90"), ("gfx90a", …); None if unknown
    default        whether a plain install gets this build on this platform
    requires       its declared library requirements: {"cudnn": ">=9.1,<10.0"}
    linux_tag      the wheel's platform tag, which implies the oldest supported C library: "manylinux_2_28_x86_64"
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
    linux_tag: str | None = None

    def __init__(
        self,
        *,
        variant: str,
        platform: str,
        toolkit_version: str | None = None,
        cudnn_version: str | None = None,
        nccl_version: str | None = None,
        architectures: tuple[str, ...] | None = None,
        default: bool = False,
        pythons: tuple[str, ...] | None = None,
        driver_floor: str | None = None,
        requires: dict[str, str] | None = None,
        linux_tag: str | None = None,
    ) -> None:
        keep = object.__setattr__  # 600 of them answer one question, and the records' own way is three times as slow
        keep(self, "variant", variant)
        keep(self, "platform", platform)
        keep(self, "toolkit_version", toolkit_version)
        keep(self, "cudnn_version", cudnn_version)
        keep(self, "nccl_version", nccl_version)
        keep(self, "architectures", architectures)
        keep(self, "default", default)
        keep(self, "pythons", pythons)
        keep(self, "driver_floor", driver_floor)
        keep(self, "requires", requires)
        keep(self, "linux_tag", linux_tag)


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A framework release and its builds.

    pythons     Python versions for which at least one platform has a wheel ("3.13t" is free-threaded)
    pythons_by  the same by platform, as available to a plain install; {} if unknown
    linux_tags  the wheels' platform tag by platform, as in Build.linux_tag
    stacks      vendor software that it is compatible with: {"cann": "9.1.0"}
    companions  compatible package versions: {"torchvision": "0.19.0"}
    """

    name: str
    version: str
    date: str | None = None
    builds: tuple[Build, ...] = ()
    pythons: tuple[str, ...] | None = None
    pythons_by: dict[str, tuple[str, ...]]
    linux_tags: dict[str, str]
    requires_python: str | None = None
    companions: dict[str, str]
    stacks: dict[str, str]
    jaxlib: str | None = None
    jaxlib_minimum: str | None = None
    note: str | None = None
    sources: tuple[str, ...] = ()
    confidence: str | None = None


_Code = dict[tuple[str, str, str], tuple[str, ...] | None]  # GPU code by version, variant and platform


def tables_of(folders: Iterable[Folder], name: str, version: str | None = None) -> list[Any]:
    """Return the tables "torch", "torch_architectures" and so on; "torch_1" only if it can contain the version."""
    start = f"frameworks/{name}"
    tables = []
    for folder in folders:
        for key in folder.names:
            part = key.removeprefix(f"{start}_")
            skipped = version is not None and part[:1].isdecimal() and not f"{version}.".startswith(f"{part}.")
            if (key == start or part != key) and not skipped and (table := folder.table(key)) is not None:
                tables.append(table)
    return tables


def releases(tables: Iterable[Any], name: str, version: str | None = None) -> tuple[Release, ...]:
    """Return the releases in these tables, oldest first; only that of `version` if it is given."""
    tables = list(tables)
    rows = [row for table in tables for row in table.get("releases") or ()]
    if version is not None:
        public = version.split("+")[0]
        spellings = (public, f"{public}.0")
        rows = [row for row in rows if row["version"] == next((s for s in spellings if _in(rows, s)), None)]
    code = _code(
        (row for table in tables for row in table.get("architectures") or ()), {row["version"] for row in rows}
    )
    toolkits: dict[str, str | None] = {}
    return tuple(_release(name, row, code, toolkits) for row in sorted(rows, key=lambda row: numbers(row["version"])))


def _in(rows: list[dict[str, Any]], version: str) -> bool:
    return any(row["version"] == version for row in rows)


def _code(rows: Iterable[dict[str, Any]], wanted: set[str]) -> _Code:
    """Return the architectures by build for the wanted releases; the first row that names a build wins."""
    found: _Code = {}
    numbered = [(numbers(version), version) for version in wanted]
    for row in rows:
        versions = row.get("versions") or _between(row, numbered)
        if not wanted.isdisjoint(versions):
            names = _names(row)
            platforms = row.get("platforms") or (row["platform"],)
            for build in product(versions, row["variants"], platforms):
                found.setdefault(build, names)
    return found


def _between(row: dict[str, Any], numbered: list[tuple[tuple[int, ...], str]]) -> list[str]:
    """Return the versions from the row's "first" to "last", both inclusive: last "1.26" includes 1.26.4."""
    first, last = numbers(row["first"]), numbers(row["last"])
    return [version for number, version in numbered if first <= number and number[: len(last)] <= last]


def _release(name: str, row: dict[str, Any], code: _Code, toolkits: dict[str, str | None]) -> Release:
    pythons = row.get("pythons")
    every = dict.fromkeys(python for listed in pythons.values() for python in listed) if pythons else None
    return Release(
        name=name,
        version=row["version"],
        date=row.get("date"),
        builds=tuple(_builds(row, code, toolkits)),
        pythons=tuple(every) if every else None,
        pythons_by={platform: tuple(listed) for platform, listed in (pythons or {}).items()},
        linux_tags=dict(row.get("wheel_tags") or {}),
        requires_python=row.get("requires_python"),
        companions=dict(row.get("companions") or {}),
        stacks=dict(row.get("stacks") or {}),
        jaxlib=row.get("jaxlib"),
        jaxlib_minimum=row.get("jaxlib_minimum"),
        note=row.get("note"),
        sources=tuple(row["sources"]),
        confidence=row["confidence"],
    )


def _builds(row: dict[str, Any], code: _Code, toolkits: dict[str, str | None]) -> Iterable[Build]:
    """Yield the builds of a release; `toolkits` caches the toolkit of each variant."""
    version, defaults = row["version"], row.get("defaults") or {}
    pythons = {platform: tuple(listed) for platform, listed in (row.get("pythons") or {}).items()}
    cudnn, nccl, tags = row.get("cudnn") or {}, row.get("nccl") or {}, row.get("wheel_tags") or {}
    told = row.get("toolkits") or {}
    for platform, variants in (row.get("variants") or {}).items():
        default, listed, tag = defaults.get(platform), pythons.get(platform), tags.get(platform)
        for variant in variants:
            if variant not in toolkits:
                toolkits[variant] = _toolkit_of(variant)
            own = pythons.get(f"{platform}+{variant}")
            for is_default, has in _offers(default == variant, listed, own):
                yield Build(
                    variant=variant,
                    platform=platform,
                    toolkit_version=told.get(variant) or toolkits[variant],
                    cudnn_version=cudnn.get(variant),
                    nccl_version=nccl.get(variant),
                    architectures=code.get((version, variant, platform)),
                    default=is_default,
                    pythons=has,
                    linux_tag=tags.get(f"{platform}+{variant}", tag),
                )
    for build in row.get("builds") or ():
        yield Build(
            variant=build["variant"],
            platform=build["platform"],
            architectures=_names(build) or code.get((version, build["variant"], build["platform"])),
            default=bool(build.get("default")),
            pythons=pythons.get(f"{build['platform']}+{build['variant']}") or pythons.get(build["platform"]) or None,
            requires=dict(build["requires"]) if build.get("requires") else None,
            linux_tag=tags.get(build["platform"]),
            **{field: build.get(field) for field in _BUILD_FIELDS},
        )


_Pythons = tuple[str, ...] | None


def _offers(is_default: bool, plain: _Pythons, own: _Pythons) -> Iterable[tuple[bool, _Pythons]]:
    """Return (default, Python versions) of a build: from a plain install, and from its own index for more Pythons."""
    if own is None:
        return ((is_default, plain),)
    if not is_default or plain is None:
        return ((is_default, own),)
    return ((True, plain), (False, tuple(python for python in own if python not in plain)))


def _toolkit_of(variant: str) -> str | None:
    """Return the toolkit version that a variant's name implies: "cu121" is CUDA 12.1, "rocm6.0" is ROCm 6.0."""
    if variant.startswith("rocm"):
        return variant[4:]
    digits = variant[2:]
    return f"{digits[:-1]}.{digits[-1]}" if variant.startswith("cu") and digits.isdecimal() else None


def _names(entry: dict[str, Any]) -> tuple[str, ...] | None:
    if entry.get("targets") is not None:
        return tuple(entry["targets"])
    if entry.get("sass") is None:
        return None
    machine = ("sm_" + capability.replace(".", "") for capability in entry["sass"])
    portable = ("compute_" + capability.replace(".", "") for capability in entry.get("ptx") or ())
    return (*machine, *portable)
