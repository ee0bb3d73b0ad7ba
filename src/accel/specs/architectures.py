"""Architecture records, built from their tables."""

from typing import Any

from accel.model.dataclass import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """A generation of chips.

    name            lower case, as in Device.architecture: "hopper"
    first_toolkit, last_toolkit   CUDA versions that can target it; last is None if there is no end, or it is unknown
    last_driver     the last driver branch that supports it ("470"); None if still supported, or unknown
    dtypes          number formats with a native path worth using, matrix units first; None if unknown
    """

    name: str
    vendor: str
    title: str | None = None
    compute_capabilities: tuple[str, ...] | None = None
    compute_targets: tuple[str, ...] | None = None
    first_toolkit: str | None = None
    last_toolkit: str | None = None
    first_driver: str | None = None
    last_driver: str | None = None
    matrix_dtypes: tuple[str, ...] | None = None
    vector_dtypes: tuple[str, ...] | None = None
    dtypes: tuple[str, ...] | None = None
    features: tuple[str, ...] | None = None
    released: str | None = None
    note: str | None = None
    sources: tuple[str, ...] = ()
    confidence: str | None = None


def architecture(table: Any, name: str | None, compute_capability: str | None) -> Architecture | None:
    """Return the architecture that matches name and capability; one that is None is ignored."""
    if not table or (name is None and compute_capability is None):
        return None
    wanted = name.lower() if name else None
    found = [r for r in table["architectures"] if wanted is None or wanted in (r["name"], *(r.get("aliases") or ()))]
    finer = next(
        (c for c in table.get("compute_capabilities") or () if c["compute_capability"] == compute_capability), None
    )
    if compute_capability is not None:
        fitting = [r for r in table["architectures"] if _has(r, compute_capability, finer)]
        found = [r for r in found if r in fitting] or fitting or (found if wanted else [])
    if len(found) != 1:
        return None
    record = _make(found[0], table["vendor"])
    if finer is None or finer["architecture"] != record.name:
        return record
    return replace(
        record,
        first_toolkit=finer.get("first_toolkit"),
        last_toolkit=finer.get("last_toolkit"),
        first_driver=_text(finer.get("first_driver_branch")),
        last_driver=_text(finer.get("last_driver_branch")),
    )


def _has(record: dict[str, Any], capability: str, finer: dict[str, Any] | None) -> bool:
    if finer is not None:
        return bool(record["name"] == finer["architecture"])
    return capability in (record.get("compute_capabilities") or ()) or capability in (
        record.get("compute_targets") or ()
    )


def _make(record: dict[str, Any], vendor: str) -> Architecture:
    matrix, vector = _tuple(record.get("matrix_dtypes")), _tuple(record.get("vector_dtypes"))
    both = None if matrix is None and vector is None else tuple(dict.fromkeys((*(matrix or ()), *(vector or ()))))
    return Architecture(
        name=record["name"],
        vendor=vendor,
        title=record.get("title"),
        compute_capabilities=_tuple(record.get("compute_capabilities")),
        compute_targets=_tuple(record.get("compute_targets")),
        first_toolkit=record.get("first_toolkit"),
        last_toolkit=record.get("last_toolkit"),
        last_driver=_text(record.get("last_driver_branch")),
        matrix_dtypes=matrix,
        vector_dtypes=vector,
        dtypes=both or None,
        features=_tuple(record.get("features")),
        released=record.get("released"),
        note=record.get("note"),
        sources=tuple(record["sources"]),
        confidence=record["confidence"],
    )


def _tuple(value: list[str] | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(value)


def _text(value: int | None) -> str | None:
    return None if value is None else str(value)
