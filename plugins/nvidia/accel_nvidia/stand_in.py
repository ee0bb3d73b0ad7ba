"""A simulated NVML library in this process, for a simulated machine (accel.testing).

Functions are called like the library's through ctypes: they fill the buffers they are given and return NVML's codes.
Missing values are "Not Supported", and a function that does not exist here is one that the driver lacks.

values of a GPU     by the names in stand_in_tables; `lost`: each call returns GPU_IS_LOST; `slices`: MIG devices
                    with values of their own; `processes`: rows of pid, bytes
Source  nvml.h. It was not compared with a driver: codes of corner cases are guesses, as in tests/fakenvml.
"""

import sys
from _thread import allocate_lock
from collections.abc import Callable, Mapping, Sequence
from ctypes import addressof, c_void_p, cast, memmove
from importlib import util
from typing import Any, Final

from accel_nvidia.nvml_errors import (
    GPU_IS_LOST,
    INSUFFICIENT_SIZE,
    NOT_FOUND,
    NOT_SUPPORTED,
    UNINITIALIZED,
    VERSION_MISMATCH,
)
from accel_nvidia.nvml_structures import MEMORY_V2, NOT_AVAILABLE
from accel_nvidia.stand_in_tables import CHOSEN, FIELDS, LINK_FIELDS, NUMBERS, SEVERAL, TEXTS

Values = Mapping[str, Any]

_INVALID: Final = 2
_ULONGLONG: Final = 3  # nvmlValueType_t
_FABRIC_VERSIONS: Final = (0x03000028, 0x02000024)


class StandIn:
    """The NVML library of one machine.

    machine  provides the values: driver, cuda and, for each GPU, what the tables need; read at each call
    asking   called before each call with (call, GPU number or None): it may wait, or raise
    """

    def __init__(self, machine: Callable[[], Values], asking: Callable[[str, int | None], None]) -> None:
        self._machine, self._asking = machine, asking
        self._starts = 0
        self._bound: Any = None
        self._binding = allocate_lock()

    def pynvml(self) -> Any:
        """Return a separate pynvml module, bound to this library: the process's own pynvml is not affected."""
        with self._binding:
            if self._bound is None:
                self._bound = _own_pynvml()
                self._bound.nvmlLib = self  # as if it had loaded it
        return self._bound

    def __getattr__(self, name: str) -> Callable[..., int]:
        made = self._function(name)
        if made is None:
            raise AttributeError(f"the simulated NVML has no {name}")
        return made

    def _function(self, name: str) -> Callable[..., int] | None:
        whole: dict[str, Callable[..., int]] = {
            "nvmlInitWithFlags": self._start,
            "nvmlInit_v2": self._start,
            "nvmlShutdown": self._stop,
            "nvmlDeviceGetCount_v2": self._count,
            "nvmlDeviceGetHandleByIndex_v2": self._handle,
            "nvmlSystemGetDriverVersion": self._text_of("driver"),
            "nvmlSystemGetNVMLVersion": self._text_of("library"),
            "nvmlSystemGetCudaDriverVersion_v2": self._number_of("cuda"),
            "nvmlSystemGetCudaDriverVersion": self._number_of("cuda"),
        }
        if name in whole:
            return self._told(name, whole[name])
        answer = _answer(name)
        return None if answer is None else self._of_device(name, answer)

    def _told(self, name: str, function: Callable[..., int]) -> Callable[..., int]:
        def call(*arguments: Any) -> int:
            self._asking(name, None)
            if not self._starts and not name.startswith("nvmlInit"):
                return UNINITIALIZED
            return function(*arguments)

        return call

    def _of_device(self, name: str, answer: Callable[..., int]) -> Callable[..., int]:
        def call(handle: Any, *arguments: Any) -> int:
            if not self._starts:
                return UNINITIALIZED
            index, part = divmod((cast(handle, c_void_p).value or 0) - 1, 16)
            gpus: Sequence[Values] = self._machine()["gpus"]
            if not 0 <= index < len(gpus):
                return _INVALID
            self._asking(name, index)
            gpu = gpus[index]
            if gpu.get("lost"):
                return GPU_IS_LOST
            if part:
                slices = gpu.get("slices") or ()
                return answer(slices[part - 1], *arguments) if part <= len(slices) else _INVALID
            if name == "nvmlDeviceGetMigDeviceHandleByIndex":
                return _slice_handle(gpu, index, *arguments)
            return answer(gpu, *arguments)

        return call

    def _start(self, *_: Any) -> int:
        self._starts += 1
        return 0

    def _stop(self) -> int:
        self._starts = max(0, self._starts - 1)
        return 0

    def _count(self, out: Any) -> int:
        return _put(out, len(self._machine()["gpus"]))

    def _handle(self, index: Any, out: Any) -> int:
        number = _number(index)
        gpus = self._machine()["gpus"]
        if not 0 <= number < len(gpus):
            return _INVALID
        self._asking("nvmlDeviceGetHandleByIndex", number)
        _set_handle(out, 16 * number + 1)  # returned for a lost one too, whose calls then fail
        return 0

    def _text_of(self, key: str) -> Callable[..., int]:
        return lambda buffer, room: _put_text(buffer, room, self._machine().get(key))

    def _number_of(self, key: str) -> Callable[..., int]:
        return lambda out: _put(out, self._machine().get(key))


def _own_pynvml() -> Any:
    found = util.find_spec("pynvml")
    assert found is not None
    assert found.origin is not None
    spec = util.spec_from_file_location(f"{__name__}.pynvml_{id(found)}", found.origin)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    sys.modules[spec.name] = module  # it is looked up during its own creation
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[spec.name]
    return module


def _answer(name: str) -> Callable[..., int] | None:
    """Return the function that answers for a device, from its values; None if it is not simulated."""
    if name in TEXTS:
        return lambda gpu, buffer, room: _put_text(buffer, room, gpu.get(TEXTS[name]))
    if name in NUMBERS:
        return lambda gpu, out: _put(out, gpu.get(NUMBERS[name]))
    if name in SEVERAL:
        return lambda gpu, *outs: max([_put(out, gpu.get(key)) for out, key in zip(outs, SEVERAL[name], strict=True)])
    if name in CHOSEN:
        return lambda gpu, which, out: _put(out, _chosen(gpu, CHOSEN[name], _number(which)))
    family = name.removesuffix("_v3").removesuffix("_v2")
    if family.endswith("RunningProcesses"):
        return _processes if family == "nvmlDeviceGetComputeRunningProcesses" else _no_processes
    return _OTHERS.get(name)


def _chosen(gpu: Values, keys: Sequence[str], which: int) -> Any:
    return gpu.get(keys[which]) if 0 <= which < len(keys) else None


def _memory(gpu: Values, out: Any) -> int:
    return _memory_of(gpu, out, reserved=False)


def _memory_v2(gpu: Values, out: Any) -> int:
    return _memory_of(gpu, out, reserved=True) if _record(out).version == MEMORY_V2 else VERSION_MISMATCH


def _memory_of(gpu: Values, out: Any, *, reserved: bool) -> int:
    total, used, held = gpu.get("total_bytes"), gpu.get("used_bytes") or 0, gpu.get("reserved_bytes") or 0
    if total is None:
        return NOT_SUPPORTED
    record = _record(out)
    record.total, record.free = total, max(0, total - used - held)
    record.used = used if reserved else used + held
    if reserved:
        record.reserved = held
    return 0


def _bar1(gpu: Values, out: Any) -> int:
    size = gpu.get("bar1_bytes")
    if size is None:
        return NOT_SUPPORTED
    record = _record(out)
    record.bar1Total, record.bar1Used, record.bar1Free = size, 1 << 20, size - (1 << 20)
    return 0


def _rates(gpu: Values, out: Any) -> int:
    if gpu.get("busy_percent") is None or gpu.get("mig"):
        return NOT_SUPPORTED
    record = _record(out)
    record.gpu, record.memory = gpu["busy_percent"], gpu.get("memory_busy_percent") or 0
    return 0


def _pci(gpu: Values, out: Any) -> int:
    address: str | None = gpu.get("pci")
    if address is None:
        return NOT_SUPPORTED
    domain, bus, device = address.split(":")
    record = _record(out)
    record.domain, record.bus, record.device = int(domain, 16), int(bus, 16), int(device.partition(".")[0], 16)
    record.busIdLegacy, record.busId = (
        address.upper().encode(),
        f"{int(domain, 16):08X}:{bus}:{device}".upper().encode(),
    )
    vendor, _, product = str(gpu.get("pci_id") or "10de:0000").partition(":")
    record.pciDeviceId = int(product, 16) << 16 | int(vendor, 16)
    return 0


def _field_values(gpu: Values, count: Any, values: Any) -> int:
    for entry in values[: _number(count)]:
        value = _field(gpu, entry.fieldId, entry.scopeId)
        entry.nvmlReturn = NOT_SUPPORTED if value is None else 0
        entry.valueType = _ULONGLONG
        entry.value.ullVal = value or 0
    return 0


def _field(gpu: Values, field: int, scope: int) -> int | None:
    if field in LINK_FIELDS:
        told = LINK_FIELDS[field]
        value: int | None = gpu.get(told) if isinstance(told, str) else told
        return value if scope < (gpu.get("nvlinks") or 0) else None
    found: int | None = gpu.get(FIELDS.get(field, ""))
    return found


def _ecc_errors(gpu: Values, kind: Any, counter: Any, out: Any) -> int:
    life = "_life" if _number(counter) else ""
    return _put(out, gpu.get(f"ecc_{'un' if _number(kind) else ''}corrected{life}"))


def _retired_pages(gpu: Values, cause: Any, count: Any, _addresses: Any) -> int:
    known = gpu.get("retired_double" if _number(cause) else "retired_single")
    return NOT_SUPPORTED if known is None else _put(count, 0)


def _link_state(gpu: Values, link: Any, out: Any) -> int:
    links = gpu.get("nvlinks") or 0
    return NOT_SUPPORTED if not links else _put(out, 1) if _number(link) < links else _INVALID


def _peer_status(gpu: Values, _other: Any, _capability: Any, out: Any) -> int:
    return NOT_SUPPORTED if gpu.get("mig") else _put(out, gpu.get("peer_status"))


def _fabric(gpu: Values, out: Any) -> int:
    state = gpu.get("fabric_state")
    if state is None:
        return NOT_SUPPORTED
    record = _record(out)
    if record.version not in _FABRIC_VERSIONS:
        return VERSION_MISMATCH
    record.state, record.status, record.clique = state, 0, 0
    if hasattr(record, "health_summary"):
        record.health_summary = 1
    return 0


def _slices(gpu: Values, out: Any) -> int:
    return _put(out, gpu.get("most_slices"))


def _slice_handle(gpu: Values, index: int, which: Any, out: Any) -> int:
    place = _number(which)
    if place >= len(gpu.get("slices") or ()):
        return NOT_FOUND
    _set_handle(out, 16 * index + 2 + place)
    return 0


def _attributes(gpu: Values, out: Any) -> int:
    if gpu.get("multiprocessors") is None:
        return NOT_SUPPORTED
    record = _record(out)
    record.multiprocessorCount = gpu["multiprocessors"]
    record.gpuInstanceSliceCount = record.computeInstanceSliceCount = gpu.get("compute_slices") or 0
    record.memorySizeMB = (gpu.get("total_bytes") or 0) >> 20
    return 0


def _processes(gpu: Values, count: Any, array: Any) -> int:
    rows = gpu.get("processes") or ()
    room = count._obj.value
    _put(count, len(rows))
    if len(rows) > room or (rows and array is None):
        return INSUFFICIENT_SIZE
    for entry, row in zip(array or (), rows, strict=False):
        size = NOT_AVAILABLE if row.get("bytes") is None else row["bytes"]
        name = "usedGpuMemory" if hasattr(entry, "usedGpuMemory") else "memory"
        entry.pid = row["pid"]
        setattr(entry, name, size)
    return 0


def _no_processes(_gpu: Values, count: Any, _array: Any) -> int:
    return _put(count, 0)


def _process_use(gpu: Values, array: Any, count: Any, _since: Any) -> int:
    rows = gpu.get("processes") or ()
    if not rows:
        return NOT_FOUND
    room = count._obj.value
    _put(count, len(rows))
    if len(rows) > room:
        return INSUFFICIENT_SIZE
    for entry, row in zip(array, rows, strict=False):
        entry.pid, entry.time = row["pid"], 1
        entry.compute = (gpu.get("busy_percent") or 0) // len(rows)
    return 0


def _validated(_gpu: Values) -> int:
    return 0


_OTHERS: Final[dict[str, Callable[..., int]]] = {
    "nvmlDeviceGetMemoryInfo": _memory,
    "nvmlDeviceGetMemoryInfo_v2": _memory_v2,
    "nvmlDeviceGetBAR1MemoryInfo": _bar1,
    "nvmlDeviceGetUtilizationRates": _rates,
    "nvmlDeviceGetPciInfo_v3": _pci,
    "nvmlDeviceGetFieldValues": _field_values,
    "nvmlDeviceGetTotalEccErrors": _ecc_errors,
    "nvmlDeviceGetRetiredPages": _retired_pages,
    "nvmlDeviceGetNvLinkState": _link_state,
    "nvmlDeviceGetP2PStatus": _peer_status,
    "nvmlDeviceGetGpuFabricInfoV": _fabric,
    "nvmlDeviceGetMaxMigDeviceCount": _slices,
    "nvmlDeviceGetMigDeviceHandleByIndex": _slices,  # called with the device's number: see _of_device
    "nvmlDeviceGetAttributes_v2": _attributes,
    "nvmlDeviceGetProcessUtilization": _process_use,
    "nvmlDeviceValidateInforom": _validated,
}


def _number(argument: Any) -> int:
    """Return an integer given as a Python or a C integer."""
    value: int = getattr(argument, "value", argument)
    return value


def _record(out: Any) -> Any:
    """Return the object that a reference points to."""
    return getattr(out, "_obj", out)


def _put(out: Any, value: Any) -> int:
    if value is None:
        return NOT_SUPPORTED
    out._obj.value = int(value)
    return 0


def _put_text(buffer: Any, room: Any, value: Any) -> int:
    if value is None:
        return NOT_SUPPORTED
    data = str(value).encode() + b"\0"
    if len(data) > _number(room):
        return INSUFFICIENT_SIZE
    memmove(addressof(buffer), data, len(data))
    return 0


def _set_handle(out: Any, value: int) -> None:
    c_void_p.from_address(addressof(out._obj)).value = value
