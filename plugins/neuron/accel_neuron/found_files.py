"""What the file system says of Neuron devices: nothing is started for it.

/sys/bus/pci/devices/<address>/{vendor,device,numa_node}        the chips on the bus, whatever the driver does
/dev/neuron<N>                                                  one a device; a container is given some of them
/sys/devices/virtual/neuron_device/neuron<N>/core_count         "2"; connected_devices "12, 3, 4, 1"
/sys/module/neuron/version                                      "2.16.7.0", of the loaded driver

The driver numbers its devices by wiring and not by address, so those of the bus and of /dev are matched only where
there is one of each.

Source  aws-neuron-sdk: Neuron Sysfs User Guide
"""

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from accel.model.report import Driver, Event, Report
from accel_neuron.model import BACKEND, NeuronDevice, neuron, table, with_family
from accel_neuron.readers.values import count, numbers

if TYPE_CHECKING:
    from accel.machine import Machine

SOURCE: Final = "sysfs"
_PCI: Final = "/sys/bus/pci/devices"
_OWN: Final = "/sys/devices/virtual/neuron_device"


def files_report(machine: "Machine") -> Report:
    """Return the devices that have a node, or those of the bus where none has."""
    version = _text(machine, "/sys/module/neuron/version")
    loaded = machine.exists("/sys/module/neuron")
    chips = _chips(machine)
    nodes = sorted(int(name[6:]) for name in machine.list("/dev") if re.fullmatch(r"neuron\d{1,4}", name))
    only = chips[0] if len(chips) == len(nodes) == 1 else None
    devices = tuple(_of_node(machine, number, chips, only) for number in nodes)
    if not nodes:
        devices = tuple(replace(c, id=f"{BACKEND}:{index}", index=index) for index, c in enumerate(chips))
    events: tuple[Event, ...] = ()
    if chips and not loaded and not nodes:
        said = f"{len(chips)} Neuron devices on the PCI bus, the module neuron is not loaded"
        events = (Event(name="neuron-no-module", message=said, source="/sys/module"),)
    return Report(
        backend=BACKEND,
        source=SOURCE,
        status="ok" if devices else "absent",
        trust=40,
        driver=Driver(version=version) if version else None,
        devices=tuple(replace(device, driver_version=version) for device in devices),
        events=events,
    )


def _chips(machine: "Machine") -> list[NeuronDevice]:
    known = {device for family in table()["families"] for device in family["pci_devices"]}
    found = []
    for name in sorted(machine.list(_PCI)):
        if _text(machine, f"{_PCI}/{name}/vendor") != "0x1d0f":
            continue
        device = (_text(machine, f"{_PCI}/{name}/device") or "").removeprefix("0x").lower()
        if device in known:
            numa = count(_text(machine, f"{_PCI}/{name}/numa_node"))
            made = replace(neuron(0), pci_address=name.lower(), pci_id=f"1d0f:{device}", numa_node=numa)
            found.append(with_family(made))
    return found


def _of_node(machine: "Machine", number: int, chips: "list[NeuronDevice]", only: NeuronDevice | None) -> NeuronDevice:
    """Return the device of a node; its kind is that of the chips on the bus where all are of one kind."""
    path, own = f"/dev/neuron{number}", f"{_OWN}/neuron{number}"
    start = only or NeuronDevice(id="", index=0, backend=BACKEND, vendor="AWS", kind="accelerator")
    kinds = {(chip.name, chip.architecture, chip.pci_id) for chip in chips}
    name, architecture, pci_id = kinds.pop() if len(kinds) == 1 else (None, None, None)
    links = _text(machine, f"{own}/connected_devices")
    return replace(
        start,
        id=f"{BACKEND}:{number}",
        index=number,
        name=name,
        architecture=architecture,
        pci_id=pci_id,
        core_count=count(_text(machine, f"{own}/core_count")),
        connected_to=numbers(links) if links else None,
        device_path=path,
        node_accessible=machine.accessible(path),
    )


def _text(machine: "Machine", path: str) -> str | None:
    try:
        return machine.read(path, 256).strip() or None
    except OSError:
        return None
