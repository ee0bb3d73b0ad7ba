"""One probe's conversation with NVML: every call goes through `ask`, which never raises."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Protocol

from accel_nvidia.nvml_errors import (
    ABSENT_FUNCTION,
    GPU_IS_LOST,
    NO_PERMISSION,
    NOT_SUPPORTED,
    OF_THE_QUESTION,
    RESET_REQUIRED,
    UNKNOWN,
    error_code,
    error_text,
)

if TYPE_CHECKING:  # no record is made where everything is answered
    from accel.contract.backend import Depth, Progress
    from accel.model.device import Gap
    from accel.model.observation import ErrorSeen

SOURCE: Final = "nvml"
HANDLE: Final = "nvmlDeviceGetHandleByIndex"
_STUCK_AFTER: Final = 3  # calls of one device that never returned; each further one may cost a deadline


class Asked(Protocol):
    """What a session needs of a Request (accel.contract.backend)."""

    @property
    def depth(self) -> "Depth": ...

    @property
    def skip(self) -> frozenset[tuple[str, str | None]]: ...

    @property
    def progress(self) -> "Progress": ...


class Session:
    """What was asked of NVML, and what it could not answer.

    nvml         the pynvml module, initialised
    gaps         one per failed call and device; what a device does not support is gathered in `unsupported`
    errors       one per device and code that speaks of the device
    """

    def __init__(self, nvml: Any, request: Asked) -> None:
        self.nvml = nvml
        self.request = request
        self.gaps: list[Gap] = []
        self.errors: list[ErrorSeen] = []
        self.unsupported: dict[str, list[str]] = {}
        self._codes: dict[str | None, list[int]] = {}
        self._absent: set[str] = set()

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

        fact      the record field that is missing if this fails; the call's own name without it
        function  what makes the call, where it is not pynvml's function of that name
        instead   another call with its arguments, for drivers and bindings that lack this one
        quiet     codes that are answers here and leave no gap
        """
        if (call, device) in self.request.skip:
            return None
        self.request.progress.calling(call, device)
        try:
            return (function or getattr(self.nvml, call))(*arguments)
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
        """Note that a call ended in an error."""
        if code == NOT_SUPPORTED and device is not None:
            self.unsupported.setdefault(device, []).append(fact or call)
            return
        if code in ABSENT_FUNCTION:
            if call not in self._absent:
                self._absent.add(call)
                reason = f"this driver's NVML, or this pynvml, has no {call}"
                self.lack(fact or call, reason, None)
            return
        text = error_text(code)
        reason = f"NVML error {code} {text}, from {call}"
        self.lack(fact or call, reason, device)
        codes = self._codes.setdefault(device, [])
        refused = code == NO_PERMISSION and call != HANDLE  # this question only: the device itself may be used
        unknown = (
            code == UNKNOWN and device is not None
        )  # the driver answers: only NVML's start tells with it of access
        if code not in codes and code not in OF_THE_QUESTION and not refused and not unknown:
            self.errors.append(nvml_error(call, code, device))
        codes.append(code)

    def lack(self, fact: str, reason: str, device: str | None) -> None:
        """Note a fact that could not be learnt."""
        from accel.model.device import Gap

        self.gaps.append(Gap(fact=fact, reason=reason, device=device, backend="nvidia", source=SOURCE))

    def is_lost(self, device: str) -> bool:
        """Whether the device has fallen off the bus: it answers nothing more, and each question may take long."""
        return GPU_IS_LOST in self._codes.get(device, ())

    def needs_reset(self, device: str) -> bool:
        return RESET_REQUIRED in self._codes.get(device, ())

    def hung_calls(self, device: str) -> frozenset[str]:
        """Return the calls of the device that never returned in earlier attempts."""
        return frozenset(call for call, owner in self.request.skip if owner == device)

    def is_stuck(self, device: str) -> bool:
        """Whether so many calls of the device never returned that it is not worth a deadline to ask more of it."""
        return len(self.hung_calls(device)) >= _STUCK_AFTER

    def has_failed(self, device: str | None, code: int) -> bool:
        return code in self._codes.get(device, ())

    def unsupported_rows(self) -> list[dict[str, Any]]:
        """Return the fields of one gap per device, which names all that it does not support."""
        reason = "not supported by this device"
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
    """Return the observation that NVML refused a call."""
    from accel.model.observation import ErrorSeen  # a list of healthy devices does without

    return ErrorSeen(
        domain="nvml",
        code=str(code),
        call=call,
        text=f"{call}{f' of {device}' if device else ''}: NVML error {code}, {error_text(code)}",
        source=source,
        device=device,
        grade="measured",
    )
