"""Whether a test passed: by how it ended and, for a pair, by the speed of similar pairs."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Final, Literal

from accel.fleet.halves import Group
from accel.model.dataclass import dataclass, replace

Fault = Literal["hang", "error", "wrong", "slow"]
SLOW: Final = 2.0  # times slower than like pairs
_LEAST_LIKE: Final = 3  # pairs of a round, from which on they are compared with each other


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """How a group's test ended.

    fault             None: each rank finished in time, with the right sums, and not slower than similar pairs
    bytes_per_second  bus bandwidth, as measured by the slowest rank; None if the test did not finish
    like              what similar pairs reach, if known
    why               for a fault, the rest of a sentence
    blamed            nodes that exited or failed by themselves while the others waited, or that alone lagged behind
    """

    fault: Fault | None = None
    bytes_per_second: float | None = None
    like: float | None = None
    why: str | None = None
    blamed: tuple[str, ...] = ()
    seconds: float = 0.0


class Judge:
    """Marks slow pairs, round by round.

    The pairs of a round have the same distance and are compared with each other: with the third quartile, so that two
    slow ones of three are detected. If there are fewer than three, or if a node has failed before, the comparison is
    with the median of all pairs that passed; a retested pair is compared as before. If at least three pairs are slow
    whose nodes were fast with others, the network between them is slow: they are compared with each other, and `notes`
    says so. Larger groups are not compared: their rate depends on size and network.
    """

    def __init__(self, slow: float = SLOW, least_bytes_per_second: float | None = None) -> None:
        self._slow, self._least = slow, least_bytes_per_second
        self._passed: list[float] = []
        self._good: set[str] = set()
        self._failed: set[str] = set()
        self._like: dict[Group, float] = {}
        self.notes: list[str] = []

    def judged(self, measured: Mapping[Group, Measured]) -> dict[Group, Measured]:
        """Return a round's tests, with slow pairs marked."""
        rates: dict[Group, float] = {
            group: one.bytes_per_second
            for group, one in measured.items()
            if len(group) == 2 and one.fault is None and one.bytes_per_second is not None
        }
        like = self._likes(rates, [group for group in measured if len(group) == 2])
        found = {group: self._compared(one, like.get(group)) for group, one in measured.items()}
        self._good.update(node for group, one in found.items() if one.fault is None for node in group)
        bad = (node for group, one in found.items() if one.fault is not None and len(group) == 2 for node in group)
        self._failed = {*self._failed, *bad} - self._good
        self._passed += [rate for group, rate in rates.items() if found[group].fault is None]
        return found

    def _likes(self, rates: Mapping[Group, float], pairs: Sequence[Group]) -> dict[Group, float]:
        """Return the rate that each pair is compared with."""
        fresh = [pair for pair in pairs if not self._failed & set(pair)]
        own = sorted(rates[pair] for pair in fresh if pair in rates)
        like = _third_quartile(own if len(own) >= _LEAST_LIKE else sorted([*self._passed, *own]))
        before = median(self._passed) if self._passed else like
        if like is None or before is None:
            return {}
        far = [pair for pair in fresh if self._good >= set(pair) and rates.get(pair, 0.0) * self._slow < like]
        slower = _third_quartile(sorted(rates[pair] for pair in far if pair in rates))
        found = {pair: self._like.get(pair, like if pair in fresh else before) for pair in pairs}
        if slower is not None and sum(pair in rates for pair in far) >= _LEAST_LIKE:
            found.update(dict.fromkeys(far, slower))
            one, other = far[0]
            self.notes.append(
                f"{len(far)} of {len(pairs)} pairs are {like / slower:.1f} times slower than the rest, such as "
                f"{one} and {other}, and their nodes are fast with others: look at the network between them."
            )
        if len(own) >= _LEAST_LIKE:
            self._like.update({pair: found[pair] for pair in fresh})
        return found

    def _compared(self, one: Measured, like: float | None) -> Measured:
        rate = one.bytes_per_second
        if one.fault is not None or rate is None:
            return one
        if like is not None and self._least is not None and rate < self._least:
            return replace(one, fault="slow", like=like, why="slower than --least")
        if like is not None and rate * self._slow < like:
            return replace(one, fault="slow", like=like, why=f"{like / rate:.1f} times slower than like pairs")
        return replace(one, like=like)


def _third_quartile(ordered: list[float]) -> float | None:
    return ordered[(3 * len(ordered)) // 4] if ordered else None
