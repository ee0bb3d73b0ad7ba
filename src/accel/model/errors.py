"""What accel raises. Every message says what was wanted, what happened, and what to do.

AccelError
├── NoSuchDevice      an id that no present backend knows
├── DeadlineMissed    accel.devices(timeout_seconds=…): what was not known in time; carries what was
├── RequirementUnmet  accel.require(), accel.pick(): the machine lacks what was asked for; carries why
├── BadInput          a file, snapshot or option that cannot be used; names the exact place
├── BadSpec           a spec record with a mistake: file, field, value, near miss
└── PluginError       a plugin that cannot be loaded or breaks its contract
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from accel.model.device import Device, Gap
    from accel.model.diagnosis import Diagnosis


class AccelError(Exception):
    """Anything accel raises on purpose. The message ends with what to do next."""


class NoSuchDevice(AccelError):
    """The id names no device of this machine."""


class DeadlineMissed(AccelError):
    """A backend did not list its devices in time. devices: what was found by then; gaps: whose devices are missing."""

    def __init__(self, message: str, devices: "tuple[Device, ...]" = (), gaps: "tuple[Gap, ...]" = ()) -> None:
        super().__init__(message)
        self.devices = devices
        self.gaps = gaps


class RequirementUnmet(AccelError):
    """The machine lacks what was required; `diagnosis` says why, where it is known, and `reasons` of each device."""

    def __init__(
        self, message: str, diagnosis: "Diagnosis | None" = None, reasons: "Mapping[str, str] | None" = None
    ) -> None:
        super().__init__(message)
        self.diagnosis = diagnosis
        self.reasons: dict[str, str] = dict(reasons or {})


class BadInput(AccelError):
    """A file, a snapshot or an option that cannot be used."""


class BadSpec(AccelError):
    """A spec record with a mistake in it."""


class PluginError(AccelError):
    """A plugin that cannot be loaded, or that breaks its contract."""


def in_words(error: BaseException) -> str:
    """Return what a plugin's code raised, as a sentence's rest: a PluginError has said who it was."""
    return str(error) if isinstance(error, PluginError) else f"{type(error).__name__}: {error}"
