"""Checks of spec folders: a fact whose record says which finding it is."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from string import Formatter
from typing import TYPE_CHECKING, Any, Final

from accel.checks.situations import situations, suits
from accel.contract.check import Check, Problem, Remedy, quoted
from accel.contract.command import filled
from accel.text.command_template import SLOT
from accel.toolkit.table_steps import step_of

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.observation import Fact
    from accel.specs import Specs


# What would have told that the fault is not there, where a table does not say: it stops the program that meets it.
_STOPPED: Final = dict.fromkeys(("application", "framework", "toolkit", "access"), ("run.program",))

_CONDITIONS: Final = ("text", "command", "only", "where", "without")


def stated_check(stated: Mapping[str, Any], topic: str) -> Check:
    """Return the check of a fact that has a finding. Raises KeyError where the finding lacks something.

    topic  its table: "acme/inference/faults"
    """
    finding = stated["finding"]

    def run(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
        return _problems(stated, facts, specs)

    run.__doc__ = _page(stated, topic)
    return Check(
        code=finding["code"],
        name=stated["name"],
        layer=finding["layer"],
        severity=finding["severity"],
        family=finding.get("family"),
        requires=tuple(finding.get("requires", ())),
        explained_by=tuple(finding.get("explained_by", ())),
        last_resort=bool(finding.get("last_resort", False)),
        reads=(stated["name"], *dict.fromkeys(one for fix in finding["fixes"] for one in _asks(fix))),
        needs=tuple(finding.get("needs", _STOPPED.get(finding["layer"], ()))),
        run=run,
    )


def _asks(fix: Mapping[str, Any]) -> Iterator[str]:
    yield from fix.get("without", ())
    if "where" in fix:
        yield fix["where"]


def _page(stated: Mapping[str, Any], topic: str) -> str:
    finding = stated["finding"]
    fixes = " ".join(fix["text"] for fix in finding["fixes"]) or "See the table of codes."
    examples = [" ".join(way["example"].split()) for way in stated.get("from") or () if "example" in way]
    seen = f"sentences like: {examples[0]}" if examples else f"whether {stated['means']}"
    lines = (
        f"{stated['means'][:1].upper()}{stated['means'][1:]}.",
        "",
        f"Why it matters   {finding['why']}",
        f"What to do       {fixes}",
        f"Looks at         {seen}",
        f"Silent when      {finding.get('silent') or 'nothing in the text, the log or the machine tells so'}",
        f"Source           {topic}",
    )
    return "\n".join(lines)


def _title(stated: Mapping[str, Any], told: "list[Fact]") -> str:
    """Return the title with what the first fact that has it tells: "… {what}"; without it, what the fact means."""
    meant = f"{stated['means'][:1].upper()}{stated['means'][1:]}"
    title = stated["finding"].get("title") or meant
    names = [name for _, name, _, _ in Formatter().parse(title) if name]
    known = next((fact for fact in told if all(fact.value(name) for name in names)), None)
    if not names or known is None:
        return meant if names else title
    return str(title).format_map({name: known.value(name) for name in names})


def _problems(stated: Mapping[str, Any], facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    finding, by_code = stated["finding"], dict[str | None, list["Fact"]]()
    for fact in facts.stated(stated["name"]):
        by_code.setdefault(fact.value("code") if stated.get("codes") else None, []).append(fact)
    table = specs.table(stated["codes"]) if stated.get("codes") and by_code else None
    rows = {str(row["code"]): row for row in table["codes"]} if table else {}
    for code, same in by_code.items():
        row = rows.get(code or "")
        says = _title(stated, same)
        title = says if code is None else f"{says}: code {code}"
        own: tuple[Remedy, ...] = ()
        if row is not None and table is not None:
            title = f"{table['name']} {code}: {row['meaning']}"
            own = (step_of(row),) if row.get("action") else ()
        yield Problem(
            title=title,
            severity=row.get("severity") if row is not None else None,
            devices=tuple(dict.fromkeys(fact.device for fact in same if fact.device)),
            evidence=quoted(same),
            remedies=(*own, *_fixes(finding["fixes"], same, facts)),
        )


def _fixes(fixes: Iterable[Mapping[str, Any]], told: Sequence["Fact"], facts: "Facts") -> Iterator[Remedy]:
    """Yield those that suit the machine and the installer (`only`), whose fact is told (`where`), and that no fact
    makes idle (`without`: what is done already, or cannot be), with values in the slots of their words and commands.

    The values are of one fact, of `where` or of the finding: the first that tells all of them. Words with values are
    said only where one does.
    """
    held = situations(facts)
    for fix in fixes:
        of = facts.stated(fix["where"]) if "where" in fix else told
        if not of or not suits(fix.get("only", ()), held) or facts.stated(*fix.get("without", ())):
            continue
        names = {name for _, name, _, _ in Formatter().parse(fix["text"]) if name}
        slots = {found["name"] for found in SLOT.finditer(fix.get("command") or "")}
        fact = next((one for one in of if all(one.value(name) for name in names | slots)), of[0])
        if all(fact.value(name) for name in names):
            yield Remedy(
                text=fix["text"].format_map({name: fact.value(name) for name in names}),
                command=filled(fix["command"], fact.value) if fix.get("command") is not None else None,
                **{key: value for key, value in fix.items() if key not in _CONDITIONS},
            )
