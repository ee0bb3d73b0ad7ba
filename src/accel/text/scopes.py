"""Determine which lines of a report were printed on the host and which inside a container.

    (host) $ ls -l /dev/nvidia*          a mark with text: until the next blank line
    (container)                          a mark or heading alone: until the next one
    Inside the container:
    root@3f2a9c1b7d5e:/# nvidia-smi      a prompt with a container's id as its host: until another prompt
    $ docker run -it --gpus all image    a shell in a container: until `exit` or another prompt; a prompt with a host
    root@trainer-0:/workspace# python    other than the one it was entered from is the container's
    $ docker run image python -c "…"     both the command and its output belong to the container
    $ docker exec web nvidia-smi         one command in a container: until the next blank line or prompt
Lines without such evidence have no scope.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from accel.model.grade import Scope
from accel.text.pattern import pattern

_MOST_LINES: Final = 60  # of one command
_HINTS: Final = (
    "host",
    "Host",
    "HOST",
    "ontainer",
    "CONTAINER",
    "docker",
    "Docker",
    "podman",
    "nerdctl",
    "kubectl",
    "@",
)
_MARK: Final = pattern(r"[ \t]*\((?P<where>host|container)\)(?:[ \t]*:)?(?P<rest>.*)", re.IGNORECASE)
_NAMED_PROMPT: Final = pattern(r"[ \t]*(?P<where>host|container)[ \t]?[#$%>][ \t]?(?P<rest>.*)")
_HEADING: Final = pattern(
    r"[ \t]*(?:[#*=-]+[ \t]*)?"
    r"(?:(?P<inside>(?:now[ ,]+)?(?:inside|within|in|from|from inside|from within)[ ]+(?:of[ ]+)?(?:(?:the|a|"
    r"my)[ ]+)?(?:running[ ]+)?"
    r"(?:docker|podman|container|docker container)|container|docker container)"
    r"|(?P<outside>(?:on|from)[ ]+(?:(?:the|my)[ ]+)?host(?:[ ]+(?:machine|system|os))?|host(?:[ ]+(?:machine|system"
    r"|os))?"
    r"|outside(?:[ ]+(?:of[ ]+)?(?:(?:the|a)[ ]+)?(?:docker|container|docker container))))"
    r"(?:[ ]*(?P<colon>:))?(?:[ \t]*[#*=-]+)?[ \t]*$",
    re.IGNORECASE,
)
_PROMPT: Final = pattern(
    r"[ \t]*(?:\([\w./-]+\)[ ]?)*(?P<user>[a-z_][\w.-]*)@(?P<host>[\w.-]+)(?::[^\s#$%]*|"
    r"[ ][^\s#$%]*)?[ ]?[#$%][ ]?(?P<rest>.*)"
    r"|[ \t]*\[(?P<user2>[a-z_][\w.-]*)@(?P<host2>[\w.-]+)[ ][^\]\n]*\][#$%][ ]?(?P<rest2>.*)"
)
_BARE_PROMPT: Final = pattern(r"[ \t]*[$#%][ ](?P<rest>[a-z./].*)", exact_case=True)  # "# Heading" is none
_CONTAINER_ID: Final = pattern(r"[0-9a-f]{12}$")
_ENTERS: Final = pattern(
    r"(?:sudo[ ]+)?(?:docker(?:[ -]compose)?|podman|nerdctl|kubectl|nvidia-docker)[ ]+(?:container[ ]+)?(?:run|"
    r"(?P<exec>exec))\b(?P<options>.*)"
)
_ASKED_INSIDE: Final = pattern(
    r"\b(?:docker|podman|nerdctl|nvidia-docker)[ ]+(?:container[ ]+)?run\b[^\n]{0,300}?"
    r"[ ](?P<asked>python[\d.]{0,5}[ ]{1,4}-c[ ][^\n]{1,1000})"
)
_INTERACTIVE: Final = pattern(r"(?:^|\s)-(?:it|ti|i|t|dit|itd|id|di)\b|--interactive|--tty")
_REFUSED: Final = pattern(
    r"[ \t]*(?:docker|podman|nerdctl): |.{0,40}Error response from daemon|[ \t]*Error: (?:crun|runc)"
)
_LEAVES: Final = pattern(r"[#$%][ ](?:exit|logout)[ ]*$")
_SHELL: Final = pattern(r"(?:/bin/)?(?:ba|z|da)?sh(?:[ ]+-l)?$")


def sections(text: str) -> list[tuple[Scope | None, str]]:
    """Return the text once per scope, with the lines of other scopes blanked, so that line numbers stay valid.

    Returns one section with scope None if nothing distinguishes host and container.
    """
    if not any(hint in text for hint in _HINTS):
        return [(None, text)]
    lines = text.split("\n")
    scopes = scopes_of(lines)
    present: list[Scope | None] = list(dict.fromkeys(s for s, line in zip(scopes, lines, strict=True) if line.strip()))
    if len(present) <= 1 and present != ["container"] and present != ["host"]:
        return [(None, text)]
    return [
        (scope, "\n".join(_in_scope(line, s, scope) for s, line in zip(scopes, lines, strict=True)))
        for scope in present
    ]


def _in_scope(line: str, own: Scope | None, scope: Scope | None) -> str:
    """Return the part of a line that belongs to a scope: of a container start, also the command that it runs inside."""
    if own == scope:
        return line
    asked = _ASKED_INSIDE.search(line) if scope == "container" else None
    return asked["asked"] if asked else ""


def scopes_of(lines: Sequence[str]) -> list[Scope | None]:
    """Return the scope of each line; None if it is unknown."""
    return list(_scopes(lines))


def _scopes(lines: Sequence[str]) -> Iterator[Scope | None]:
    """Yield the scope of each line."""
    scope: Scope | None = None
    until_blank = False
    going_on: Scope | None = None
    goes_on = False
    headed = False  # a heading began the scope: prompts below belong to it
    shell_of: str | None = None  # the host whose prompt entered a shell in a container, "" if the prompt names none
    for number, line in enumerate(lines):
        if goes_on and line.strip():  # a continuation line of the command above
            goes_on = line.rstrip().endswith("\\")
            yield going_on
            continue
        goes_on = False
        if not line.strip():
            if until_blank:
                scope, until_blank = None, False
            yield None
            continue
        goes_on = line.rstrip().endswith("\\")
        whole = _whole(lines, number) if goes_on else line
        change = _change(whole, scope)
        host = _host_of(whole)
        if scope == "container" and shell_of is not None and host is not None and _is_inside(host, shell_of, whole):
            change = scope, None if _LEAVES.search(whole) else scope, False
        elif change is not None:
            told_apart = host is not None and _CONTAINER_ID.match(host)  # its own prompt shows when it ends
            shell_of = (host or "") if change[1] == "container" and not change[2] and not told_apart else None
        going_on = scope
        if headed and scope is not None and change == (None, None, False) and host is None:
            change = None
        if change is not None:
            headed = change[0] is not None and not change[2] and bool(_HEADING.match(whole) or _MARK.match(whole))
            going_on, scope, until_blank = change
        yield going_on


def _host_of(line: str) -> str | None:
    """Return the host in a prompt; None if the line has no such prompt."""
    found = _PROMPT.match(line) if "@" in line else None
    return (found["host"] or found["host2"]) if found else None


def _is_inside(host: str, shell_of: str, line: str) -> bool:
    """Return whether a prompt belongs to the container entered from `host`; only root's if that is unknown."""
    return host != shell_of if shell_of else line.lstrip(" (").startswith("root@")


def _whole(lines: Sequence[str], number: int) -> str:
    r"""Return a command that "\" continues over several lines as one line."""
    parts: list[str] = []
    for line in lines[number : number + _MOST_LINES]:
        parts.append(line.rstrip().removesuffix("\\").strip() if parts else line.rstrip().removesuffix("\\"))
        if not line.rstrip().endswith("\\"):
            break
    return " ".join(parts)


def _change(line: str, scope: Scope | None) -> tuple[Scope | None, Scope | None, bool] | None:
    """Return the scope of this line, of later lines, and whether a blank line ends it; None if nothing changes."""
    if found := _MARK.match(line) or _NAMED_PROMPT.match(line):
        where: Scope = "host" if found["where"].lower() == "host" else "container"
        return where, where, bool(found["rest"].strip())
    if (
        len(line) < 80
        and (found := _HEADING.match(line))
        and (found["colon"] or " " in line.strip() or line.lstrip()[0] in "#*=")
    ):
        where = "container" if found["inside"] else "host"
        return where, where, False
    if "@" in line and (found := _PROMPT.match(line)):
        host, rest = found["host"] or found["host2"], found["rest"] or found["rest2"] or ""
        if _CONTAINER_ID.match(host):
            return "container", "container", False
        entered = _entered(rest)
        return entered or (None, None, False)
    if scope == "container" and _REFUSED.match(line):  # it never started: what follows is outside it
        return None, None, False
    bare = _BARE_PROMPT.match(line)
    command = bare["rest"] if bare else line.strip()
    entered = _entered(command)
    if entered:
        return entered
    if command in ("exit", "logout") and scope == "container":
        return scope, None, False
    if bare and scope is not None:
        return None, None, False
    return None


def _entered(command: str) -> tuple[Scope | None, Scope | None, bool] | None:
    found = _ENTERS.match(command)
    if found is None:
        return None
    options = found["options"].strip()
    shell = bool(_INTERACTIVE.search(options)) and (bool(_SHELL.search(options)) or len(options.split()) < 12)
    asked: Scope | None = "container" if found["exec"] and not shell else None  # a question stays with its answer
    return asked, "container", not shell
