"""Records behave as frozen, slotted, keyword-only dataclasses do."""

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from typing import ClassVar

import pytest

from accel.record import record


@record
class Board:
    """A board."""

    name: str
    watts: float | None = None
    ports: tuple[int, ...] = field(default=())
    notes: dict[str, str] = field(default_factory=dict)


@record
class Twin(Board):
    maker: ClassVar[str] = "Acme"

    second: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordinary(Board):
    """What a vendor may write without knowing of records."""

    lanes: int = 16


@record
class OnOrdinary(Ordinary):
    speed: int | None = None


KINDS = (Board, Twin, Ordinary, OnOrdinary)


@pytest.mark.parametrize("kind", KINDS)
def test_the_dataclass_functions_work_on_it(kind: type[Board]) -> None:
    one = kind(name="X1", ports=(1, 2))
    assert [f.name for f in fields(one)][:4] == ["name", "watts", "ports", "notes"]
    assert asdict(one)["ports"] == (1, 2)
    assert replace(one, watts=3.0).watts == 3.0
    assert one.watts is None


@pytest.mark.parametrize("kind", KINDS)
def test_it_can_be_copied_and_sent_to_another_process(kind: type[Board]) -> None:
    one = kind(name="X1", notes={"a": "b"})
    assert pickle.loads(pickle.dumps(one)) == one
    deep = copy.deepcopy(one)
    assert deep == one
    assert deep.notes is not one.notes


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_it_can_be_changed(kind: type[Board]) -> None:
    one = kind(name="X1")
    with pytest.raises(FrozenInstanceError):
        one.name = "X2"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del one.name
    assert not hasattr(one, "__dict__")


@pytest.mark.parametrize("kind", [Board, Twin, OnOrdinary])
def test_a_missing_or_unknown_field_is_named(kind: type[Board]) -> None:
    with pytest.raises(TypeError, match=r"lacks 'name'"):
        kind()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"has no colour"):
        kind(name="X1", colour="red")  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        kind("X1")  # type: ignore[misc]


def test_equal_means_of_one_class_and_equal_in_every_field() -> None:
    assert Board(name="X1") == Board(name="X1")
    assert Board(name="X1") != Board(name="X2")
    assert Board(name="X1") != Twin(name="X1")
    flat = Twin(name="X1", notes=None)  # type: ignore[arg-type]
    assert hash(flat) == hash(replace(flat))


def test_every_record_has_its_own_mutable_default() -> None:
    assert Board(name="a").notes is not Board(name="b").notes


def test_what_belongs_to_the_class_is_no_field() -> None:
    assert Twin.maker == Twin(name="X1").maker == "Acme"
    assert "maker" not in repr(Twin(name="X1"))


def test_its_repr_and_signature_show_the_fields() -> None:
    assert repr(Board(name="X1")) == "Board(name='X1', watts=None, ports=(), notes={})"
    assert list(inspect.signature(Twin).parameters) == ["name", "watts", "ports", "notes", "second"]
