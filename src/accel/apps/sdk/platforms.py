"""Which vendor's accelerators a program should use if there are several, and facts about each vendor's software."""

from collections.abc import Mapping, Sequence
from typing import Any

from accel.apps import api
from accel.model.dataclass import dataclass
from accel.model.device import Device
from accel.model.errors import BadInput
from accel.model.merge import merged_driver
from accel.model.report import Driver
from accel.model.snapshot import Host


def backend_named(vendor: str) -> str:
    """Return the name of the backend: "nvidia" for "NVIDIA" or "nvidia". Raises BadInput, with the closest match."""
    names = api._registry().backend_names
    known = {**{name.lower(): name for name in names}, **{maker.lower(): name for name, maker in names.items()}}
    found = known.get(vendor.lower()) if isinstance(vendor, str) else None
    if found is not None:
        return found
    from difflib import get_close_matches

    near = get_close_matches(str(vendor).lower(), known, n=1)
    meant = f"Did you mean {known[near[0]]!r}? " if near else ""
    raise BadInput(f"{vendor!r} is no vendor that accel knows. {meant}Known are: {', '.join(sorted(names))}.")


def words_of(backend: str) -> Mapping[str, Any]:
    """Return the row of specs/frameworks/device_types.yaml, else what the vendor's own declaration says."""
    table = api._specs().table("frameworks/device_types") or {"device_types": ()}
    row = dict(next((one for one in table["device_types"] if one["backend"] == backend), {}))
    stated = getattr(api._registry().backend(backend), "stated", None)
    masks = getattr(stated, "masks", None)
    if masks is not None:
        if "mask" not in row:
            row["mask"] = masks.lists[0][0]
        if "device_type" not in row and masks.names:
            row["device_type"] = masks.names[0]
    return row


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """The devices of one vendor that a new process would use, and their names in frameworks.

    backend       "nvidia", as in the ids of its devices
    vendor        "NVIDIA"
    device_type   torch's name: "cuda", "npu", "xpu", "hpu", "xla", "mps", "cpu"; None if unknown
    devices       those visible with the current masks, in the order of their ordinals; never empty
    jax_platform  JAX's name; None if JAX does not support it
    collectives   the backend of torch.distributed: "nccl", "hccl"; None if there is none or it is unknown
    mask_variable the environment variable that restricts visible devices; None if there is none
    ray_resource  the resource name in Ray: "GPU"; None if Ray has none
    why           the rule that decided, for people
    others        other backends with visible devices that were not chosen
    """

    backend: str
    vendor: str
    device_type: str | None
    devices: tuple[Device, ...]
    jax_platform: str | None = None
    collectives: str | None = None
    mask_variable: str | None = None
    ray_resource: str | None = None
    why: str = ""
    others: tuple[str, ...] = ()


def platform(prefer: str | None = None) -> Platform:
    """Return the accelerators that a program should run on: those of one vendor, or the CPU.

    prefer  a vendor to choose if it has a visible device

    If several vendors have visible devices, the first of these rules that tells them apart decides, and `why` says
    which:
        1. devices with their own memory before those that share the system's (integrated GPUs)
        2. the vendor with more memory in total on its visible devices
        3. the name of the backend, alphabetically
    A device counts if no mask hides it, whether or not a framework that can use it is installed. Without a visible
    accelerator the result is the CPU. Raises BadInput if `prefer` is unknown.
    """
    wanted = backend_named(prefer) if prefer is not None else None
    found = api.devices()
    groups: dict[str, list[Device]] = {}
    for device in found:
        if device.kind != "cpu" and device.visible is not False:
            groups.setdefault(device.backend, []).append(device)
    ranked = sorted(groups, key=lambda name: _rank(name, groups[name]))
    if wanted in groups:
        return _platform(groups, wanted, f"{prefer} was requested")
    if ranked:
        return _platform(groups, ranked[0], _why(ranked, groups))
    processors = [device for device in found if device.kind == "cpu"]
    if not processors:
        raise BadInput("No backend lists a device here, not even the processor: the plugin cpu is left out.")
    hidden = [device.id for device in found if device.kind != "cpu"]
    why = f"masks hide {', '.join(hidden)}" if hidden else "no accelerator is here"
    return _platform({processors[0].backend: processors}, processors[0].backend, why)


def driver(vendor: str) -> Driver | None:
    """Return a vendor's driver on this machine, merged from all sources; None if it is not installed.

    Unknown fields are None. Raises BadInput for an unknown vendor.
    """
    backend = backend_named(vendor)
    return merged_driver(r for r in api._reports(*api._way(None, None)) if r.backend == backend)


def mask_variable(vendor: str) -> str | None:
    """Return the environment variable that restricts the visible devices of a vendor: "CUDA_VISIBLE_DEVICES".

    None if its runtime has none, such as Apple's. If there are several, this is the one that `accel.pick` sets. The
    vendor needs no device on this machine. Raises BadInput for an unknown vendor.
    """
    found: str | None = words_of(backend_named(vendor)).get("mask")
    return found


def visible(environment: Mapping[str, str] | None = None) -> tuple[Device, ...]:
    """Return the accelerators that a new process with this environment would see, in the order of their ordinals.

    environment  all environment variables of the process; None: those of this process. Masks by index, UUID, the
                 beginning of a UUID, and MIG UUID are parsed as the vendor's runtime does

    Each device has its `ordinals` and `runtime_names` in that process. Devices whose visibility is unknown come last,
    with `visible` None; hidden devices are left out.
    """
    from accel.collect.live import apply_masks

    reports = api._reports(*api._way(None, None))
    if environment is not None:
        reports = apply_masks(reports, api._registry(), environment)
    from accel.model.merge import merged_devices

    shown = [d for d in merged_devices(reports)[0] if d.kind != "cpu" and d.visible is not False]
    return tuple(sorted(shown, key=_by_ordinal))


def host() -> Host:
    """Return what is known of this machine apart from its devices: system, kernel, WSL, container, memory.

    Probes no device and runs nothing. `Host.gaps` says why a field is None.
    """
    from accel.collect.host import host_facts

    return host_facts(api._machine())


def hardware_key(devices: Sequence[Device] | None = None) -> str:
    """Return a short identifier of this hardware, equal on equal hardware: a cache key for tuned kernels.

    devices  None: those of `platform()`

    It depends on each device's model, memory in GiB, compute capability and driver branch, in any order:
    "nvidia-8x-3f29c1a6". It does not identify the machine. Unknown values count as unknown, so a key made without a
    driver differs from one made with it. Raises BadInput if there are no devices.
    """
    chosen = platform().devices if devices is None else tuple(devices)
    if not chosen:
        raise BadInput("hardware_key() of no devices: give one at least, or None for those of accel.platform().")
    from hashlib import sha256

    told = sorted(
        "|".join(
            (
                device.backend,
                device.name or device.architecture or "?",
                "?" if device.memory_total_bytes is None else str(round(device.memory_total_bytes / 2**30)),
                device.compute_capability or "?",
                (device.driver_version or "?").partition(".")[0],
            )
        )
        for device in chosen
    )
    whose = "-".join(sorted({device.backend for device in chosen}))
    return f"{whose}-{len(chosen)}x-{sha256(chr(10).join(told).encode()).hexdigest()[:8]}"


def _rank(name: str, devices: Sequence[Device]) -> tuple[bool, int, str]:
    return all(device.unified_memory is True for device in devices), -_memory(devices), name


def _memory(devices: Sequence[Device]) -> int:
    return sum(device.memory_total_bytes or 0 for device in devices if device.is_top_level) or sum(
        device.memory_total_bytes or 0 for device in devices
    )


def _why(ranked: Sequence[str], groups: Mapping[str, Sequence[Device]]) -> str:
    first, *others = ranked
    if not others:
        return f"only {first} has visible devices"
    mine, theirs = _rank(first, groups[first]), _rank(others[0], groups[others[0]])
    if mine[0] != theirs[0]:
        return f"{first} has its own memory; {others[0]} shares the system's"
    if mine[1] != theirs[1]:
        return f"{first} has more memory than {others[0]}"
    return f"{first} comes before {others[0]} by name; nothing else distinguishes them"


def _platform(groups: Mapping[str, Sequence[Device]], backend: str, why: str) -> Platform:
    devices = tuple(sorted(groups[backend], key=_by_ordinal))
    words = words_of(backend)
    return Platform(
        backend=backend,
        vendor=devices[0].vendor,
        device_type=words.get("device_type"),
        devices=devices,
        jax_platform=words.get("jax"),
        collectives=words.get("collectives"),
        mask_variable=words.get("mask"),
        ray_resource=words.get("ray"),
        why=why,
        others=tuple(name for name in groups if name != backend),
    )


def _by_ordinal(device: Device) -> tuple[bool, bool, int, str, int, str]:
    ordinal = device.ordinal
    unknown = device.visible is None or ordinal is None
    return unknown, device.visible is None, ordinal or 0, device.backend, device.index, device.id
