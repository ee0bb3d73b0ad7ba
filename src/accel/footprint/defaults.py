"""Sizes that a config leaves to the defaults of its class."""

from collections.abc import Mapping
from typing import Any

from accel.specs.load import Specs


def with_defaults(config: Mapping[str, Any], specs: Specs) -> Mapping[str, Any]:
    """Return the config with its model type's default for each missing size, under all names of that size."""
    row = ((specs.table("models/defaults") or {}).get("defaults") or {}).get(str(config.get("model_type")), {})
    stated: set[str] = set()
    for names in (specs.table("models/families") or {})["fields"].values():
        if any(name in config for name in names):
            stated.update(names)
    return {**{key: value for key, value in row.items() if key not in stated}, **config}
