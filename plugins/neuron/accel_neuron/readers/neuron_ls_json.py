"""The output of `neuron-ls -j` (--json-output), indented or on one line.

    [{"neuron_device": 0, "bdf": "0000:00:1e.0", "cpu_affinity": "0-7", "numa_node": "-1", "connected_to": null,
      "nc_count": 2, "memory_size": 34359738368, "neuroncore_ids": [0, 1],
      "neuron_processes": [{"pid": 4242, "command": "python3 train.py", "neuron_runtime_version": "2.20.22"}]}]

Seen: SDK 2.5 to 2.26. Older ones write "00:1e.0", and have neither affinity nor core ids; newer ones add
"instance_type" and "logical_neuroncore_config". numa_node "-1" means none.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from accel.model.dataclass import replace
from accel.model.device import Process
from accel.model.report import Report
from accel.text.amounts import word
from accel.text.json_values import json_values
from accel.vendors.contract.backend import Reader, Reading
from accel_neuron.model import BACKEND, NeuronDevice, neuron, with_family
from accel_neuron.readers.values import addresses, count


def _read(text: str) -> Iterator[Reading]:
    for document, line in json_values(text, "[", '"neuron_device"'):
        entries = document if isinstance(document, list) else []
        made = (_device(entry) for entry in entries if isinstance(entry, dict))
        devices = {device.index: device for device in made if device is not None}
        if devices:
            report = Report(backend=BACKEND, source=READER.name, trust=70, devices=tuple(devices.values()))
            yield Reading(source=READER.name, reports=(report,), first_line=line)


def _device(entry: Mapping[str, Any]) -> NeuronDevice | None:
    index = count(entry.get("neuron_device"))
    if index is None or ("nc_count" not in entry and "memory_size" not in entry):
        return None
    whole, short = addresses(str(entry.get("bdf", "")))
    instance = entry.get("instance_type")
    made = replace(
        neuron(index),
        pci_address=whole,
        bus_address=short,
        numa_node=count(entry.get("numa_node")),
        core_count=count(entry.get("nc_count")),
        core_ids=_numbers(entry.get("neuroncore_ids")),
        cores_per_logical_core=count(entry.get("logical_neuroncore_config")),
        connected_to=_links(entry),
        cpu_affinity=word(str(entry.get("cpu_affinity") or "")),
        memory_total_bytes=count(entry.get("memory_size")),
        processes=_processes(entry.get("neuron_processes")),
    )
    return with_family(made, instance=word(instance) if isinstance(instance, str) else None)


def _links(entry: Mapping[str, Any]) -> tuple[int, ...] | None:
    """Return the linked devices. The tool writes null for a device without links."""
    if "connected_to" not in entry:
        return None
    return () if entry["connected_to"] is None else _numbers(entry["connected_to"])


def _numbers(value: object) -> tuple[int, ...] | None:
    if not isinstance(value, list):
        return None
    found = [count(item) for item in value]
    return tuple(item for item in found if item is not None) if None not in found else None


def _processes(value: object) -> tuple[Process, ...] | None:
    if not isinstance(value, list):
        return None
    entries = [entry for entry in value if isinstance(entry, dict)]
    pids = [(count(entry.get("pid")), entry.get("command")) for entry in entries]
    return tuple(
        Process(pid=pid, name=command if isinstance(command, str) and command else None)
        for pid, command in pids
        if pid is not None
    )


READER: Final = Reader(name="neuron-ls JSON", signs=('"neuron_device"',), read=_read)
