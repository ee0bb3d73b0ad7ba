"""Records: dataclasses that cost little to define.

`@record` is `@dataclass(frozen=True, slots=True, kw_only=True)`: the same fields, `replace`, `asdict`, equality, hash,
repr and pickling, and ordinary frozen dataclasses may subclass it. But the standard library writes the source of six
methods for each class and compiles it, 1.5 ms a class, at every start of the program; records share one of each.
"""

from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from inspect import Signature

    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: object) -> Any:
        """Tell type checkers only: typing has it from Python 3.11 on."""
        return lambda decorator: decorator


_Record = TypeVar("_Record")


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def record(cls: type[_Record]) -> type[_Record]:
    """Make a frozen, slotted, keyword-only dataclass of the class."""
    for name, shared in _SHARED.items():
        if name not in cls.__dict__:
            setattr(cls, name, shared)
    bases = [vars(base)["__dataclass_params__"] for base in cls.__mro__[1:] if "__dataclass_params__" in vars(base)]
    _set_frozen(bases, False)  # the standard library refuses an open class on a frozen one, and the other way round
    try:
        made = dataclass(init=False, repr=False, eq=False, slots=True, kw_only=True)(cls)
    finally:
        _set_frozen(bases, True)
    _set_frozen([made.__dataclass_params__], True)  # type: ignore[attr-defined]
    return made


def _set_frozen(parameters: list[Any], frozen: bool) -> None:
    for one in parameters:
        one.frozen = frozen


@cache
def _fields(kind: Any) -> tuple[Field[Any], ...]:
    return fields(kind)


def _init(self: Any, **values: Any) -> None:
    given = len(values)
    for one in _fields(self.__class__):
        if one.name in values:
            given -= 1
            value = values[one.name]
        elif one.default is not MISSING:
            value = one.default
        elif one.default_factory is not MISSING:
            value = one.default_factory()
        else:
            raise TypeError(f"{type(self).__name__}() lacks {one.name!r}")
        object.__setattr__(self, one.name, value)
    if given:
        unknown = ", ".join(sorted(set(values) - {one.name for one in _fields(self.__class__)}))
        raise TypeError(f"{type(self).__name__}() has no {unknown}")


def _values(self: Any) -> tuple[Any, ...]:
    return tuple([getattr(self, one.name) for one in _fields(self.__class__)])


def _equal(self: Any, other: object) -> Any:
    return _values(self) == _values(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _repr(self: Any) -> str:
    shown = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in _fields(self.__class__) if one.repr)
    return f"{type(self).__qualname__}({shown})"


def _frozen_set(self: Any, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _frozen_delete(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _restored(self: Any, values: tuple[Any, ...]) -> None:
    for one, value in zip(_fields(self.__class__), values, strict=True):
        object.__setattr__(self, one.name, value)


class _LazySignature:
    """The signature of a record, for help() and editors, made when somebody looks."""

    def __get__(self, _: object, cls: Any) -> "Signature":
        from inspect import Parameter, Signature

        parameters = [
            Parameter(
                one.name,
                Parameter.KEYWORD_ONLY,
                annotation=one.type,
                default=Parameter.empty if one.default is MISSING else one.default,
            )
            for one in fields(cls)
        ]
        return Signature(parameters)


_SHARED: Final = {
    "__init__": _init,
    "__eq__": _equal,
    "__hash__": _hash,
    "__repr__": _repr,
    "__setattr__": _frozen_set,
    "__delattr__": _frozen_delete,
    "__getstate__": _values,
    "__setstate__": _restored,
    "__signature__": _LazySignature(),
}
