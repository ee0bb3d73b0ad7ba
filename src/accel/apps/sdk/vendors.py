"""A vendor's backend by any of its names, and the names of its devices in frameworks."""

from collections.abc import Mapping
from typing import Any

from accel.apps import api
from accel.model.errors import BadInput


def backend_named(vendor: str) -> str:
    """Return the name of the backend: "nvidia" for "NVIDIA" or "nvidia". Raises BadInput, with the closest match."""
    names = api._registry().backend_names
    known = {**{name.lower(): name for name in names}, **{maker.lower(): name for name, maker in names.items()}}
    found = known.get(vendor.lower()) if isinstance(vendor, str) else None
    if found is not None:
        return found
    from difflib import get_close_matches

    near = get_close_matches(str(vendor).lower(), known, n=1)
    meant = f"Did you mean {known[near[0]]!r}? " if near else ""
    raise BadInput(f"{vendor!r} is no vendor that accel knows. {meant}Known are: {', '.join(sorted(names))}.")


def words_of(backend: str) -> Mapping[str, Any]:
    """Return the row of specs/frameworks/device_types.yaml, else what the vendor's own declaration says."""
    table = api._specs().table("frameworks/device_types") or {"device_types": ()}
    row = dict(next((one for one in table["device_types"] if one["backend"] == backend), {}))
    stated = getattr(api._registry().backend(backend), "stated", None)
    masks = getattr(stated, "masks", None)
    if masks is not None:
        if "mask" not in row:
            row["mask"] = masks.lists[0][0]
        if "device_type" not in row and masks.names:
            row["device_type"] = masks.names[0]
    return row
