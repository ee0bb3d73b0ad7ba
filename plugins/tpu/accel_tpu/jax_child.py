"""The devices that JAX itself sees, from a child process: it acquires the chips briefly, so only at depth "deep".

The child prints one line per local device, after a marker that separates them from library output:

    accel-jax 0 TPU v4|0|0,0,0|0|68719476736|1024        id, kind, process, coords, core, limit and use in bytes
"""

import re
import sys
from typing import TYPE_CHECKING, Final

from accel.model.device import Gap
from accel.model.report import Report
from accel.text.pattern import pattern
from accel_tpu.generation import generation_of, product_name
from accel_tpu.model import TpuDevice

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

SOURCE: Final = "jax"
_SECONDS: Final = 90.0  # libtpu's initialization on a large host
CHILD: Final = r"""
import jax
for device in jax.local_devices():
    if device.platform != "tpu":
        continue
    stats = device.memory_stats() or {}
    print("accel-jax", device.id, "|".join(str(value) for value in (
        device.device_kind, device.process_index, ",".join(str(n) for n in getattr(device, "coords", ())),
        getattr(device, "core_on_chip", ""), stats.get("bytes_limit", ""), stats.get("bytes_in_use", ""))))
"""
_LINE: Final = pattern(r"^accel-jax (\d+) ([^|\n]*)\|(\d*)\|([\d,]*)\|(\d*)\|(\d*)\|(\d*)$", re.MULTILINE)


def jax_report(machine: "Machine") -> Report:
    """Start JAX in a child and report its local TPU devices, with the cores of one chip merged."""
    answer = machine.run([sys.executable, "-c", CHILD], timeout_seconds=_SECONDS)
    devices = _devices(answer.stdout)
    if devices:
        return Report(backend="tpu", source=SOURCE, trust=60, devices=devices)
    if answer.timed_out:
        reason = f"jax.devices() gave no answer in {_SECONDS:.0f} s; start the program on every host of the slice"
    else:
        last = next((line for line in reversed(answer.stderr.splitlines()) if line.strip()), "it lists no TPU")
        reason = f"a child that imports jax: {last.strip()[:300]}"
    gap = Gap(fact="jax.devices", reason=reason, backend="tpu", source=SOURCE)
    return Report(backend="tpu", source=SOURCE, status="failed", trust=60, gaps=(gap,))


def _devices(text: str) -> tuple[TpuDevice, ...]:
    chips: dict[object, list[re.Match[str]]] = {}
    for found in _LINE.finditer(text):
        chips.setdefault((found[3], found[4]) if found[4] else found[1], []).append(found)
    return tuple(_chip(index, cores) for index, cores in enumerate(chips.values()))


def _chip(index: int, cores: list["re.Match[str]"]) -> TpuDevice:
    first = cores[0]
    generation = generation_of(first[2])
    total, used = (_sum([core[n] for core in cores]) for n in (6, 7))
    return TpuDevice(
        id=f"tpu:{index}",
        index=index,
        backend="tpu",
        vendor="Google",
        kind="tpu",
        name=product_name(generation) or first[2] or None,
        architecture=generation,
        process_index=int(first[3]) if first[3] else None,
        coords=tuple(int(n) for n in first[4].split(",")) if first[4] else None,
        devices_per_chip=len(cores),
        memory_total_bytes=total,
        memory_used_bytes=used,
        memory_free_bytes=total - used if total is not None and used is not None else None,
    )


def _sum(values: list[str]) -> int | None:
    return sum(int(value) for value in values) if all(values) else None
