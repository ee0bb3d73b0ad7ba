"""NVIDIA's GPUs according to the PCI bus and the kernel: hardware is visible even if NVML cannot start.

Observations, besides the devices:
    nvidia-module-absent   GPUs are on the bus, and no nvidia module is loaded                          devices
    other-driver-bound     nouveau or nova has the GPU, or vfio-pci (given to a virtual machine) …      address, driver
    device-node-denied     the module is loaded, and this user may not open a /dev file of it           path
    fabric-manager-down    there are NVSwitches, and no fabric manager runs
    a missing node         the module is loaded, and this /dev file is not here
    a missing library      the module is loaded (or this is WSL), and the loader finds no NVML
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.model.device import Gap
from accel.model.observation import Missing, Observation
from accel.model.report import Driver, Report
from accel.vendors.toolkit.notes import noted
from accel_nvidia.fabric_manager import fabric_manager_is_down, fabric_manager_version
from accel_nvidia.kernel import KernelGpu, KernelModule, kernel_gpus, kernel_module, library_version
from accel_nvidia.model import NvidiaDevice
from accel_nvidia.nvml_binding import LIBRARIES, is_installed
from accel_nvidia.pci import PciGpu, pci_gpus

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from accel.machine.protocol import Machine
    from accel.model.device import Device

SOURCE: Final = "pci and kernel"
TRUST: Final = 40
_CONTROL: Final = "/dev/nvidiactl"


def kernel_report(machine: "Machine", known: "Sequence[Device] | None" = None) -> Report:
    """Return the GPUs on the bus, their driver, and what blocks this process from using them.

    known  the devices that NVML listed; None if it could not start. Listed devices keep NVML's numbers; an unlisted one
           is not a device of this process: a container gets only some of a machine's GPUs.
    """
    gpus, module = pci_gpus(machine), kernel_module(machine)
    listed = {gpu.address: gpu for gpu in kernel_gpus(machine)}
    ours = _placed(gpus, listed, known)
    version = module.version if module else None
    devices = tuple(_device(index, gpu, listed.get(gpu.address), version) for index, gpu in ours)
    driver = None
    if module is not None:
        driver = Driver(version=version, flavor=module.flavor, library_version=library_version(machine))
    shown = {gpu.address: f"nvidia:{index}" for index, gpu in ours}
    return Report(
        backend="nvidia",
        source=SOURCE,
        status="ok" if devices or module else "absent",
        trust=TRUST,
        driver=driver,
        devices=devices,
        observations=(*_drivers(gpus, module, shown), *_access(machine, module, devices)),
        gaps=tuple(_untaken(gpus, shown)) if module is not None else (),
    )


def _placed(
    gpus: "Sequence[PciGpu]", listed: "Mapping[str, KernelGpu]", known: "Sequence[Device] | None"
) -> list[tuple[int, PciGpu]]:
    """Return the GPUs that this process may use, each with its number."""
    on_bus = {gpu.address for gpu in gpus}
    every = [*gpus, *(PciGpu(address=address) for address in listed if address not in on_bus)]
    if known is not None:
        numbers = {d.pci_address: d.index for d in known if d.is_top_level and d.pci_address is not None}
        return [(numbers[gpu.address], gpu) for gpu in every if gpu.address in numbers]
    if listed:  # in a container the module lists only its own GPUs, the bus lists all
        every = [gpu for gpu in every if gpu.address in listed or gpu.driver not in (None, "nvidia")]
    return list(enumerate(sorted(every, key=lambda gpu: gpu.address)))


def _device(index: int, gpu: PciGpu, listed: KernelGpu | None, version: str | None) -> NvidiaDevice:
    facts: dict[str, Any] = {}
    if listed is not None:
        facts = {
            "name": listed.name,
            "uuid": listed.uuid,
            "vbios_version": listed.vbios_version,
            "minor_number": listed.minor_number,
            "driver_version": version,
        }
    return NvidiaDevice(
        id=f"nvidia:{index}",
        index=index,
        backend="nvidia",
        vendor="NVIDIA",
        kind="gpu",
        pci_address=gpu.address,
        pci_id=gpu.pci_id,
        numa_node=gpu.numa_node,
        **facts,
    )


def _drivers(
    gpus: Sequence[PciGpu], module: KernelModule | None, shown: "Mapping[str, str]"
) -> "Iterator[Observation]":
    if gpus and module is None:
        ids = ", ".join(f"{gpu.address} {gpu.pci_id}" for gpu in gpus)
        text = f"no nvidia kernel module is loaded, and NVIDIA's GPUs are on the PCI bus: {ids}"
        yield noted("nvidia-module-absent", text, SOURCE, devices=ids)
    for gpu in gpus:
        if gpu.driver not in (None, "nvidia"):
            text = f"the GPU at {gpu.address} is bound to {gpu.driver}"
            device = shown.get(gpu.address)
            yield noted("other-driver-bound", text, SOURCE, of=device, address=gpu.address, driver=gpu.driver)


def _untaken(gpus: Sequence[PciGpu], shown: "Mapping[str, str]") -> "Iterator[Gap]":
    for gpu in gpus:
        if gpu.driver is None:
            reason = f"the nvidia module is loaded, and has not taken the GPU at {gpu.address}"
            yield Gap(fact="driver", reason=reason, device=shown.get(gpu.address), backend="nvidia", source=SOURCE)


def _access(
    machine: "Machine", module: KernelModule | None, devices: Sequence[NvidiaDevice]
) -> "Iterator[Observation]":
    wsl = machine.exists("/dev/dxg")
    if module is not None and not wsl:
        nodes: list[tuple[str, str | None]] = [(_CONTROL, None)]
        nodes += [(f"/dev/nvidia{d.minor_number}", d.id) for d in devices if d.minor_number is not None]
        for path, device in nodes:
            if not machine.exists(path):
                text = f"the nvidia module is loaded, without {path}"
                yield Missing(piece="node", name=path, text=text, device=device, source=SOURCE, grade="measured")
            elif not machine.accessible(path):
                yield noted("device-node-denied", f"this process may not open {path}", SOURCE, of=device, path=path)
    if module is not None and fabric_manager_is_down(machine):
        yield noted("fabric-manager-down", "there are NVSwitches on the PCI bus, and no fabric manager runs", SOURCE)
        manager = fabric_manager_version(machine)
        if manager is not None:
            yield noted("fabric-manager-package", f"nv-fabricmanager {manager} is installed", SOURCE, manager=manager)
    if (module is not None or wsl) and not is_installed(machine):
        text = f"the loader finds no {LIBRARIES[0]}"
        yield Missing(piece="library", name=LIBRARIES[0], component="nvml", text=text, source=SOURCE, grade="measured")
