"""The plan: which jobs run on which machine in which situation."""

from collections.abc import Iterator, Mapping
from typing import Final

from accel.kit.evidence import AS_RECORDED, EMPTY_SNAPSHOT, LIVE, NOTHING_HERE, SIMULATING
from accel.kit.recordings import Recordings, commands_of
from accel.kit.situations import SITUATIONS

TEXTS: Final = "texts"
_IN_EVERY_SITUATION: Final = 3  # machines tried in every situation; the others are tried only as they are

Job = tuple[str, str | None, str]  # the machine's name and folder, and the situation; or TEXTS


def jobs(recordings: Recordings) -> Iterator[Job]:
    """Yield all jobs: first those that need no recording, this machine last."""
    yield "", None, NOTHING_HERE
    yield "", None, EMPTY_SNAPSHOT
    yield "", None, SIMULATING
    for name, folder in recordings.machines.items():
        yield name, folder, AS_RECORDED
    for name in _telling(recordings):
        for situation in SITUATIONS:
            yield name, recordings.machines[name], situation
    yield TEXTS, None, ""
    yield "", None, LIVE


def texts(recordings: Recordings) -> Mapping[str, str]:
    """Return the texts to try readers on: the recorded ones, and the output of the machines' commands."""
    printed = {
        f"{command} on {name}": text
        for name, folder in recordings.machines.items()
        for command, text in commands_of(folder).items()
    }
    return {**recordings.texts, **printed}


def _telling(recordings: Recordings) -> list[str]:
    """Return the machines to try in every situation: those with the most expectations."""

    def facts(name: str) -> int:
        expected = recordings.expected.get(name)
        return sum(len(row) for row in expected.devices or ()) if expected else 0

    return sorted(recordings.machines, key=lambda name: (-facts(name), name))[:_IN_EVERY_SITUATION]
