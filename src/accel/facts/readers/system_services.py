"""Read services that systemd could not keep running: rows of `systemctl --failed`, and `systemctl status` of one.

      UNIT                         LOAD   ACTIVE SUB    DESCRIPTION
    ● nvidia-persistenced.service  loaded failed failed NVIDIA Persistence Daemon
    0 loaded units listed.

    × slurmd.service - Slurm node daemon
         Loaded: loaded (/usr/lib/systemd/system/slurmd.service; enabled)
         Active: failed (Result: exit-code) since Mon 2026-11-23 01:02:03 UTC; 4min ago

    systemd[1]: slurmdbd.service: Failed to locate executable /usr/sbin/slurmdbd: No such file or directory

Seen     systemd 219 to 256: the mark before a name is "●", "×" or none
Says     "failed"; "restarting" for a service that exits repeatedly; "running" for one whose status says so
Source   systemctl(1)
"""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Noted
from accel.text.lines import lines_of
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted, reading_of

SOURCE: Final = "systemctl"
_ROW: Final = pattern(
    r"^\W{0,8}([A-Za-z0-9@_.-]{1,80})\.service\s{1,80}(?:loaded|not-found|masked|error)\s{1,20}(failed|activating)\s{1,20}"
    r"(failed|auto-restart)\b"
)
_NONE: Final = pattern(r"^\W{0,8}0 loaded units listed\b")
_HEAD: Final = pattern(r"^\W{0,8}([A-Za-z0-9@_.-]{1,80})\.service(?: - .{0,200})?$")
_ACTIVE: Final = pattern(
    r"^\s{0,20}Active: (failed|activating \(auto-restart\)|active \(running\))(?: \(Result: ([a-z-]{1,40})\))?"
)
_ABSENT: Final = pattern(r"\b([A-Za-z0-9@_.-]{1,80})\.service: Failed to locate executable (/[^\s:]{1,200})")
_STATES: Final = {"failed": "failed", "activating": "restarting", "active": "running"}
_BELOW: Final = 6  # lines from the head to "Active:": drop-ins and documentation may come in between


def service_states(text: str, printed: bool = True) -> Iterator[Noted]:
    """Yield the fact "service-state" of each reported service; nothing if a listing is empty.

    printed  whether it comes from a text, whose line is quoted; otherwise it was measured on this machine
    """
    head: tuple[int, str] | None = None
    for number, line in lines_of(text):
        at = (number,) if printed else ()
        row = _ROW.match(line)
        if row:
            yield noted("service-state", line, SOURCE, *at, service=row[1], state=_STATES[row[2].lower()])
        elif _NONE.match(line):
            yield noted("service-state", line, SOURCE, *at, state="none failed")
        elif "locate executable" in line and (lost := _ABSENT.search(line)):
            yield noted("service-state", line, SOURCE, *at, service=lost[1], state="failed", program=lost[2])
        elif found := _HEAD.match(line):
            head = number, found[1]
        elif head is not None and number - head[0] <= _BELOW and (active := _ACTIVE.match(line)):
            state = _STATES[active[1].split()[0].lower()]
            said = f"{head[1]}.service: {line.strip()}"
            yield noted("service-state", said, SOURCE, *at, service=head[1], state=state, result=active[2])
            head = None


def _read(text: str) -> Iterator[Reading]:
    return reading_of(SOURCE, service_states(text))


READER: Final = Reader(name=SOURCE, signs=(".service", "loaded units listed"), read=_read)
