"""The clocks of watching: one to pace by, one to date by. Tests and replays bring their own."""

import time
from typing import Protocol


class Clock(Protocol):
    def seconds(self) -> float:
        """Return a clock that nobody sets."""
        ...

    def time(self) -> float:
        """Return the system's clock, seconds since 1970 in UTC."""
        ...

    def wait(self, seconds: float) -> None: ...


class LiveClock:
    """This machine's."""

    def seconds(self) -> float:
        return time.monotonic()

    def time(self) -> float:
        return time.time()

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)
