"""Checks that are rows of tables: they test whether something is stated, and report it in a sentence.

specs/<domain>/checks/<topic>.yaml:

    plugin: "nvidia"                         # the plugin that owns these checks; accel itself if omitted
    checks:
      - code: "NV130"
        name: "driver-oops"
        layer: "driver"
        needs: ["nvidia.devices", "source.kernel log"]
        means: "The kernel reports a fault (oops) whose instruction lies in NVIDIA's kernel modules"
        why: "What held locks at that moment never gives them back …"
        looks_at: "the address (RIP, pc) of an oops"
        when: ["driver-oops", "kernel-oops"]                # accel.facts.query
        title: "The NVIDIA driver crashed in the kernel"
        evidence: {"kernel-oops": 2, "driver-oops": 2}      # which facts, and at most how many of each
        fixes:
          - {text: "Restart the machine.", command: "sudo reboot", action: "reboot"}

A row is about the facts of the first condition in `when` that names one, or about those in `of`. `having` and `lacking`
keep the facts whose values are, or are not, in a list. `each` makes one problem per fact ("fact"), device ("device") or
distinct value (its name). `devices: {backend, field, above | values | except}` makes a row about devices instead, or,
with `of`, about facts and devices: what a log states and a counter shows. `known: {backend: [fields]}` are the fields
of which one must have been read: else the check is undecided, or does not apply if no device has it. `siblings:
{backend, fields}` is about the devices of a model that differ in a field; `nodes` about releases, devices or settings
in which machines do. `variables: {NAME: [values]}` makes a row about variables with these values. `devices_of` names
all devices of a backend; a fact with a PCI address (`pci`) names the device there. `packages` adds the versions of
packages to the evidence. `values: {here: "toolkit.cuda|framework.torch.cuda_version"}` is the first known version among
these paths, which texts refer to as {here}. `apart_from` drops the facts in lines that also state one of these: an
error of another kind.

A root is a row with the cause of a message that another check only repeats: `when` asks for the message and for its
circumstances ("fact.cuda-wanted.release unlike toolkit.cuda", "works-on-host-alone"), `explains` names the checks whose
findings follow from it. Without `fixes` it uses theirs.

A row may take its texts from a table: `known_fault: "known-driver-fault"` from the tables of known faults, for the
faults that this fact states; `left_on: "nvidia/debugging_variables"` lists which of these variables are set.

`released` puts the release of the program that a text is about first, if the tables know one for this device:
accel.resolver.programs.

In a title, a detail or a fix, "{name}" is a value of the first fact that has all the named ones, "{name:words}" falls
back to these words if no fact has it, "{path!f}" is the file name of a path, "{exception!n}" the part after the last
dot, "{node!l}" the values of all facts ("!s": of four). `several` is the title for more than one fact. Every row has
{device_ids}, {how_many} (the number of its facts) and {and_more}: ", and 3 more". In a list of titles, the first one
whose values are all known is used. In `having` and `lacking`, "*" is any value.

`problems` is a list of such parts (when, title, fixes, …), with what they share above it: the first that applies is
reported, or with `every` each that does. One with `undecided` names what would have to be known. A fix may have a
`kernel_option` or what to `install` in place of a command: accel.resolver.fixes.
`applies` is a list of {when, otherwise}: if a condition fails, the check is not applicable, for this reason.
`asks` is the same as for any check: accel.vendors.contract.check.

A fact of an inference table may also contain such a row, as its `finding`, which then has the fact's name and meaning.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from accel.facts.query import holds, names_of, reads_of, subject_of
from accel.facts.row_subjects import (
    Compared,
    ListedDevice,
    SetVariable,
    Sibling,
    fixes_of,
    grouped,
    listed_subjects,
    must_know,
    placed,
    read_values,
    set_variables,
    unlike_siblings,
    wanted,
)
from accel.facts.row_words import Subject, said
from accel.vendors.contract.check import Check, Evidence, Problem, Remedy, applies, need, quoted
from accel.vendors.toolkit.table_steps import step_of

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

# What would show that the fault is absent if a table does not say: it stops the program that hits it.
_STOPPED: Final = dict.fromkeys(("application", "framework", "toolkit", "access"), ("run.program",))
_COMPUTED: Final = frozenset(("install", "kernel_option"))  # fixes whose command depends on the machine
_FIELDS: Final = ("family", "last_resort", "severity")


class Row:
    """The function of a table's check: it yields the problems in facts. topic: "nvidia/checks/driver"."""

    def __init__(self, row: Mapping[str, Any], topic: str) -> None:
        self.row, self.topic = row, topic

    def __call__(self, facts: "Facts", specs: "Specs") -> Iterator[Problem]:
        for asked in self.row.get("applies", ()):
            applies(holds(asked["when"], facts), asked["otherwise"])
        found = False
        for part in self._parts:
            problems = list(_problems(part, facts, specs))
            yield from problems
            found = found or bool(problems)
            if problems and not self.row.get("every"):
                return
        if not found and "known" in self.row:
            for backend, fields in self.row["known"].items():
                must_know(facts, backend, fields)

    @cached_property
    def _parts(self) -> Sequence[Mapping[str, Any]]:
        """What the row states for each of its problems."""
        shared = {key: value for key, value in self.row.items() if key != "problems"}
        parts: Sequence[Mapping[str, Any]] = self.row.get("problems") or ({},)
        return [{**shared, **part} for part in parts]

    @cached_property
    def _page(self) -> str:
        return _page(self.row, self.topic)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self._page


def row_check(row: Mapping[str, Any], topic: str) -> Check:
    """Return the check of a row. Raises KeyError if the row lacks something."""
    return Check(
        code=row["code"],
        name=row["name"],
        layer=row["layer"],
        requires=tuple(row.get("requires", ())),
        explained_by=tuple(row.get("explained_by", ())),
        explains=tuple(row.get("explains", ())),
        precludes=tuple(row.get("precludes", ())),
        reads=tuple(dict.fromkeys(_reads(row))),
        needs=tuple(row.get("needs", _STOPPED.get(row["layer"], ()))),
        asks=tuple(row["asks"]) if "asks" in row else None,
        run=Row(row, topic),
        **{key: row[key] for key in _FIELDS if key in row},
    )


def rows_of(tables: Iterable[tuple[str, Any]], plugin: str | None) -> "Iterator[tuple[str, Mapping[str, Any]]]":
    """Yield (topic, row) of the checks in tables that belong to a plugin; None for accel's own."""
    for topic, table in tables:
        if isinstance(table, Mapping) and table.get("plugin") == plugin:
            yield from ((topic, row) for row in table_rows(topic, table))


def table_rows(topic: str, table: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the checks of one table: the rows of "…/checks/…", the facts of "…/inference/…" that have a finding."""
    if "/checks/" in topic:
        yield from table.get("checks") or ()
    elif "/inference/" in topic:
        yield from (_of_fact(fact) for fact in table.get("facts") or () if fact.get("finding"))


def _of_fact(fact: Mapping[str, Any]) -> dict[str, Any]:
    """Return the finding of a fact as a row."""
    finding = fact["finding"]
    examples = [" ".join(way["example"].split()) for way in fact.get("from") or () if "example" in way]
    return {
        "title": f"{fact['means'][:1].upper()}{fact['means'][1:]}",
        "silent": "nothing in the text, the log or the machine says so",
        "looks_at": f"sentences like: {examples[0]}" if examples else f"whether {fact['means']}",
        **{key: fact[key] for key in ("name", "means", "codes") if key in fact},
        **finding,
        "when": [fact["name"]],
    }


def _reads(row: Mapping[str, Any]) -> Iterator[str]:
    for part in (row, *row.get("problems", ())):
        yield from reads_of(part.get("when", ()))
        if "known_fault" in part:
            yield part["known_fault"]
        for one in (*part.get("of", ()), *part.get("evidence", ()), *part.get("apart_from", ())):
            yield from names_of(one)
        for fix in part.get("fixes", ()):
            yield from reads_of(fix.get("when", ()))
            yield from reads_of(fix.get("only", ()))
            if "where" in fix:
                yield fix["where"]
    for asked in row.get("applies", ()):
        yield from reads_of(asked["when"])
    yield from row.get("reads", ())


def _page(row: Mapping[str, Any], topic: str) -> str:
    fixes = " ".join(
        dict.fromkeys(fix["text"] for part in (row, *row.get("problems", ())) for fix in part.get("fixes", ()))
    )
    lines = (
        f"{row['means'][:1].upper()}{row['means'][1:]}.",
        "",
        f"Why it matters   {row['why']}",
        f"What to do       {row.get('do') or fixes or 'See the table of codes.'}",
        f"Looks at         {row['looks_at']}",
        f"Silent when      {row.get('silent') or 'nothing of the kind is stated'}",
        f"Source           {row.get('source') or topic}",
    )
    return "\n".join(lines)


def _problems(part: Mapping[str, Any], facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    if not holds(part.get("when", ()), facts):
        return
    if "undecided" in part:
        need(None, part["undecided"])
    if "known_fault" in part:
        from accel.checks.known_faults import told_faults

        yield from told_faults(part["known_fault"], facts, specs, part.get("most", 4))
        return
    if "left_on" in part:
        from accel.checks.left_on import left_on

        yield from left_on(part["left_on"], part["fixes"][0]["text"], facts, specs)
        return
    by_fact = part.keys().isdisjoint(("devices", "nodes", "siblings", "variables"))
    of = [names_of(one) for one in part["of"]] if "of" in part else [subject_of(part["when"])] if by_fact else []
    found: Sequence[Subject] = [
        *(placed(fact, facts) for names in of for fact in facts.stated(*names)),
        *(listed_subjects(part["devices"], facts) if "devices" in part else ()),
        *(unlike_siblings(part["siblings"], facts, must_know="known" not in part) if "siblings" in part else ()),
        *(_unlike_nodes(part["nodes"], facts) if "nodes" in part else ()),
        *(set_variables(part["variables"], facts) if "variables" in part else ()),
    ]
    found = wanted(part, found)
    if "apart_from" in part:
        lines = {fact.line for fact in facts.stated(*part["apart_from"]) if fact.line is not None}
        found = [one for one in found if getattr(one, "line", None) not in lines]
    read = read_values(part.get("values", {}), facts)
    by_code = bool(part.get("codes"))
    table = specs.table(part["codes"]) if by_code and found else None
    codes = {str(row["code"]): row for row in table["codes"]} if table else {}
    for stated in grouped("code" if by_code else part.get("each"), found):
        same = [Compared(one, {name: value for name, (value, _) in read.items()}) for one in stated] if read else stated
        code = same[0].value("code") if by_code else None
        title = said(part["several" if len(same) > 1 and "several" in part else "title"], same) or said(
            part["means"][:1].upper() + part["means"][1:], same
        )
        title = title if code is None else f"{title}: code {code}"
        severity = part.get("severity")
        own: tuple[Remedy, ...] = ()
        if table is not None and (row := codes.get(code or "")) is not None:
            title, severity = f"{table['name']} {code}: {row['meaning']}", row.get("severity") or severity
            own = (*_fixes(row.get("fixes", ()), same, facts, specs), *((step_of(row),) if row.get("action") else ()))
        yield Problem(
            title=title or "",
            detail=said(part["detail"], same) if "detail" in part else None,
            severity=severity,
            devices=tuple(dict.fromkeys(one.device for one in _named(part, same, facts) if one.device)),
            evidence=(
                *_evidence(part, stated, facts),
                *_installed(part, facts),
                *(Evidence(fact=where.removesuffix("-stated"), value=value) for value, where in read.values()),
            ),
            remedies=(*own, *_released(part, stated, facts, specs), *_fixes(part.get("fixes", ()), same, facts, specs)),
        )


def _unlike_nodes(asked: str, facts: "Facts") -> Iterable[Subject]:
    from accel.facts.nodes import unlike_nodes  # few texts are about several machines

    return unlike_nodes(asked, facts)


def _fixes(
    rows: Sequence[Mapping[str, Any]], same: Sequence[Subject], facts: "Facts", specs: "Specs"
) -> Iterable[Remedy]:
    if all(_COMPUTED.isdisjoint(row) for row in rows):
        return fixes_of(rows, same, facts)
    from accel.resolver.fixes import fixes  # few findings use it

    return fixes(rows, same, facts, specs)


def _released(part: Mapping[str, Any], found: Sequence[Any], facts: "Facts", specs: "Specs") -> tuple[Remedy, ...]:
    if not part.get("released"):
        return ()
    from accel.resolver.programs import released_here  # few findings use it

    release = released_here(facts, specs, found)
    return (release,) if release is not None else ()


def _named(part: Mapping[str, Any], same: Sequence[Subject], facts: "Facts") -> Sequence[Subject]:
    """Return the devices that a problem names: those of its subjects, or all of a backend (`devices_of`)."""
    return [ListedDevice(device, ()) for device in facts.of(part["devices_of"])] if "devices_of" in part else same


def _installed(part: Mapping[str, Any], facts: "Facts") -> Iterator[Evidence]:
    for name in part.get("packages", ()):
        yield from (
            Evidence(fact=name, value=one.version) for one in facts.packages(name.replace("_", "-")) if one.version
        )


def _evidence(part: Mapping[str, Any], same: Sequence[Subject], facts: "Facts") -> tuple[Evidence, ...]:
    records = [one for one in same if isinstance(one, ListedDevice | SetVariable | Sibling)]
    told: Iterable[Any] = [one for one in same if one not in records]
    if "evidence" in part:
        told = [fact for names, most in part["evidence"].items() for fact in facts.stated(*names_of(names))[:most]]
    return (
        *quoted(told, most=part.get("most", 4)),
        *(evidence for one in records[:8] for evidence in one.evidence),
    )
