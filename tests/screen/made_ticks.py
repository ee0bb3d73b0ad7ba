"""Made-up ticks for the screen: devices that are well, ill, hidden, divided, and of all kinds of names."""

from dataclasses import replace
from typing import Any

from accel.model.device import Device, Gap
from accel.model.holding import RunningProcess
from accel.model.readings import ProcessReadings, Readings
from accel.watch.sampling.tick import Happening, Tick

GIB = 2**30
NAMES = (
    "NVIDIA H100 80GB HBM3",
    "某某科技 超级训练卡 X9000 旗舰版 80GB 液冷",
    "x" * 120,
    "\x1b[2Jevil\x07\u202e name\nof two lines",
    None,
)


def device(number: int, **facts: Any) -> Device:
    usual: dict[str, Any] = {
        "id": f"nvidia:{number}",
        "index": number,
        "backend": "nvidia",
        "vendor": "NVIDIA",
        "kind": "gpu",
        "name": NAMES[0],
        "memory_total_bytes": 80 * GIB,
    }
    return Device(**{**usual, **facts})


def readings(name: str, **facts: Any) -> Readings:
    usual: dict[str, Any] = {
        "busy_percent": 97.0,
        "saturated_percent": 41.0,
        "memory_total_bytes": 80 * GIB,
        "memory_used_bytes": 40 * GIB,
        "temperature_celsius": 61.0,
        "power_watts": 654.0,
        "power_limit_watts": 700.0,
        "clock_mhz": 1980,
        "clock_event_reasons": (),
        "health": "ok",
        "processes": (),
    }
    return Readings(id=name, **{**usual, **facts})


def process(pid: int, gibibytes: float | None = 1.0, **facts: Any) -> ProcessReadings:
    size = None if gibibytes is None else int(gibibytes * GIB)
    return ProcessReadings(pid=pid, **{"name": "python3", "memory_bytes": size, **facts})


PEOPLE = {
    100: RunningProcess(
        pid=100,
        name="python3",
        user="alice",
        command=("python3", "train.py", "--batch", "64"),
        started_at="2026-11-22T10:00:00Z",
        start_ticks=4711,
        state="running",
        scheduler="slurm",
        job="9",
    ),
    200: RunningProcess(pid=200, name="vllm", user="bob", command=("vllm", "serve"), start_ticks=1, state="sleeping"),
    300: RunningProcess(pid=300, name="kworker", user="root", command=(), start_ticks=1, state="blocked"),
}


def tick(number: int, listed: list[tuple[Device, Readings]], *happenings: Happening) -> Tick:
    return Tick(
        number=number,
        seconds=float(number),
        time=1795341600.0 + number,
        devices=tuple(one for one, _ in listed),
        readings=tuple(one for _, one in listed),
        happenings=happenings,
    )


def node(count: int, number: int = 0, **facts: Any) -> Tick:
    """Return a tick of a node with so many devices, each with two processes."""
    listed = []
    for place in range(count):
        held = (process(100 + place, 20.0, busy_percent=40.0), process(200 + place, 5.0 + place))
        its = {"busy_percent": float((place * 13 + number) % 101), "processes": held, **facts}
        listed.append((device(place), readings(f"nvidia:{place}", **its)))
    return tick(number, listed)


def zoo(number: int = 0) -> Tick:
    """Return a tick with everything out of the ordinary."""
    gap = Gap(fact="readings", reason="GPU is lost", device="nvidia:7")
    listed = [(device(n, name=name), readings(f"nvidia:{n}")) for n, name in enumerate(NAMES)]
    listed += [
        (device(5), Readings(id="nvidia:5")),
        (
            device(6),
            readings("nvidia:6", health="critical", clock_event_reasons=("hw-thermal-slowdown", "sw-power-cap")),
        ),
        (device(7), Readings(id="nvidia:7", state="gone", gaps=(gap,))),
        (device(8), Readings(id="nvidia:8", state="late")),
        (device(9), readings("nvidia:9", processes=(process(100, 3.0),))),
        (
            device(9, id="nvidia:9/mig0", parent="nvidia:9"),
            readings("nvidia:9/mig0", busy_percent=None, processes=(process(100, 3.0), process(300, None, name=None))),
        ),
    ]
    return tick(number, listed, Happening(kind="gone", text="nvidia:7 gives no readings any more: GPU is lost"))


def renamed(one: Tick, name: str) -> Tick:
    return replace(one, devices=tuple(replace(device, name=name) for device in one.devices))
