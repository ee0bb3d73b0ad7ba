"""The clocks for watching: a monotonic one for pacing, and the system's for dates. Tests and replays use their own."""

import time
from typing import Protocol


class Clock(Protocol):
    def seconds(self) -> float:
        """Return the seconds of a monotonic clock."""
        ...

    def time(self) -> float:
        """Return the system's clock: seconds since 1970 in UTC."""
        ...

    def wait(self, seconds: float) -> None: ...


class LiveClock:
    """The clocks of this machine."""

    def seconds(self) -> float:
        return time.monotonic()

    def time(self) -> float:
        return time.time()

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)
