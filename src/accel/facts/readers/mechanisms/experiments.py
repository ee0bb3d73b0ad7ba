"""Recognise what somebody tried and its outcome: "with A=1 it works", "after booting with iommu=off: all tests pass".

What made it work is the cure, not the current state: rules check for its absence.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from accel.facts.readers.page import Page
from accel.model.observation import Experiment, Outcome
from accel.text.pattern import pattern

_WORKS: Final = (
    r"(?:works?|worked|working|(?:runs?|ran)(?! out)|(?:all )?(?:tests? )?pass(?:es|ed)?|fine|ok|okay|helps?|helped"
    r"|solved|gone)"
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
        r"|removing|installing|downgrading|upgrading|booting|passing|exporting|changing|switching to)\s[^\n]{1,160}?)"
        r"\s(?:has |have )?(?P<outcome>fixe[ds]|solve[ds]|resolve[ds]|cure[ds]|help(?:s|ed)|works|worked)\b",
        re.IGNORECASE,
    ),
    pattern(  # Fix: disable X, then it starts      the solution was disabling X
        r"\b(?:fix|solution|workaround|cure|root cause fix)\s?(?:was|is|for me was|:|：)\s(?:to\s)?"
        r"(?P<condition>(?:add|set|us|disabl|enabl|turn|switch|remov|install|downgrad|upgrad|boot|pass|export|chang)"
        r"(?:e|ing|p?ing)?\s[^\n]{1,160}?)(?:[.,;)]|$)",
        re.IGNORECASE,
    ),
    pattern(  # Solved by X      Fixed it with X      I solved it. Use X      resolved: set X
        r"\b(?:solved|fixed|resolved|cured)(?: it| this| that| the (?:problem|issue|error))?"
        r"(?:\s(?:by|with|via|using|after)|[.:!,]\s{1,3}(?:i |we |just |you |have to |need to |must )?"
        r"(?=(?:use|add|set|increase|raise|install|start|run|remov|disabl|upgrad|downgrad|pass|export|chang)))\s?"
        r"(?P<condition>[^\n]{2,160}?)(?:[.;]\s|[.;]?$|, so\b)",
        re.IGNORECASE,
    ),
    pattern(  # I increased X and the problem is solved      after I raised X, it works
        r"\b(?P<condition>(?:increas|rais|add|set|chang|reduc|upgrad|downgrad|install|remov|disabl|enabl|reboot|restart"
        r"|updat|unset|mount|pass|switch)(?:e|ed|ing|p?ed|t?ing)?\s[^\n]{1,120}?)(?:,| and| then|;)\s(?:now |then )?"
        r"(?:the )?(?:problem|issue|error|it|everything|that|this)\s(?:is |was |has been |got )?"
        r"(?P<outcome>solved|gone|fixed|resolved|works?|worked|disappear(?:s|ed))\b",
        re.IGNORECASE,
    ),
    pattern(  # 加上 X 后正常      关闭 X 就好了
        r"(?:加上|加了|添加|设置|设置了|关闭|关掉|禁用|开启|使用|改成|换成)\s?(?P<condition>[^\n，。；]{2,120}?)\s?"
        r"(?:，\s?)?(?:后|之后|以后|就|就能|即可|可以)\s?(?P<outcome>正常|好了|可以了|解决|成功|没问题|不卡|跑通)",
    ),
    pattern(  # NAME=value: works
        rf"(?:^|[(\s])(?P<condition>[A-Z][A-Z0-9_]{{2,60}}=\S{{1,80}})\s{{0,2}}:?\s(?P<outcome>{_WORKS}|{_FAILS})\b",
        re.IGNORECASE,
    ),
)
_HEADING: Final = pattern(  # a separate line, above what helped
    r"^[\s>*#_-]{0,8}(?:solution|fix|workaround|solved|resolved|resolution|what (?:fixed|solved) it"
    r"|解决(?:方法|办法|方案)?)"
    r"[\s*_:：!.]{0,6}$",
    re.IGNORECASE,
)
_RELATIONS: Final = {"without": "without", "after": "after"}
_FAILED: Final = pattern(_FAILS)
_NOT: Final = pattern(r"\b(?:not|never|no longer|n't)\b")
_TROUBLE: Final = pattern(  # before "gone": things whose absence is good
    r"\b(?:errors?|problems?|issues?|warnings?|messages?|faults?|crash(?:es)?|hangs?|symptoms?|leak|delay|noise|lines?|it"
    r"|that|this|they|all)(?:\s(?:is|was|are|were|has|have|been|now|all|also|then|finally)){0,3}\s$|[,;:]\s?$"
)
_EITHER_WAY: Final = pattern(r"\bwith(?: or |/| and )without\b|\bregardless of\b")  # so it decides nothing
_LONGEST: Final = 600
_MOST: Final = 200  # maximum per text: nobody tries more, and a log that says "failed with" is no experiment


def recognise(page: Page) -> Iterator[Experiment]:
    """Yield at most one experiment per line, up to a maximum per text."""
    return islice(_experiments(page), _MOST)


def _experiments(page: Page) -> Iterator[Experiment]:
    headed = False
    for number, line in enumerate(page.lines, 1):
        if not line.strip() or len(line) > _LONGEST:
            continue
        if headed:
            headed = False
            yield Experiment(condition=line.strip()[:200], relation="with", outcome="works", **page.on_line(number))
            continue
        if _HEADING.match(line):
            headed = True
            continue
        for form in _FORMS:
            found = form.search(line)
            if found is None or _EITHER_WAY.search(line, max(0, found.start() - 12)):
                continue
            groups = found.groupdict()
            ended = groups.get("outcome")
            outcome: Outcome = "fails" if ended and _FAILED.fullmatch(ended) else "works"
            if (
                ended
                and outcome == "works"
                and _NOT.search(line[max(0, found.start("outcome") - 12) : found.start("outcome")])
            ):
                outcome = "fails"
            if ended and ended.lower() == "gone" and not _TROUBLE.search(line[: found.start("outcome")]):
                outcome = "fails"  # "CUDA is gone after suspend"
            yield Experiment(
                condition=groups["condition"].strip(" :,()")[:200],
                relation=_RELATIONS.get((groups.get("relation") or "with").lower(), "with"),  # type: ignore[arg-type]
                outcome=outcome,
                **page.on_line(number),
            )
            break
