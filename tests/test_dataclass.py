"""Records' own `@dataclass` does what the standard library's does, and writes nothing before it is needed."""

import copy
import dataclasses
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, ClassVar

import pytest

from accel.model.dataclass import dataclass, field_names, is_record, replace
from accel.model.dataclass import field as own_field

DECORATORS = (dataclasses.dataclass, dataclass)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """A record of a module, as pickle wants it."""

    name: str
    cores: int | None = None
    rows: tuple[str, ...] = ()


def classes_of(decorator: Any) -> dict[str, Any]:
    field = dataclasses.field if decorator is dataclasses.dataclass else own_field

    @decorator(frozen=True, slots=True, kw_only=True)
    class Named:
        """A base."""

        kind: ClassVar[str] = "named"
        name: str
        note: str | None = field(default=None, compare=False)

    @decorator(frozen=True, slots=True, kw_only=True)
    class Counted(Named):
        """A subclass that adds fields, and another default for one of the base."""

        counts: list[int] = field(default_factory=list, hash=False)
        note: str | None = field(default="none", repr=False)

    @decorator(frozen=True, slots=True)
    class Placed:
        """Fields by place, one by name, and a method of its own."""

        x: int
        y: "int" = 2
        unit: str = field(default="m", kw_only=True)

        def __repr__(self) -> str:
            return f"({self.x}, {self.y})"

    @decorator(slots=True)
    class Open:
        """A record that changes, and says so after it was made."""

        n: int = 0

        def __post_init__(self) -> None:
            self.n += 1

    @decorator(frozen=True, slots=True)
    class Empty:
        pass

    @decorator(frozen=True)
    class Wide:
        """A record without slots, which keeps what it works out."""

        x: int = 1
        names: tuple[str, ...] = ()

        @cached_property
        def twice(self) -> int:
            return 2 * self.x

    return {kind.__name__: kind for kind in (Named, Counted, Placed, Open, Empty, Wide)}


def said(act: Any) -> Any:
    try:
        return act()
    except (TypeError, AttributeError) as error:
        return type(error), str(error)


ACTS = {
    "an object is shown": lambda c: [repr(c["Counted"](name="a")), repr(c["Placed"](1)), repr(c["Empty"]())],
    "equal fields make equal objects": lambda c: [
        c["Counted"](name="a", note="x") == c["Counted"](name="a", note="y"),
        c["Named"](name="a", note="x") == c["Named"](name="a", note="y"),
        c["Placed"](1) == c["Placed"](1, 2),
        c["Placed"](1) == c["Placed"](2),
        c["Named"](name="a") == c["Counted"](name="a"),
        c["Empty"]() == c["Empty"](),
    ],
    "the hash is that of the fields that are hashed": lambda c: [
        hash(c["Counted"](name="a", counts=[1])),
        hash(c["Named"](name="a")),
        hash(c["Placed"](1, unit="s")),
        hash(c["Empty"]()),
    ],
    "an open record has no hash": lambda c: hash(c["Open"]()),
    "what runs after the start runs": lambda c: c["Open"](4).n,
    "each object has a list of its own": lambda c: c["Counted"](name="a").counts is c["Counted"](name="a").counts,
    "a frozen field is not set": lambda c: setattr(c["Counted"](name="a"), "name", "b"),
    "a frozen field is not deleted": lambda c: delattr(c["Counted"](name="a"), "name"),
    "a record without slots keeps what it worked out": lambda c: [
        c["Wide"](x=4).twice,
        vars(c["Wide"](4)),
        c["Wide"].x,
    ],
    "a frozen record without slots is not set": lambda c: setattr(c["Wide"](), "x", 2),
    "a missing field is named": lambda c: c["Counted"](),
    "a strange field is named": lambda c: c["Counted"](name="a", nmae="b"),
    "a field by name is refused by place": lambda c: c["Named"]("a"),
    "the fields are listed": lambda c: {
        name: [(f.name, f.type, repr(f.default), f.kw_only, f.compare) for f in dataclasses.fields(kind)]
        for name, kind in c.items()
    },
    "a copy with changes is made": lambda c: repr(dataclasses.replace(c["Placed"](1), x=5, unit="s")),
    "a copy is equal": lambda c: copy.copy(c["Counted"](name="a")) == c["Counted"](name="a"),
    "an object becomes a dict": lambda c: dataclasses.asdict(c["Counted"](name="a", counts=[1])),
    "patterns match by place": lambda c: {name: kind.__match_args__ for name, kind in c.items()},
    "an object has slots for its fields alone": lambda c: {
        name: {slot for one in kind.__mro__ for slot in getattr(one, "__slots__", ("__dict__",) * (one is not object))}
        for name, kind in c.items()
    },
    "what is no field stays with the class": lambda c: c["Counted"].kind,
    "the class has its name": lambda c: [(kind.__name__, kind.__qualname__, kind.__module__) for kind in c.values()],
}


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_records_do_what_standard_dataclasses_do(act: Any) -> None:
    standard, own = (said(lambda d=decorator: act(classes_of(d))) for decorator in DECORATORS)

    assert own == standard


@pytest.mark.parametrize("base", DECORATORS, ids=("standard base", "own base"))
@pytest.mark.parametrize("decorator", DECORATORS, ids=("standard subclass", "own subclass"))
def test_a_strangers_dataclass_can_extend_a_record_and_the_other_way_round(base: Any, decorator: Any) -> None:
    named = classes_of(base)["Named"]

    @decorator(frozen=True, slots=True, kw_only=True)
    class Further(named):  # type: ignore[valid-type, misc]
        size: int = 3

    one = Further(name="a")

    assert dataclasses.replace(one, size=4).size == 4
    assert repr(one).endswith("Further(name='a', note=None, size=3)")
    assert one == Further(name="a", note="other")


def test_own_functions_do_what_the_standard_librarys_do() -> None:
    for kind in (classes_of(decorator)["Counted"] for decorator in DECORATORS):
        one = kind(name="a", counts=[1])
        assert field_names(one) == field_names(kind) == tuple(f.name for f in dataclasses.fields(kind))
        assert (is_record(one), is_record("a")) == (True, False)
        assert replace(one, name="b") == dataclasses.replace(one, name="b")


def test_what_the_own_decorator_does_not_do_is_left_to_the_standard_one() -> None:
    @dataclass(order=True)
    class Ordered:
        x: int
        y: list[int] = own_field(default_factory=list)

    @dataclass(frozen=True, slots=True)
    class Started:
        x: dataclasses.InitVar[int]
        y: int = dataclasses.field(default=0, init=False)

        def __post_init__(self, x: int) -> None:
            object.__setattr__(self, "y", x)

    assert Ordered(1) < Ordered(2, [3])
    assert Started(3).y == 3


def test_a_record_survives_pickling() -> None:
    one = Chip(name="a", rows=("x",))

    assert pickle.loads(pickle.dumps(one)) == one


def test_threads_that_use_a_class_for_the_first_time_at_once_agree() -> None:
    for _ in range(50):
        counted = classes_of(dataclass)["Counted"]
        with ThreadPoolExecutor(8) as pool:
            made = list(pool.map(lambda n, kind=counted: dataclasses.replace(kind(name="a"), counts=[n]), range(8)))
        assert [one.counts for one in made] == [[n] for n in range(8)]


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="there the standard library's decorator is used")
def test_records_are_made_without_the_standard_decorator() -> None:
    code = """
import sys
import accel.model.device, accel.model.diagnosis, accel.model.environment, accel.model.observation
import accel.model.report, accel.model.snapshot
from accel.model.dataclass import replace
replace(accel.model.snapshot.Host(), system="linux")
print([name for name in ("dataclasses", "inspect") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)

    assert done.stdout.strip() == "[]"
