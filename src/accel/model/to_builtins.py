"""Converts records to plain dicts and lists, and those to JSON. Standard library only: it is on the hot path."""

from typing import Any

from accel.model.dataclass import field_names, is_record


def plain(value: Any) -> Any:
    """Return the value with records as dicts (all fields, including None) and tuples as lists.

    A tuple of (name, value) pairs stays a list of pairs, because order and repetition matter there.
    """
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if is_record(value):
        return {name: plain(getattr(value, name)) for name in field_names(value)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value]


def json_text(value: Any, indent: int | None = None) -> str:
    """Return the result of `plain` as JSON that any parser accepts: without NaN, and without characters that a terminal
    would act on.
    """
    import json

    from accel.model.printable import escaped

    try:
        return escaped(json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False))
    except ValueError:  # a number that is none: not known
        return escaped(json.dumps(_finite(value), indent=indent, ensure_ascii=False, allow_nan=False))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and value - value != 0 else value
