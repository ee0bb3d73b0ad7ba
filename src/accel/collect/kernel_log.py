"""What this machine's kernel logged in the last day: about accelerators, as recognised by the readers for pasted logs;
about processes that it killed for memory, and about hung tasks.

Reads   /dev/kmsg, else `journalctl -k`, else `dmesg`: warnings and worse, which is how drivers log their faults
            "4,1339,5140900,-;NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus."
        at lower levels, lines with a word of the tables (`in_log`): "nfs: server storage01 not responding"
        the lines below "task … blocked for more than …", which are only informational: the stack of the task
Source  Linux Documentation/ABI/testing/dev-kmsg; journalctl(1); dmesg(1)
Only the plugins' readers are used, and only the tables' sentences for facts that are meant for it: most kernel messages
have nothing to do with accelerators.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.collect.kernel_events import HUNG, SOURCE, events
from accel.collect.kernel_sentences import holds_word, told, words_of
from accel.model.dataclass import replace
from accel.model.device import Gap
from accel.model.errors import in_words
from accel.text.clean import legible, without_prefixes
from accel.text.pattern import pattern
from accel.vendors.contract.backend import has_sign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from accel.machine.protocol import Machine
    from accel.model.observation import Observation
    from accel.plugins.registry import Registry

_DAY_SECONDS: Final = 86_400
_WARNING: Final = 4  # of the kernel's levels, 0 the worst
_LEAST: Final = 7
_STACK_SECONDS: Final = 0.5
_STAMP: Final = pattern(
    r"^[ \t]{0,8}\[ {0,12}(\d{1,12}\.\d{6})\] (?:\S{1,255} kernel: )?", re.MULTILINE, exact_case=True
)
_SECONDS_FIRST: Final = pattern(r"\d{1,12}\.\d{6} ", exact_case=True)
_LIMIT_BYTES: Final = 16 << 20
_MOST_LINES: Final = 2000  # the newest ones
_SECONDS: Final = 2.0
_COMMANDS: Final = (
    (
        *("journalctl", "--dmesg", "--boot", "--priority=warning", "--since=-24h", "--no-pager", "--quiet"),
        *("--lines=2000", "--output=short-monotonic"),
    ),
    ("dmesg", "--level=emerg,alert,crit,err,warn"),
)
_RECORD: Final = pattern(r"^(\d{1,6}),\d{1,20},(\d{1,20}),[^;\n]{0,200};([^\n]*)$", re.MULTILINE, exact_case=True)


def kernel_log(machine: "Machine", registry: "Registry") -> "tuple[tuple[Observation, ...], tuple[Gap, ...]]":
    """Return what the plugins' readers recognise in the log; a gap if this process may not read it.

    An observation starts with its time, in seconds since the machine started, if that is known.
    """
    if machine.system != "linux":
        return (), ()
    entries, why = _entries(machine, words_of(registry.specs))
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
            except (Exception, SystemExit) as error:  # a plugin's reader may raise anything
                reason = f"the reader broke: {in_words(error)}; please report it to its plugin"
                gaps.append(Gap(fact=reader.name, reason=reason, source=SOURCE))
    up = _uptime_seconds(machine)
    messages = [message for _, message in entries]
    found += events(messages, [_age(stamp, up) for stamp, _ in entries])
    found += told(messages, registry.specs)
    return tuple(_timed(one, entries) for one in found), tuple(gaps)


def _age(stamp: str, uptime_seconds: float | None) -> int | None:
    """Return how many seconds ago a stamp "[90000.000000]" was; None if unknown."""
    return None if not stamp or uptime_seconds is None else max(0, int(uptime_seconds - float(stamp.strip("[]"))))


def _timed(one: "Observation", entries: "Sequence[tuple[str, str]]") -> "Observation":
    stamp = entries[one.line - 1][0] if one.line is not None and 0 < one.line <= len(entries) else ""
    return replace(one, text=f"{stamp} {one.text}".strip(), source=SOURCE, grade="measured")


def _entries(machine: "Machine", words: "Sequence[str]") -> tuple[list[tuple[str, str]] | None, str]:
    """Return time and message of each log line, or why the log cannot be read."""
    try:
        return list(recent(machine.read("/dev/kmsg", _LIMIT_BYTES), _uptime_seconds(machine), words)), ""
    except OSError as error:
        why = f"/dev/kmsg: {error.strerror or error}"
    for argv in _COMMANDS:
        done = machine.run(argv, _SECONDS)
        if done.exit_code == 0 and (done.stdout.strip() or argv[0] == "dmesg"):
            return list(printed(done.stdout, _uptime_seconds(machine))), ""
        if not done.missing and done.stderr.strip():
            why = done.stderr.strip().splitlines()[0][:200]
    return None, why


def recent(records: str, uptime_seconds: float | None, words: "Sequence[str]" = ()) -> Iterator[tuple[str, str]]:
    """Yield time and text of the kernel's own warnings of the last day, or of all if the uptime is unknown.

    words  lines of lower levels that contain one of these are included too

    >>> list(recent("4,7,90000000,-;NVRM: Xid 79\\n SUBSYSTEM=pci\\n6,8,91000000,-;usb 1-1: new\\n", 100.0))
    [('[90.000000]', 'NVRM: Xid 79')]
    """
    since = 0.0 if uptime_seconds is None else uptime_seconds - _DAY_SECONDS
    stack_until = 0.0
    for priority, microseconds, message in _RECORD.findall(records):
        level, seconds = int(priority), int(microseconds) / 1e6
        if level > _LEAST or seconds < since:  # of higher numbers is what programs wrote
            continue
        if level <= _WARNING or seconds <= stack_until or holds_word(message, words):
            yield f"[{seconds:.6f}]", message
        if HUNG.search(message):
            stack_until = seconds + _STACK_SECONDS


def printed(text: str, uptime_seconds: float | None) -> Iterator[tuple[str, str]]:
    """Yield time and text of the lines that a tool printed, only of the last day if they have a time.

    >>> list(printed("[   90.000001] node7 kernel: NVRM: Xid 79\\n", 100.0))
    [('[90.000001]', 'NVRM: Xid 79')]
    """
    since = 0.0 if uptime_seconds is None else uptime_seconds - _DAY_SECONDS
    for line in without_prefixes(legible(_STAMP.sub(r"\1 ", text))).split("\n"):
        stamp, _, message = line.partition(" ") if _SECONDS_FIRST.match(line) else ("", "", line)
        if message.strip() and (not stamp or float(stamp) >= since):
            yield (f"[{stamp}]" if stamp else ""), message


def _uptime_seconds(machine: "Machine") -> float | None:
    try:
        return float(machine.read("/proc/uptime").split()[0])
    except (OSError, ValueError, IndexError):
        return None
