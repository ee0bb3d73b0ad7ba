"""What the readers recognise in one text, scope by scope, and the records that their readings combine to."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from accel.collect.status import Told, over, with_status, with_subjects
from accel.facts.readers.frameworks import frameworks_of
from accel.facts.readers.mechanisms import recognised
from accel.facts.readers.page import Page
from accel.model.dataclass import dataclass, replace
from accel.model.device import Gap
from accel.model.environment import Environment
from accel.model.errors import in_words
from accel.model.grade import Scope
from accel.model.merge import filled
from accel.model.observation import Command, Observation
from accel.model.report import Report
from accel.model.snapshot import Host
from accel.plugins.registry import Registry
from accel.text.bounds import Bounded
from accel.text.clean import sections
from accel.text.lexicon import Lexicon
from accel.text.segments import STATUS_OF, Segments, segments_together
from accel.vendors.contract.backend import Reader, Reading

Scoped = tuple[Scope | None, Reading]

_MOST_STATEMENTS: Final = 400  # maximum per text: a report of a few pages has at most a few hundred
_MOST_DEVICES: Final = 512  # maximum per output: judging one device visits all of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """What was recognised in one text. Observations have line numbers in the whole text; readings do not."""

    readings: tuple[Scoped, ...] = ()
    observations: tuple[Observation, ...] = ()
    gaps: tuple[Gap, ...] = ()


def understood(part: Bounded, registry: Registry, segments: Segments, mechanisms: Collection[str] = ()) -> Understood:
    """Return what readers and mechanisms find in a text without prefixes, with the status of each finding.

    segments    of the same lines; mechanisms: only these, by name
    """
    readings: list[Scoped] = []
    found: list[tuple[Scope | None, Observation]] = []
    gaps: list[Gap] = []
    pages: list[Page] = []
    for scope, section in sections(part.text):
        formats: list[Reading] = []
        for reader in registry.all_readers.begun(section.lower()):
            read, broken = _read(reader, section)
            formats += read
            gaps += broken
        readings += [(scope, reading) for reading in formats]
        found += [(scope, one) for reading in formats for one in reading.observations]
        pages.append(Page(section, registry.specs, _lines_read(formats), segments))
        for seen in recognised(pages[-1], mechanisms):
            if isinstance(seen, Gap):
                gaps.append(seen)
            else:
                found.append((scope, seen))
    found, more = _first_and_last(found, part)
    gaps += more
    told = Told(segments_together([page.prose.segments for page in pages]), tuple(page.prose for page in pages))
    report_words = registry.specs.table("language/report_words")
    context, fallback = (frozenset(registry.specs.inference[flag]) for flag in ("context", "fallback"))
    absent = registry.specs.cached("absent", lambda: Lexicon(registry.specs.compiled("absent")))
    judged = with_status([one for _, one in found], told, report_words, context, fallback, absent)
    judged = with_subjects(judged, registry.specs.inference["subject"], registry.specs.inference["of_source"])
    observations = tuple(_placed(one, scope, part) for (scope, _), one in zip(found, judged, strict=True))
    own = any(one.status == "present" and told.segments.kind(one.line or 0) == "quote" for one in judged)
    readings, more = _of_one_machine(readings)
    gaps += more
    gone = over((one.first_line for _, one in readings if one.first_line or one.environment), judged, told)
    held = tuple(
        (scope, one)
        for scope, one in readings
        if one.first_line not in gone and not _is_only_shown(one, told.segments, quotes=not own)
    )
    return Understood(readings=held, observations=observations, gaps=tuple(gaps))


def _first_and_last(
    found: list[tuple[Scope | None, Observation]], part: Bounded
) -> tuple[list[tuple[Scope | None, Observation]], list[Gap]]:
    """Return the statements of the first and the last lines, if there are more than any real report has."""
    lines = sorted(one.line for _, one in found if one.line is not None)
    left = len(lines) - _MOST_STATEMENTS
    if left <= 0:
        return found, []
    first, last = lines[_MOST_STATEMENTS // 2 - 1], lines[-_MOST_STATEMENTS // 2]
    kept = [(scope, one) for scope, one in found if one.line is None or not first < one.line < last]
    between = f"{part.number(first)} and {part.number(last)}"
    reason = (
        f"{len(found) - len(kept):,} statements between its lines {between} were not evaluated. Pass one "
        "report at a time."
    )
    return kept, [Gap(fact="the text's statements", reason=reason)] if len(kept) < len(found) else []


def _of_one_machine(readings: Iterable[Scoped]) -> tuple[list[Scoped], list[Gap]]:
    """Return the readings, limited to as many devices per report as a machine can have, and gaps for the rest."""
    kept: list[Scoped] = []
    gaps: list[Gap] = []
    for scope, reading in readings:
        many = [one for one in reading.reports if len(one.devices) > _MOST_DEVICES]
        if many:
            reports = (replace(one, devices=one.devices[:_MOST_DEVICES]) for one in reading.reports)
            reading = replace(reading, reports=tuple(reports))
        kept.append((scope, reading))
        for one in many:
            reason = f"{len(one.devices) - _MOST_DEVICES:,} of its devices were not read: no machine has so many."
            gaps.append(Gap(fact="devices", reason=reason, backend=one.backend, source=reading.source))
    return kept, gaps


def _is_only_shown(reading: Reading, segments: Segments, *, quotes: bool) -> bool:
    """Return whether an output is in documentation, code, a patch or, with `quotes`, a quotation: no machine printed
    it.
    """
    if not reading.first_line:
        return False
    last = reading.last_line or reading.first_line
    kinds = {segments.kind(line) for line in range(reading.first_line, last + 1)} - {"blank"}
    return bool(kinds) and kinds <= set(STATUS_OF) - (set() if quotes else {"quote"})


def reports_of(readings: Iterable[Scoped]) -> list[Report]:
    """Return the vendors' reports in the readings, with their scopes."""
    return [_scoped(report, scope) for scope, reading in readings for report in reading.reports]


def environments_of(readings: Iterable[Scoped]) -> list[Environment]:
    """Return the environments in the readings, with their scopes and what their package lists imply."""
    return [
        _with_frameworks(environment if environment.scope else replace(environment, scope=scope))
        for scope, reading in readings
        if (environment := reading.environment) is not None
    ]


def with_typed(environments: list[Environment], observations: Sequence[Observation]) -> list[Environment]:
    """Add the packages that the text's own commands install, unless the text tells their versions otherwise."""
    if not any(isinstance(one, Command) and "install" in (one.verb, *one.operands[:1]) for one in observations):
        return environments
    from accel.resolver.typed import typed_packages  # what most reports need not load

    known = {package.name for one in environments for package in one.packages or ()}
    known |= {framework.name for one in environments for framework in one.frameworks}
    packages = typed_packages(observations, known)
    if not packages:
        return environments
    return [*environments, _with_frameworks(Environment(source="typed installation", grade="said", packages=packages))]


def host_of(readings: Iterable[Scoped], known: Iterable[Host] = ()) -> Host:
    """Return the combined facts of known hosts and readings; earlier ones take precedence."""
    host = Host()
    for one in (*known, *(reading.host for _, reading in readings if reading.host is not None)):
        host = filled(host, one)
    return host


def variables_of(environments: Iterable[Environment]) -> Mapping[str, str]:
    """Return the variables of all environments; if several set the same one, the last value."""
    return {name: value for e in environments for name, value in e.variables or ()}


def _read(reader: Reader, text: str) -> tuple[list[Reading], list[Gap]]:
    found: list[Reading] = []
    try:
        found.extend(reader.read(text))
    except (Exception, SystemExit) as error:  # a plugin's reader may raise anything
        reason = f"the reader broke: {in_words(error)}; please report it to its plugin"
        return found, [Gap(fact=reader.name, reason=reason, source=reader.name)]
    return found, []


def _placed(one: Observation, scope: Scope | None, part: Bounded) -> Observation:
    """Return an observation with its scope, and with line numbers in the whole text."""
    if part.numbers is not None:
        one = replace(one, line=part.number(one.line), last_line=part.number(one.last_line))
    return one if one.scope or scope is None else replace(one, scope=scope)


def _lines_read(formats: Iterable[Reading]) -> frozenset[int]:
    """Return the lines that format readers have parsed completely."""
    return frozenset(
        line
        for reading in formats
        if reading.first_line and reading.last_line
        for line in range(reading.first_line, reading.last_line + 1)
    )


def _scoped(report: Report, scope: Scope | None) -> Report:
    if scope is None or report.scope is not None:
        return report
    return replace(report, scope=scope)


def _with_frameworks(environment: Environment) -> Environment:
    """Add what the package list alone implies about the frameworks' builds."""
    known = {framework.name for framework in environment.frameworks}
    more = tuple(f for f in frameworks_of(environment.packages or ()) if f.name not in known)
    return replace(environment, frameworks=environment.frameworks + more) if more else environment
