"""What the kernel of this machine said of accelerators in the last day, by the readers that read a pasted log.

Reads   /dev/kmsg, else `journalctl -k`, else `dmesg`: warnings and worse, for that is how drivers log their faults
            "4,1339,5140900,-;NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus."
Source  Linux Documentation/ABI/testing/dev-kmsg; journalctl(1); dmesg(1)
Only the plugins' readers are asked: most that a kernel complains of has nothing to do with accelerators.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from accel.contract.backend import has_sign
from accel.model.device import Gap
from accel.text.clean import legible, without_prefixes
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from accel.machine.protocol import Machine
    from accel.model.observation import Observation
    from accel.plugins.registry import Registry

SOURCE: Final = "kernel log"
_DAY_SECONDS: Final = 86_400
_WARNING: Final = 4  # of the kernel's levels, 0 the worst
_LIMIT_BYTES: Final = 16 << 20
_MOST_LINES: Final = 2000  # the newest ones
_SECONDS: Final = 2.0
_COMMANDS: Final = (
    ("journalctl", "--dmesg", "--boot", "--priority=warning", "--since=-24h", "--no-pager", "--quiet", "--lines=2000"),
    ("dmesg", "--level=emerg,alert,crit,err,warn"),
)
_RECORD: Final = pattern(r"^(\d{1,6}),\d{1,20},(\d{1,20}),[^;\n]{0,200};([^\n]*)$", re.MULTILINE, exact_case=True)


def kernel_log(machine: "Machine", registry: "Registry") -> "tuple[tuple[Observation, ...], tuple[Gap, ...]]":
    """Return what the plugins' readers recognise in the log; a gap where this process may not read it.

    An observation begins with its time, in seconds since the machine started, where that is known.
    """
    if machine.system != "linux":
        return (), ()
    entries, why = _entries(machine)
    if entries is None:
        reason = f"{why}; on the host:  sudo dmesg > kernel.txt && accel doctor kernel.txt"
        return (), (Gap(fact=SOURCE, reason=reason, source=SOURCE),)
    entries = entries[-_MOST_LINES:]
    text = "\n".join(message for _, message in entries)
    lower = text.lower()
    found: list[Observation] = []
    gaps: list[Gap] = []
    for reader in registry.readers if text.strip() else ():
        if reader.signs and has_sign(reader, lower):
            try:
                found += [one for reading in reader.read(text) for one in reading.observations]
            except Exception as error:  # a plugin's reader may raise anything
                reason = f"the reader broke: {type(error).__name__}: {error}; please report it to its plugin"
                gaps.append(Gap(fact=reader.name, reason=reason, source=SOURCE))
    return tuple(_timed(one, entries) for one in found), tuple(gaps)


def _timed(one: "Observation", entries: "Sequence[tuple[str, str]]") -> "Observation":
    stamp = entries[one.line - 1][0] if one.line is not None and 0 < one.line <= len(entries) else ""
    return replace(one, text=f"{stamp} {one.text}".strip(), source=SOURCE, grade="measured")


def _entries(machine: "Machine") -> tuple[list[tuple[str, str]] | None, str]:
    """Return time and message of each line of the log, or why it cannot be read."""
    try:
        return list(recent(machine.read("/dev/kmsg", _LIMIT_BYTES), _uptime_seconds(machine))), ""
    except OSError as error:
        why = f"/dev/kmsg: {error.strerror or error}"
    for argv in _COMMANDS:
        done = machine.run(argv, _SECONDS)
        if done.exit_code == 0 and (done.stdout.strip() or argv[0] == "dmesg"):
            return [("", line) for line in without_prefixes(legible(done.stdout)).splitlines()], ""
        if not done.missing and done.stderr.strip():
            why = done.stderr.strip().splitlines()[0][:200]
    return None, why


def recent(records: str, uptime_seconds: float | None) -> Iterator[tuple[str, str]]:
    """Yield time and text of the kernel's own warnings of the last day; of all time where the uptime is not known.

    >>> list(recent("4,7,90000000,-;NVRM: Xid 79\\n SUBSYSTEM=pci\\n6,8,91000000,-;usb 1-1: new\\n", 100.0))
    [('[90.000000]', 'NVRM: Xid 79')]
    """
    since = 0.0 if uptime_seconds is None else uptime_seconds - _DAY_SECONDS
    for priority, microseconds, message in _RECORD.findall(records):
        if int(priority) <= _WARNING and int(microseconds) / 1e6 >= since:  # of higher numbers is what programs wrote
            yield f"[{int(microseconds) / 1e6:.6f}]", message


def _uptime_seconds(machine: "Machine") -> float | None:
    try:
        return float(machine.read("/proc/uptime").split()[0])
    except (OSError, ValueError, IndexError):
        return None
