"""The messages between the kit and its child: plain values and records, as JSON. Reading one executes no code from it.

    [1, 2.5, None, "x"]   as they are; a non-finite number, a tuple, a list, a dict, a set and bytes get a tag
    records of accel      by module and name, from a few modules; their `__init__` is not run
    a plugin's records    with their fields, types and defaults, from which the reader builds an equivalent record

The plugin runs in the child and may write anything to the kit's pipe: it can lie about itself, but nothing more.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, field, fields, is_dataclass, make_dataclass
from functools import cache, reduce
from importlib import import_module
from operator import or_
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from accel.model.device import Device

_MOST: Final = 2_000_000  # values per message
_LONGEST: Final = 1 << 53  # larger integers are written as text
_MODULES: Final = frozenset(
    (
        *(f"accel.model.{name}" for name in ("device", "report", "observation", "environment", "wiring", "snapshot")),
        *("accel.model.readings", "accel.kit.evidence", "accel.kit.subject", "accel.kit.child", "accel.kit.expected"),
    )
)
_NAMED: Final[Mapping[str, Any]] = {"str": str, "int": int, "float": float, "bool": bool, "bytes": bytes, "any": Any}
_GENERIC: Final[Mapping[str, Any]] = {"tuple": tuple, "list": list, "set": set, "frozenset": frozenset, "dict": dict}
_CONTAINERS: Final = frozenset(_GENERIC.values())
_AS_THEY_ARE: Final = frozenset((NoneType, bool, str))


class NotCarried(TypeError):
    """The value is neither plain nor a record of plain values."""


def written(value: Any) -> bytes:
    """Return a value as JSON. Raises NotCarried."""
    left = _MOST
    seen: dict[int, int] = {}  # id() of each record written so far, and its number

    def plain(value: Any) -> Any:
        nonlocal left
        kind = type(value)
        if kind in _AS_THEY_ARE:
            return value
        if kind is int:
            return value if -_LONGEST < value < _LONGEST else ["int", hex(value)]
        if kind is float:
            return value if math.isfinite(value) else ["float", repr(value)]
        if id(value) in seen:
            return ["again", seen[id(value)]]
        if kind in _CONTAINERS:
            left -= len(value)
            if left < 0:
                raise NotCarried(f"it has more than {_MOST:,} values")
            items = (
                [[plain(key), plain(item)] for key, item in value.items()] if kind is dict else list(map(plain, value))
            )
            return [kind.__name__, items]
        if kind is bytes:
            return ["bytes", value.hex()]
        if is_dataclass(kind):
            told = ["record", _named(kind), [plain(getattr(value, name)) for name in _names(kind)]]
            left -= len(told[2])
            seen[id(value)] = len(seen)
            return told
        for base in (str, int, float, bytes, *_GENERIC.values()):
            if isinstance(value, base):  # an instance of a subclass: sent as its base class
                return plain(_plainly(base, value))
        if isinstance(value, Mapping):
            return plain(dict(value))
        raise NotCarried(f"cannot carry a {kind.__module__}.{kind.__name__}")

    return json.dumps(plain(value)).encode("ascii")


def _plainly(base: Any, value: Any) -> Any:
    """Return an instance of a subclass as a value of its base class, ignoring methods that the subclass overrides."""
    if base is str:
        return str.__str__(value)
    if base is int:
        return int.__index__(value)
    if base is float:
        return float.__float__(value)
    return bytes(value) if base is bytes else base(value)


def read(data: bytes) -> Any:
    """Return the value that was written. Raises ValueError, TypeError or KeyError for anything else."""
    return _value(json.loads(data), [])


def holds_shape(value: Any, hint: Any) -> bool:
    """Return whether a value matches a type; for records of other modules than the kit's, only the class is checked."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin in (Union, UnionType):
        return any(holds_shape(value, one) for one in arguments)
    if origin is Literal:
        return value in arguments
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if arguments[1:] == (...,):
            return all(holds_shape(item, arguments[0]) for item in value)
        return len(value) == len(arguments) and all(map(holds_shape, value, arguments))
    if origin is frozenset:
        return isinstance(value, frozenset) and all(holds_shape(item, arguments[0]) for item in value)
    if hint is float:
        return isinstance(value, float | int) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if not isinstance(value, origin or hint):
        return False
    own = is_dataclass(hint) and hint.__module__.startswith("accel.kit.")
    return not own or all(holds_shape(getattr(value, name), one) for name, one in _hints(hint).items())


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _is_known(kind: type) -> bool:
    return kind.__module__ in _MODULES and getattr(import_module(kind.__module__), kind.__name__, None) is kind


def _name_of(kind: type) -> list[str]:
    return [kind.__module__, kind.__name__]


@cache
def _named(kind: type) -> list[str] | dict[str, Any]:
    return _name_of(kind) if _is_known(kind) else _described(kind)


@cache
def _described(kind: type, within: tuple[type, ...] = ()) -> dict[str, Any]:
    """Return a plugin's record class as plain values; for a device, only the fields beyond the common ones."""
    common = {one.name for one in fields(Device)} if issubclass(kind, Device) else set()
    try:
        hints = get_type_hints(kind)
    except Exception:  # a name that is imported only for type checkers
        hints = {}
    own = [one for one in fields(kind) if one.name not in common]
    return {
        "name": kind.__name__,
        "device": issubclass(kind, Device),
        "fields": [[one.name, _spelled(hints.get(one.name), (*within, kind)), *_default(one)] for one in own],
    }


def _default(one: "Field[Any]") -> list[Any]:
    given = one.default_factory() if one.default_factory is not MISSING else one.default
    return [] if given is MISSING else [_alone(given)]


def _alone(value: Any) -> Any:
    return json.loads(written(value))


def _spelled(hint: Any, within: tuple[type, ...]) -> Any:
    """Return a type as plain values; "any" if it has no such form."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in (None, NoneType):
        return "none" if hint is NoneType else "any"
    if origin in (Union, UnionType):
        return ["union", *(_spelled(one, within) for one in arguments)]
    if origin is Literal:
        return ["literal", *map(_alone, arguments)]
    for name, kind in _GENERIC.items():
        if (origin or hint) is kind:
            return [name, *("..." if one is ... else _spelled(one, within) for one in arguments)]
    for name, kind in _NAMED.items():
        if hint is kind:
            return name
    if isinstance(hint, type) and is_dataclass(hint) and hint not in within:
        return ["known", _name_of(hint)] if _is_known(hint) else ["own", _described(hint, within)]
    return "any"


def _value(told: Any, seen: list[Any]) -> Any:
    """Return a value. seen: the records read so far, numbered as the writer numbers them."""
    if not isinstance(told, list):
        if isinstance(told, dict):
            raise TypeError("a bare object")
        return told
    tag, *given = told
    if tag == "int":
        return int(given[0], 16)
    if tag == "float":
        return float(given[0])
    if tag == "bytes":
        return bytes.fromhex(given[0])
    if tag == "dict":
        return {_value(key, seen): _value(item, seen) for key, item in given[0]}
    if tag in _GENERIC:
        return _GENERIC[tag](_value(item, seen) for item in given[0])
    if tag == "again":
        return seen[given[0]]
    if tag != "record":
        raise TypeError(f"{tag!r:.40} is no tag")
    what, values = given
    kind = _known(*what) if isinstance(what, list) else _made(json.dumps(what))
    made = object.__new__(kind)
    for name, value in zip(_names(kind), values, strict=True):
        object.__setattr__(made, name, _value(value, seen))
    seen.append(made)
    return made


@cache
def _known(module: str, name: str) -> Any:
    """Return one of accel's record classes."""
    if module not in _MODULES:
        raise TypeError(f"{module!r:.60} is no module of records")
    kind = getattr(import_module(module), name)
    if not (isinstance(kind, type) and is_dataclass(kind) and kind.__module__ == module):
        raise TypeError(f"{name!r:.60} is no record")
    return kind


@cache
def _made(described: str) -> Any:
    """Return a record class like the plugin's; the same class for the same description."""
    told = json.loads(described)
    own: list[Any] = []
    for name, spelled, *default in told["fields"]:
        given = _value(default[0], []) if default else MISSING
        more = field(kw_only=True) if given is MISSING else field(kw_only=True, default_factory=_giving(given))
        own.append((name, _type(spelled), more))
    bases = (Device,) if told["device"] else ()
    return make_dataclass(str(told["name"]), own, bases=bases, frozen=True, slots=True, kw_only=True)


def _giving(value: Any) -> Callable[[], Any]:
    return lambda: value


def _type(spelled: Any) -> Any:
    if isinstance(spelled, str):
        return NoneType if spelled == "none" else _NAMED[spelled]
    tag, *given = spelled
    if tag == "literal":
        return Literal[tuple(_value(one, []) for one in given)]
    if tag == "known":
        return _known(*given[0])
    if tag == "own":
        return _made(json.dumps(given[0]))
    inner = tuple(... if one == "..." else _type(one) for one in given)
    if tag == "union":
        return reduce(or_, inner)
    return _GENERIC[tag][inner] if inner else _GENERIC[tag]
