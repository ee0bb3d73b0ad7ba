"""Sizes in a config, under the various names that vendors use, or left to the defaults of its class."""

from collections.abc import Mapping, Sequence
from typing import Any

from accel.model.errors import BadInput
from accel.specs.load import Specs


def with_defaults(config: Mapping[str, Any], specs: Specs) -> Mapping[str, Any]:
    """Return the config with its model type's default for each missing size, under all names of that size."""
    row = ((specs.table("models/defaults") or {}).get("defaults") or {}).get(str(config.get("model_type")), {})
    stated: set[str] = set()
    for names in (specs.table("models/families") or {})["fields"].values():
        if any(name in config for name in names):
            stated.update(names)
    return {**{key: value for key, value in row.items() if key not in stated}, **config}


class Values:
    """A config, looked up by accel's names of sizes. names: size -> the config's possible names, first match wins."""

    def __init__(self, config: Mapping[str, Any], names: Mapping[str, Sequence[str]]) -> None:
        self._config = config
        self._names = names

    def first(self, size: str) -> Any:
        """Return the config's value for a size; None if it has none."""
        for path in self._names.get(size, ()):
            value: Any = self._config
            for key in path.split("."):
                value = value.get(key) if isinstance(value, Mapping) else None
            if value is not None:
                return value
        return None

    def whole(self, size: str) -> int | None:
        """Return a size as an integer; for a list, the first one. Raises BadInput for other or negative values."""
        value = self.first(size)
        if isinstance(value, (list, tuple)) and value:
            value = value[0]
        if value is None or value is False:
            return None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or value < 0 or value > 10**12:
            raise BadInput(f"The config states {size} as {str(value)[:60]!r}, which is no size. Mend the file.")
        return int(value)
