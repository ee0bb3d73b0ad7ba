"""Snapshots that differ in numbers and names alone share a diagnosis, which is the one that each would have had."""

import json
import random
from typing import Any

import pytest

import accel.testing
from accel.collect.live import device_types, judged
from accel.fleet.alike import Alike
from accel.fleet.node import answer_of
from accel.fleet.traced import Questions, Trace
from accel.model.codec import decode_snapshot, encode_snapshot
from accel.plugins.registry import Registry

MACHINES = ["8xH100", "mi300x-8", "ascend-910b-8", "h100-mig", "mixed"]
NOTED = {
    "memory-use": {"total": "1081344000000", "available": "1073152000000"},
    "pressure": {"resource": "memory", "whose": "machine", "full_avg60": "0.00"},
    "disk-use": {"path": "/", "total": "270553174016", "free": "62740242432"},
    "kernel-settings": {"numa_balancing": "0"},
    "swap-use": {"total": "0", "used": "0"},
    "gathering-took": {"seconds": "0.6"},
}


def document(machine: str) -> dict[str, Any]:
    """Return the snapshot of a busy machine, with what a live one notes of itself."""
    with accel.testing.machine(machine) as made:
        for device in made.devices:
            made.busy(device, 97)
        found: dict[str, Any] = json.loads(encode_snapshot(accel.snapshot()))
    for fact, values in NOTED.items():
        said = f"{fact}: {values}"
        found["observations"].append({"kind": "noted", "fact": fact, "text": said, "values": list(values.items())})
    return found


def varied(made: dict[str, Any], chance: random.Random, wild: float) -> dict[str, Any]:
    """Return it as of another node: other names and readings, and with a chance of `wild` any number of any size."""
    one: dict[str, Any] = json.loads(json.dumps(made))
    node = f"gpu{chance.randrange(10**6)}"
    one["host"]["name"] = node
    for report in one["reports"]:
        for row in report["devices"]:
            for name in ("uuid", "serial"):
                row[name] = row[name] and f"{row[name][:4]}{node}-{row['index']}-of-this-node"
            rows = [row, *(link for link in row.get("nvlinks") or ())]
            for holder in rows:
                for name, value in holder.items():
                    if type(value) in (int, float) and name != "index":
                        holder[name] = _number(name, value, chance, wild)
    for noted in one["observations"][-len(NOTED) :]:
        for pair in noted["values"]:
            if pair[1][:1].isdecimal() and chance.random() < 0.5:
                like = float(pair[1]) * chance.uniform(0.8, 1.0 if chance.random() > wild else 0.0)
                pair[1] = f"{like:.2f}" if "." in pair[1] else str(int(like) + (chance.random() < wild))
        noted["text"] = f"{noted['fact']}: {noted['values']}"
    return one


def _number(name: str, value: float, chance: random.Random, wild: float) -> float:
    usual = name in ("temperature_celsius", "power_watts", "memory_used_bytes", "utilization_percent")
    if chance.random() < wild:
        new = float(value) * chance.choice((0, 0.1, 0.5, 1.5, 3)) + chance.choice((0, 0, 1, 30, 1e6))
    else:
        new = value * chance.uniform(0.97, 1.0) if usual else value
    return int(new) if isinstance(value, int) else float(new)


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry({})


@pytest.mark.parametrize("machine", MACHINES)
def test_the_shared_answer_is_the_full_one(machine: str, registry: Registry) -> None:
    made, chance = document(machine), random.Random(28)
    alike, types = Alike(registry), device_types(registry)
    for number in range(36):
        text = json.dumps(varied(made, chance, (0.0, 0.0, 0.002, 0.03)[number % 4]))
        answer = alike.answer(text.encode(), "there", str)
        snapshot = decode_snapshot(text, types, "there")
        assert answer == answer_of(snapshot, judged(snapshot, registry), source="there")
        assert all(type(value) is float for device in answer.devices for value in device.readings.values())
    assert alike.shared >= 14, (alike.judged, alike.shared)


def test_like_nodes_are_judged_once_and_one_that_differs_again(registry: Registry) -> None:
    made, chance, alike = document("8xH100"), random.Random(1), Alike(registry)
    for _ in range(5):
        alike.answer(json.dumps(varied(made, chance, 0.0)).encode(), "there", str)
    assert (alike.judged, alike.shared) == (2, 3)
    made["host"]["kernel"] = "6.8.0-31-generic"
    assert alike.answer(json.dumps(made).encode(), "there", str).versions["kernel"] == "6.8.0-31-generic"
    assert alike.judged == 3


@pytest.mark.parametrize("name", ["host", "serial"])
def test_a_name_that_is_elsewhere_too_is_no_mere_name(registry: Registry, name: str) -> None:
    made, alike = document("8xH100"), Alike(registry)
    row = made["reports"][1]["devices"][0]
    told = made["host"]["name"] if name == "host" else row["uuid"]
    made["environments"][0]["variables"] = [["CUDA_VISIBLE_DEVICES", told[:14]], ["MASTER_ADDR", told]]
    for _ in range(3):
        alike.answer(json.dumps(made).encode(), "there", str)
    made["host"]["name"], row["uuid"] = "other", "GPU-00000000-0000-0000-0000-000000000000"
    alike.answer(json.dumps(made).encode(), "there", str)
    assert (alike.judged, alike.shared) == (3, 1)


@pytest.mark.parametrize(
    ("ask", "same", "other"),
    [
        (lambda x: x > 3, 5, 2),
        (lambda x: x >= 3, 5, 2),
        (lambda x: abs(x - 4) <= 1.5, 3, 7),
        (lambda x: x and 1, 2, 0),
        (lambda x: f"{x:.0f}", 4, 5),
        (lambda x: x in (None, 9), 5, 9),
        (lambda x: {4: "four"}.get(x), 4, 5),
        (lambda x: max(x, 3) > 3, 5, 2),
        (lambda x: sorted([x, 2]) == [2, x], 5, 1),
        (lambda x: [1, 2, 3, 4, 5][x], 4, 2),
        (lambda x: 100 / x > 1, 5, 0),
        (lambda x: x.bit_length(), 4, 9),
        (lambda x: isinstance(x, int) and not isinstance(x, bool) and x % 2 == 0, 2, 3),
    ],
)
def test_what_is_asked_of_a_traced_number_is_asked_of_others(ask: Any, same: int, other: int) -> None:
    trace = Trace([4])
    ask(trace.number(0))
    questions = Questions(trace)
    assert questions.same([4])
    assert questions.same([same])
    assert not questions.same([other])
