"""Short names for several devices: "nvidia:0–7"."""

from collections.abc import Iterable
from itertools import groupby


def device_range(ids: Iterable[str]) -> str:
    """Return the devices ordered by index, with neighbours merged into ranges. Ids of any other form are kept as they
    are.

    >>> device_range(["nvidia:10", "nvidia:0", "nvidia:1", "nvidia:2", "amd:1"])
    'nvidia:0–2,10, amd:1'
    >>> device_range(["nvidia:0", "nvidia:1", "nvidia:0/mig1"])
    'nvidia:0,1, nvidia:0/mig1'
    """
    numbers: dict[str, list[int]] = {}
    others: list[str] = []
    for one in dict.fromkeys(ids):
        backend, _, number = one.partition(":")
        if number.isdecimal():
            numbers.setdefault(backend, []).append(int(number))
        else:
            others.append(one)
    return ", ".join([*(f"{backend}:{_joined(sorted(found))}" for backend, found in numbers.items()), *others])


def _joined(numbers: list[int]) -> str:
    runs = [[n for _, n in run] for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])]
    return ",".join(f"{run[0]}–{run[-1]}" if len(run) > 2 else ",".join(map(str, run)) for run in runs)
