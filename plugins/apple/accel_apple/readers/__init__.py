"""The readers of the texts that tell of a Mac's GPUs."""

from accel.contract.backend import Reader
from accel_apple.readers import displays, displays_json, ioreg, powermetrics


def apple_readers() -> tuple[Reader, ...]:
    """Return them, the most trusted first."""
    return (displays_json.READER, displays.READER, ioreg.READER, powermetrics.READER)
