"""One probe's session with NVML: every call goes through `ask`, which never raises."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Protocol

from accel.model.device import UNSUPPORTED
from accel_nvidia.nvml_errors import (
    ABSENT_FUNCTION,
    DRIVER_NOT_LOADED,
    GPU_IS_LOST,
    INSUFFICIENT_POWER,
    NO_PERMISSION,
    NOT_SUPPORTED,
    OF_THE_QUESTION,
    RESET_REQUIRED,
    UNKNOWN,
    UNUSABLE,
    error_code,
    error_text,
)

if TYPE_CHECKING:  # no record is created if every call succeeds
    from accel.model.device import Gap
    from accel.model.observation import ErrorSeen, Noted
    from accel.vendors.contract.backend import Depth, Progress

SOURCE: Final = "nvml"
INIT: Final = "nvmlInit"
COUNT: Final = "nvmlDeviceGetCount"
HANDLE: Final = "nvmlDeviceGetHandleByIndex"
IDENTITY_CALLS: Final = frozenset(
    {"nvmlDeviceGetUUID", "nvmlDeviceGetName", "nvmlDeviceGetSerial", "nvmlDeviceGetPciInfo"}
)
_STUCK_AFTER: Final = 3  # calls of one device that never returned; each further call may cost a deadline
_SHARE_OF_TIME: Final = 0.85  # share of the time for the devices; the bus and the kernel are read after them
_TELLING: Final = 5  # failed calls of one device, if more fail than succeed: it is unusable
_OF_THE_DEVICE: Final = frozenset({INSUFFICIENT_POWER, 14, GPU_IS_LOST, RESET_REQUIRED})  # each has a check of its own


class Asked(Protocol):
    """What a session needs of a Request (accel.vendors.contract.backend)."""

    @property
    def depth(self) -> "Depth": ...

    @property
    def skip(self) -> frozenset[tuple[str, str | None]]: ...

    @property
    def seconds(self) -> float | None: ...

    @property
    def links_only(self) -> bool: ...

    @property
    def progress(self) -> "Progress": ...


class Session:
    """The calls made to NVML, and what they could not answer.

    nvml         the pynvml module, initialised
    gaps         one per failed call and device; what a device does not support is collected in `unsupported`
    errors       one per device and code that concerns the device
    noted        other findings: a device that cannot be opened or does not respond, calls that fail
    """

    def __init__(self, nvml: Any, request: Asked) -> None:
        self.nvml = nvml
        self.request = request
        self.gaps: list[Gap] = []
        self.errors: list[ErrorSeen] = []
        self.noted: list[Noted] = []
        self.unsupported: dict[str, list[str]] = {}
        self._codes: dict[str | None, list[int]] = {}
        self._absent: set[str] = set()
        self._answered: dict[str, int] = {}
        self._refused: dict[str, list[tuple[str, int]]] = {}
        self._late: set[str] = set()
        self._ends = None if request.seconds is None else time.monotonic() + request.seconds * _SHARE_OF_TIME

    def ask(
        self,
        call: str,
        *arguments: Any,
        device: str | None = None,
        fact: str | None = None,
        function: Callable[..., Any] | None = None,
        instead: "tuple[str, tuple[Any, ...]] | None" = None,
        quiet: tuple[int, ...] = (),
    ) -> Any:
        """Return what the call returns; None if it was skipped or failed.

        fact      the record field that is missing if this fails; by default the call's own name
        function  the function to call, if it is not pynvml's of that name
        instead   an alternative call with its arguments, for drivers and bindings that lack this one
        quiet     codes that are answers here and leave no gap
        """
        if self.leaves_out(call, device):
            if fact is not None and any(call == hung for hung, _ in self.request.skip):
                others = "" if (call, device) in self.request.skip else " for other devices"
                self.lack(fact, f"not queried: {call} did not return{others}", device)
            return None
        self.request.progress.calling(call, device)
        try:
            answer = (function or getattr(self.nvml, call))(*arguments)
            if device is not None:
                self._answered[device] = self._answered.get(device, 0) + 1
            return answer
        except Exception as error:  # pynvml raises several kinds, two of them no NVMLError
            code = error_code(error)
            if code is None:
                reason = f"{type(error).__name__}: {error}, from {call}"
                self.lack(fact or call, reason, device)
                return None
        if code in ABSENT_FUNCTION and instead is not None:
            return self.ask(instead[0], *instead[1], device=device, fact=fact, quiet=quiet)
        if code not in quiet:
            self.failed(call, code, device, fact)
        return None

    def failed(self, call: str, code: int, device: str | None, fact: str | None = None) -> None:
        """Record that a call failed."""
        if code == NOT_SUPPORTED and device is not None:
            self.unsupported.setdefault(device, []).append(fact or call)
            return
        if code in ABSENT_FUNCTION:
            if call not in self._absent:
                self._absent.add(call)
                reason = f"this driver's NVML, or this pynvml, does not have {call}"
                self.lack(fact or call, reason, None)
            return
        reason = f"NVML error {code} {error_text(code)}, from {call}"
        self.lack(fact or call, reason, device)
        codes = self._codes.setdefault(device, [])
        refused = code == NO_PERMISSION and call != HANDLE  # only this call: the device itself may be usable
        unknown = code == UNKNOWN and call != INIT  # the driver works: the code means missing access only in nvmlInit
        if code not in codes and code not in OF_THE_QUESTION and not refused and not unknown:
            self.errors.append(nvml_error(call, code, device))
        codes.append(code)
        if code in OF_THE_QUESTION or code == NO_PERMISSION or call == COUNT:  # the count: see counted
            return
        if device is None:
            self.note(
                "gpu-call-refused", f"{call}: NVML error {code}, {error_text(code)}", None, call=call, code=str(code)
            )
        else:
            self._refused.setdefault(device, []).append((call, code))

    def leaves_out(self, call: str, device: str | None) -> bool:
        """Return whether to skip a call: it never returned before, on this or several devices, or time is short.

        Identity calls are made regardless of time, and skipped only after hanging on more devices.
        """
        skip = self.request.skip
        if (call, device) in skip:
            return True
        if device is None:
            return False
        if call == HANDLE or call in IDENTITY_CALLS:
            return sum(call == hung for hung, _ in skip) > _STUCK_AFTER
        if (call, None) in skip:
            return True
        if self._ends is None or time.monotonic() < self._ends:
            return False
        if device not in self._late:
            self._late.add(device)
            self.lack("readings", f"not queried from {call} on: the probe's time was nearly over", device)
        return True

    def is_dead(self, device: str) -> bool:
        """Judge a device after its calls: record those that failed; return whether it is unusable."""
        refused = self._refused.get(device, [])
        if not refused:
            return False
        call, code = refused[0]
        told = f"of {device}: NVML error {code}, {error_text(code)}"
        if call == HANDLE:
            if code not in _OF_THE_DEVICE or code == 14:
                self.note("gpu-handle-refused", f"{call} {told}", device, call=call, code=str(code))
            return code in UNUSABLE
        told_apart = [(call, code) for call, code in refused if code not in _OF_THE_DEVICE]
        if len(refused) >= _TELLING and len(refused) > self._answered.get(device, 0):
            if told_apart:
                text = f"{call} {told}; {len(refused) - 1} more of its calls fail"
                self.note("gpu-answers-nothing", text, device, call=call, code=str(code))
            return True
        for call, code in dict.fromkeys(told_apart):
            text = f"{call} of {device}: NVML error {code}, {error_text(code)}"
            self.note("gpu-call-refused", text, device, call=call, code=str(code))
        return False

    def note(self, fact: str, text: str, device: str | None, **values: str) -> None:
        """Record an observation for a check."""
        from accel.vendors.toolkit.notes import noted

        self.noted.append(noted(fact, text, SOURCE, of=device, **values))

    def counted(self) -> int | None:
        """Return how many devices the driver lists; None if it cannot say, which is a driver fault."""
        count = self.ask(COUNT, fact="devices")
        if count is not None:
            return int(count)
        for code in self._codes.get(None, ())[-1:]:
            if code not in (NO_PERMISSION, DRIVER_NOT_LOADED):
                self.note(
                    "gpu-count-refused",
                    f"{COUNT}: NVML error {code}, {error_text(code)}",
                    None,
                    call=COUNT,
                    code=str(code),
                )
        return None

    def lack(self, fact: str, reason: str, device: str | None) -> None:
        """Record a fact that could not be read."""
        from accel.model.device import Gap

        self.gaps.append(Gap(fact=fact, reason=reason, device=device, backend="nvidia", source=SOURCE))

    def is_lost(self, device: str) -> bool:
        """Return whether the device has fallen off the bus: it no longer responds, and each call may take long."""
        return GPU_IS_LOST in self._codes.get(device, ())

    def needs_reset(self, device: str) -> bool:
        return RESET_REQUIRED in self._codes.get(device, ())

    def hung_calls(self, device: str) -> frozenset[str]:
        """Return the device's calls that never returned in earlier attempts."""
        return frozenset(call for call, owner in self.request.skip if owner == device)

    def is_stuck(self, device: str) -> bool:
        """Return whether so many of the device's calls never returned that more are not worth a deadline."""
        return len(self.hung_calls(device)) >= _STUCK_AFTER

    def has_failed(self, device: str | None, code: int) -> bool:
        return code in self._codes.get(device, ())

    def unsupported_rows(self) -> list[dict[str, Any]]:
        """Return the fields of one gap per device, listing everything that it does not support."""
        reason = UNSUPPORTED
        return [
            {
                "fact": ", ".join(dict.fromkeys(facts)),
                "reason": reason,
                "device": device,
                "backend": "nvidia",
                "source": SOURCE,
            }
            for device, facts in self.unsupported.items()
            if facts
        ]


def nvml_error(call: str, code: int, device: str | None = None, source: str = SOURCE) -> "ErrorSeen":
    """Return the observation that NVML rejected a call."""
    from accel.model.observation import ErrorSeen  # a list of healthy devices does not need it

    return ErrorSeen(
        domain="nvml",
        code=str(code),
        call=call,
        text=f"{call}{f' of {device}' if device else ''}: NVML error {code}, {error_text(code)}",
        source=source,
        device=device,
        grade="measured",
    )
