"""Nodes through the system's `ssh`, with its configuration, keys and agent.

No prompts, and nothing stays on the nodes.
"""

import os
import re
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from typing import Final

from accel.fleet.carriers.children import Children, Ended, Second
from accel.fleet.carriers.outcome import PROBE, failed, has_line, is_missing, last_words, outcome
from accel.fleet.model import NodeAnswer
from accel.model.dataclass import dataclass

_OWN_FAILURE: Final = 255  # ssh's exit code if it could not connect, log in or start anything
# A probe that exits with it, or by a signal, which ssh also turns into 255, is not a failure of ssh.
_RUN: Final = '"$@"; code=$?; test $code = 255 && code=254; exit $code'
_NO_PYTHON, _NO_PLACE = 69, 73  # EX_UNAVAILABLE and EX_CANTCREAT of sysexits(3)
# One line, as a C shell takes no other between quotes. $0 is accel, and "$@" are its words.
_COPY: Final = " ".join(
    (
        "for python in python3 python3.14 python3.13 python3.12 python3.11 python3.10; do",
        """"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && break; python=; done;""",
        'if [ -z "$python" ]; then',
        """python3 -c 'import sys; sys.stderr.write("python3 is %d.%d.%d" % sys.version_info[:3])';""",
        f"exit {_NO_PYTHON}; fi;",
        f'umask 077; folder=$(mktemp -d "${{TMPDIR:-/tmp}}/accel-copy.XXXXXX") || exit {_NO_PLACE};',
        """trap 'rm -rf "$folder"' EXIT; trap 'exit 129' HUP INT PIPE TERM;""",
        f'cat >"$folder/accel.pyz" || exit {_NO_PLACE};',
        '"$python" "$folder/accel.pyz" "$@" </dev/null; code=$?; test $code = 255 && code=254; exit $code',
    )
)
_OLD: Final = re.compile(r"python3 is (\d{1,3}\.\d{1,3}\.\d{1,3})")
_PLACE: Final = re.compile(r"((?:[^@]+@)?)(?:\[([^\]]+)\]|([^:\[\]]+))(?::(\d{1,5}))?")  # [user@]host[:port]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ssh:
    """How nodes are queried through ssh.

    at_once          maximum number of concurrent connections
    connect_seconds  for a connection; probe_seconds: for the probe's own deadline; grace_seconds: for the rest, such as
                     starting a shell; copy_seconds: for transferring a copy; all within the round's deadline
    command          the remote command, before the probe's own arguments: ("accel", "fleet", "probe")
    options          options for ssh itself, such as ("-p", "2222")
    copy             if `command` does not exist on a node, send accel there as one file for the duration of the probe
    """

    at_once: int = 64
    connect_seconds: float = 5.0
    probe_seconds: float = 20.0
    grace_seconds: float = 5.0
    copy_seconds: float = 30.0
    command: Sequence[str] = PROBE
    options: Sequence[str] = ()
    copy: bool = False
    program: str = "ssh"

    def answers(self, nodes: Sequence[str], deadline_seconds: float) -> Iterator[NodeAnswer]:
        """Yield each node's answer as it arrives, and after the deadline the missing ones: see Children."""
        if not self.copy:
            yield from self._children(None).answers(nodes, deadline_seconds)
            return
        from accel.fleet import zipapp

        with tempfile.TemporaryDirectory(prefix="accel-") as folder:
            file = os.path.join(folder, "accel.pyz")
            zipapp.write(file)
            yield from self._children(file).answers(nodes, deadline_seconds)

    def _children(self, file: str | None) -> Children:
        most = self.connect_seconds + self.probe_seconds + self.grace_seconds

        def second(first: Ended) -> Second | None:
            if file is None or has_line(first.stdout) or not is_missing(first.exit_code):
                return None
            words = self._ssh(first.node, "sh", "-c", _COPY, *PROBE, *self._asked(first.node))
            return Second(words=words, stdin=file, most_seconds=most + self.copy_seconds)

        return Children(command=self._words, judged=_judged, at_once=self.at_once, most_seconds=most, second=second)

    def _words(self, node: str) -> Sequence[str]:
        return self._ssh(node, "sh", "-c", _RUN, "sh", *self.command, *self._asked(node))

    def _asked(self, node: str) -> Sequence[str]:
        return ("--node", node, "--timeout", f"{self.probe_seconds:g}")

    def _ssh(self, node: str, *remote: str) -> Sequence[str]:
        found = _PLACE.fullmatch(node)
        user, host, port = (
            (found[1], found[2] or found[3], ("-p", found[4]) if found[4] else ()) if found else ("", node, ())
        )
        options = ("BatchMode=yes", f"ConnectTimeout={max(int(self.connect_seconds), 1)}", "ClearAllForwardings=yes")
        own = [word for option in options for word in ("-o", option)]  # ssh uses the first of several
        return (self.program, "-T", *own, *port, *self.options, "--", f"{user}{host}", shlex.join(remote))


def _judged(child: Ended) -> NodeAnswer:
    if has_line(child.stdout):
        return outcome(child.node, child.stdout, child.stderr, child.exit_code, child.seconds)
    if child.exit_code == _OWN_FAILURE:
        said = last_words(child.stderr) or "ssh could not connect, without a message"
        if "Host key verification failed" in said:
            said += f" Its key is not known here, or has changed; this shows which:  ssh {child.node}"
        return failed(child.node, "unreachable", said, child.seconds)
    if child.exit_code == _NO_PYTHON:
        old = _OLD.search(child.stderr)
        it = f"its python3 is {old[1]}" if old else "it has no python3"
        why = f"{it}, and accel needs 3.10 or newer: install a newer one there too, such as python3.12"
        return failed(child.node, "tool_failed", why, child.seconds)
    if child.exit_code == _NO_PLACE:
        return failed(
            child.node, "tool_failed", f"no copy could be put there: {last_words(child.stderr)}", child.seconds
        )
    return outcome(child.node, child.stdout, child.stderr, child.exit_code, child.seconds)
