"""A node's devices in the formats of schedulers: a Kubernetes ResourceSlice, gres.conf lines, Ray resources.

Pure: the caller passes each device's node and its place in the topology.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.model.to_builtins import json_text

if TYPE_CHECKING:
    from accel.model.device import Device
    from accel.watch.topology import Member

_DRIVER: Final = "accel-sdk.example.com"  # a driver's name is the domain of the slice's publisher: replace it
_LONGEST: Final = 64  # maximum length of a string attribute
_MODEL: Final = re.compile(r"\b[A-Za-z]{1,20}\d{1,8}[A-Za-z0-9]{0,20}")
_VERSION: Final = re.compile(r"\d+(?:\.\d+){0,2}")


def resource_slice(
    devices: "Sequence[Device]", members: "Mapping[str, Member]", node: str, driver: str = _DRIVER
) -> str:
    """Return a ResourceSlice of resource.k8s.io/v1 as JSON, which kubectl accepts like YAML.

    members  of the topology, by device id: gives the PCIe root
    driver   the DNS name under which a kubelet plugin offers the devices

    Partitions are separate devices. A whole device that has partitions is left out: it cannot be allocated with them.
    """
    split = {device.parent for device in devices if device.parent}
    places = {device.id: device.id if device.is_top_level else device.parent or "" for device in devices}
    listed = [_dra(device, members.get(places[device.id])) for device in devices if device.id not in split]
    pool = {"name": node, "generation": 1, "resourceSliceCount": 1}
    document = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"generateName": f"{_label(node)}-"},
        "spec": {"driver": driver, "nodeName": node, "pool": pool, "devices": listed},
    }
    return json_text(document, indent=1) + "\n"


def _dra(device: "Device", member: "Member | None") -> dict[str, Any]:
    root = member.slot[0] if member is not None and member.slot else None
    strings = {
        "uuid": device.uuid,
        "vendor": device.vendor,
        "productName": device.name,
        "architecture": device.architecture,
        "computeTarget": device.target,
        "resource.kubernetes.io/pcieRoot": root,
        "resource.kubernetes.io/pciBusID": device.pci_address,
    }
    attributes: dict[str, Any] = {
        name: {"string": _bounded(value)} for name, value in strings.items() if value is not None
    }
    attributes["type"] = {"string": "partition" if device.is_partition else device.kind}
    for name, numbers in (("computeCapability", device.compute_capability), ("driverVersion", device.driver_version)):
        if (version := semantic_version(numbers)) is not None:
            attributes[name] = {"version": version}
    if device.numa_node is not None:
        attributes["numaNode"] = {"int": device.numa_node}
    if device.unified_memory is not None:
        attributes["unifiedMemory"] = {"bool": device.unified_memory}
    known: dict[str, Any] = {"name": _label(device.id), "attributes": attributes}
    if device.memory_total_bytes is not None:
        known["capacity"] = {"memory": {"value": str(device.memory_total_bytes)}}
    return known


def gres_lines(
    devices: "Sequence[Device]", members: "Mapping[str, Member]", node_of: "Callable[[Device], str | None]", host: str
) -> Iterator[str]:
    """Yield lines of Slurm's gres.conf, one per device; a comment for a device whose node is unknown.

    node_of  the path in /dev that Slurm constrains a job to, None if unknown
    """
    yield "# gres.conf as accel detects this node. Jobs request by name and type (--gres=gpu:h100:2); slurm.conf needs:"
    host = re.sub(r"[^A-Za-z0-9.-]+", "-", host).strip("-") or "localhost"
    whole = [device for device in devices if device.is_top_level]
    kinds = Counter((_gres_name(device), _gres_type(device)) for device in whole if node_of(device))
    asked = ",".join(f"{name}:{kind}:{count}" for (name, kind), count in kinds.items())
    if asked:
        yield f"#   GresTypes={','.join(dict.fromkeys(name for name, _ in kinds))}  NodeName={host} Gres={asked}"
    for device in whole:
        path = node_of(device)
        if path is None:
            yield f"# {device.id} ({_bounded(device.name or device.vendor)}): its node in /dev is not known here"
            continue
        member = members.get(device.id)
        near = f"  # NUMA node {member.numa_node}, CPUs {member.cpus}" if member is not None and member.cpus else ""
        yield f"NodeName={host} Name={_gres_name(device)} Type={_gres_type(device)} File={path}{near}"


def ray_resources(devices: "Sequence[Device]", resource_of: "Callable[[Device], str | None]") -> str:
    """Return the arguments of `ray start` for these devices, with the accelerator types that tasks may request.

    resource_of  Ray's name of a vendor's resource; None if Ray has none: the backend's name in capitals is used then
    """
    counts: Counter[str] = Counter()
    types: Counter[str] = Counter()
    for device in devices:
        if device.is_top_level:
            name = resource_of(device) or device.backend.upper()
            counts[name] += 1
            types[f"accelerator_type:{_ray_type(device)}"] = 1
    gpus = counts.pop("GPU", 0)
    words = [f"--num-gpus={gpus}"] if gpus else []
    if counts or types:
        words.append(f"--resources='{json_text({**counts, **types})}'")
    return " ".join(words) + "\n" if words else ""


def semantic_version(text: str | None) -> str | None:
    """Return a version in semver form, three numbers without leading zeros; None if it starts with no number.

    >>> semantic_version("570.124.06"), semantic_version("9.0"), semantic_version("gfx942")
    ('570.124.6', '9.0.0', None)
    """
    found = _VERSION.match(text or "")
    if found is None:
        return None
    return ".".join(str(int(part)) for part in (*found[0].split("."), "0", "0")[:3])


def _label(text: str) -> str:
    """Return a DNS label: "nvidia-0-mig1"."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:63].strip("-") or "node"


def _bounded(text: str) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in text)[:_LONGEST]


def _gres_name(device: "Device") -> str:
    return device.kind if device.kind in ("gpu", "npu", "tpu") else "accelerator"


def _ray_type(device: "Device") -> str:
    """Return Ray's name of the model: "H100" for "NVIDIA H100 80GB HBM3"."""
    found = _MODEL.search(device.name or "")
    return found[0] if found is not None else _gres_type(device).upper()


def _gres_type(device: "Device") -> str:
    """Return the model as one word: "h100_80gb_hbm3" for "NVIDIA H100 80GB HBM3"."""
    name = (device.name or device.architecture or device.backend).lower()
    maker = device.vendor.lower()
    return re.sub(r"[^a-z0-9.]+", "_", name.removeprefix(maker)).strip("_") or device.backend
