"""Python tracebacks: the paths in them tell the environment, the last line tells what went wrong.

      File "/opt/conda/envs/py310/lib/python3.10/site-packages/torch/cuda/__init__.py", line 99, in _check_driver
      File "C:\\Users\\me\\.conda\\envs\\omost\\lib\\site-packages\\torch\\__init__.py", line 148, in <module>
    AssertionError: Torch not compiled with CUDA enabled
    /usr/local/lib/python3.12/dist-packages/torch/cuda/__init__.py:262: UserWarning: …

Each last line is an event "traceback" with the values `type` and `text` (the first lines of the message).
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.contract.backend import Reader, Reading
from accel.model.environment import Environment
from accel.model.report import Event, Report
from accel.model.snapshot import Host
from accel.text.pattern import pattern

_PYTHON: Final = pattern(
    r"/(?:lib|lib64|Lib)/python(?P<version>[23]\.\d+)/|/python(?P<version2>[23]\.\d+)/(?:site|dist)-packages"
    r"|[\\/][Pp]ython(?P<major>3)\.?(?P<minor>\d{1,2})[\\/](?:lib|Lib)[\\/]"
)
_CPYTHON: Final = pattern(
    r"\.cpython-(?P<major>3)(?P<minor>\d{1,2})-(?P<platform>[\w-]+)\.so|\.cp(?P<major2>3)"
    r"(?P<minor2>\d{1,2})-win_amd64\.pyd"
)
_SITE: Final = pattern(
    r"[\"'\s(](?P<prefix>(?:/|[A-Za-z]:[\\/])[^\"'\n:*?]{1,200}?)[\\/](?:lib|lib64|Lib)"
    r"(?:[\\/]python3\.\d+)?[\\/](?:site|dist)-packages[\\/]"
)
_CONDA: Final = pattern(
    r"(?:conda|mamba|miniforge|mambaforge)\w*[\\/](?:envs[\\/][^\\/]+)?|[\\/]envs[\\/][^\\/]+$", re.IGNORECASE
)
_WINDOWS_PATH: Final = pattern(r"[\"'( ](?:[A-Za-z]:|\.\.\.)?\\[^\"'\n]{0,200}(?:site-packages|Lib|lib)\\")
_START: Final = "Traceback (most recent call last)"
_FRAME: Final = pattern(r"[ \t]*File \"[^\"\n]*\", line \d+")
_LAST: Final = pattern(
    r"[ \t]*(?P<type>(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Warning|Interrupt|Exit|Timeout|NotFound|"
    r"Unavailable|Fault|Failed)\w*)(?:: ?(?P<text>.*))?$"
)
_ANY_LAST: Final = pattern(r"(?P<type>(?:[A-Za-z_]\w*\.)+[A-Z]\w*|[A-Z]\w+)(?:: ?(?P<text>.*))?$", exact_case=True)
MOST_EVENTS: Final = 50


def _read(text: str) -> Iterator[Reading]:
    environment, host = _environment(text), _host(text)
    events = tuple(_events(text))
    if environment is None and host is None and not events:
        return
    reports = (Report(backend="host", source=READER.name, events=events),) if events else ()
    yield Reading(source=READER.name, reports=reports, environment=environment, host=host)


def _environment(text: str) -> Environment | None:
    version = None
    if found := _PYTHON.search(text):
        version = found["version"] or found["version2"] or f"{found['major']}.{found['minor']}"
    elif found := _CPYTHON.search(text):
        version = f"{found['major'] or found['major2']}.{found['minor'] or found['minor2']}"
    variables: list[tuple[str, str]] = []
    for found in _SITE.finditer(text):
        prefix = found["prefix"]
        if _CONDA.search(prefix) and "..." not in prefix:
            variables.append(("CONDA_PREFIX", prefix))
            break
        if re.search(r"[\\/]\.?v?env\w*$", prefix) and "..." not in prefix:
            variables.append(("VIRTUAL_ENV", prefix))
            break
    if version is None and not variables:
        return None
    return Environment(python_version=version, variables=tuple(variables) or None)


def _host(text: str) -> Host | None:
    if _WINDOWS_PATH.search(text):
        return Host(system="windows")
    if found := _CPYTHON.search(text):
        machine = re.match(r"(x86_64|aarch64|i386)-linux", found["platform"] or "")
        if machine:
            return Host(system="linux", machine=machine[1])
    return Host(system="linux") if re.search(r"/lib(?:64)?/python3\.\d+/dist-packages/", text) else None


def _events(text: str) -> Iterator[Event]:
    """Yield the last line of each traceback: the first line after its frames that is less indented than they are.

    A line that is one, with its traceback cut away, counts as well.
    """
    lines = text.split("\n")
    seen: set[tuple[str, str]] = set()
    in_frames, indent, since = False, 0, 0
    for number, line in enumerate(lines):
        if _FRAME.match(line):
            in_frames, since = True, 0
            indent = len(line) - len(line.lstrip())
            continue
        if not line.strip() or len(line) > 4000:
            continue
        if not in_frames:
            alone = _LAST.match(line) if line[0].isalpha() else None
            if alone is None or not alone["text"] or "Warning" in alone["type"]:
                continue
        since += 1
        width = len(line) - len(line.lstrip())
        found = _LAST.match(line) if width <= indent else None
        if found is None and width < indent and _START not in line:
            found = _ANY_LAST.match(line.strip())
        if found is None:
            in_frames = in_frames and since < 12
            continue
        in_frames = False
        said = " ".join([found["text"] or "", *_following(lines, number)]).strip()[:600]
        if (found["type"], said) in seen:
            continue
        seen.add((found["type"], said))
        values = (("type", found["type"]), ("text", said)) if said else (("type", found["type"]),)
        message = f"{found['type']}: {said}" if said else found["type"]
        yield Event(name="traceback", message=message, values=values, source=READER.name, line=number + 1)
        if len(seen) >= MOST_EVENTS:
            return


def _following(lines: list[str], number: int) -> list[str]:
    """Return up to four more lines of a message, to the next blank line or traceback."""
    more = []
    for line in lines[number + 1 : number + 5]:
        if (
            not line.strip()
            or _START in line
            or _FRAME.match(line)
            or _LAST.match(line)
            or line.startswith(("$", "+-", "[", "The above", "During"))
        ):
            break
        more.append(line.strip())
    return more


READER = Reader(
    name="Python traceback",
    signs=(
        "Traceback (most",
        "Error: ",
        "Exception: ",
        '", line ',
        "site-packages",
        "dist-packages",
        "/lib/python3",
        ".cpython-3",
        "-win_amd64.pyd",
    ),
    read=_read,
)
