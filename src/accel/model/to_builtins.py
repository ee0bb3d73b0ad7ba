"""Records as plain dicts and lists, ready for json. Standard library only: it is on the hot path."""

from functools import cache
from typing import Any


@cache
def _names(kind: Any) -> tuple[str, ...]:
    from dataclasses import fields  # loaded with the first record; rows (accel.model.rows) do without

    return tuple(f.name for f in fields(kind))


def plain(value: Any) -> Any:
    """Return the value with records as dicts (every field, None kept) and tuples as lists.

    A tuple of (name, value) pairs stays a list of pairs: order and repetition carry meaning there.
    """
    if value is None or isinstance(value, str | int | float | bool):
        return value
    kind: Any = type(value)
    if hasattr(kind, "__dataclass_fields__"):
        return {name: plain(getattr(value, name)) for name in _names(kind)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value]
