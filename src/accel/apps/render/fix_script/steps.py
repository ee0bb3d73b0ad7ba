"""The steps that a diagnosis calls for, least invasive first. Pure.

A finding contributes its first remedy and those that continue it ("Then …"); its other remedies are listed as
alternatives. A consequence contributes none, since it disappears with its cause. Neither does a note.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from accel.facts.infer import observations_of
from accel.model.dataclass import dataclass, replace
from accel.model.diagnosis import Action, Diagnosis, Finding, Proof, Remedy
from accel.model.observation import Command
from accel.model.snapshot import Snapshot
from accel.remedies.actions import Inspect, actions_of
from accel.remedies.own_start import in_a_script
from accel.specs import Specs
from accel.text.shells import steps_of as words_of
from accel.text.shells import written

_ORDER: Final[tuple[Action, ...]] = ("app", "env", "admin", "reset", "reboot", "service")
_OTHERS: Final[tuple[Action, ...]] = ("admin", "reset", "reboot", "service")
_STARTS: Final = ("run", "create", "exec", "shell")
_GOES_ON: Final = ("Then ", "Then,")
_NO_SHELLS: Final = ("RUN ", "%", "!", "import ")  # lines for a Dockerfile or a notebook, not for a shell


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing to do.

    who      who must do it if not the reader; None: the reader
    blanks   placeholders in capitals to fill in, with the meaning of each
    is_hand  no shell does it: it is done by hand, or is a line for an image
    asks     the script shows the command and asks before running it
    others   alternative remedies
    verification  how to see that the finding is fixed; None if another step for it follows
    """

    finding: Finding
    remedy: Remedy
    who: Action | None = None
    blanks: tuple[tuple[str, str], ...] = ()
    is_hand: bool = False
    asks: bool = True
    others: tuple[Remedy, ...] = ()
    verification: Proof | None = None


def starts_of(snapshot: Snapshot) -> tuple[Command, ...]:
    """Return the container starts of a text: a script that is run repeats none of their images and options."""
    starts = (one for one in observations_of(snapshot) if isinstance(one, Command) and one.verb in _STARTS)
    return tuple(one for one in starts if one.operands)


def steps_of(
    diagnosis: Diagnosis, specs: Specs, live: bool = False, starts: tuple[Command, ...] = ()
) -> tuple[Step, ...]:
    """Return the steps, least invasive first; equal ones in the order of the findings.

    starts  of containers in the text, of which nothing is repeated
    live  the diagnosis is of this machine. Only then does a step run without asking, and only if it changes nothing:
          a command derived from a text may contain words of the text's author.
    """
    names = (specs.table("language/shells") or {}).get("placeholders", {})
    groups = [
        tuple(_of_finding(_with_blanks(finding, starts, specs), names, specs, live))
        for finding in diagnosis.findings
        if finding.severity != "info" and finding.is_cause and finding.remedies
    ]
    groups.sort(key=lambda group: max(_ORDER.index(step.remedy.action) for step in group))
    return tuple(step for group in groups for step in group)


def _with_blanks(finding: Finding, starts: tuple[Command, ...], specs: Specs) -> Finding:
    """Return a finding whose commands have a blank for the images of these starts, and none of their options."""
    if not starts:
        return finding

    def blank(command: str | None) -> str | None:
        lines = [_without_start(line, starts, specs) for line in (command or "").splitlines()]
        return None if command is None or None in lines else "\n".join(filter(None, lines))

    remedies = tuple(replace(one, command=blank(one.command)) for one in finding.remedies)
    verification = finding.verification
    if verification is not None:
        verification = replace(verification, command=blank(verification.command))
    return replace(finding, remedies=remedies, verification=verification)


def _without_start(line: str, starts: tuple[Command, ...], specs: Specs) -> str | None:
    """Return a command without what it repeats of these starts; None if that cannot be told apart."""
    steps = words_of(line)
    if steps is None:
        return None if any(own.operands[0] in line for own in starts) else line
    return written(tuple(in_a_script(step, starts, specs) for step in steps))


def consequences(diagnosis: Diagnosis) -> tuple[Finding, ...]:
    """Return the findings that follow from others and have no step of their own."""
    return tuple(f for f in diagnosis.findings if f.severity != "info" and not f.is_cause)


def _of_finding(finding: Finding, names: Mapping[str, str], specs: Specs, live: bool) -> Iterator[Step]:
    first, *rest = finding.remedies
    chain = [first, *(remedy for remedy in rest if remedy.text.startswith(_GOES_ON))]
    others = tuple(remedy for remedy in rest if remedy not in chain)
    for number, remedy in enumerate(chain, 1):
        is_last = number == len(chain)
        yield Step(
            finding=finding,
            remedy=remedy,
            who=_who(remedy),
            blanks=tuple(_blanks(remedy.command or "", names)),
            is_hand=remedy.command is None or remedy.command.startswith(_NO_SHELLS),
            asks=not live or not _only_shows(remedy, specs),
            others=others if is_last else (),
            verification=finding.verification if is_last else None,
        )


def _only_shows(remedy: Remedy, specs: Specs) -> bool:
    return all(isinstance(one, Inspect) for one in actions_of(remedy.command, specs))


def _who(remedy: Remedy) -> Action | None:
    """Return who must do it; an administrator also for commands with sudo in the user's own environment."""
    if remedy.action in _OTHERS:
        return remedy.action
    return "admin" if re.search(r"(?:^|[\s;&|(])sudo\s", remedy.command or "") else None


def _blanks(command: str, names: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    """Yield the words in capitals in a command that are placeholders."""
    if not names:
        return
    known = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    found = (hit[1] for hit in re.finditer(rf"(?<![\w$])({known})(?![\w=])", command))
    yield from ((name, names[name]) for name in dict.fromkeys(found))
