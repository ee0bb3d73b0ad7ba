"""What a vendor states of itself, once. Its hooks, its backend, its signs and the packaging lists follow from it.

    # accel_acme/__init__.py
    VENDOR = Vendor(
        name="acme", maker="Acme", kind="npu", package=__name__, record=AcmeDevice,
        pci_ids=("1e99",), nodes=("/dev/acme<N>",),
        tool=Tool(names=("acme-smi", "/opt/acme/bin/acme-smi"), hint="it comes with the driver"),
        masks=Masks(lists=(("ACME_VISIBLE_DEVICES",),), names=("acme",)),
    )

An entry point of the group "accel.plugins" that names such a module needs no hooks. What follows:

    backend     detects by the signs; probes with the tool, then the PCI bus; reads the masks
    readers     each module of the package's folder `readers` with a READER
    checks      each Check in a module of its folder `checks`; rules likewise in `rules`
    specs       its folder `specs`, machines its folder `machines`, where there are such

A hook that the module defines itself comes first. Where code is needed, `own` names the module of the package that has
it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from accel.model.dataclass import dataclass
from accel.model.device import Device, Kind

if TYPE_CHECKING:
    from accel.vendors.contract.backend import Reader
    from accel.vendors.contract.check import Check
    from accel.vendors.contract.rule import Rule

_Device = TypeVar("_Device", bound=Device)
Own = Literal["presence", "live", "board", "nodes", "visibility", "backend", "columns", "metrics"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """The command that lists a vendor's devices.

    names        the tool by name, then where its package puts it; the first that is there is used
    hint         where the tool comes from, for those who lack it
    no_health    why the health is never known, where the tool does not state it: said with every list
    calls        the arguments of the calls that list the devices; without arguments the tool prints its table
    more         the arguments of further calls at depth "health", where a device is listed
    memory_call  the arguments of the call that tells a device's memory; without them it is the first of `calls`, which
                 also tells the processes
    """

    names: tuple[str, ...]
    hint: str = ""
    no_health: str = ""
    calls: tuple[tuple[str, ...], ...] = ((),)
    more: tuple[tuple[str, ...], ...] = ()
    memory_call: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Masks:
    """The variables by which a runtime is shown fewer devices: lists of numbers or uuids, read as CUDA reads its own.

    lists        a list names devices among those that the list before it has left; of each list the variables that may
                 hold it
    names        what programs call the devices: "cuda" of "cuda:0"; () if that is not known
    first_counts of a list's variables the first that is set counts; else nothing is said where they are unlike
    """

    lists: tuple[tuple[str, ...], ...]
    names: tuple[str, ...] = ()
    first_counts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Daemon:
    """A service of the vendor's that holds or watches devices.

    program  of its process: "nvidia-persistenced"
    role     what it is, for people: "persistence daemon"
    unit     the systemd unit that runs it, where that is not the program's name
    version  the arguments by which the program prints its version; (): it is not asked
    """

    program: str
    role: str
    unit: str = ""
    version: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What follows from a vendor's tables of data, besides what lies in the folders of its package."""

    readers: "tuple[Reader, ...]" = ()
    checks: "tuple[Check, ...]" = ()
    rules: "tuple[Rule, ...]" = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor(Generic[_Device]):
    """One vendor.

    name       the first half of every device id, and the name of its folder in specs: "nvidia"
    maker      as people write it: "NVIDIA"
    package    that holds the statement: __name__
    record     what its devices are: Device, or the vendor's own subclass of it
    pci_ids    what the "vendor:device" of its boards begins with; no_boards: what it ends with where it is a board's
               other function, such as its sound
    nodes      device nodes of its driver: one of them is there if the driver is loaded; "<N>": any number
    shared_nodes  likewise, but another vendor's driver makes them too: they are no sign of this one
    held_nodes  nodes that a process has open while it uses a device, where they are others than `nodes`:
               "/dev/acme<minor_number>": the number is this field of the device's record; "/dev/dri/renderD<pci>":
               sysfs tells of which PCI device it is; "<iommu_group>"; "<N>", or no number: of no one device
    memory_nodes  of these, those of which one is open wherever a process has memory of a device; (): that is not known
    daemons    its services, which people meet among the holders of a device
    reset      the command that resets a device, with slots for what its record tells:
               "sudo acme-smi reset -i {index:number}"
    traces     further signs that its hardware or driver may be here (accel.vendors.toolkit.presence has the forms)
    modules    the driver's kernel modules, as modprobe takes them; of several, the first that there is
    driver     what installs the driver, for people: "the MLU driver package"
    tool       the command that lists its devices
    masks      the variables by which a runtime is shown fewer of them; None: there are none
    own        modules of the package with code for what does not follow from the statement:
               presence    may_be_here(machine)
               live        probe(machine, request), memory(machine, device_id), sample(machine, devices),
                           processes(machine)
               board       facts(machine, address): what the driver's files tell of the board at a PCI address
               nodes       by_address(machine): the PCI address of each node of which only the vendor's files tell it
               visibility  visible(devices, variables), mask(chosen, devices, variables)
               columns     NAMES: what its tool's queries call fields of the record, by the tool's name
               metrics     NAMES: other exporters' names of its readings (accel.vendors.contract.metric_names)
               backend     backend(), which returns the Backend where the statement does not make it

    given      returns what its tables of data give (accel.plugins.yaml_backend); None: it has none

    A package of accel's own may also have a module `listing` (accel.collect.listing), which is found by existing.
    """

    name: str
    maker: str
    kind: Kind
    package: str
    record: type[_Device]
    pci_ids: tuple[str, ...] = ()
    no_boards: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    shared_nodes: tuple[str, ...] = ()
    traces: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    driver: str = ""
    tool: Tool | None = None
    masks: Masks | None = None
    held_nodes: tuple[str, ...] = ()
    memory_nodes: tuple[str, ...] = ()
    daemons: tuple[Daemon, ...] = ()
    reset: str = ""
    own: tuple[Own, ...] = ()
    given: "Callable[[], Given] | None" = None

    @property
    def signs(self) -> tuple[str, ...]:
        """Signs of which one is shown where its hardware or driver may be here."""
        return (*(f"pci:{pci_id}" for pci_id in self.pci_ids), *self.nodes, *self.traces)

    @property
    def fact_driver_absent(self) -> str:
        """The name of the fact that boards are here, and the driver is not."""
        return f"{self.name.replace('_', '-')}-driver-absent"

    @property
    def fact_driver_loaded(self) -> str:
        """The name of the fact that the driver serves a board."""
        return f"{self.name.replace('_', '-')}-driver-loaded"

    @property
    def opened_nodes(self) -> tuple[str, ...]:
        """The nodes by which a holder of a device is known: `held_nodes`, else all nodes, numbered like the devices."""
        return self.held_nodes or tuple(node.replace("<N>", "<index>") for node in (*self.nodes, *self.shared_nodes))

    def is_board(self, pci_id: str) -> bool:
        """Say whether "vendor:device", lower-case hex, is one of its boards."""
        starts = tuple(start if ":" in start else f"{start}:" for start in self.pci_ids)
        return pci_id.startswith(starts) and not pci_id.endswith(self.no_boards)

    def device(self, index: int, **facts: Any) -> _Device:
        """Return the record of a device; facts that are None are not known."""
        return self.record(
            id=f"{self.name}:{index}", index=index, backend=self.name, vendor=self.maker, kind=self.kind, **facts
        )
