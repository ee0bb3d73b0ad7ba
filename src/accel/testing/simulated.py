"""A simulated machine, and the changes that a test can make to it."""

import os
import posixpath
import re
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from accel.machine.recorded import RecordedMachine, resolved
from accel.model.dataclass import replace
from accel.model.errors import BadInput, NoSuchDevice
from accel.testing.compose import merged
from accel.testing.state import State

if TYPE_CHECKING:
    from accel.machine.process import CommandResult
    from accel.testing.catalogue import Recipe


_NVML: Final = "libnvidia-ml.so.1"
_STAND_IN: Final = "accel_nvidia.stand_in"  # loaded in place of NVML
_FIRST_PID: Final = 4200
_REMEMBERED: Final = frozenset(  # cached by the driver: these calls still work for a device that hangs
    {
        "nvmlDeviceGetHandleByIndex",
        *(f"nvmlDeviceGet{what}" for what in ("Name", "UUID", "Serial", "PciInfo_v3", "Architecture")),
        "nvmlDeviceGetCudaComputeCapability",
    }
)
_KNOWN_TO_THE_KERNEL: Final = frozenset(
    {
        *("vendor", "device", "class", "subsystem_vendor", "subsystem_device", "revision", "uevent", "numa_node"),
        *("local_cpulist", "current_link_speed", "max_link_speed", "current_link_width", "max_link_width", "config"),
        *("information", "runtime_status"),
    }
)
_LATE_SECONDS: Final = 3600.0  # sleep of a call that never returns, in a child process that will be killed
_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")
_VERSION: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z.!+_-]{0,98}")
_BUILD: Final = re.compile(r"\+(?:(?P<cuda>cu)(?P<cuda_digits>\d{2,3})|rocm(?P<rocm>\d+\.\d+)|(?P<cpu>cpu))")


class NeverReturns(BaseException):
    """Raised by a call without a deadline that would never return (`Machine.hang`).

    A program that must continue sets a deadline: accel.configure(timeout_seconds=5), or timeout_seconds= of the call.
    This is not an Exception, so that no handler mistakes it for an answer.
    """


class SimulatedMachine(RecordedMachine):
    """Answers for a machine, from its recipe and the states of its devices.

    environment  variables that programs on the machine see, in addition to the machine's own
    variables    all of them; may be modified
    packages     Python packages installed on it: {"torch": "2.9.1+cu128"}
    """

    def __init__(
        self, recipe: "Recipe", environment: Mapping[str, str] | None = None, packages: Mapping[str, str] | None = None
    ) -> None:
        self._recipe, self._packages = recipe, packages or {}
        self._states: dict[str, State] = {}
        self._hung: frozenset[str] = frozenset()
        self._process = os.getpid()
        self._values: Mapping[str, Any] = {}
        self._nvml = import_module(_STAND_IN).StandIn(lambda: self._values["nvml"], self._wait_for_call)
        super().__init__(os.devnull, {})
        self.change({})
        self.variables: dict[str, str] = {**self._values.get("environment", {}), **(environment or {})}
        self.environment = self.variables

    def ids(self) -> tuple[str, ...]:
        """Return the ids of the accelerators, each followed by its slices."""
        return tuple(device for part in self._recipe.parts if part.backend for device in part.ids())

    def known(self, device: str) -> str:
        """Return the id. Raises NoSuchDevice if the machine does not have it."""
        if device not in self.ids():
            here = ", ".join(self.ids()) or "none"
            raise NoSuchDevice(f"The simulated machine {self._recipe.name} has no device {device!r}. It has: {here}.")
        return device

    def tells_use(self, device: str) -> bool:
        """Return whether a driver reports the usage of a device."""
        backend = device.partition(":")[0]
        return all(part.recipe.get("tells_use", True) for part in self._recipe.parts if part.backend == backend)

    def state(self, device: str) -> State:
        """Return the state of a device."""
        return self._states.get(device, State())

    def change(self, states: Mapping[str, State]) -> None:
        """Replace the states of these devices; later calls see the new ones."""
        self._states = {**self._states, **states}
        parts = self._recipe.parts
        shared = sum(use.bytes for state in self._states.values() for use in state.uses) if self._recipe.unified else 0
        documents = [part.document(self._recipe.name, self._states, shared) for part in parts]
        self._tools = {
            part.backend: frozenset(command["argv"][0] for command in document.get("commands", ()))
            for part, document in zip(parts, documents, strict=True)
        }
        document = merged(documents)
        lines = document.pop("kernel_log", ())
        if document.get("system", "linux") == "linux":
            log = "".join(f"2,{place},{place + 1}000000,-;{line}\n" for place, line in enumerate(lines))
            document.setdefault("files", {})["/dev/kmsg"] = log
        site = document.get("interpreter", {}).get("paths", ("/usr/lib/python3/dist-packages",))[0]
        document.setdefault("files", {}).update(_files_of(self._packages, site))
        links = document.get("links", {})
        document["files"] = {resolved(path, links): text for path, text in document.get("files", {}).items()}
        for key in ("nodes", "inaccessible"):
            document[key] = [resolved(path, links) for path in document.get(key, ())]
        self._values = document
        before = self.environment
        self._answer_by(document)
        self.environment = before

    def hang(self, *names: str) -> None:
        """Make calls about these devices, or for these backends, never return."""
        backends = [part.backend for part in self._recipe.parts if part.backend]
        for name in names:
            backend = name.partition(":")[0]
            if name not in backends:
                self.known(name)
            if not self._tools.get(backend) and not self._is_read(backend) and not self._calls_nvml(backend):
                raise BadInput(f"hang({name!r}): nothing that could hang is asked to list the devices of {backend}.")
        self._hung |= frozenset(names)

    def heal(self, *names: str) -> None:
        """Reset devices to their initial state; all of them if none is named. Raises NoSuchDevice."""
        backends = [part.backend for part in self._recipe.parts]
        for name in names:
            if name not in backends:
                self.known(name)
        gone = names or (*self._states, *self._hung)
        self._hung -= frozenset(gone)
        self._states = {name: state for name, state in self._states.items() if name not in gone}
        self.change({})

    def next_pid(self) -> int:
        """Return an unused process id."""
        return max([_FIRST_PID, *(use.pid for state in self._states.values() for use in state.uses)]) + 1

    def read(self, path: str, limit_bytes: int = 1 << 20) -> str:
        self._wait_for_file(path)
        return super().read(path, limit_bytes)

    def run(self, argv: Sequence[str], timeout_seconds: float) -> "CommandResult":
        result = super().run(argv, timeout_seconds)
        tool = posixpath.basename(argv[0]) if argv else ""
        backends = {name.partition(":")[0] for name in self._hung}
        if result.missing or not any(tool in map(posixpath.basename, self._tools.get(one, ())) for one in backends):
            return result
        if os.getpid() != self._process:
            time.sleep(timeout_seconds)
        return replace(result, exit_code=None, stdout="", stderr="", seconds=timeout_seconds, timed_out=True)

    def library(self, name: str) -> Any:
        return self._nvml if name == _NVML and "nvml" in self._values else None

    def _calls_nvml(self, backend: str) -> bool:
        return backend == "nvidia" and "nvml" in self._values

    def _is_read(self, backend: str) -> bool:
        """Return whether accel reads files of these devices that their firmware answers."""
        places = [address for device, address in self._addresses().items() if device.startswith(f"{backend}:")]
        return any(_asks_the_device(path) and any(place in path for place in places) for path in self._texts)

    def _addresses(self) -> dict[str, str]:
        return {device: place for part in self._recipe.parts for device, place in part.addresses().items()}

    def _wait_for_file(self, path: str) -> None:
        if not self._hung or not _asks_the_device(path):
            return
        resolved = self._resolved(path)
        for device, address in self._addresses().items():
            if address in resolved and self._hangs(device):
                self._never(f"reading {path}")

    def _wait_for_call(self, call: str, index: int | None) -> None:
        if not self._hung:
            return
        if "nvidia" in self._hung:
            self._never(call)
        if index is not None and f"nvidia:{index}" in self._hung and call not in _REMEMBERED:
            self._never(f"{call} of nvidia:{index}")

    def _hangs(self, device: str) -> bool:
        return device in self._hung or device.partition(":")[0] in self._hung

    def _never(self, what: str) -> None:
        if os.getpid() != self._process:
            time.sleep(_LATE_SECONDS)
        raise NeverReturns(
            f"{what} does not return, and this process would wait for ever. Give a deadline: "
            "accel.configure(timeout_seconds=5), or timeout_seconds= of the call."
        )


def _asks_the_device(path: str) -> bool:
    """Return whether the device itself answers reads of a file; the kernel keeps the bus's data in memory."""
    return posixpath.basename(path) not in _KNOWN_TO_THE_KERNEL


def _files_of(packages: Mapping[str, str], folder: str) -> dict[str, Any]:
    """Return the files of these packages in a site-packages folder.

    packages  {"torch": "2.9.1+cu128"}: if the version's local part names the build, torch's own file names it too

    Raises BadInput for an invalid package name or version.
    """
    found: dict[str, Any] = {}
    for name, version in packages.items():
        if not isinstance(name, str) or _NAME.fullmatch(name) is None:
            raise BadInput(f"packages: {name!r:.60} is no name of a Python package.")
        if not isinstance(version, str) or _VERSION.fullmatch(version) is None:
            raise BadInput(f"packages: {version!r:.60} is no version of {name}. Give a text such as '2.9.1+cu128'.")
        home = f"{folder}/{re.sub(r'[-.]+', '_', name)}-{version}.dist-info"
        found[f"{home}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        if name == "torch" and (build := _BUILD.search(version)) is not None:
            found[f"{folder}/torch/version.py"] = _version_file(version, build)
    return found


def _version_file(version: str, build: "re.Match[str]") -> str:
    digits = build["cuda_digits"]
    cuda = f"{digits[:-1]}.{digits[-1]}" if build["cuda"] else None
    return f"__version__ = {version!r}\ncuda = {cuda!r}\nhip = {build['rocm']!r}\n"
