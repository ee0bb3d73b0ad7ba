"""What somebody tried and how it went: "with A=1 it works", "after booting with iommu=off: all tests pass".

What made it work is the cure, not the state: rules ask for the lack of it.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.observation import Experiment, Outcome
from accel.readers.page import Page
from accel.text.pattern import pattern

_WORKS: Final = (
    r"(?:works?|worked|working|runs?|ran|(?:all )?(?:tests? )?pass(?:es|ed)?|fine|ok|okay|helps?|helped|solved|gone)"
)
_FAILS: Final = r"(?:fails?|failed|hangs?|crash(?:es|ed)?|do(?:es)?(?: not|n'?t) work|no change|the same)"
_RELATION: Final = r"(?P<relation>with|without|after|when|if|on|by)"
_CONDITION: Final = r"(?P<condition>[^\n]{1,160}?)"
_FORMS: Final = (
    pattern(  # with X it works      without X: fails      after X: all tests pass
        rf"(?:^|[(,.;:]\s{{0,3}}){_RELATION}\s{_CONDITION}[:,]?\s(?:it |everything |all |this |that )?"
        rf"(?P<outcome>{_WORKS}|{_FAILS})\b",
        re.IGNORECASE,
    ),
    pattern(  # works with X      fixed by X      runs after X
        rf"\b(?P<outcome>{_WORKS}|{_FAILS}|fixed|cured|resolved)\s{_RELATION}\s{_CONDITION}\s{{0,3}}[.);]?$",
        re.IGNORECASE,
    ),
    pattern(  # Adding X fixed it      Disabling X solved the problem
        r"(?:^|[.;:(]\s{0,3})(?P<condition>(?:adding|setting|using|disabling|enabling|turning off|switching off"
        r"|removing|installing|downgrading|upgrading)\s[^\n]{1,160}?)\s(?:has |have )?"
        r"(?P<outcome>fixe[ds]|solve[ds]|resolve[ds]|cure[ds]|help(?:s|ed)|works|worked)\b",
        re.IGNORECASE,
    ),
    pattern(  # NAME=value: works
        rf"(?:^|[(\s])(?P<condition>[A-Z][A-Z0-9_]{{2,60}}=\S{{1,80}})\s{{0,2}}:?\s(?P<outcome>{_WORKS}|{_FAILS})\b",
        re.IGNORECASE,
    ),
)
_RELATIONS: Final = {"without": "without", "after": "after"}
_FAILED: Final = re.compile(_FAILS, re.IGNORECASE)
_NOT: Final = re.compile(r"\b(?:not|never|no longer|n't)\b", re.IGNORECASE)
_LONGEST: Final = 600


def recognise(page: Page) -> Iterator[Experiment]:
    """Yield one experiment a line."""
    for number, line in enumerate(page.lines, 1):
        if not line.strip() or len(line) > _LONGEST:
            continue
        for form in _FORMS:
            found = form.search(line)
            if found is None:
                continue
            groups = found.groupdict()
            outcome: Outcome = "fails" if _FAILED.fullmatch(groups["outcome"]) else "works"
            if outcome == "works" and _NOT.search(line[found.start("outcome") - 12 : found.start("outcome")]):
                outcome = "fails"
            yield Experiment(
                condition=groups["condition"].strip(" :,()")[:200],
                relation=_RELATIONS.get((groups.get("relation") or "with").lower(), "with"),  # type: ignore[arg-type]
                outcome=outcome,
                **page.on_line(number),
            )
            break
