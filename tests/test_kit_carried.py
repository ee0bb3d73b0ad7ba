"""What the kit takes from the process in which a plugin runs: plain values and records, and nothing that acts."""

import io
import json
import os
import pickle
import queue
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from accel.kit import process
from accel.kit.carried import NotCarried, holds_shape, read, written
from accel.kit.child import HEAD, Orders
from accel.kit.evidence import Answer, KitRun, Loading
from accel.kit.subject import Subject
from accel.model.device import Device, Memory, Process
from accel.model.report import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    width: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AcmeDevice(Device):
    mode: Literal["fast", "safe"] | None = None
    lanes: tuple[Lane, ...] = ()
    rates: tuple[float, str] = (0.5, "x")


DEVICE = AcmeDevice(
    id="acme:0", index=0, backend="acme", vendor="Acme", kind="npu", mode="fast", lanes=(Lane(width=4),), name="A\ud800"
)
VALUES = [
    *(None, True, 0, -(2**70), 1.5, float("inf"), "é\x00", b"\xff", (1, [2], {"a": {3}}), {(1, 2): frozenset({4})}),
    *(Memory(total_bytes=1), Process(pid=3), (Report(backend="acme", source="x", devices=(DEVICE,)),)),
    Answer(call="probe", machine="", situation="", value=[Memory(total_bytes="not a number")], commands=(("a", 1.0),)),  # type: ignore[arg-type]
]


class Acts:
    def __reduce__(self) -> Any:
        return os.mkdir, ("acted",)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_comes_back_as_it_was(value: object) -> None:
    again = read(written(value))
    assert _plain(again) == _plain(value)
    assert type(again).__name__ == type(value).__name__


def test_a_plugins_record_comes_back_with_its_fields_types_and_defaults() -> None:
    import msgspec

    one, other = read(written(DEVICE)), read(written(DEVICE))
    assert type(one) is type(other) is not AcmeDevice
    assert isinstance(one, Device)
    assert one == other
    assert [f.name for f in fields(one)] == [f.name for f in fields(DEVICE)]
    bare = {f.name: getattr(DEVICE, f.name) for f in fields(Device)}
    assert type(one)(**bare).rates == (0.5, "x")
    with pytest.raises(msgspec.ValidationError, match="mode"):
        msgspec.convert({**bare, "mode": "slow"}, type(one))


def test_a_record_that_is_given_twice_is_written_once() -> None:
    one, other = read(written((DEVICE, DEVICE)))
    assert one is other
    assert len(written((DEVICE,) * 1000)) < len(written((DEVICE,))) + 20_000


@pytest.mark.parametrize(
    "value", [object(), os.getcwd, (1 for _ in ()), io.BytesIO(), Acts()], ids=lambda one: type(one).__name__
)
def test_what_is_no_plain_value_is_not_carried(value: object) -> None:
    with pytest.raises(NotCarried, match="cannot carry a"):
        written([value])


@pytest.mark.parametrize(
    "told",
    [
        {"a": 1},
        ["os.system", ["true"]],
        ["record", ["os", "stat_result"], []],
        ["record", ["accel.kit.process", "Trying"], []],
        ["record", ["accel.model.device", "dataclass"], []],
        ["record", ["accel.model.device", "Memory"], [1]],
        ["record", {"name": "x", "device": False, "fields": [["class", "int"]]}, [1]],
        ["again", 7],
        [],
    ],
    ids=json.dumps,
)
def test_what_was_not_written_so_is_refused(told: object) -> None:
    with pytest.raises((TypeError, ValueError, KeyError, IndexError)):
        read(json.dumps(told).encode())


@pytest.mark.parametrize("message", [Acts(), ("done", ("load", ""), Acts()), ("end",)], ids=["bare", "result", "end"])
def test_a_pickle_on_the_pipe_is_refused_and_does_nothing(
    message: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _heard(pickle.dumps(message))[0] == "unread"
    assert not (tmp_path / "acted").exists()


def test_a_message_of_another_shape_is_refused() -> None:
    wrong_run = KitRun(machine="m", situation="", answers=("no answer",))  # type: ignore[arg-type]
    for message in (("step", 1), ("done", ("load", ""), "yes"), ("done", ("m", ""), wrong_run), ("stop",), {"end": 1}):
        assert _heard(written(message)) == ("unread", "no message"), message
    right = ("done", ("load", ""), Loading(seconds=1))
    assert _heard(written(right)) == right


def test_orders_reach_the_child() -> None:
    subject = Subject(
        name="acme",
        module="accel_acme",
        distribution="accel-acme",
        version=None,
        api_said=True,
        clash=None,
        readme=None,
        signs=(),
        data=False,
        packaged=True,
    )
    orders = Orders(subject=subject, paths=("/a",), done=frozenset({("m", "")}), skip=frozenset({"probe"}))
    assert read(written(orders)) == orders
    assert holds_shape(orders, Orders)


def _heard(payload: bytes) -> Any:
    messages: queue.Queue[Any] = queue.Queue()
    process._read(io.BytesIO(HEAD.pack(len(payload)) + payload), messages)
    return messages.get_nowait()


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return type(value).__name__, {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return type(value)(map(_plain, value)) if isinstance(value, tuple | list) else value
