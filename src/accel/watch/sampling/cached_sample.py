"""The last answer of a slow backend, while it is queried again: a vendor's tool may take seconds, longer than a tick.

A backend that answers within a quarter of the time between two calls is queried at each call. Any other is queried in a
background thread, pausing between two samples for as long as one takes, since such a tool uses a processor, and some
use the device. Until the next sample arrives, the last readings are returned, with a gap that gives their age. If a
sample takes much longer than usual, the devices are late, like those of any other missing answer.
"""

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import dataclass, replace
from accel.model.device import Gap
from accel.model.readings import Readings, State, is_blank

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_PROMPT_SHARE: Final = 0.25  # of the time between two calls
_LATE_TIMES: Final = 3  # the last sample's duration, plus a second: after that the last figures are too old
_LONGEST_SECONDS: Final = 12.0  # in the background (a tool has a limit of 10); then it is waited for

Take = Callable[[], Sequence[Readings]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sample:
    """A sample. began, ended: by the machine's clock; error: what was raised instead of readings."""

    began: float
    ended: float
    readings: Sequence[Readings] = ()
    error: Exception | None = None

    @property
    def took(self) -> float:
        return self.ended - self.began


class CachedSample:
    """Caches one backend's last sample. Only for a worker's own process, which may have threads."""

    def __init__(self) -> None:
        self._last: _Sample | None = None
        self._called = 0.0
        self._beside: threading.Thread | None = None
        self._beside_began = 0.0

    def readings(self, machine: "Machine", take: Take) -> Sequence[Readings]:
        """Return a fresh sample, or the last one with its age. Raises what `take` raises."""
        now, called = machine.seconds(), self._called
        self._called = now
        if self._beside is not None:
            if not self._beside.is_alive() or now - self._beside_began >= _LONGEST_SECONDS:
                self._beside.join()
                self._beside = None
        elif self._last is None or self._last.took <= (now - called) * _PROMPT_SHARE:
            self._take(machine, take)
            return self._told(None)
        elif now >= self._last.ended + self._last.took:
            self._beside = threading.Thread(target=self._take, args=(machine, take), daemon=True)
            self._beside_began = now
            self._beside.start()
        return self._told(now)

    def _take(self, machine: "Machine", take: Take) -> None:
        began = machine.seconds()
        try:
            readings, error = take(), None
        except Exception as raised:  # a plugin's code may raise anything: _told re-raises it for the caller
            readings, error = (), raised
        self._last = _Sample(began=began, ended=machine.seconds(), readings=readings, error=error)

    def _told(self, now: float | None) -> Sequence[Readings]:
        """Return the last sample; now: the current time if it was taken earlier, else None."""
        last = self._last
        assert last is not None
        if last.error is not None:
            raise last.error
        if now is None:
            return last.readings
        state: State = "ok"
        reason = f"{now - last.began:.0f} s old: one sample takes {last.took:.1f} s, and is taken in parallel"
        waited = now - self._beside_began
        if self._beside is not None and waited > _LATE_TIMES * last.took + 1:
            state, reason = "late", f"no answer for {waited:.0f} s: the last took {last.took:.1f} s"
        nothing = f"the last sample, of {last.took:.1f} s, has no value for it"
        return [_aged(one, "ok", nothing) if is_blank(one) else _aged(one, state, reason) for one in last.readings]


def _aged(one: Readings, state: State, reason: str) -> Readings:
    gap = Gap(fact="readings", reason=reason, device=one.id)
    if state == "ok":
        return replace(one, gaps=(*one.gaps, gap))
    return Readings(id=one.id, uuid=one.uuid, state=state, gaps=(gap,))
