"""Records of what the pages show, as accel watch and accel advise would have kept them."""

import pickle
from pathlib import Path
from typing import Any

from accel.model.device import Device, Gap
from accel.model.readings import ProcessReadings, Readings
from accel.model.work import ProcessWork, Program, Work
from accel.watch.sampling.record import Recorder
from accel.watch.sampling.tick import Happening, Tick


def watched(path: Path) -> None:
    """Record what docs/watch.md shows: three devices, of which the last was lost."""
    names = [f"GPU-{n:08d}-1111-2222-3333-444455556666" for n in range(3)]
    devices = tuple(
        Device(
            id=f"nvidia:{n}",
            index=n,
            backend="nvidia",
            vendor="NVIDIA",
            kind="gpu",
            uuid=names[n],
            memory_total_bytes=85520809984,
            power_limit_watts=700.0,
        )
        for n in range(3)
    )
    why = "NVML error 15 GPU is lost, from nvmlDeviceGetMemoryInfo_v2"
    recorder = Recorder(str(path), 1.0)
    for number in range(13):
        gone = number > 5
        read = tuple(
            Readings(
                id=f"nvidia:{n}",
                uuid=names[n],
                busy_percent=(97.0, 42.0, 97.0)[n],
                memory_busy_percent=(61.0, 18.0, 61.0)[n],
                processes=(ProcessReadings(pid=700 + n, name="python"),),
                clock_mhz=(1605, 1980, 1605)[n],
                memory_used_bytes=42949672960,
                memory_total_bytes=85520809984,
                temperature_celsius=(63.0, 46.0, 60.0)[n],
                power_watts=(654.0, 324.0, 600.0)[n],
                power_limit_watts=700.0,
                clock_event_reasons=(("sw-power-cap",), (), ())[n],
            )
            if n < 2 or not gone
            else Readings(
                id="nvidia:2", uuid=names[2], state="gone", gaps=(Gap(fact="readings", device="nvidia:2", reason=why),)
            )
            for n in range(3)
        )
        said = (
            (Happening(kind="gone", device="nvidia:2", text=f"nvidia:2 gives no readings any more: {why}"),)
            if number == 6
            else ()
        )
        recorder.write(
            Tick(
                number=number,
                seconds=float(number),
                time=1.79e9 + number,
                devices=devices,
                readings=read,
                happenings=said,
            )
        )
    recorder.close()


def advised(path: Path) -> None:
    """Record what docs/advise.md shows: a program that prepares its data in the process that feeds the device."""
    device = Device(id="nvidia:0", index=0, backend="nvidia", vendor="NVIDIA", kind="gpu")
    program = Program(pid=4711, name="python", command=("python", "train.py"), cpus=8.0, variables=(), files=())
    recorder = Recorder(str(path), 0.25)
    cpu = 0.0
    for number in range(41):
        working = number % 5 < 2
        cpu += 0.0 if working else 0.25
        held = (ProcessReadings(pid=4711, name="python", memory_bytes=2**30),)
        read = Readings(id="nvidia:0", busy_percent=97.0 if working else 2.0, saturated_percent=31.0, processes=held)
        seconds = number / 4
        first = ProcessWork(pid=4711, cpu_seconds=cpu, running=0 if working else 1, threads=4)
        recorder.write(
            Tick(number=number, seconds=seconds, time=1.7e9 + seconds, devices=(device,), readings=(read,)),
            {4711: Work(seconds=seconds, processes=(first,))},
            (program,),
        )
    recorder.close()


def remembered(path: Path) -> None:
    """Write what docs/memory.md shows as torch would have: 40 segments of which every other block is free."""

    def frames(line: int, name: str) -> list[dict[str, Any]]:
        return [{"filename": "/home/ann/train.py", "line": line, "name": name}]

    size, asked = 32 << 20, 31 << 20
    blocks = [
        {
            "size": size,
            "requested_size": asked,
            "state": "inactive" if number % 2 else "active_allocated",
            "frames": frames(41, "forward") if number % 4 else frames(52, "attention"),
        }
        for number in range(16)
    ]
    segment = {"device": 0, "total_size": 16 * size, "is_expandable": False, "blocks": blocks}
    failed = {"action": "oom", "size": 2 << 30, "device_free": 300 << 20, "frames": frames(60, "forward")}
    path.write_bytes(pickle.dumps({"segments": [segment] * 40, "device_traces": [[failed]]}))
