"""What a hook may give: a value that lacks what accel asks of its kind is refused in a sentence."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from accel.model.errors import PluginError

if TYPE_CHECKING:
    from accel.vendors.contract.backend import Backend, Reader
    from accel.vendors.contract.check import Check
    from accel.vendors.contract.rule import Rule


def fit_backend(value: Any) -> "Backend":
    made: Backend = _with(("name", "vendor", "detect", "probe"), value)
    return made


def fit_readers(values: Any) -> "tuple[Reader, ...]":
    return tuple(_with(("name", "signs", "read"), value) for value in values)


def fit_rules(values: Any) -> "tuple[Rule, ...]":
    return tuple(_with(("name", "gives", "run"), value) for value in values)


def fit_checks(values: Any) -> "tuple[Check, ...]":
    return tuple(_with(("code", "name", "layer", "run"), value) for value in values)


def guest_reader(reader: "Reader", plugin: str) -> "Reader":
    """Return a reader of another distribution's plugin, whose readings lose what is not as their records say."""
    from accel.plugins.validation import validate_reader

    return validate_reader(reader, plugin)


def guest_check(check: "Check") -> "Check":
    """Return a check of another distribution's plugin, whose problems lose what is not as their records say."""
    from accel.plugins.validation import validate_check

    return validate_check(check)


def _with(members: Sequence[str], value: Any) -> Any:
    """Return the value; raise PluginError if it lacks one of these members."""
    missing = [member for member in members if not hasattr(value, member)]
    if missing:
        raise PluginError(f"it gave {value!r:.60}, which has no {', '.join(missing)}")
    return value
