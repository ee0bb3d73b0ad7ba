"""accel: every accelerator in this machine, typed, fast and without side effects; and what is broken, and why.

    import accel
    for device in accel.accelerators():
        print(device.id, device.name, device.memory_free_bytes)
    accel.require(vendor="nvidia", count=1, memory_bytes=16 * 2**30, dtype="bf16")
    os.environ.update(accel.pick(2, min_free_bytes=20 * 2**30).environment)  # before the framework starts

`import accel` loads nothing else; each name is imported when it is first used.
"""

TYPE_CHECKING = False  # as type checkers read it; typing itself would be 5 ms of `import accel`

if TYPE_CHECKING:
    from accel.apps import bench
    from accel.apps.api import (
        accelerators,
        configure,
        device,
        devices,
        doctor,
        health,
        holdings,
        memory,
        processes,
        read,
        read_text,
        restrictions,
        sample,
        snapshot,
    )
    from accel.apps.bridges.device_of import Capability, capability_of, device_of
    from accel.apps.bridges.framework_device import jax_device, torch_device
    from accel.apps.choosing import pick
    from accel.apps.fitting import Fit, fit
    from accel.apps.resolving import resolve
    from accel.apps.sdk.chip_record import ChipSpec
    from accel.apps.sdk.chip_spec import spec
    from accel.apps.sdk.dtypes import supports
    from accel.apps.sdk.platforms import Platform, driver, hardware_key, host, mask_variable, platform, visible
    from accel.apps.sdk.requirements import require
    from accel.apps.sdk.topology import topology
    from accel.model.device import Device, Gap, Memory, Process
    from accel.model.diagnosis import Diagnosis, Finding
    from accel.model.errors import (
        AccelError,
        BadInput,
        BadSpec,
        DeadlineMissed,
        NoSuchDevice,
        PluginError,
        RequirementUnmet,
    )
    from accel.model.holding import Holder, Holdings, RunningProcess
    from accel.model.report import Driver
    from accel.model.snapshot import Host, Snapshot
    from accel.resolver.records import Resolution
    from accel.specs.export_rules.restrictions import Restrictions
    from accel.watch.choose.choice import Choice
    from accel.watch.topology import Allowed, Link, Numa, Topology

__version__ = "0.1.0"

__all__ = [
    "AccelError",
    "Allowed",
    "BadInput",
    "BadSpec",
    "Capability",
    "ChipSpec",
    "Choice",
    "DeadlineMissed",
    "Device",
    "Diagnosis",
    "Driver",
    "Finding",
    "Fit",
    "Gap",
    "Holder",
    "Holdings",
    "Host",
    "Link",
    "Memory",
    "NoSuchDevice",
    "Numa",
    "Platform",
    "PluginError",
    "Process",
    "RequirementUnmet",
    "Resolution",
    "Restrictions",
    "RunningProcess",
    "Snapshot",
    "Topology",
    "accelerators",
    "bench",
    "capability_of",
    "configure",
    "device",
    "device_of",
    "devices",
    "doctor",
    "driver",
    "fit",
    "hardware_key",
    "health",
    "holdings",
    "host",
    "jax_device",
    "mask_variable",
    "memory",
    "pick",
    "platform",
    "processes",
    "read",
    "read_text",
    "require",
    "resolve",
    "restrictions",
    "sample",
    "snapshot",
    "spec",
    "supports",
    "topology",
    "torch_device",
    "visible",
]

_HOMES = {
    **dict.fromkeys(
        ("AccelError", "BadInput", "BadSpec", "DeadlineMissed", "NoSuchDevice", "PluginError", "RequirementUnmet"),
        "accel.model.errors",
    ),
    **dict.fromkeys(("Device", "Gap", "Memory", "Process"), "accel.model.device"),
    **dict.fromkeys(("Diagnosis", "Finding"), "accel.model.diagnosis"),
    **dict.fromkeys(("Holder", "Holdings", "RunningProcess"), "accel.model.holding"),
    **dict.fromkeys(
        ("Platform", "driver", "hardware_key", "host", "mask_variable", "platform", "visible"),
        "accel.apps.sdk.platforms",
    ),
    "ChipSpec": "accel.apps.sdk.chip_record",
    "spec": "accel.apps.sdk.chip_spec",
    "supports": "accel.apps.sdk.dtypes",
    **dict.fromkeys(("Allowed", "Link", "Numa", "Topology"), "accel.watch.topology"),
    "topology": "accel.apps.sdk.topology",
    "Choice": "accel.watch.choose.choice",
    "Driver": "accel.model.report",
    "Resolution": "accel.resolver.records",
    "Restrictions": "accel.specs.export_rules.restrictions",
    **dict.fromkeys(("Host", "Snapshot"), "accel.model.snapshot"),
    "pick": "accel.apps.choosing",
    "Fit": "accel.apps.fitting",
    "fit": "accel.apps.fitting",
    "resolve": "accel.apps.resolving",
    "require": "accel.apps.sdk.requirements",
    **dict.fromkeys(("Capability", "capability_of"), "accel.apps.bridges.device_of"),
    "device_of": "accel.apps.bridges.device_of",
    "jax_device": "accel.apps.bridges.framework_device",
    "torch_device": "accel.apps.bridges.framework_device",
}
_ELSE = "accel.apps.api"
_MODULES = {"bench": "accel.apps.bench"}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'accel' has no attribute {name!r}")
    import importlib

    if name in _MODULES:
        value: object = importlib.import_module(_MODULES[name])
    else:
        value = getattr(importlib.import_module(_HOMES.get(name, _ELSE)), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
