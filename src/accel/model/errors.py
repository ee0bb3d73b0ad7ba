"""The exceptions that accel raises. Every message says what was wanted, what happened, and what to do.

AccelError
├── NoSuchDevice      an id that no backend on this machine knows
├── DeadlineMissed    accel.devices(timeout_seconds=…) did not finish in time; carries what was found
├── RequirementUnmet  accel.require(), accel.pick(): the machine lacks what was asked for; carries the reasons
├── BadInput          a file, snapshot or option that cannot be used; names the exact place
├── BadSpec           a mistake in a spec record: file, field, value, closest match
└── PluginError       a plugin that cannot be loaded or that breaks its contract
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from accel.model.device import Device, Gap
    from accel.model.diagnosis import Diagnosis


class AccelError(Exception):
    """Base class of everything that accel raises on purpose. The message ends with what to do next."""


class NoSuchDevice(AccelError):
    """The id does not match any device of this machine."""


class DeadlineMissed(AccelError):
    """A backend did not list its devices in time. devices: those found by then; gaps: whose devices are missing."""

    def __init__(self, message: str, devices: "tuple[Device, ...]" = (), gaps: "tuple[Gap, ...]" = ()) -> None:
        super().__init__(message)
        self.devices = devices
        self.gaps = gaps


class RequirementUnmet(AccelError):
    """The machine lacks what is required. `diagnosis` says why, if known; `reasons` says why for each device."""

    def __init__(
        self, message: str, diagnosis: "Diagnosis | None" = None, reasons: "Mapping[str, str] | None" = None
    ) -> None:
        super().__init__(message)
        self.diagnosis = diagnosis
        self.reasons: dict[str, str] = dict(reasons or {})


class BadInput(AccelError):
    """A file, snapshot or option that cannot be used."""


class BadSpec(AccelError):
    """A spec record with a mistake."""


class PluginError(AccelError):
    """A plugin that cannot be loaded or that breaks its contract."""


def in_words(error: BaseException) -> str:
    """Return an error raised by a plugin's code as the end of a sentence; a PluginError already names the plugin."""
    return str(error) if isinstance(error, PluginError) else f"{type(error).__name__}: {error}"
