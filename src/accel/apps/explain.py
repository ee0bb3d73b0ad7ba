"""Explains a check, an error of a library or a device, or an error message."""

import inspect
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from accel.collect.text import read_texts
from accel.diagnose.engine import diagnose
from accel.facts.infer import infer
from accel.model.dataclass import dataclass, replace
from accel.model.observation import ErrorSeen, Noted
from accel.model.snapshot import Snapshot
from accel.plugins.registry import Registry
from accel.specs.ambiguous import rows_of
from accel.specs.errors import plain_code
from accel.specs.known_faults import known_faults_of, may_be_in
from accel.vendors.contract.check import LAYERS, Check

_NEAR: Final = 5  # names suggested for an unknown one
_BLAMED: Final = ("application", "hardware", "driver")  # categories that a code can be dominated by
_CODE: Final = re.compile(
    r"(?:(?P<domain>[A-Za-z][\w ./-]{0,40}?)(?:[\s:#=]{1,4}|(?<=id)(?=\d)))?(?P<code>[\w-]{1,80})", re.ASCII
)
# "Error 999", "错误 802": these words name no table.
_PLAIN: Final = re.compile(
    r"\s*(?:(?:error|err)(?:[\s_]?(?:code|number|no\.?))?|code|错误(?:代?码)?|报错)[\s:：#=]*(?=\d)", re.IGNORECASE
)
_RELEASE: Final = re.compile(
    r"(?P<product>[A-Za-z][\w .-]{0,40}?)(?:[\s=:]{1,4}|\s+v|(?<=[a-z]) )v?(?P<version>\d[\d.]{0,24})", re.ASCII
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Something to do, with its command; None if no command does it."""

    text: str
    command: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usual:
    """A usual cause: what it is, the evidence for it, the command that shows it, and the command that fixes it."""

    cause: str
    decides: str
    look: str | None = None
    cure: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One answer.

    usual   usual causes, the most frequent first
    verification  how to see that it is fixed, with the command that shows it
    steps   what to do, in order
    causes  codes and names of the checks that find the underlying cause, the lowest layer first
    source  the source of this information
    """

    title: str
    text: str
    usual: tuple[Usual, ...] = ()
    verification: Step | None = None
    steps: tuple[Step, ...] = ()
    causes: tuple[str, ...] = ()
    source: str | None = None


def explain(what: str, registry: Registry) -> tuple[Explanation, ...]:
    """Return explanations, the most specific first; () if nothing is known."""
    what = _PLAIN.sub("", what, count=1) if _PLAIN.match(what) else what
    exact = (*_checks(what, registry), *_fault_codes(what, registry), *_errors(what, registry))
    exact = exact or tuple(_releases(what, registry))
    if exact:
        return exact
    told = tuple(_message(what, registry))
    if not any(one.steps or one.usual for one in told):
        told = tuple(_questions(what, registry)) or told
    return told or tuple(_near_checks(what, registry))


def near(what: str, registry: Registry) -> tuple[str, ...]:
    """Return names and codes similar to an unknown one; () if there are none."""
    from difflib import get_close_matches

    match = _CODE.fullmatch(what.strip())
    if match is None:
        return ()
    tables = [
        table for table in registry.specs.fault_tables() if match["domain"] and _is_called(table, match["domain"])
    ]
    if tables and match["code"].isdecimal():
        rows = [(table["name"], row["code"]) for table in tables for row in table["codes"] if type(row["code"]) is int]
        rows.sort(key=lambda row: abs(row[1] - int(match["code"])))
        return tuple(f"{name} {code}" for name, code in rows[:_NEAR])
    errors, domain, code = registry.specs.errors, _domain(match["domain"], registry), match["code"].lower()
    if domain is not None:
        return tuple(f"{domain} {one}" for one in get_close_matches(code, list(errors.codes_of(domain)), _NEAR, 0.6))
    alike = [errors.named(name) for name in get_close_matches(code, list(errors.names), _NEAR, 0.75)]
    return tuple(dict.fromkeys(str(errors.row(*found).get("name")) for found in alike if found))


def _checks(what: str, registry: Registry) -> Iterator[Explanation]:
    wanted = what.strip().lower()
    own = [check for check in registry.checks if wanted in (check.code.lower(), check.name)]
    family = [check for check in registry.checks if check not in own and wanted == (check.family or "")]
    for check in own:
        members = tuple(f"{other.code} {other.name}" for other in family)
        yield replace(of_check(check, registry), causes=members)
    if not own:
        yield from (of_check(check, registry) for check in family)


def of_check(check: Check, registry: Registry | None = None) -> Explanation:
    """Return a check's page as text, with the causes in its table. registry None: only the page."""
    known = registry.specs.causes.get(check.name, {}) if registry is not None else {}
    verified = known.get("verification")
    return Explanation(
        usual=tuple(
            Usual(cause=one["cause"], decides=one["decides"], look=one.get("look"), cure=one.get("cure"))
            for one in known.get("causes", ())
        ),
        verification=Step(text=verified["text"], command=verified.get("command")) if verified else None,
        source=known.get("topic"),
        title=f"{check.code} {check.name} ({check.severity}, layer {check.layer})",
        text=inspect.cleandoc(check.run.__doc__ or "It has no page."),
    )


def _near_checks(what: str, registry: Registry) -> Iterator[Explanation]:
    from difflib import get_close_matches

    by_name = {check.name: check for check in registry.checks}
    for name in get_close_matches(what.strip().lower(), by_name, 1, 0.75):
        yield of_check(by_name[name], registry)


def _errors(what: str, registry: Registry) -> Iterator[Explanation]:
    """Yield each error with that name; for a number, the one in the given domain, else one per domain."""
    match = _CODE.fullmatch(what.strip())
    if match is None:
        return
    errors, code = registry.specs.errors, match["code"].lower()
    if (fault := plain_code(code)) is not None and errors.is_fault(fault):
        code = fault
    named = errors.named(code)
    if named is not None:
        yield _of_error(*named, registry)
        return
    wanted = _domain(match["domain"], registry)
    if match["domain"] is None or wanted is not None:
        found = [_of_error(one, code, registry) for one in errors.domains_of(code) if wanted in (None, one)]
        # For a bare number, the error with the most known causes first.
        yield from sorted(found, key=lambda one: (len(one.usual), len(one.causes)), reverse=True)


def _questions(what: str, registry: Registry) -> Iterator[Explanation]:
    """Yield explanations for words that are neither a message nor a name: "oom", "驱动版本过低"."""
    table = registry.specs.table("language/questions") or {}
    codes = {check.name: check.code for check in registry.checks}
    words = _words(what)
    for row in table.get("questions", ()):
        if any(_is_within(_words(asked), words) for asked in row["asked"]):
            yield Explanation(
                title=row["title"],
                text=row["text"],
                steps=(Step(text="Check which of the causes applies to this machine.", command=row["command"]),),
                causes=tuple(f"{codes[name]} {name}" for name in row["checks"] if name in codes),
            )


def _words(text: str) -> tuple[str, ...]:
    """Return the words in lower case, with each Chinese character as a word."""
    return tuple(re.findall(r"[a-z0-9_]+|[\u4e00-\u9fff]", text.lower()))


def _is_within(asked: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether the words contain all words asked for, consecutively."""
    return any(tuple(words[at : at + len(asked)]) == tuple(asked) for at in range(len(words) - len(asked) + 1))


def _domain(words: str | None, registry: Registry) -> str | None:
    """Return the domain of errors that a name or a title means: "cuda", "Level Zero", "errno"."""
    if words is None:
        return None
    errors, wanted = registry.specs.errors, words.strip().lower().removesuffix(" error").replace(" ", "-")
    return next((d for d in errors.domains if wanted in (d, errors.title(d).lower().replace(" ", "-"))), None)


def _of_error(domain: str, code: str, registry: Registry) -> Explanation:
    errors = registry.specs.errors
    row, name = errors.row(domain, code), errors.row(domain, code).get("name")
    layer = errors.layer(domain, code)
    seen = Snapshot(observations=(ErrorSeen(text=f"{domain} {code}", domain=domain, code=code),))
    facts, _ = infer(seen, registry.specs, ())
    stated = {fact.name for fact in facts}
    behind = sorted((c for c in registry.checks if stated & {*c.reads}), key=lambda c: (LAYERS.index(c.layer), c.code))
    known = registry.specs.inference["facts"]
    means = [known[name]["means"] for name in dict.fromkeys(fact.name for fact in facts) if name in known]
    said = [row.get("meaning") or "; ".join(means), f"Layer: {layer}" if layer else "", row.get("action") or ""]
    rows = rows_of(registry.specs.ambiguous, (f"error {domain}:{code}".lower(), *stated))
    number = code if code.isdecimal() else code.upper()
    title = " ".join(dict.fromkeys(part for part in (errors.title(domain), number, name) if part))
    telling = _telling(behind, stated)
    behind.sort(key=lambda check: check not in telling)
    usual = tuple(
        Usual(cause=one["cause"], decides=one["decides"], look=one.get("look"))
        for causes in [row["causes"] for row in rows][:1]
        for one in causes
    ) or tuple(one for check in telling for one in of_check(check, registry).usual)
    more = errors.more(domain) if not usual else None
    return Explanation(
        title=title,
        text="\n".join(part for part in said if part) or "Its table gives no more than the name.",
        usual=usual,
        steps=(Step(text=more["text"], command=more.get("command")),) if more else (),
        causes=tuple(f"{check.code} {check.name}" for check in behind),
        source=row.get("source") or "; ".join(errors.sources(domain)) or None,
    )


def _telling(behind: Sequence[Check], stated: Collection[str]) -> Sequence[Check]:
    """Return the check whose finding is the error itself; many other checks only test whether the error is present."""
    own = [check for check in behind if check.name in stated]
    return own[:1] or (behind if len(behind) == 1 else ())


def _fault_codes(what: str, registry: Registry) -> Iterator[Explanation]:
    """Yield each row of the fault code tables that matches a name, or a number, optionally after its table's name."""
    match = _CODE.fullmatch(what.strip())
    if match is None:
        return
    code = match["code"].lower()
    for table in registry.specs.fault_tables():
        # A bare number never means a fault in tables of counters and settings.
        if not _is_called(table, match["domain"]) if match["domain"] else table.get("named") and code.isdecimal():
            continue
        for row in table["codes"]:
            if str(row["code"]).lower() == code or code in (name.lower() for name in row.get("names", ())):
                yield _of_fault(table, row, registry)


def _is_called(table: dict[str, Any], words: str) -> bool:
    """Return whether words are one of a table's names, ignoring case and separators."""
    wanted = re.sub(r"[\s_-]+", " ", words.strip().lower())
    return wanted in (re.sub(r"[\s_-]+", " ", name.lower()) for name in (table["name"], *table.get("also", ())))


def _of_fault(table: dict[str, Any], row: dict[str, Any], registry: Registry) -> Explanation:
    said = [str(row["meaning"]).strip()]
    if row.get("cause"):
        said.append(f"Usual cause: {row['cause']}")
    if row.get("severity"):
        said.append(
            f"Severity: {row['severity']}" + (f", mostly of the {row['by']}" if row.get("by") in _BLAMED else "")
        )
    if row.get("names"):
        said.append(f"Named: {', '.join(row['names'])}")
    notes = tuple(
        Noted(fact=fact, text=str(row["code"]), values=(("code", str(row["code"])),)) for fact in table.get("facts", ())
    )
    inferred, _ = infer(Snapshot(observations=notes), registry.specs, registry.rules)
    stated = {fact.name for fact in inferred} - {fact for fact in table.get("facts", ()) if len(inferred) > 1}
    behind = sorted((c for c in registry.checks if stated & {*c.reads}), key=lambda c: (LAYERS.index(c.layer), c.code))
    published = next((source["url"] for source in table.get("sources", ()) if source.get("url")), None)
    return Explanation(
        title=f"{table['name']} {row['code']}",
        text="\n".join(said),
        steps=(Step(text=str(row["action"])),) if row.get("action") else (),
        causes=tuple(f"{check.code} {check.name}" for check in behind),
        source=row.get("source") or published,
    )


def _releases(what: str, registry: Registry) -> Iterator[Explanation]:
    """Yield the known faults of a release given with its product: "nccl 2.19.3", "driver 555.42"."""
    match = _RELEASE.fullmatch(what.strip())
    known = known_faults_of(registry.specs)
    product = known.product(match["product"]) if match else None
    if match is None or product is None:
        return
    version, title = match["version"], known.products[product]["title"]
    found = [
        fault for fault in known.rows if fault.row["product"] == product and may_be_in(version, fault.row["versions"])
    ]
    for fault in found:
        row = fault.row
        held = [", ".join(row[key]) for key in ("systems", "machines", "targets", "variables") if key in row]
        held += [
            f"{name} {bounds if isinstance(bounds, str) else ' or '.join(bounds)}"
            for name, bounds in row.get("with", {}).items()
        ]
        newer = row.get("fixed") and f"Update {title} to {row['fixed']} or later."
        yield Explanation(
            title=f"{title} {version}: {row['fault']}",
            text="\n".join([f"Known of {fault.ranges}.", *([f"Only with: {'; '.join(held)}."] if held else [])]),
            steps=tuple(
                Step(text=text, command=command)
                for text, command in (
                    (newer or (row.get("fixed_by") and f"Use a release without it: {row['fixed_by']}."), None),
                    *((fix["text"], fix.get("command")) for fix in row.get("fixes", ())),
                )
                if text
            ),
            source=fault.source,
        )
    if not found and "." in version:  # "cuda 8022" is not a release, but a mistyped code
        yield Explanation(title=f"{title} {version}", text="No fault of this release is known here.")


def _message(what: str, registry: Registry) -> Iterator[Explanation]:
    snapshot = read_texts([("the message", what)], registry)
    for finding in diagnose(snapshot, registry.specs, registry.checks, registry.rules).findings:
        yield Explanation(
            title=f"{finding.title} [{finding.code} {finding.name}]",
            text=finding.detail or "",
            steps=tuple(Step(text=remedy.text, command=remedy.command) for remedy in finding.remedies),
        )
    known = registry.specs.inference["facts"]
    facts, _ = infer(snapshot, registry.specs, registry.rules)
    for name in dict.fromkeys(fact.name for fact in facts if fact.name in known):
        yield Explanation(title=name, text=known[name]["means"], source=known[name]["topic"])
