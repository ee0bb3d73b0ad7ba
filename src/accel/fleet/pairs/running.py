"""Runs the plan on the nodes: round by round, all groups of a round in parallel, each test with a deadline."""

import asyncio
import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from accel.fleet.halves import Group, Suspects
from accel.fleet.model import NodeAnswer
from accel.fleet.pairs.found import Found, GroupTest, concluded
from accel.fleet.pairs.judging import SLOW, Judge, Measured
from accel.fleet.pairs.plan import isolation
from accel.fleet.pairs.seats import Place, Seat, Workers
from accel.model.dataclass import dataclass, replace
from accel.model.printable import printable

_STAGES: Final = ("asked", "meet", "group", "first", "timed", "leave")
_WORDS: Final = {
    "asked": "did not begin",
    "meet": "did not reach the meeting",
    "group": "did not come together",
    "first": "stayed in the first all-reduce",
    "timed": "stayed in a later all-reduce",
    "leave": "did not leave",
}
_AFTER_ERROR_SECONDS: Final = 1.0  # in which the others of a group fail too, and say so
_SMALL_BYTES: Final = 4 << 20  # of an all-reduce between processors
_LARGE_BYTES: Final = 128 << 20  # between accelerators


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How tests are run.

    size_bytes      of an all-reduce; None: 4 MiB between CPUs, 128 MiB between accelerators
    test_seconds    for one test; start_seconds: for torch to start; deadline_seconds: for everything
    slow            factor by which a pair is slower than similar ones; least_bytes_per_second: any pair below is slow
    """

    size_bytes: int | None = None
    repeats: int = 5
    test_seconds: float = 20.0
    start_seconds: float = 60.0
    deadline_seconds: float = 1800.0
    slow: float = SLOW
    least_bytes_per_second: float | None = None
    at_once: int = 64
    workers: Workers = Workers()


class Ranks:
    """Runs tests between the nodes' seats."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.seats: dict[str, Seat] = {}
        self._numbers = itertools.count(1)
        self._heard: dict[int, asyncio.Queue[tuple[str, Mapping[str, Any]]]] = {}

    async def start(self, places: Sequence[Place]) -> None:
        """Start a rank at each place; those that do not start are lost."""
        free = asyncio.Semaphore(self.settings.at_once)

        async def one(place: Place) -> None:
            seat = self.seats[place.node] = Seat(place, self.settings.workers, self.take)
            async with free:
                await seat.start(self.settings.start_seconds)

        await asyncio.gather(*(one(place) for place in places))

    async def close(self) -> None:
        """End all ranks."""
        await asyncio.gather(*(seat.close() for seat in self.seats.values()), return_exceptions=True)

    def take(self, seat: Seat, told: Mapping[str, Any]) -> None:
        """Handle a seat's line about a test."""
        queue = self._heard.get(told["test"])
        if queue is not None:
            queue.put_nowait((seat.node, told))

    async def round(self, groups: Sequence[Group], measured: dict[Group, Measured]) -> None:
        """Test disjoint groups in parallel. measured: receives each result as it arrives."""

        async def one(group: Group) -> None:
            measured[group] = await self._test(group)

        await asyncio.gather(*(one(group) for group in groups))

    async def _test(self, group: Group) -> Measured:
        seats = [self.seats[node] for node in group]
        gone = [seat for seat in seats if seat.lost is not None]
        if gone:
            why = "; ".join(f"{seat.node}: {seat.lost.why}" for seat in gone[:3] if seat.lost is not None)
            return Measured(fault="error", why=why, blamed=tuple(seat.node for seat in gone))
        number, start = next(self._numbers), time.monotonic()
        queue = self._heard[number] = asyncio.Queue()
        for seat in seats:
            seat.test = number
        try:
            measured = await self._listened(number, seats, queue)
        finally:
            del self._heard[number]
            for seat in seats:
                seat.test = None
        if measured.fault in ("hang", "error"):
            await asyncio.gather(*(seat.restart(self.settings.start_seconds) for seat in seats))
        return replace(measured, seconds=round(time.monotonic() - start, 3))

    async def _listened(
        self, number: int, seats: Sequence[Seat], queue: "asyncio.Queue[tuple[str, Mapping[str, Any]]]"
    ) -> Measured:
        """Start a test, and listen to its ranks until all have finished, one has failed, or time is up."""
        seconds = self.settings.test_seconds
        until = time.monotonic() + seconds
        first = seats[0]
        size = self._size(first)
        told = {"test": number, "size": len(seats), "host": first.host, "bytes": size, "repeats": self.settings.repeats}
        first.send({**told, "rank": 0, "port": 0, "seconds": seconds})
        stages = {seat.node: "asked" for seat in seats} | {first.node: "meet"}
        took: dict[str, float] = {}
        wrong: dict[str, int] = {}
        errors: dict[str, tuple[str, bool]] = {}
        while len(took) + len(errors) < len(seats):
            try:
                node, line = await asyncio.wait_for(queue.get(), max(until - time.monotonic(), 0.001))
            except (TimeoutError, asyncio.TimeoutError):
                break
            if "port" in line:
                for rank, seat in enumerate(seats[1:], 1):
                    stages[seat.node] = "meet"
                    seat.send({**told, "rank": rank, "port": line["port"], "seconds": seconds})
            elif "error" in line:
                if not errors:
                    until = min(until, time.monotonic() + _AFTER_ERROR_SECONDS)
                errors.setdefault(node, (printable(str(line["error"]))[:300], bool(line.get("died"))))
            elif "seconds" in line:
                took[node] = sorted(line["seconds"])[len(line["seconds"]) // 4]  # what else runs makes some longer
                wrong[node] = int(line["wrong"])
            elif line.get("stage") in _STAGES:
                stages[node] = line["stage"]
        if errors:
            return _failed(errors)
        if len(took) < len(seats):
            return _hung({node: stage for node, stage in stages.items() if node not in took}, len(seats), seconds)
        rate = size * 2 * (len(seats) - 1) / len(seats) / max(*took.values(), 1e-9)
        if any(wrong.values()):
            bad = tuple(node for node, count in wrong.items() if count)
            return Measured(fault="wrong", bytes_per_second=rate, why=f"the sums are wrong on {', '.join(bad[:8])}")
        return Measured(bytes_per_second=rate)

    def _size(self, seat: Seat) -> int:
        if self.settings.size_bytes is not None:
            return self.settings.size_bytes
        return _SMALL_BYTES if seat.rank is None or seat.rank.device == "cpu" else _LARGE_BYTES


def _failed(errors: Mapping[str, tuple[str, bool]]) -> Measured:
    """Return the result of a test's errors. The rank that died is blamed: the others fail because of it."""
    died = tuple(node for node, (_, dead) in errors.items() if dead)
    node = (died or tuple(errors))[0]
    return Measured(fault="error", why=f"{node}: {errors[node][0]}", blamed=died)


def _hung(stages: Mapping[str, str], count: int, seconds: float) -> Measured:
    """Return the result from the stages of unfinished ranks: a minority that is behind all others is blamed."""
    least = min(stages.values(), key=_STAGES.index)
    behind = tuple(node for node, stage in stages.items() if stage == least)
    blamed = behind if 2 * len(behind) < count else ()
    names = ", ".join(behind[:4]) if blamed else f"{len(behind)} of {count}"
    return Measured(fault="hang", why=f"no end within {seconds:.0f} s: {names} {_WORDS[least]}", blamed=blamed)


async def isolate(ranks: Ranks, told: Callable[[int, int], None], over: "asyncio.Future[None]") -> Found:
    """Run the plan between all seats that are ready; return the results, partial ones if it was stopped.

    told  called before each round, with its number and the number of its groups
    over  stops it when done
    """
    settings, start = ranks.settings, time.monotonic()
    lost: list[NodeAnswer] = [seat.lost for seat in ranks.seats.values() if seat.lost is not None]
    plan = isolation([seat.node for seat in ranks.seats.values() if seat.lost is None])
    judge = Judge(settings.slow, settings.least_bytes_per_second)
    done: list[GroupTest] = []
    suspects: Suspects | None = None
    try:
        groups = next(plan)
        for number in itertools.count(1):
            told(number, len(groups))
            left = start + settings.deadline_seconds - time.monotonic()
            measured: dict[Group, Measured] = {}
            running = asyncio.ensure_future(ranks.round(groups, measured))
            await asyncio.wait({running, over}, timeout=max(left, 0), return_when=asyncio.FIRST_COMPLETED)
            stopped = not running.done()
            if stopped:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)
            else:
                running.result()
            judged = judge.judged(measured)
            done += [GroupTest(round=number, nodes=group, measured=one) for group, one in judged.items()]
            if stopped:
                break
            groups = plan.send({group: "fail" if one.fault else "pass" for group, one in judged.items()})
    except StopIteration as ended:
        suspects = ended.value
    return concluded(
        suspects,
        done,
        ranks={seat.node: seat.rank for seat in ranks.seats.values() if seat.rank is not None},
        not_tested=lost,
        notes=judge.notes,
        seconds=time.monotonic() - start,
    )
