"""A faster `@dataclass` for records: methods are created when they are first needed.

The standard decorator generates and compiles the source of six methods for every class that is imported. That takes
0.7 ms per class, a third of the time of a command that reads one report and imports a hundred of them. This decorator
creates the class with its slots, and implements comparison and hash from the field values; `__init__` is generated when
the first object is created. What the standard library reads from a class (`dataclasses.fields`, `is_dataclass`, a
subclass with the standard decorator) is created by the standard decorator when it is first used, and only then is
`dataclasses` imported, which loads ten more modules. A class that needs more of the standard decorator, such as
`order`, uses that instead.
"""

import sys
from typing import TYPE_CHECKING, Any, ClassVar, Final

__all__ = ["dataclass", "field", "field_names", "is_record", "replace"]

if TYPE_CHECKING or sys.version_info >= (3, 14):  # there the annotations of a class are a function of it
    from dataclasses import dataclass, field, fields, replace

    def field_names(record: Any) -> tuple[str, ...]:
        """Return the field names of a record or its class."""
        return tuple(one.name for one in fields(record))

    def is_record(value: Any) -> bool:
        """Return whether a value is an instance of a dataclass."""
        return hasattr(type(value), "__dataclass_fields__")

else:
    from _thread import RLock
    from operator import attrgetter
    from types import FunctionType, MemberDescriptorType

    _LAYOUT: Final = "__dataclass_layout__"  # of a class: whether it is frozen, and its fields by name
    _IN_TEXT: Final = ("ClassVar", "InitVar", "KW_ONLY")  # in an annotation that is a string
    _MISSING: Final = object()
    _FIRST: Final = 24  # objects created by generic code: compiling a class's own takes as long as a hundred
    _TURN: Final = RLock()  # the standard decorator changes the class that it works on

    class _Field:
        """A field, as far as the methods need it. default, factory: `_MISSING` if it has none."""

        __slots__ = ("compare", "default", "factory", "hash", "kw_only", "repr")

        def __init__(self, default=_MISSING, factory=_MISSING, repr=True, hash=None, compare=True, kw_only=_MISSING):
            self.default, self.factory, self.kw_only = default, factory, kw_only
            self.repr, self.hash, self.compare = repr, hash, compare

    def field(
        *, default=_MISSING, default_factory=_MISSING, repr=True, hash=None, compare=True, kw_only=_MISSING, **further
    ):
        """As dataclasses.field."""
        one = _Field(default, default_factory, repr, hash, compare, kw_only)
        return _standard_field(one, **further) if further else one

    def dataclass(cls=None, /, *, frozen=False, slots=False, kw_only=False, **further):
        """As dataclasses.dataclass."""
        if cls is None:
            return lambda one: dataclass(one, frozen=frozen, slots=slots, kw_only=kw_only, **further)
        layout = None if further else _layout(cls, frozen, kw_only)
        if layout is None:
            return _by_standard(cls, frozen=frozen, slots=slots, kw_only=kw_only, **further)
        return _made(cls, layout, frozen, slots, kw_only)

    def replace(record, /, **changes):
        """As dataclasses.replace."""
        layout = type(record).__dict__.get(_LAYOUT)
        if layout is None:
            import dataclasses

            return dataclasses.replace(record, **changes)
        for name in layout[1]:
            if name not in changes:
                changes[name] = getattr(record, name)
        return type(record)(**changes)

    def field_names(record):
        """Return the field names of a record or its class."""
        layout = (record if isinstance(record, type) else type(record)).__dict__.get(_LAYOUT)
        if layout is not None:
            return tuple(layout[1])
        import dataclasses

        return tuple(one.name for one in dataclasses.fields(record))

    def is_record(value):
        """Return whether a value is an instance of a dataclass."""
        return hasattr(type(value), _LAYOUT) or hasattr(type(value), "__dataclass_fields__")

    def _layout(cls, frozen, kw_only):
        """Return the fields of a class and its bases, by name; None if the standard decorator has to be used."""
        found = {}
        for base in cls.__mro__[-2:0:-1]:
            inherited = vars(base).get(_LAYOUT)
            if inherited is not None and inherited[0] == frozen:
                found.update(inherited[1])
            elif inherited is not None or "__dataclass_fields__" in vars(base):
                return None
        if type(cls) is not type or "__slots__" in cls.__dict__:
            return None
        required = _Field(kw_only=kw_only)  # most fields are alike
        for name, annotation in vars(cls).get("__annotations__", {}).items():
            if getattr(annotation, "__origin__", annotation) is ClassVar:
                continue
            value = cls.__dict__.get(name, _MISSING)
            if "dataclasses" in (type(annotation).__module__, type(value).__module__):
                return None
            if isinstance(annotation, str) and any(word in annotation for word in _IN_TEXT):
                return None
            if value is _MISSING or isinstance(value, MemberDescriptorType):
                value = required
            elif not isinstance(value, _Field):
                value = _Field(value)
            if value.kw_only is _MISSING:
                value.kw_only = kw_only
            found[name] = value
        return found

    def _made(written, layout, frozen, slots, kw_only):
        """Return the class with its methods. written: the class as written in the source, which is not modified."""
        own = {name: value for name, value in vars(written).items() if name not in layout}
        own.pop("__dict__", None)
        own.pop("__weakref__", None)
        inherited = {name for base in written.__mro__[1:-1] for name in vars(base).get("__slots__", ())}
        compared = [name for name, one in layout.items() if one.compare]
        hashed = [name for name, one in layout.items() if (one.compare if one.hash is None else one.hash)]
        members = {
            "__match_args__": tuple(name for name, one in layout.items() if not one.kw_only),
            "__repr__": _shown,
            "__eq__": _equality(_values_of(compared)),
            "__replace__": replace,
        }
        if frozen:
            members["__hash__"] = _hash_of(_values_of(hashed))
            members |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
            if slots:
                members |= {"__getstate__": _state, "__setstate__": _set_state}
        members |= {name: value for name, value in own.items() if not (name == "__hash__" and value is None)}
        if slots:
            members["__slots__"] = tuple(name for name in layout if name not in inherited)
        else:
            members |= {name: one.default for name, one in layout.items() if one.default is not _MISSING}
        members |= {_LAYOUT: (frozen, layout), "__qualname__": written.__qualname__}
        members["__doc__"] = written.__doc__ or written.__name__
        for name in ("__dataclass_fields__", "__dataclass_params__"):
            members[name] = _OfStandard(name, written, frozen, kw_only)
        cls = type(written.__name__, written.__bases__, members)  # whole: each change of a class takes time
        if "__init__" not in own:
            cls.__init__ = _first_init(cls, layout, frozen)
        return cls

    class _OfStandard:
        """An attribute that the standard decorator would create, which is called when it is first used."""

        def __init__(self, name, written, frozen, kw_only):
            self._name, self._written = name, written
            self._options = {"frozen": frozen, "kw_only": kw_only, "init": False, "repr": False, "eq": False}

        def __get__(self, one, kind=None):
            with _TURN:
                if self._name not in vars(self._written):
                    _by_standard(self._written, **self._options)
            return vars(self._written)[self._name]

    def _by_standard(cls, **options):
        import dataclasses

        for name, value in list(vars(cls).items()):
            if isinstance(value, _Field):
                setattr(cls, name, _standard_field(value))
        return dataclasses.dataclass(**options)(cls)

    def _standard_field(one, **further):
        import dataclasses

        given = {"default": one.default, "default_factory": one.factory, "kw_only": one.kw_only}
        given = {name: value for name, value in given.items() if value is not _MISSING}
        return dataclasses.field(repr=one.repr, hash=one.hash, compare=one.compare, **given, **further)

    def _first_init(cls, layout, frozen):
        """Return the `__init__` of a class, which gets generated code once many objects are created.

        It always remains the same function object, because accel.plugins.guard makes sure that no plugin replaces one.
        """
        made = 0

        def fill(one, values, named):
            """Set the fields of one of the first objects; return False if the generated `__init__` should be used."""
            nonlocal made
            made += 1
            known = None if made > _FIRST else _fields_of(layout, values, named)
            if known is None:
                _write_init(cls, own, layout, frozen)
                return False
            for name, value in known.items():
                object.__setattr__(one, name, value)
            if hasattr(cls, "__post_init__"):
                one.__post_init__()
            return True

        own = {"_fill": fill}
        init = FunctionType(_unwritten.__code__, own, "__init__")
        init.__qualname__, init.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
        own["_init"] = init
        return init

    def _unwritten(self, *values, **named):
        if not _fill(self, values, named):  # noqa: F821  names of `own`
            _init(self, *values, **named)  # noqa: F821

    def _fields_of(layout, values, named):
        """Return all fields by name; None if the arguments do not match them."""
        by_place = [name for name, one in layout.items() if not one.kw_only] if values else ()
        found, placed = {}, dict(zip(by_place, values, strict=False))
        if len(placed) < len(values) or not placed.keys().isdisjoint(named):
            return None
        named = placed | named
        for name, one in layout.items():
            if name in named:
                found[name] = named.pop(name)
            elif one.default is not _MISSING:
                found[name] = one.default
            elif one.factory is not _MISSING:
                found[name] = one.factory()
            else:
                return None
        return None if named else found

    def _write_init(cls, own, layout, frozen):
        """Install the generated code of a class's `__init__`."""
        own.update(_new=_MISSING, _set=object.__setattr__)
        by_place, by_name, lines = [], [], []
        for name, one in layout.items():
            value, parameter = name, name
            if one.default is not _MISSING:
                own[f"_default_{name}"] = one.default
                parameter = f"{name}=_default_{name}"
            elif one.factory is not _MISSING:
                own[f"_factory_{name}"] = one.factory
                parameter = f"{name}=_new"
                value = f"_factory_{name}() if {name} is _new else {name}"
            (by_name if one.kw_only else by_place).append(parameter)
            slot = getattr(cls, name, None)
            if not frozen:
                lines.append(f"self.{name} = {value}")
            elif isinstance(slot, MemberDescriptorType):
                own[f"_set_{name}"] = slot.__set__
                lines.append(f"_set_{name}(self, {value})")
            else:
                lines.append(f'_set(self, "{name}", {value})')
        if hasattr(cls, "__post_init__"):
            lines.append("self.__post_init__()")
        parameters = ", ".join(("self", *by_place, *(("*", *by_name) if by_name else ())))
        exec(f"def _written({parameters}):\n " + "\n ".join(lines or ["pass"]), own)  # names of fields, nothing else
        written, init = own["_written"], own["_init"]
        init.__defaults__, init.__kwdefaults__ = written.__defaults__, written.__kwdefaults__
        init.__code__ = written.__code__

    def _values_of(names):
        """Return a function that returns the tuple of these attributes of an object."""
        if len(names) > 1:
            return attrgetter(*names)
        return (lambda one: (getattr(one, names[0]),)) if names else (lambda one: ())

    def _equality(values):
        def equal(self, other):
            if other is self:
                return True
            if other.__class__ is self.__class__:
                return values(self) == values(other)
            return NotImplemented

        return equal

    def _hash_of(values):
        def hashed(self):
            return hash(values(self))

        return hashed

    def _shown(self):
        shown = (name for name, one in getattr(type(self), _LAYOUT)[1].items() if one.repr)
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    def _refuse_to_set(self, name, value):
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def _refuse_to_delete(self, name):
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def _state(self):
        return [getattr(self, name) for name in getattr(type(self), _LAYOUT)[1]]

    def _set_state(self, state):
        for name, value in zip(getattr(type(self), _LAYOUT)[1], state, strict=True):
            object.__setattr__(self, name, value)
