"""A report of `neuron-monitor`: one JSON object per line every few seconds; the last one in a text counts.

    {"neuron_runtime_data": [{"pid": 4242, "report": {
        "neuroncore_counters": {"neuroncores_in_use": {"0": {"neuroncore_utilization": 42.0}}},
        "memory_used": {"neuron_runtime_used_bytes": {"usage_breakdown": {"neuroncore_memory_usage": {
            "0": {"constants": 196608, "model_code": 101125344, "tensors": 20971520}}}}}}}],
     "system_data": {"neuron_hw_counters": {"neuron_devices": [{"neuron_device_index": 0, "mem_ecc_corrected": 0, …}]}},
     "instance_info": {"instance_type": "trn1.2xlarge"},
     "neuron_hardware_info": {"neuron_device_type": "trainium", "neuron_device_count": 1,
        "neuron_device_memory_size": 34359738368, "neuroncore_per_device_count": 2, "error": ""}}

Seen: SDK 2.5 to 2.26; older ones lack type and memory size. Cores are numbered across all devices. A
device's utilization is the mean over its cores if one is in use: cores not listed were idle. Memory in use is the
sum of what the listed runtimes hold on it; None if none is listed.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from accel.model.dataclass import replace
from accel.model.device import Gap, Process
from accel.model.report import Report
from accel.text.amounts import word
from accel.text.json_values import json_values
from accel.vendors.contract.backend import Reader, Reading
from accel_neuron.model import BACKEND, NeuronDevice, health_of, neuron, with_family
from accel_neuron.readers.values import count

_Number = TypeVar("_Number", int, float)
_MOST_DEVICES: Final = 1024


def _read(text: str) -> Iterator[Reading]:
    last: tuple[Mapping[str, Any], int] | None = None
    for document, line in json_values(text, "{", '"neuron_hardware_info"'):
        if isinstance(document, dict) and isinstance(document.get("neuron_hardware_info"), dict):
            last = (document, line)
    if last is None:
        return
    document, line = last
    hardware = document["neuron_hardware_info"]
    error = hardware.get("error")
    gaps: tuple[Gap, ...] = ()
    if isinstance(error, str) and error:
        gaps = (Gap(fact="devices", reason=error, backend=BACKEND, source=READER.name),)
    devices = _devices(document, hardware)
    if devices or gaps:
        report = Report(
            backend=BACKEND,
            source=READER.name,
            status="partial" if gaps else "ok",
            trust=55,
            devices=devices,
            gaps=gaps,
        )
        yield Reading(source=READER.name, reports=(report,), first_line=line)


def _devices(document: Mapping[str, Any], hardware: Mapping[str, Any]) -> tuple[NeuronDevice, ...]:
    found = count(hardware.get("neuron_device_count"))
    cores = count(hardware.get("neuroncore_per_device_count"))
    if not found or found > _MOST_DEVICES:
        return ()
    kind, instance = hardware.get("neuron_device_type"), _inside(document, "instance_info").get("instance_type")
    errors = {
        count(entry.get("neuron_device_index")): entry
        for entry in _inside(document, "system_data", "neuron_hw_counters").get("neuron_devices") or ()
        if isinstance(entry, dict)
    }
    use, held = _runtimes(document)
    made = []
    for index in range(found):
        ids = tuple(range(index * cores, (index + 1) * cores)) if cores else None
        busy = [use[core] for core in ids or () if core in use] if use is not None else []
        processes = _held(held, ids)
        counted = errors.get(index, {})
        memory, sram = (count(counted.get(f"{kind}_ecc_uncorrected")) for kind in ("mem", "sram"))
        device = replace(
            neuron(index),
            core_count=cores,
            core_ids=ids,
            cores_per_logical_core=count(hardware.get("logical_neuroncore_config")),
            memory_total_bytes=count(hardware.get("neuron_device_memory_size")) or None,
            memory_used_bytes=_total([p.memory_bytes for p in processes]),
            utilization_percent=round(total / len(ids), 2) if ids and (total := _total(busy)) is not None else None,
            processes=processes or None,
            memory_corrected_errors=count(counted.get("mem_ecc_corrected")),
            memory_uncorrected_errors=memory,
            sram_corrected_errors=count(counted.get("sram_ecc_corrected")),
            sram_uncorrected_errors=sram,
            health=health_of(memory, sram),
        )
        made.append(
            with_family(
                device,
                instance=word(instance) if isinstance(instance, str) else None,
                kind=kind if isinstance(kind, str) else None,
            )
        )
    return tuple(made)


def _runtimes(
    document: Mapping[str, Any],
) -> tuple[dict[int, float | None] | None, dict[int, dict[int, int | None]]]:
    """Return each core's utilization in percent, and each process's memory per core: {pid: {core: bytes}}.

    None for unreadable values; also for the utilization if a core's number is missing.
    """
    use: dict[int, float | None] | None = {}
    held: dict[int, dict[int, int | None]] = {}
    runtimes = document.get("neuron_runtime_data")
    for runtime in runtimes if isinstance(runtimes, list) else ():
        if not isinstance(runtime, dict):
            continue
        for core, values in _inside(runtime, "report", "neuroncore_counters", "neuroncores_in_use").items():
            percent = values.get("neuroncore_utilization") if isinstance(values, dict) else None
            known = float(percent) if isinstance(percent, (int, float)) and 0 <= percent <= 100 else None
            if use is None or count(core) is None:
                use = None
                continue
            before = use.get(int(core), 0.0)
            use[int(core)] = None if before is None or known is None else before + known
        used = _inside(runtime, "report", "memory_used", "neuron_runtime_used_bytes", "usage_breakdown")
        pid = count(runtime.get("pid"))
        shares = _inside(used, "neuroncore_memory_usage")
        placed = all(count(core) is not None for core in shares)
        for core, parts in shares.items():
            if pid and count(core) is not None and isinstance(parts, dict):
                held.setdefault(pid, {})[int(core)] = _total([count(v) for v in parts.values()]) if placed else None
    return use, held


def _held(held: Mapping[int, Mapping[int, int | None]], ids: tuple[int, ...] | None) -> tuple[Process, ...]:
    shares = {pid: [cores[core] for core in ids or () if core in cores] for pid, cores in held.items()}
    return tuple(Process(pid=pid, memory_bytes=_total(sizes)) for pid, sizes in shares.items() if sizes)


def _total(values: Sequence[_Number | None]) -> _Number | None:
    """Return the sum; None if there are no values or one is unknown."""
    known = [value for value in values if value is not None]
    return sum(known[1:], known[0]) if known and len(known) == len(values) else None


def _inside(value: object, *keys: str) -> dict[str, Any]:
    """Return the object at this path; {} if there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


READER: Final = Reader(name="neuron-monitor", signs=('"neuron_hardware_info"',), read=_read)
