"""Checks that stand in spec folders: a sentence whose record says what the doctor is to make of it."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from accel.checks.said import quoted
from accel.contract.check import Check, Problem, Remedy
from accel.model.report import Event

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs
    from accel.specs.messages import Message


def stated_check(message: "Message") -> Check:
    """Return the check of a sentence that has a finding. Raises KeyError where the finding lacks something."""
    finding = message.finding or {}

    def run(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
        return _problems(message, finding, facts, specs)

    run.__doc__ = _page(message, finding)
    return Check(code=finding["code"], name=message.name, layer=finding["layer"], severity=finding["severity"], run=run)


def _page(message: "Message", finding: dict[str, Any]) -> str:
    fixes = " ".join(fix["text"] for fix in finding["fixes"]) or "See the table of codes."
    lines = (
        f"{message.says[:1].upper()}{message.says[1:]}.",
        "",
        f"Why it matters   {finding['why']}",
        f"What to do       {fixes}",
        f"Looks at         sentences like: {' '.join(message.example.split())}",
        "Silent when      none is in the text or the log",
        f"Source           {message.source or message.topic}",
    )
    return "\n".join(lines)


def _problems(message: "Message", finding: dict[str, Any], facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    events = facts.events(message.name)
    by_code: dict[str | None, list[Event]] = {}
    for event in events:
        by_code.setdefault(event.value("code") if message.codes else None, []).append(event)
    table = specs.table(message.codes) if message.codes and events else None
    rows = {str(row["code"]): row for row in table["codes"]} if table else {}
    stated = tuple(Remedy(**fix) for fix in finding["fixes"])
    for code, same in by_code.items():
        problem = partial(
            Problem, devices=tuple(dict.fromkeys(e.device for e in same if e.device)), evidence=quoted(same)
        )
        row = rows.get(code or "")
        if row is None or table is None:
            yield problem(title=message.says if code is None else f"{message.says}: code {code}", remedies=stated)
            continue
        own = (Remedy(text=row["action"], action=row.get("class", "admin")),) if row.get("action") else ()
        yield problem(
            title=f"{table['name']} {code}: {row['meaning']}",
            severity=row.get("severity"),
            remedies=(*own, *stated),
        )
