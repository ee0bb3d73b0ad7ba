"""Detect sessions on different machines or in different environments, by prompts, commands and prefixes of lines.

alice@gpu01:~$ nvidia-smi                    (torch) [ben@login2 ~]$ python t.py         machines, environments
(tf) PS C:\\work> python t.py                 $ conda activate tf                         environments
$ source .venv/bin/activate                  $ /usr/bin/python3 t.py
node01: GPU 0: NVIDIA A100 …                 [node02] …                                  machines, as pdsh marks them
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from accel.text.part_headings import Opened
from accel.text.pattern import pattern

_PROMPT: Final = pattern(
    r"[ \t]{0,8}(?:\((?P<env>[\w./+-]{1,60})\)[ ]?)?(?:\([\w./+-]{1,60}\)[ ]?)?"
    r"\[?(?P<user>[a-z_][\w.-]{0,40})@(?P<host>[\w.-]{1,80})(?:[:\] ][^#$%>\n]{0,160})?[#$%>](?:[ ](?P<rest>[^\n]*)|$)"
)
_WINDOWS: Final = pattern(
    r"[ \t]{0,8}(?:\((?P<env>[\w./+-]{1,60})\)[ ])?(?:PS[ ])?[a-z]:\\[^>\n]{0,160}>(?P<rest>[^\n]*)"
)
_BARE: Final = pattern(r"[ \t]{0,8}(?:\((?P<env>[\w./+-]{1,60})\)[ ]?)?[$%>][ ](?P<rest>[\w./~\\\"'][^\n]*)")
_CONTAINER_ID: Final = pattern(r"[0-9a-f]{12}$")
_TYPED: Final = pattern(r"[ \t]{0,8}(?:conda|mamba|micromamba|source|\.)[ ][^\n]{0,30}?activate\b")
_ACTIVATED: Final = pattern(
    r"(?:^|&&|;)[ ]{0,4}(?:(?:conda|mamba|micromamba|source)[ ]activate[ ](?P<name>[\w./~+-]{1,120})"
    r"|(?:source[ ]|\.[ ]|call[ ])?(?P<path>[\w./~\\:+-]{1,200}?)[/\\](?:bin|Scripts)[/\\]activate)"
)
_LEFT: Final = pattern(r"(?:^|&&|;)[ ]{0,4}(?:(?:conda|mamba|micromamba)[ ])?deactivate\b")
_PYTHON: Final = pattern(r"(?P<folder>[\w./~\\:+-]{1,200})[/\\]python[\d.]{0,5}(?:\.exe)?(?=[ ]|$)")
_CONDA_RUN: Final = pattern(r"(?:conda|mamba|micromamba)[ ]run[ ](?:--?[\w-]+[ ]){0,3}?-n[ ](?P<name>[\w.-]{1,60})")
_MARKED: Final = pattern(r"(?:\[(?P<boxed>[a-z][\w.-]{0,60}\d)\]:?|(?P<host>[a-z][\w.-]{0,60}\d):)[ ](?=\S)")
_TO_JOB: Final = pattern(r"(?:salloc\b|srun\b[^\n]{0,300}?[ ]--pty\b)")  # the next prompt is this job's
_STEM: Final = pattern(r"(?P<stem>.*?)(?P<number>\d{1,5})$")
_FEWEST_MARKED: Final = 3

Event = tuple[int, Opened | None]  # applies from this line on; None: the part ends


def machines(lines: Sequence[str], inside: Collection[int]) -> Iterator[Event]:
    """Yield the machine of each prompt that names one. inside: lines of a container, whose prompts are ignored."""
    for number, line in enumerate(lines):
        if "@" not in line or number in inside or len(line) > 2000:
            continue
        found = _PROMPT.match(line)
        if found is not None and not _CONTAINER_ID.match(found["host"]):
            if found["rest"] and _TO_JOB.match(found["rest"].lstrip()):
                yield number, None
                continue
            host = found["host"].partition(".")[0] if not found["host"][0].isdecimal() else found["host"]
            yield number, Opened("machine", host.lower(), f"on {host}")


def environments(lines: Sequence[str]) -> Iterator[Event]:
    """Yield the places where an environment is entered, left, or used for one command."""
    named = any(found["env"] for _, found in _prompts(lines))
    entered: Opened | None = None
    once = False
    for number, line in enumerate(lines):
        found = _prompt(line)
        if found is None:
            typed = _TYPED.match(line)
            if typed is not None and (opened := _activated(line.strip())):
                entered = opened
                yield number, entered
            continue
        command = (found["rest"] or "").strip()
        if found["env"]:
            entered = _environment(found["env"])
        elif named and found.re.pattern != _BARE.compiled.pattern:
            entered = None
        if _LEFT.search(command):
            entered = None
        entered = _activated(command) or entered
        for_this = _of_command(command)
        if for_this is not None or once or found["env"] or named or entered is not None or _LEFT.search(command):
            yield number, for_this or entered
        once = for_this is not None


def marked_hosts(lines: Sequence[str], others: Collection[str]) -> dict[int, tuple[Opened, int]]:
    """Return the lines that begin with a host's name, as from pdsh, and the position at which the rest of each begins.

    others  prefixes of names that are not hosts: devices, ranks. Names with one prefix and several numbers count.
    """
    found: dict[int, tuple[str, int]] = {}
    stems: dict[str, set[str]] = {}
    for number, line in enumerate(lines):
        match = _MARKED.match(line)
        if match is None:
            continue
        host = match["host"] or match["boxed"]
        parts = _STEM.fullmatch(host.partition(".")[0])
        stem = parts["stem"].lower().rstrip("_-") if parts else ""
        if parts is None or len(stem) < 2 or stem in others:
            continue
        stems.setdefault(stem, set()).add(parts["number"])
        found[number] = host, match.end()
    several = {stem for stem, numbers in stems.items() if len(numbers) > 1}
    kept = {
        number: (Opened("machine", host.lower(), f"on {host}"), end)
        for number, (host, end) in found.items()
        if host.partition(".")[0].lower().rstrip("0123456789").rstrip("_-") in several
    }
    return kept if len(kept) >= _FEWEST_MARKED else {}


def _prompts(lines: Sequence[str]) -> "Iterator[tuple[int, re.Match[str]]]":
    for number, line in enumerate(lines):
        found = _prompt(line)
        if found is not None:
            yield number, found


def _prompt(line: str) -> "re.Match[str] | None":
    if len(line) > 2000:
        return None
    if "@" in line and (found := _PROMPT.match(line)):
        return found
    if ">" in line and (found := _WINDOWS.match(line)):
        return found
    return _BARE.match(line) if not line.startswith(">>>") else None


def _activated(command: str) -> Opened | None:
    found = _ACTIVATED.search(command)
    if found is None:
        return None
    return _environment(found["name"] or found["path"])


def _environment(name: str) -> Opened:
    short = re.split(r"[/\\]", name.rstrip("/\\"))[-1]
    return Opened("environment", short.lower(), f"in the environment {short}")


def _of_command(command: str) -> Opened | None:
    """Return the environment of a single command that names its interpreter."""
    if found := _PYTHON.match(command.removeprefix("sudo ")):
        folder = found["folder"]
        return Opened("environment", f"python of {folder.lower()}", f"in the Python of {folder}")
    if found := _CONDA_RUN.match(command):
        return _environment(found["name"])
    return None
