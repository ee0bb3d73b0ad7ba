"""What the registry knows about a plugin, and what a hook may return: anything incomplete is refused with a message."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from accel.model.dataclass import dataclass
from accel.model.errors import PluginError

if TYPE_CHECKING:
    from accel.vendors.contract.backend import Backend, Reader
    from accel.vendors.contract.check import Check
    from accel.vendors.contract.rule import Rule


PluginStatus = Literal["loaded", "disabled", "clash", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """A plugin, loaded or not. reason: why it was not loaded, or what failed later."""

    name: str
    module: str
    distribution: str
    version: str | None
    api: tuple[int, int]
    status: PluginStatus
    reason: str | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What a plugin registers besides its backend. hooks: the names of those that it implements."""

    module: str
    hooks: tuple[str, ...]
    readers: "tuple[Reader, ...]"
    checks: "tuple[Check, ...]"
    rules: "tuple[Rule, ...]"


def fit_backend(value: Any) -> "Backend":
    made: Backend = _with(("name", "vendor", "detect", "probe"), value)
    return made


def fit_readers(values: Any) -> "tuple[Reader, ...]":
    return tuple(_with(("name", "signs", "read"), value) for value in values)


def fit_rules(values: Any) -> "tuple[Rule, ...]":
    return tuple(_with(("name", "gives", "run"), value) for value in values)


def fit_checks(values: Any) -> "tuple[Check, ...]":
    return tuple(_with(("code", "name", "layer", "run"), value) for value in values)


def validated(kind: str, offered: Any, plugin: str, *, named: bool) -> Any:
    """Return a reader, check or rule of a third-party plugin, wrapped so that invalid parts of its answers are removed.

    named  the user named the plugin in ACCEL_PLUGINS: its readers may report on any vendor
    """
    from accel.plugins import validation

    if kind == "reader":
        return validation.validate_reader(offered, plugin, may_speak_for_others=named)
    return validation.validate_check(offered) if kind == "check" else validation.validate_rule(offered)


def _with(members: Sequence[str], value: Any) -> Any:
    """Return the value; raise PluginError if it lacks one of these members."""
    missing = [member for member in members if not hasattr(value, member)]
    if missing:
        raise PluginError(f"it returned {value!r:.60}, which has no {', '.join(missing)}")
    return value
