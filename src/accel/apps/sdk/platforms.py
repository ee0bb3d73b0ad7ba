"""Which accelerator a program is to run on, where there may be several vendors', and what each vendor's software is."""

from typing import TYPE_CHECKING

from accel.apps import api
from accel.apps.sdk.vendors import backend_named, words_of
from accel.model.dataclass import dataclass
from accel.model.device import Device
from accel.model.errors import BadInput
from accel.model.merge import merged_driver

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from accel.model.report import Driver
    from accel.model.snapshot import Host


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """The devices of one vendor that a new process would use, and what frameworks call them.

    backend       "nvidia", as in the ids of its devices; vendor: "NVIDIA"
    device_type   torch's word: "cuda", "npu", "xpu", "hpu", "xla", "mps", "cpu"; None where accel does not know it
    devices       those that the masks in force show, in the order of their ordinals; never empty
    jax_platform  what JAX calls it; None where JAX has none
    collectives   the backend of torch.distributed: "nccl", "hccl"; None where there is none or it is not known
    mask_variable the variable that shows a process fewer devices; None where there is none
    ray_resource  what Ray counts them as: "GPU"; None where Ray knows none
    why           the rule by which it was preferred, for people
    others        the backends that have visible devices, too, and were passed over
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
    """Return the accelerators that a program is to run on: those of one vendor, or the processor.

    prefer  a vendor, which is taken if it has a visible device
    Of several vendors with visible devices the first by this rule is taken, and `why` says which part decided:
        1. devices with memory of their own before those that share the system's (an integrated GPU)
        2. the vendor with more memory in all of its visible devices
        3. the name of the backend, alphabetically
    A device that no mask hides counts, whether or not a framework is installed that can use it. Without a visible
    accelerator it is the processor. Raises BadInput for a `prefer` that accel does not know.
    """
    wanted = backend_named(prefer) if prefer is not None else None
    found = api.devices()
    groups: dict[str, list[Device]] = {}
    for device in found:
        if device.kind != "cpu" and device.visible is not False:
            groups.setdefault(device.backend, []).append(device)
    ranked = sorted(groups, key=lambda name: _rank(name, groups[name]))
    if wanted in groups:
        return _platform(groups, wanted, f"{prefer} was asked for")
    if ranked:
        return _platform(groups, ranked[0], _why(ranked, groups))
    processors = [device for device in found if device.kind == "cpu"]
    if not processors:
        raise BadInput("No backend lists a device here, not even the processor: the plugin cpu is left out.")
    hidden = [device.id for device in found if device.kind != "cpu"]
    why = f"masks hide {', '.join(hidden)}" if hidden else "no accelerator is here"
    return _platform({processors[0].backend: processors}, processors[0].backend, why)


def driver(vendor: str) -> "Driver | None":
    """Return a vendor's driver on this machine, what several sources tell put together; None where it has none here.

    Its fields are None where no source tells them. Raises BadInput for a vendor that accel does not know.
    """
    backend = backend_named(vendor)
    return merged_driver(r for r in api._reports(*api._way(None, None)) if r.backend == backend)


def mask_variable(vendor: str) -> str | None:
    """Return the variable that shows a new process fewer of a vendor's devices: "CUDA_VISIBLE_DEVICES".

    None where its runtime has none, as Apple's. Of several it is the one that `accel.pick` sets. Needs no such device
    here. Raises BadInput for a vendor that accel does not know.
    """
    found: str | None = words_of(backend_named(vendor)).get("mask")
    return found


def visible(environment: "Mapping[str, str] | None" = None) -> tuple[Device, ...]:
    """Return the accelerators that a new process with these variables would be shown, in the order of their ordinals.

    environment  all of its variables; None: those of this process. Masks by number, uuid, its beginning and MIG uuid
                 are read as the vendor's runtime reads them
    Each has `ordinals` and `runtime_names` as that process would use them. A device of which the masks leave that open
    comes last, with `visible` None; one that they hide is not among them.
    """
    from accel.collect.live import apply_masks

    reports = api._reports(*api._way(None, None))
    if environment is not None:
        reports = apply_masks(reports, api._registry(), environment)
    from accel.model.merge import merged_devices

    shown = [d for d in merged_devices(reports)[0] if d.kind != "cpu" and d.visible is not False]
    return tuple(sorted(shown, key=_by_ordinal))


def host() -> "Host":
    """Return what this machine is besides its devices: system, kernel, WSL, container, memory.

    No device is probed and nothing is run; `Host.gaps` has the reasons for what is None.
    """
    from accel.collect.host import host_facts

    return host_facts(api._machine())


def hardware_key(devices: "Sequence[Device] | None" = None) -> str:
    """Return a short name of what these devices are, the same for the same hardware: a key for tuned kernels.

    devices  None: those of `platform()`
    Of each device's model, memory in GiB, compute capability and driver branch, in any order: "nvidia-8x-3f29c1a6".
    Two machines with the same have the same key; it names neither of them. What is not known counts as unknown, so a
    key that was made without a driver is another than one with it. Raises BadInput for no devices.
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


def _rank(name: str, devices: "Sequence[Device]") -> tuple[bool, int, str]:
    return all(device.unified_memory is True for device in devices), -_memory(devices), name


def _memory(devices: "Sequence[Device]") -> int:
    return sum(device.memory_total_bytes or 0 for device in devices if device.is_top_level) or sum(
        device.memory_total_bytes or 0 for device in devices
    )


def _why(ranked: "Sequence[str]", groups: "Mapping[str, Sequence[Device]]") -> str:
    first, *others = ranked
    if not others:
        return f"{first} alone has visible devices"
    mine, theirs = _rank(first, groups[first]), _rank(others[0], groups[others[0]])
    if mine[0] != theirs[0]:
        return f"{first} has memory of its own; {others[0]} shares the system's"
    if mine[1] != theirs[1]:
        return f"{first} has more memory than {others[0]}"
    return f"{first} comes before {others[0]} by name; nothing else tells them apart"


def _platform(groups: "Mapping[str, Sequence[Device]]", backend: str, why: str) -> Platform:
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
