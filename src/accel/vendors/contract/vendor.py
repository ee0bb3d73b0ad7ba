"""A vendor's declaration, from which its hooks, its backend, its signs and the packaging lists are derived.

    # accel_acme/__init__.py
    VENDOR = Vendor(
        name="acme", maker="Acme", kind="npu", package=__name__, record=AcmeDevice,
        pci_ids=("1e99",), nodes=("/dev/acme<N>",),
        tool=Tool(names=("acme-smi", "/opt/acme/bin/acme-smi"), hint="it comes with the driver"),
        masks=Masks(lists=(("ACME_VISIBLE_DEVICES",),), names=("acme",)),
    )

An entry point in the group "accel.plugins" that names such a module needs no hooks. Derived from the declaration:

backend     detects hardware by the signs; probes the tool, then the PCI bus; reads the visibility variables
readers     each module in the package's folder `readers` that has a READER
checks      each Check in a module of its folder `checks`; rules likewise in `rules`
specs       its folder `specs`, and recorded machines in its folder `machines`, if they exist

A hook that the module defines itself takes precedence. If code is needed, `own` names the modules that contain it.
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

    names        the tool's name, then the paths where its package installs it; the first that exists is used
    hint         where to get the tool
    no_health    why health is never known, if the tool does not report it: shown with every list
    calls        arguments of the calls that list the devices; without arguments the tool prints its table
    more         arguments of further calls at depth "health", if devices were found
    memory_call  arguments of the call that reports one device's memory; default: the first of `calls`, which then also
                 reports the processes
    """

    names: tuple[str, ...]
    hint: str = ""
    no_health: str = ""
    calls: tuple[tuple[str, ...], ...] = ((),)
    more: tuple[tuple[str, ...], ...] = ()
    memory_call: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Masks:
    """The environment variables that restrict which devices a runtime sees, parsed as CUDA parses its own.

    lists         each list selects from the devices that the list before it left; per list, the variables that may hold
                  it
    names         what programs call the devices: "cuda" of "cuda:0"; () if unknown
    first_counts  if several variables of one list are set, the first one counts; otherwise the result is unknown if
                  they differ
    """

    lists: tuple[tuple[str, ...], ...]
    names: tuple[str, ...] = ()
    first_counts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Daemon:
    """A service of the vendor that uses or monitors devices.

    program  name of its process: "nvidia-persistenced"
    role     what it is, for people: "persistence daemon"
    unit     its systemd unit, if that is not the program's name
    version  arguments that make the program print its version; (): it is not asked
    """

    program: str
    role: str
    unit: str = ""
    version: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What is derived from a vendor's data tables, in addition to the contents of its package's folders."""

    readers: "tuple[Reader, ...]" = ()
    checks: "tuple[Check, ...]" = ()
    rules: "tuple[Rule, ...]" = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor(Generic[_Device]):
    """A vendor.

    name          the first part of every device id, and the name of its folder in specs: "nvidia"
    maker         the vendor's name for people: "NVIDIA"
    package       the package that contains the declaration: __name__
    record        the class of its device records: Device, or the vendor's own subclass
    pci_ids       prefixes of its boards' "vendor:device" ids
    no_boards     suffixes of ids that are not boards, but other functions of one, such as audio
    nodes         device nodes of its driver, of which one exists if the driver is loaded; "<N>": any number
    shared_nodes  likewise, but also created by another vendor's driver, so no sign of this one
    held_nodes    nodes that a process has open while it uses a device, if they differ from `nodes`.
                  "/dev/acme<minor_number>": the number is this field of the device's record; "/dev/dri/renderD<pci>":
                  sysfs says which PCI device it belongs to; "<iommu_group>"; "<N>", or no number: of no particular
                  device
    memory_nodes  those of `held_nodes` of which one is open in every process that has memory on a device; (): unknown
    daemons       its services, which show up among the processes that use a device
    reset         the command that resets a device, with slots for fields of its record:
                  "sudo acme-smi reset -i {index:number}"
    traces        more signs that its hardware or driver may be present (formats: accel.vendors.toolkit.presence)
    modules       the driver's kernel modules, as modprobe takes them; the first that exists is used
    driver        what installs the driver, for people: "the MLU driver package"
    tool          the command that lists its devices
    masks         the environment variables that restrict visible devices; None if there are none
    own           modules of the package with code for what cannot be derived:
                  presence    may_be_here(machine)
                  live        probe(machine, request), memory(machine, device_id), sample(machine, devices),
                              processes(machine)
                  board       facts(machine, address): what the driver's files say about the board at a PCI address
                  nodes       by_address(machine): the PCI addresses of nodes that only the vendor's files relate to one
                  visibility  visible(devices, variables), mask(chosen, devices, variables)
                  columns     NAMES: the names of the record's fields in its tool's queries
                  metrics     NAMES: other exporters' names of its readings (accel.vendors.contract.metric_names)
                  backend     backend(), which returns the Backend if it cannot be derived
    given         returns what is derived from its data tables (accel.plugins.yaml_backend); None if it has none

    Packages that belong to accel may also have a module `listing` (accel.collect.listing), which is found by its name.
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
        """Signs of which at least one exists if its hardware or driver may be present."""
        return (*(f"pci:{pci_id}" for pci_id in self.pci_ids), *self.nodes, *self.traces)

    @property
    def fact_driver_absent(self) -> str:
        """The name of the fact that boards are present but the driver is not."""
        return f"{self.name.replace('_', '-')}-driver-absent"

    @property
    def fact_driver_loaded(self) -> str:
        """The name of the fact that the driver is bound to a board."""
        return f"{self.name.replace('_', '-')}-driver-loaded"

    @property
    def opened_nodes(self) -> tuple[str, ...]:
        """The nodes that identify the users of a device: `held_nodes`, or else all nodes, numbered like the devices."""
        return self.held_nodes or tuple(node.replace("<N>", "<index>") for node in (*self.nodes, *self.shared_nodes))

    def is_board(self, pci_id: str) -> bool:
        """Return whether a "vendor:device" id, in lower-case hex, is one of its boards."""
        starts = tuple(start if ":" in start else f"{start}:" for start in self.pci_ids)
        return pci_id.startswith(starts) and not pci_id.endswith(self.no_boards)

    def device(self, index: int, **facts: Any) -> _Device:
        """Return a device record. Facts that are None are unknown."""
        return self.record(
            id=f"{self.name}:{index}", index=index, backend=self.name, vendor=self.maker, kind=self.kind, **facts
        )
