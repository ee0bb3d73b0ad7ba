"""One backend in the engine: its worker, the calls that are skipped, and the trials that bring it back.

A call that does not return loses only that reading of its device: the worker is killed, and a new one continues without
the call. After a pause, a second worker tries again in parallel, with a new listing of all devices; if it answers
everything that the first one answers, it replaces the first. So a device that vanished and returned, a driver that was
reloaded and partitions that were recreated are all detected in the same way: by a fresh process.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import replace
from accel.model.device import Device, Gap
from accel.model.readings import Readings, State, without_readings
from accel.vendors.contract.backend import Silent
from accel.watch.sampling.asking import answers, asked
from accel.watch.sampling.identities import joined
from accel.watch.sampling.tick import Happening, Kind
from accel.watch.sampling.worker import Answer, Skip, Worker, listed

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.device import Device
    from accel.vendors.contract.backend import Backend
    from accel.vendors.contract.watching import Wanted

CALL_SECONDS: Final = 1.5  # for a call about one device: NVIDIA documents 20 ms for the slowest
SOURCE_SECONDS: Final = (
    15.0  # for a call about all of them, such as a tool that may take ten, and for a library's start
)
_PAUSE_SECONDS: Final = 5.0  # before the second trial; the first starts immediately, and each pause doubles
_LONGEST_PAUSE_SECONDS: Final = 60.0
_LIST_SECONDS: Final = 60.0  # between two trials that look for new devices while all is well
_LIST_SHARE: Final = 500  # or this multiple of a trial's duration, if that is longer
_HUNG_CALLS: Final = 3  # of one device, after which it is not queried at all


class Here:
    """Replaces a Worker where it cannot or must not fork, and on recorded machines: it answers in this process.

    A hanging call blocks its caller; an exception loses only its backend's readings of that moment.
    """

    pipe = -1
    since: float | None = None
    has_answered = True

    def __init__(
        self, backend: "Backend", machine: "Machine", devices: "Sequence[Device]", skip: Skip, guest: bool
    ) -> None:
        self.backend, self.machine, self.guest, self.skip = backend, machine, guest, skip
        self.devices = tuple(devices)

    def ask(self, now: float, wanted: "Wanted", listing: bool = False) -> Answer:
        """Query the backend, and return the answer."""
        answer = Answer()
        try:
            if listing:
                answer.devices, answer.gaps = listed(self.backend, self.machine, self.skip, Silent(), self.guest)
                self.devices = answer.devices
            wanted = replace(wanted, skip=self.skip) if self.skip else wanted
            answer.readings = tuple(asked(self.backend, self.machine, self.devices, wanted, self.guest))
        except Exception as error:  # a plugin's code may raise anything
            answer.error = f"{type(error).__name__}: {error}"
        return answer

    def kill(self) -> None:
        pass

    def reap(self) -> bool:
        return True


class Desk:
    """One backend's queries and answers.

    devices  the devices of this backend that are watched
    """

    def __init__(
        self,
        backend: "Backend",
        machine: "Machine",
        devices: Sequence[Device],
        *,
        wanted: Callable[[Device], bool],
        isolate: bool,
        guest: bool,
        now: float,
    ) -> None:
        self.name = backend.name
        self.devices = tuple(devices)
        self._backend, self._machine, self._guest, self._wanted = backend, machine, guest, wanted
        self._make: type[Worker] | type[Here] = Worker if isolate else Here
        self._skip: Skip = frozenset()
        self._trial: Worker | Here | None = None
        self._trial_due, self._trial_began = now + _LIST_SECONDS, now
        self._pause = _PAUSE_SECONDS
        self._is_troubled = False
        self._fresh: dict[str, Readings] | None = None  # of this tick
        self._states: dict[str, State] = {}
        self._answered: set[str] = set()  # ids that have returned readings at least once
        self._happened: list[Happening] = []
        self._hung: str | None = None  # the device that caused the loss of this tick's readings
        self._reason: str | None = None  # why there is no worker
        self._is_late = False
        self._left: list[Worker | Here] = []
        self._worker: Worker | Here | None = self._started(self._skip)

    def ask(self, now: float, wanted: "Wanted") -> None:
        """Request this tick's readings; start a trial if one is due."""
        self._fresh, self._hung = None, None
        self._left = [one for one in self._left if not one.reap()]
        if self._worker is not None and self._worker.since is None:
            self._heard(self._worker.ask(now, wanted))
        if self._trial is None and now >= self._trial_due and self.devices:
            self._trial = self._make(self._backend, self._machine, (), frozenset(), self._guest)
            self._trial_began = now
            self._tried(self._trial.ask(now, wanted, listing=True), now)

    def is_waiting(self) -> bool:
        """Return whether this tick's readings are still pending."""
        return self._fresh is None and self._worker is not None and self._worker.since is not None

    def pipes(self) -> list[int]:
        """Return the pipes on which answers may arrive."""
        return [one.pipe for one in (self._worker, self._trial) if one is not None and one.since is not None]

    def take(self, pipe: int, now: float) -> None:
        """Read from a pipe that is ready."""
        for one in (self._worker, self._trial):
            if isinstance(one, Worker) and one.pipe == pipe:
                try:
                    answer = one.take()
                except EOFError:
                    self._broke(one, f"ended its process ({one.ended()})", now, "failed")
                    return
                if one is self._trial:
                    self._tried(answer, now)
                else:
                    self._heard(answer)
                return

    def check(self, now: float) -> None:
        """Give up on calls that have not answered in time."""
        for one in (self._worker, self._trial):
            if isinstance(one, Worker) and one.since is not None and now >= one.since + _patience(one):
                self._broke(one, f"did not return within {now - one.since:.1f} s", now, "hung")

    def give_up_at(self) -> float | None:
        """Return when the next pending request times out; None if there is none."""
        asked = [one for one in (self._worker, self._trial) if isinstance(one, Worker) and one.since is not None]
        return min((one.since + _patience(one) for one in asked if one.since is not None), default=None)

    def settle(self, now: float) -> tuple[list[Readings], list[Happening]]:
        """Return this tick's readings of each device, in order, and the events since the last tick."""
        found = [self._settled(device) for device in self.devices]
        lost = False
        for readings in found:
            before = self._states.get(readings.id)
            self._states[readings.id] = readings.state
            if readings.state == "ok":
                if before in ("gone", "failed"):
                    self._happen("back", f"{readings.id} answers again", readings.id)
            elif readings.state in ("gone", "failed"):
                lost = True
                if before != readings.state:
                    reason = f": {readings.gaps[0].reason}" if readings.gaps else ""
                    self._happen("gone", f"{readings.id} gives no readings any more{reason}", readings.id)
        if lost and not self._is_troubled:
            self._is_troubled, self._trial_due = True, now
        late = self.is_waiting()
        if late and not self._is_late and any(r.state == "late" for r in found):
            self._happen("late", f"{self.name} has not answered before the next tick: give it a longer --interval")
        self._is_late = late
        happened, self._happened = self._happened, []
        return found, happened

    def close(self) -> None:
        """End the child processes."""
        for one in (self._worker, self._trial):
            if one is not None:
                one.kill()
        self._worker = self._trial = None

    def _settled(self, device: Device) -> Readings:
        fresh = self._fresh.get(device.id) if self._fresh is not None else None
        if fresh is not None:
            if answers(fresh):
                self._answered.add(device.id)
                return fresh
            if fresh.state == "ok" and device.id not in self._answered:
                return fresh  # it never returned anything: there are no readings to lose
            return without_readings(device, "gone" if fresh.state == "ok" else fresh.state, fresh.gaps)
        if self._reason is not None:
            gap = Gap(fact="readings", reason=self._reason, device=device.id, backend=self.name)
            return without_readings(device, "failed", (gap,))
        if self._is_stuck(device.id):
            reason = "several calls about it did not return; it is queried again later"
            gap = Gap(fact="readings", reason=reason, device=device.id, backend=self.name)
            return without_readings(device, "hung", (gap,))
        return without_readings(device, "hung" if device.id == self._hung else "late")

    def _heard(self, answer: Answer | None) -> None:
        """Process the worker's answer."""
        if answer is None:
            return
        if answer.error is not None:
            gap = Gap(fact="readings", reason=f"its backend broke: {answer.error}", backend=self.name)
            self._fresh = {d.id: without_readings(d, "failed", (gap,)) for d in self.devices}
            return
        self._fresh = {readings.id: readings for readings in answer.readings}

    def _tried(self, answer: Answer | None, now: float) -> None:
        """Process the trial's answer: replace the worker if that is an improvement, else end the trial."""
        trial = self._trial
        if answer is None or trial is None:
            return
        self._trial = None
        ok = {readings.id for readings in answer.readings if answers(readings)}
        here = {name for name, state in self._states.items() if state == "ok"} & self._answered
        if not answer.devices or not here - self._taken_away(answer) <= ok:
            self._refused(trial, answer, now)
            return
        lost = self._answered & {device.id for device in self.devices} - here
        devices, happened = joined(self.devices, answer.devices, self._wanted)
        if self._worker is not None and not self._skip and not happened and not lost & ok:
            self._refused(trial, answer, now)
            return
        if self._worker is not None:
            self._worker.kill()
            self._left.append(self._worker)
        self._worker, self._skip, self._reason = trial, frozenset(), None
        self._fresh = {readings.id: readings for readings in answer.readings}
        self.devices, self._happened = devices, [*self._happened, *happened]
        trial.devices = devices
        self._states = {d.id: self._states[d.id] for d in devices if d.id in self._states}
        self._next_trial(now, troubled=bool(lost - ok))

    def _refused(self, trial: "Worker | Here", answer: Answer, now: float) -> None:
        """End a trial that brings no improvement; keep its reason if there is no worker to give one."""
        trial.kill()
        self._left.append(trial)
        if self._worker is None:
            said = answer.error or next((gap.reason for gap in answer.gaps), None)
            self._reason = said or self._reason
        self._next_trial(now, troubled=self._is_troubled)

    def _taken_away(self, answer: Answer) -> set[str]:
        """Return the partitions missing from the listing although their device is listed: no reason to reject it."""
        listed = {device.id for device in answer.devices or ()}
        return {d.id for d in self.devices if d.parent in listed and d.id not in listed}

    def _broke(self, one: "Worker | Here", what: str, now: float, kind: Kind) -> None:
        """Handle a call that did not return, or that ended the process."""
        assert isinstance(one, Worker)
        doing = one.marker.read()
        one.kill()
        self._left.append(one)
        if one is self._trial:
            self._trial = None
            self._next_trial(now, troubled=True)
            return
        self._worker, self._fresh = None, None
        call, device = doing or ("its start", None)
        self._next_trial(now, troubled=True)
        if device is None or (call, device) in self._skip:
            self._reason = f"{call} {what}"
            self._happen(kind, f"{self.name}: {self._reason}; it is tried again later")
            return
        self._hung = device
        elsewhere = any(call == other for other, _ in self._skip)
        self._skip |= {(call, device), (call, None)} if elsewhere else {(call, device)}
        told = " of all devices" if elsewhere else ""
        self._happen(kind, f"{call} of {device} {what}: it is skipped{told} and tried again later", device)
        self._worker = self._started(self._skip)

    def _started(self, skip: Skip) -> "Worker | Here":
        asked = [device for device in self.devices if not self._is_stuck(device.id)]
        return self._make(self._backend, self._machine, asked, skip, self._guest)

    def _is_stuck(self, device_id: str) -> bool:
        return sum(device == device_id for _, device in self._skip) >= _HUNG_CALLS

    def _next_trial(self, now: float, troubled: bool) -> None:
        """Schedule the next trial: soon and then with growing pauses if something is wrong, else once in a while."""
        self._is_troubled = troubled
        if troubled:
            self._trial_due = now + self._pause
            self._pause = min(2 * self._pause, _LONGEST_PAUSE_SECONDS)
        else:
            self._trial_due = now + max(_LIST_SECONDS, _LIST_SHARE * (now - self._trial_began))
            self._pause = _PAUSE_SECONDS

    def _happen(self, kind: Kind, text: str, device: str | None = None) -> None:
        self._happened.append(Happening(kind=kind, text=text, device=device))


def _patience(worker: Worker) -> float:
    doing = worker.marker.read()
    return CALL_SECONDS if worker.has_answered and doing is not None and doing[1] is not None else SOURCE_SECONDS
