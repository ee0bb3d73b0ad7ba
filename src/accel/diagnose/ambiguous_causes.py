"""Causes that the facts do not tell apart: several findings rest on one line, and none explains the other."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from accel.model.diagnosis import AmbiguousCauses, Candidate, Finding

if TYPE_CHECKING:
    from accel.specs import Specs

_MOST: Final = 4  # candidates of one line


def ambiguous_causes(
    findings: Sequence[Finding], specs: "Specs", told: Sequence[AmbiguousCauses] = ()
) -> tuple[AmbiguousCauses, ...]:
    """Return each set of causes that rest on one line of the text, with what tells them apart; mostly none.

    told  what the tables leave open (accel.diagnose.ambiguity): it goes before what is concluded from findings alone
    """
    causes = [finding for finding in findings if finding.is_cause and finding.severity != "info"]
    lines: dict[int, dict[str, Finding]] = {}
    texts: dict[int, str] = {}
    for finding in causes:
        for evidence in finding.evidence:
            if evidence.line is not None:
                lines.setdefault(evidence.line, {}).setdefault(finding.name, finding)
                texts.setdefault(evidence.line, evidence.value)
    lines_told = {one.line for one in told}
    found: dict[tuple[str, ...], AmbiguousCauses] = {}
    for line, named in sorted(lines.items()):
        names = tuple(named)
        if 1 < len(names) <= _MOST and names not in found and line not in lines_told:
            found[names] = AmbiguousCauses(
                line=line, text=texts[line], candidates=tuple(_candidates(named.values(), specs))
            )
    return (*told, *found.values())


def _candidates(findings: Iterable[Finding], specs: "Specs") -> Iterable[Candidate]:
    for finding in findings:
        known: Sequence[Mapping[str, str]] = specs.causes.get(finding.name, {}).get("causes") or ({},)
        over = finding.over.command if finding.over is not None else None
        yield Candidate(
            code=finding.code,
            name=finding.name,
            title=finding.title,
            decides=known[0].get("decides"),
            look=known[0].get("look") or over,
        )
