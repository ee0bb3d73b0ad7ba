"""Which devices are chosen, and what is said of those that are not."""

from collections.abc import Callable, Sequence
from itertools import combinations
from random import Random
from typing import Any

import pytest

from accel.model.device import Device, Process
from accel.model.errors import BadInput, RequirementUnmet
from accel.model.wiring import Link, NumaNode, PciFunction, Wiring
from accel.specs import load
from accel.vendors.contract.backend import Mask
from accel.watch.choose.choice import Candidates, Choice
from accel.watch.choose.fitness import Wanted, check_wanted
from accel.watch.choose.nearness import Way, nearness
from accel.watch.choose.sets import best_sets

GIB = 2**30
HELD = (Process(pid=71, name="python3", user="alice", memory_bytes=30 * GIB), Process(pid=72, memory_bytes=GIB))


def gpu(number: int, **facts: Any) -> Device:
    """Return an idle and empty GPU of 80 GiB."""
    usual: dict[str, Any] = {
        "id": f"nvidia:{number}",
        "backend": "nvidia",
        "vendor": "NVIDIA",
        "kind": "gpu",
        "name": "NVIDIA H100",
        "architecture": "hopper",
        "compute_capability": "9.0",
        "memory_total_bytes": 80 * GIB,
        "memory_free_bytes": 79 * GIB,
        "utilization_percent": 0.0,
        "health": "ok",
        "processes": (),
    }
    return Device(index=number, **{**usual, **facts})


NUMA = nearness(load().table("system/paths"))
UNKNOWN = {"memory_total_bytes": None, "memory_free_bytes": None, "utilization_percent": None}
CPU = Device(id="cpu:0", index=0, backend="cpu", vendor="CPU", kind="cpu")


def shown(devices: Sequence[Device]) -> Mask:
    return Mask(environment={"MASK": ",".join(device.id for device in devices)})


def chosen(devices: Sequence[Device], count: int = 1, **asked: Any) -> Choice:
    mask, taken = asked.pop("mask", shown), asked.pop("taken", None)
    wanted = Wanted(count=count, **asked)
    return Candidates(devices, wanted, mask=mask, near=NUMA, specs=load).choose(taken)


def ids(choice: Choice) -> list[str]:
    return [device.id for device in choice.devices]


def reasons(devices: Sequence[Device], count: int = 1, **asked: Any) -> dict[str, str]:
    with pytest.raises(RequirementUnmet) as unmet:
        chosen(devices, count, **asked)
    assert all(f"  {name}" in str(unmet.value) for name in unmet.value.reasons)
    return unmet.value.reasons


MISSES: list[tuple[str, dict[str, Any], dict[str, Any], str | None]] = [
    ("idle and empty", {}, {}, None),
    ("critical", {"health": "critical"}, {}, "its health is critical"),
    ("of unknown health", {"health": "unknown"}, {}, None),
    (
        "more than half in use",
        {"memory_free_bytes": 39 * GIB, "processes": HELD},
        {},
        "39.0 of 80.0 GiB free; pid 71 (alice, python3) and 1 more use it",
    ),
    ("half free", {"memory_free_bytes": 40 * GIB, "processes": HELD}, {}, None),
    (
        "held, and half free",
        {"memory_free_bytes": 40 * GIB, "processes": HELD[:1]},
        {"unused": True},
        "pid 71 (alice, python3) uses it",
    ),
    ("nobody known", {"processes": None}, {"unused": True}, "who uses it is unknown"),
    ("memory held by nobody", {"memory_free_bytes": 3 * GIB}, {}, "3.0 of 80.0 GiB free"),
    ("at the threshold", {"memory_free_bytes": 20 * GIB}, {"min_free_bytes": 20 * GIB}, None),
    ("below it", {"memory_free_bytes": 20 * GIB - 1}, {"min_free_bytes": 20 * GIB}, "20.0 of 80.0 GiB free"),
    ("less than the share", {}, {"min_free_share": 1.0}, "79.0 of 80.0 GiB free"),
    ("used told, free not", {"memory_free_bytes": None, "memory_used_bytes": 70 * GIB}, {}, "10.0 of 80.0 GiB free"),
    ("nothing known, nobody on it", UNKNOWN, {}, None),
    (
        "nothing known",
        {**UNKNOWN, "processes": None},
        {},
        "neither its free memory nor who uses it is known; how busy it is, is unknown",
    ),
    (
        "held, and no more known",
        {**UNKNOWN, "processes": HELD[1:]},
        {},
        "its free memory is not known; how busy it is, is unknown; pid 72 uses it",
    ),
    ("nobody on it, an amount asked for", UNKNOWN, {"min_free_bytes": GIB}, "its free memory is not known"),
    ("nobody on it, a share asked for", UNKNOWN, {"min_free_share": 0.1}, "its free memory is not known"),
    ("nothing asked", {**UNKNOWN, "processes": None}, {"min_free_bytes": 0, "max_use_percent": 100}, None),
    ("busy", {"utilization_percent": 51.0}, {}, "51 % busy"),
    ("as busy as may be", {"utilization_percent": 50.0}, {}, None),
    ("busy, which nobody asks", {"utilization_percent": 99.0}, {"max_use_percent": 100}, None),
    ("load not known", {"utilization_percent": None, "processes": None}, {}, "how busy it is, is unknown"),
    ("an older format", {}, {"dtype": "bf16"}, None),
    (
        "a format that it lacks",
        {"architecture": "volta", "compute_capability": "7.0"},
        {"dtype": "bf16"},
        "does not support bf16",
    ),
    (
        "a format, architecture and model unknown",
        {"architecture": None, "compute_capability": None, "name": None},
        {"dtype": "bf16"},
        "whether it computes in bf16 is not known",
    ),
    (
        "a format, told by the model",
        {"architecture": None, "compute_capability": None},
        {"dtype": "torch.bfloat16"},
        None,
    ),
    ("not as capable", {}, {"compute_capability": "10.0"}, "its compute capability is 9.0, 10.0 needed"),
    ("of another vendor", {"backend": "amd", "vendor": "AMD"}, {"vendor": "nvidia"}, "it is from AMD"),
    ("of another kind", {"kind": "npu"}, {"kind": "gpu"}, "its kind is npu"),
    ("a whole one", {}, {"partition": True}, "it is a whole device"),
    ("a part", {"parent": "nvidia:9"}, {"partition": False}, "it is a partition"),
]


@pytest.mark.parametrize(("facts", "asked", "reason"), [pytest.param(*row[1:], id=row[0]) for row in MISSES])
def test_a_device_fits_or_is_said_why_not(facts: dict[str, Any], asked: dict[str, Any], reason: str | None) -> None:
    one = gpu(0, **facts)
    if reason is None:
        assert ids(chosen([one, CPU], **asked)) == ["nvidia:0"]
    else:
        assert reason in reasons([one, CPU], **asked)["nvidia:0"]


def test_what_somebody_has_taken_and_what_a_mask_hides_is_passed_over() -> None:
    def mask(devices: Sequence[Device]) -> Mask:
        return Mask(refused="MASK=1 hides it") if devices[0].index == 0 else shown(devices)

    taken = {"nvidia:1": "taken by accel for python, pid 5 of bob"}
    choice = chosen([gpu(n) for n in range(3)], mask=mask, taken=taken)
    assert ids(choice) == ["nvidia:2"]
    assert choice.environment == {"MASK": "nvidia:2"}
    assert choice.passed_over == {"nvidia:0": "MASK=1 hides it", **taken}
    assert reasons([gpu(0), gpu(1)], mask=mask, taken=taken) == choice.passed_over


def test_no_accelerator_is_said_with_the_way_on() -> None:
    with pytest.raises(RequirementUnmet, match=r"no accelerator was found\. Try  accel doctor"):
        chosen([CPU])


def test_devices_of_two_vendors_are_never_taken_together() -> None:
    other = gpu(0, id="amd:0", backend="amd", vendor="AMD", memory_total_bytes=192 * GIB, memory_free_bytes=192 * GIB)
    assert ids(chosen([gpu(0), other])) == ["amd:0"]
    assert ids(chosen([gpu(0), gpu(1), other], 2)) == ["nvidia:0", "nvidia:1"]
    with pytest.raises(RequirementUnmet, match="individually, but not together"):
        chosen([gpu(0), other], 2)


def test_parts_are_never_taken_beside_whole_devices_and_come_after_them() -> None:
    whole = gpu(0, memory_free_bytes=50 * GIB)
    divided = gpu(1)
    parts = [gpu(1, id=f"nvidia:1/mig{n}", parent="nvidia:1") for n in (0, 1)]
    machine = [whole, divided, *parts]
    assert ids(chosen(machine)) == ["nvidia:0"]
    assert ids(chosen(machine, partition=True)) == ["nvidia:1/mig0"]
    assert ids(chosen(machine, 2)) == ["nvidia:1/mig0", "nvidia:1/mig1"]
    assert reasons(machine, 3)["nvidia:1"] == "it is divided into partitions, which are offered instead"


def test_the_next_best_set_is_taken_where_the_runtime_cannot_be_given_the_best() -> None:
    pairs = ((0, 1), (2, 3))

    def mask(devices: Sequence[Device]) -> Mask:
        told = tuple(device.index for device in devices)
        return shown(devices) if len(told) == 1 or told in pairs else Mask(refused="only neighbours")

    busy = [gpu(0, processes=HELD), *(gpu(n) for n in (1, 2, 3))]
    assert ids(chosen(busy, 2, mask=mask)) == ["nvidia:2", "nvidia:3"]
    with pytest.raises(RequirementUnmet, match="not together: only neighbours"):
        chosen(busy, 3, mask=mask)


BETTER: list[tuple[str, list[dict[str, Any]], int, list[int]]] = [
    ("unused before used", [{"processes": HELD}, {}], 1, [1]),
    ("healthy before warned of", [{"health": "warning"}, {}], 1, [1]),
    ("more free memory", [{"memory_free_bytes": 60 * GIB}, {}], 1, [1]),
    ("less busy", [{"utilization_percent": 40.0}, {}], 1, [1]),
    ("alike, though apart", [{"name": "T4", "numa_node": 0}, {"numa_node": 0}, {"numa_node": 1}], 2, [1, 2]),
    (
        "near, though fuller",
        [{"numa_node": 0}, {"numa_node": 1, "memory_free_bytes": 60 * GIB}, {"numa_node": 1}],
        2,
        [1, 2],
    ),
    ("unused, though apart", [{"numa_node": 0}, {"numa_node": 0, "processes": HELD}, {"numa_node": 1}], 2, [0, 2]),
    ("known to be apart before not known", [{"numa_node": 0}, {"numa_node": 1}, {}], 2, [0, 1]),
    ("the one whose going leaves the others near", [{"numa_node": n} for n in (0, 0, 0, 1, 1)], 1, [3]),
    ("the first of equals", [{}, {}, {}], 1, [0]),
]


@pytest.mark.parametrize(("facts", "count", "best"), [pytest.param(*row[1:], id=row[0]) for row in BETTER])
def test_the_better_devices_are_taken(facts: list[dict[str, Any]], count: int, best: list[int]) -> None:
    choice = chosen([gpu(n, **one) for n, one in enumerate(facts)], count)
    assert [device.index for device in choice.devices] == best


def tree(seed: int, count: int) -> Callable[[Device, Device], Way]:
    """Return distances in a tree of switches below sockets, of uneven sizes."""
    draw = Random(seed)
    place = [(draw.randrange(2), draw.randrange(3)) for _ in range(count)]

    def near(one: Device, other: Device) -> Way:
        a, b = place[one.index], place[other.index]
        return Way(rank=1.0 if a == b else 3.0 if a[0] == b[0] else 5.0, means="")

    return near


@pytest.mark.parametrize("seed", range(12))
def test_of_many_sets_one_as_near_as_the_nearest_is_found(seed: int) -> None:
    devices = [gpu(n) for n in range(20)]
    near = tree(seed, len(devices))

    def apart(places: Sequence[Device]) -> tuple[float, float]:
        each = [near(one, other).rank for one, other in combinations(places, 2)]
        return max(each), sum(each)

    found = next(best_sets(devices, 5, near))  # 15504 sets: more than are looked at one by one
    assert apart(found) == min(apart(places) for places in combinations(devices, 5))


def test_sets_are_only_of_the_size_that_is_asked_for() -> None:
    devices = [gpu(n) for n in range(3)]
    assert [len(list(best_sets(devices, count, NUMA))) for count in (0, 1, 2, 3, 4)] == [0, 3, 3, 1, 0]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"count": 0}, "at least one device"),
        ({"min_free_bytes": -1}, "0 or more"),
        ({"min_free_share": 1.5}, "from 0 to 1"),
        ({"max_use_percent": 101}, "0 to 100 percent"),
        ({"dtype": "bf17"}, "no such dtype"),
        ({"kind": "gpus"}, "no such kind"),
        ({"vendor": "nvidea"}, "no such vendor is known. Did you mean 'nvidia'"),
    ],
)
def test_what_cannot_be_meant_is_refused(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        check_wanted(Wanted(**asked), ("nvidia",), load)


def test_the_nearest_way_that_is_known_counts_and_more_links_are_nearer() -> None:
    paths = load().table("system/paths")
    devices = [gpu(n, numa_node=n // 2, pci_address=f"0000:0{n}:00.0") for n in range(4)]
    links = [Link(one="nvidia:0", other="nvidia:3", path="NV4"), Link(one="nvidia:2", other="nvidia:0", path="NV2")]
    links += [Link(one="nvidia:0", other="nvidia:1", path="SYS"), Link(one="nvidia:0", other="nvidia:1", path="new")]
    roots = [
        PciFunction(address=d.pci_address or "", role="accelerator", above=(), host_bridge="pci0") for d in devices
    ]
    wiring = Wiring(functions=tuple(roots[:2]), numa_nodes=(NumaNode(index=0), NumaNode(index=1)))
    near = nearness(paths, wiring, links)
    words = [near(devices[0], other).means.partition(":")[0] for other in devices[1:]]
    assert words == ["PHB", "NV2", "NV4"]
    assert sorted(devices[1:], key=lambda other: near(devices[0], other).rank) == [devices[3], devices[2], devices[1]]
    assert near(devices[1], devices[2]).means.startswith("SYS: ")
    assert nearness(paths)(gpu(0), gpu(1)).means == "how they are joined is not known"


def test_one_mask_that_shows_all_spares_asking_for_each() -> None:
    asked: list[int] = []

    def counted(devices: Sequence[Device]) -> Mask:
        asked.append(len(devices))
        return shown(devices)

    assert len(ids(chosen([gpu(number) for number in range(64)], 2, mask=counted))) == 2
    assert asked == [64, 2]


def test_where_no_mask_shows_all_each_is_asked_for_and_says_why() -> None:
    def first_alone(devices: Sequence[Device]) -> Mask:
        return shown(devices) if [d.index for d in devices] == [0] else Mask(refused="it is closed")

    choice = chosen([gpu(0), gpu(1), gpu(2)], mask=first_alone)
    assert ids(choice) == ["nvidia:0"]
    assert choice.passed_over == {"nvidia:1": "it is closed", "nvidia:2": "it is closed"}


@pytest.mark.parametrize(
    ("facts", "asked", "says"),
    [
        pytest.param(
            {"memory_free_bytes": int(39.25 * GIB), "processes": HELD}, {}, "--min-free 39.2GiB: ", id="49 % are free"
        ),
        pytest.param({"utilization_percent": 71.3}, {}, "--max-use 72: ", id="busy"),
        pytest.param(
            {"memory_free_bytes": 20 * GIB, "utilization_percent": None, "processes": HELD},
            {},
            "--min-free 20GiB --max-use 100: ",
            id="both",
        ),
        pytest.param(
            {"memory_free_bytes": 39 * GIB, "processes": HELD},
            {"min_free_bytes": 60 * GIB},
            "--min-free 39GiB: ",
            id="less than was requested",
        ),
    ],
)
def test_the_options_with_which_devices_would_fit_are_said(
    facts: dict[str, Any], asked: dict[str, Any], says: str
) -> None:
    with pytest.raises(RequirementUnmet) as unmet:
        chosen([gpu(number, **facts) for number in range(8)], 2, **asked)
    last = str(unmet.value).splitlines()[-1]
    assert last == f"  these would fit with  {says}nvidia:0, nvidia:1"


@pytest.mark.parametrize(
    ("facts", "asked"),
    [({"health": "critical"}, {}), ({}, {"vendor": "amd"}), ({"memory_free_bytes": 9 * GIB}, {"kind": "tpu"})],
)
def test_no_option_is_said_where_none_would_help(facts: dict[str, Any], asked: dict[str, Any]) -> None:
    with pytest.raises(RequirementUnmet) as unmet:
        chosen([gpu(0, **facts)], **asked)
    assert "would fit" not in str(unmet.value)


def test_the_options_that_are_said_choose_these_devices() -> None:
    full = [gpu(number, memory_free_bytes=(40 - number) * GIB - 1, processes=HELD) for number in range(8)]
    with pytest.raises(RequirementUnmet, match=r"--min-free 38\.9GiB: nvidia:0, nvidia:1"):
        chosen(full, 2)
    assert ids(chosen(full, 2, min_free_bytes=int(38.9 * GIB))) == ["nvidia:0", "nvidia:1"]
    everywhere = {device.id: "taken by accel" for device in full}
    with pytest.raises(RequirementUnmet) as unmet:
        chosen(full, 2, taken=everywhere)
    assert "would fit" not in str(unmet.value)
