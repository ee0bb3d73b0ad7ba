"""What the file system shows about Neuron devices, without starting anything.

/sys/bus/pci/devices/<address>/{vendor,device,numa_node}        the chips on the bus, independent of the driver
/dev/neuron<N>                                                  one per device; a container gets some of them
/sys/devices/virtual/neuron_device/neuron<N>/core_count         "2"; connected_devices "12, 3, 4, 1"
    info/serial_number                                          unique to the device
    stats/hardware/{mem,sram}_ecc_uncorrected                   since the driver was loaded
    neuron_core<M>/stats/memory_usage/device_mem/total          bytes in use now; "present" is the last step of it
/sys/module/neuron/version                                      "2.16.7.0", of the loaded driver

The driver numbers its devices by wiring, not by address, so those on the bus and in /dev are matched only if
there is exactly one of each.

Driver 2.31 moved some of these files: values not found are unknown.

Source  aws-neuron-sdk: Neuron Sysfs User Guide
"""

import re
from typing import TYPE_CHECKING, Any, Final

from accel.machine.files import file_text, names_in
from accel.model.dataclass import replace
from accel.model.observation import Noted
from accel.model.report import Driver, Report
from accel.vendors.toolkit.notes import noted
from accel.vendors.toolkit.pci_boards import boards
from accel_neuron.model import BACKEND, NeuronDevice, health_of, neuron, table, with_family
from accel_neuron.readers.values import count, numbers

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

SOURCE: Final = "sysfs"
_OWN: Final = "/sys/devices/virtual/neuron_device"


def files_report(machine: "Machine") -> Report:
    """Return the devices that have a node, or those on the bus if none has."""
    version = file_text(machine, "/sys/module/neuron/version")
    loaded = machine.exists("/sys/module/neuron")
    chips = _chips(machine)
    nodes = sorted(int(name[6:]) for name in machine.list("/dev") if re.fullmatch(r"neuron\d{1,4}", name))
    only = chips[0] if len(chips) == len(nodes) == 1 else None
    devices = tuple(_of_node(machine, number, chips, only) for number in nodes)
    if not nodes:
        devices = tuple(replace(c, id=f"{BACKEND}:{index}", index=index) for index, c in enumerate(chips))
    seen: tuple[Noted, ...] = ()
    if chips and not loaded and not nodes:
        said = f"{len(chips)} Neuron devices on the PCI bus, the module neuron is not loaded"
        seen = (noted("neuron-no-module", said, "/sys/module"),)
    return Report(
        backend=BACKEND,
        source=SOURCE,
        status="ok" if devices else "absent",
        trust=40,
        driver=Driver(version=version) if version else None,
        devices=tuple(replace(device, driver_version=version) for device in devices),
        observations=seen,
    )


def readings(machine: "Machine", number: int) -> dict[str, Any]:
    """Return a device's changing fields from its current files; None if they do not have them."""
    own = f"{_OWN}/neuron{number}"
    cores = [name for name in names_in(machine, own) if re.fullmatch(r"neuron_core\d{1,3}", name)]
    used = [count(file_text(machine, f"{own}/{core}/stats/memory_usage/device_mem/total")) for core in cores]
    known = [size for size in used if size is not None]
    memory, sram = (_counter(machine, f"{own}/stats/hardware/{kind}_ecc_uncorrected") for kind in ("mem", "sram"))
    return {
        "memory_used_bytes": sum(known) if known and len(known) == len(used) else None,
        "memory_uncorrected_errors": memory,
        "sram_uncorrected_errors": sram,
        "health": health_of(memory, sram),
    }


def _counter(machine: "Machine", path: str) -> int | None:
    """Return a count: a file, or for most of the driver's counters a folder with the file "total"."""
    value = count(file_text(machine, path))
    return count(file_text(machine, f"{path}/total")) if value is None else value


def _chips(machine: "Machine") -> list[NeuronDevice]:
    known = {device for family in table()["families"] for device in family["pci_devices"]}
    return [
        with_family(replace(neuron(0), pci_address=one.address, pci_id=one.pci_id, numa_node=one.numa_node))
        for one in boards(machine, lambda pci_id: pci_id.startswith("1d0f:") and pci_id[5:] in known)
    ]


def _of_node(machine: "Machine", number: int, chips: "list[NeuronDevice]", only: NeuronDevice | None) -> NeuronDevice:
    """Return the device of a node; its model is known if all chips on the bus are of one model."""
    path, own = f"/dev/neuron{number}", f"{_OWN}/neuron{number}"
    start = only or NeuronDevice(id="", index=0, backend=BACKEND, vendor="AWS", kind="accelerator")
    kinds = {(chip.name, chip.architecture, chip.pci_id) for chip in chips}
    name, architecture, pci_id = kinds.pop() if len(kinds) == 1 else (None, None, None)
    links = file_text(machine, f"{own}/connected_devices")
    serial = file_text(machine, f"{own}/info/serial_number") or ""
    return replace(
        start,
        id=f"{BACKEND}:{number}",
        index=number,
        name=name,
        architecture=architecture,
        pci_id=pci_id,
        core_count=count(file_text(machine, f"{own}/core_count")),
        connected_to=numbers(links) if links else None,
        device_path=path,
        node_accessible=machine.accessible(path),
        serial=serial if serial.strip("0x") else None,
        **readings(machine, number),
    )
