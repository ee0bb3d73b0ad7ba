"""Chooses the best candidate for each requested package, with its companions, and assembles the answer."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from accel.model.dataclass import dataclass, replace
from accel.model.errors import BadInput
from accel.resolver.assumed import assumptions, sentence
from accel.resolver.candidates import candidates
from accel.resolver.catalogue import Catalogue, catalogue_of
from accel.resolver.command import Installer, command_for
from accel.resolver.companions import companion_of, elsewhere, unknown_pin
from accel.resolver.constraints import Verdict, toolkit_of, verdict
from accel.resolver.parsed import parsed
from accel.resolver.reason import as_rejected, missing, newest_first, outranked, reason_of
from accel.resolver.records import Candidate, Change, Chosen, Rejected, Resolution
from accel.resolver.request import Request
from accel.resolver.situation import Situation
from accel.resolver.target import Target
from accel.resolver.upgrade import Hint, clashes, described, idle_devices, upgrades, why
from accel.specs import Specs
from accel.specs.age import beyond
from accel.specs.versions import numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A package and what is requested with it. lead: the package to resolve; base: the framework that it extends.

    implied  the framework was not requested itself, only through its companions
    """

    lead: Request
    base: Request | None = None
    companions: tuple[Request, ...] = ()
    implied: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer for one group. best is None if nothing fits."""

    group: Group
    best: Verdict | None
    companions: tuple[Chosen, ...]
    rejected: tuple[Rejected, ...]


_MOST_KEPT: Final = 64  # answers that are remembered: of one text several checks ask for the same


def resolve_requests(
    specs: Specs, requests: Sequence[Request], target: Target, installer: Installer = "pip", *, hints: bool = True
) -> Resolution:
    """Return what fits the target, why the rest does not, and the command. Raises BadInput for unknown packages.

    hints  False leaves `upgrade` empty, which saves most of the work
    """
    kept: dict[str, Resolution] = specs.cached("resolutions", dict)
    key = repr((tuple(requests), target, installer, hints))
    if key not in kept:
        found = _resolved(catalogue_of(specs), requests, target, installer, hints)
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        kept[key] = found
    return kept[key]


def _resolved(
    catalogue: Catalogue, requests: Sequence[Request], target: Target, installer: Installer, with_hints: bool
) -> Resolution:
    asked = groups(catalogue, requests, target)
    for late in (unknown_pin(r, catalogue) for group in asked for r in group.companions):
        if late is not None:
            raise BadInput(late)
    answers = [_answer(group, catalogue, target) for group in asked]
    chosen: list[Chosen] = []
    for answer in answers:
        if answer.best is not None:
            chosen += _chosen(answer, _situation(answer.group, catalogue, target))
    complete = all(answer.best is not None for answer in answers)
    if not complete and len(asked) == 1 and (own := _of_board(asked[0], catalogue, target, installer)) is not None:
        return own
    command: str | None = None
    notes: tuple[str, ...] = ()
    if complete:
        command, notes = command_for(
            catalogue, [(a.best.candidate, a.companions) for a in answers if a.best], target, installer
        )
    changes: list[Change] = []
    for answer in answers if with_hints else ():
        if not complete and answer.best is not None:
            changes.append(_alone(answer, answers, catalogue, target, installer))
            continue  # what is newer for what fits does not help what does not
        changes += _hints(answer, catalogue, target, installer)
    found = [a.best.candidate for a in answers if a.best]
    if not complete and with_hints:
        changes[:0] = _without_limits(catalogue, requests, target, installer)
    told = {change.text: change for change in reversed(changes)}
    changes = [told[text] for text in dict.fromkeys(change.text for change in changes)]
    unknown = assumptions(catalogue, target, found)
    unfit = next((answer for answer in answers if answer.best is None), None)
    return Resolution(
        machine=described(target),
        chosen=tuple(chosen) if complete else (),
        fitting=() if complete else tuple(chosen),
        reason=_reason(unfit.group, catalogue, target) if unfit is not None and with_hints else None,
        rejected=tuple(r for answer in answers for r in answer.rejected),
        command=command,
        upgrade=tuple(change.text for change in changes),
        changes=tuple(changes),
        notes=tuple(dict.fromkeys((*notes, *clashes(catalogue, found), *idle_devices(catalogue, target, found)))),
        assumed=tuple(dict.fromkeys(one.text for one in unknown)),
        assumption=sentence(unknown),
    )


def _of_board(group: Group, catalogue: Catalogue, target: Target, installer: Installer) -> Resolution | None:
    """Return a board's own build of the framework if the release of its software is certain; None otherwise."""
    if not any(limits.integrated for limits in map(Situation(catalogue, target).limits, target.accelerators or ())):
        return None
    from accel.resolver.jetson import board_build

    found = board_build((group.lead, *group.companions), target, catalogue.specs, installer)
    if found is None:
        return None
    notes = () if found[1] else ("accel knows no conda builds of it: use --installer pip or uv in its environment",)
    return Resolution(machine=described(target), chosen=found[0], command=found[1], notes=notes)


def _alone(
    answer: Answer, answers: Sequence[Answer], catalogue: Catalogue, target: Target, installer: Installer
) -> Change:
    """Return how to install what fits without the other requested packages."""
    assert answer.best is not None
    rest = ", ".join(other.group.lead.name for other in answers if other.best is None)
    command, _ = command_for(catalogue, [(answer.best.candidate, answer.companions)], target, installer)
    candidate = answer.best.candidate
    return Change(text=f"without {rest}: {candidate.package} {candidate.label} fits", command=command)


def _without_limits(
    catalogue: Catalogue, requests: Sequence[Request], target: Target, installer: Installer
) -> list[Change]:
    """Return what fits without one of the limits on versions and builds, else without all of them."""
    limited = [r for r in requests if r.bound or r.variant]
    found = []
    for one in limited if len(requests) > 1 else ():
        rest = [Request(name=r.name) if r is one else r for r in requests]
        try:
            without = _resolved(catalogue, rest, target, installer, False)
        except BadInput:
            continue
        if without.command is not None:
            chosen = next((c.version for c in without.chosen if c.package == catalogue.name_of(one.name)), None)
            limit = one.bound or one.variant
            instead = f", with {one.name} {chosen}" if chosen else ""
            found.append(Change(text=f"without {one.name}'s {limit}{instead}", command=without.command))
    if found or not limited:
        return found
    without = _resolved(catalogue, [Request(name=r.name) for r in requests], target, installer, False)
    if without.command is None:
        return []
    return [Change(text=f"without the limits on versions and builds:  {without.command}", command=without.command)]


def _reason(group: Group, catalogue: Catalogue, target: Target) -> Rejected | None:
    situation = _situation(group, catalogue, target)

    def companions(candidate: Candidate) -> list[str]:
        told = (companion_of(r, candidate, situation) for r in group.companions)
        return [reason for reason in told if isinstance(reason, str)]

    asked = _asked(group, catalogue)
    return reason_of([c for c in asked if group.lead.allows(c.version)] or asked, situation, companions)


def groups(catalogue: Catalogue, requests: Sequence[Request], target: Target) -> list[Group]:
    """Group the requests by the framework that they need; add-ons that the devices need lead their group."""
    named = [
        replace(r, name=catalogue.name_of(r.name), variant=r.variant or catalogue.variant_named(r.name))
        for r in requests
    ]
    bases: dict[str, list[Request]] = {}
    for request in named:
        record = catalogue.companions.get(request.name) or catalogue.packages[request.name]
        bases.setdefault(record.get("base", request.name), []).append(request)
    found = []
    for base, members in bases.items():
        framework = next((r for r in members if r.name == base), Request(name=base))
        add_ons = catalogue.packages[base].get("add_ons") or {}
        lead = next((r for r in members if r.name in add_ons.values()), None)
        vendors = {a.vendor for a in target.accelerators or ()}
        if lead is None and framework.variant is None and vendors and vendors <= set(add_ons):
            lead = Request(name=next(name for vendor, name in add_ons.items() if vendor in vendors))
        beside = tuple(r for r in members if r.name in catalogue.companions)
        needed = {(catalogue.packages[base].get("beside") or {}).get(vendor) for vendor in vendors}
        if framework.variant is None and not beside:
            beside = tuple(Request(name=name) for name in needed if name is not None)
        implied = lead is None and framework not in members
        found.append(
            Group(lead=lead or framework, base=framework if lead else None, companions=beside, implied=implied)
        )
    return found


def best_of(group: Group, catalogue: Catalogue, target: Target, than: Verdict | None = None) -> Verdict | None:
    """Return the best candidate that fits with all its companions; None if there is none, or none newer than `than`."""
    situation = _situation(group, catalogue, target)
    asked = _asked(group, catalogue)
    newer = asked[: asked.index(than.candidate)] if than is not None else asked
    verdicts = [verdict(c, situation) for c in newer if c.platform == target.platform]
    found = _best(_ranked(verdicts, catalogue, target), group, situation, {})
    return found[0] if found is not None else None


def _best(
    ranked: Sequence[Verdict], group: Group, situation: Situation, rejected: dict[int, str]
) -> tuple[Verdict, tuple[Chosen, ...]] | None:
    """Return the first candidate that works with its companions, and these; `rejected` gets the earlier ones' reasons.

    If only companions were requested, return the equally certain candidate with the newest companions.
    """
    sure = _sureness(situation.catalogue, situation.target)
    fitting: list[tuple[Verdict, tuple[Chosen, ...]]] = []
    for found in ranked:
        if fitting and (not group.implied or situation.target.cautious or sure(found) != sure(fitting[0][0])):
            break
        tried = [companion_of(r, found.candidate, situation) for r in group.companions]
        reasons = [reason for reason in tried if isinstance(reason, str)]
        if reasons:
            rejected[id(found)] = "; ".join(reasons)
        else:
            fitting.append((found, tuple(c for c in tried if isinstance(c, Chosen))))
    return max(fitting, key=lambda pair: [numbers(c.version) for c in pair[1]], default=None)


def _answer(group: Group, catalogue: Catalogue, target: Target) -> Answer:
    situation = _situation(group, catalogue, target)
    asked = _asked(group, catalogue)
    here = [c for c in asked if c.platform == target.platform]
    verdicts = [verdict(c, situation) for c in here]
    rejected = [as_rejected(v) for v in verdicts if v.rule is not None] + missing(asked, here, target)
    unmatched: dict[int, str] = {}
    found = _best(_ranked(verdicts, catalogue, target), group, situation, unmatched)
    best, beside = found if found is not None else (None, ())
    for v in verdicts:
        if id(v) in unmatched:
            rejected.append(as_rejected(replace(v, rule="companion", because=unmatched[id(v)])))
        elif best is not None and v.rule is None and v is not best:
            rejected.append(outranked(v, best))
    return Answer(group=group, best=best, companions=beside, rejected=newest_first(rejected, best))


def _asked(group: Group, catalogue: Catalogue) -> list[Candidate]:
    """Return the candidates that the pins allow. Raises BadInput if the tables have none."""
    every = candidates(catalogue, group.lead.name)
    found = [c for c in every if group.lead.allows(c.version) or group.lead.allows(c.version.split(".post")[0])]
    if group.base is not None and group.base.bound:
        found = [c for c in found if group.base.allows(c.base_version or "")]
    if not found:
        asked = group.base if group.base is not None and group.base.bound else group.lead
        exact = re.fullmatch(r"={2,3}([\d.]+)", asked.bound)
        late = beyond(catalogue.specs, asked.name, exact[1]) if exact else None
        if late is not None:
            raise BadInput(f"{asked.name}{asked.bound}: {late}, so it was not evaluated. Request a release up to that")
        raise BadInput(
            f"{asked.name}{asked.bound} is in no table: {group.lead.name} is known from {every[-1].version} to "
            f"{every[0].version}. Request a release in between, or just {asked.name}"
        )
    variant = group.lead.variant
    if variant is None:
        return found
    of_variant = [c for c in found if variant in (c.variant, c.family)]
    if not of_variant:
        known = ", ".join(dict.fromkeys(c.variant for c in found))
        raise BadInput(f"{group.lead.name}{group.lead.bound} has no build {variant!r}. It has: {known}")
    return of_variant


def _ranked(verdicts: list[Verdict], catalogue: Catalogue, target: Target) -> list[Verdict]:
    """Return the fitting verdicts, best first: most devices, most certain, newest, default build, newest toolkit.

    If the driver is unknown, a cautious target takes builds of the newest toolkit major, which only new drivers
    support, last; among the others it prefers the oldest toolkit.
    """
    with_floors = {family["name"]: family["vendor"] for family in catalogue.families if "toolkit" in family}
    unknown = {name for name, vendor in with_floors.items() if vendor not in {*target.drivers, *target.serves}}
    newest: dict[str, tuple[int, ...]] = {}  # major of a toolkit, by family
    for package in {v.candidate.package for v in verdicts}:
        for c in candidates(catalogue, package):
            newest[c.family] = max(newest.get(c.family, ()), toolkit_of(c)[:1])
    sure = _sureness(catalogue, target)

    def key(v: Verdict) -> tuple[object, ...]:
        c = v.candidate
        toolkit = toolkit_of(c)
        cautious = target.cautious and c.family in unknown
        has_old = cautious and toolkit[:1] < newest[c.family]
        toolkit = tuple(-n for n in toolkit) if has_old else toolkit
        told = None if target.cautious else target.stacks.get(c.family)  # "ROCm 7.2" in a request
        as_told = told is not None and toolkit_of(c)[:2] == numbers(told)[:2]
        return *sure(v), as_told, has_old, parsed(c.version), c.preferred, toolkit

    return sorted((v for v in verdicts if v.rule is None), key=key, reverse=True)


def as_sure_as_the_best(verdicts: list[Verdict], catalogue: Catalogue, target: Target) -> list[Verdict]:
    """Return the candidates that fit as well as the best one: as many devices, with equal certainty."""
    sure = _sureness(catalogue, target)
    fitting = [v for v in verdicts if v.rule is None]
    best = max(map(sure, fitting), default=None)
    return [v for v in fitting if sure(v) == best]


def _sureness(catalogue: Catalogue, target: Target) -> Callable[[Verdict], tuple[int, int, int, bool]]:
    """Return a sort key for how well and how certainly a candidate fits, regardless of its release.

    A release with unknown Python versions is no more certain than one with unknown GPU code.
    """
    order = {family["name"]: -place for place, family in enumerate(catalogue.families)}
    fits: dict[str | None, int] = {"machine": 2, None: 2, "portable": 1, "unknown": 0}

    def key(v: Verdict) -> tuple[int, int, int, bool]:
        c = v.candidate
        has_pythons = target.python is None or c.pythons is not None or c.python_bound is not None
        is_listed = has_pythons and (v.fit != "unknown" or c.architectures is not None)
        return v.served_devices, order[c.family], fits[v.fit] if has_pythons else 0, is_listed

    return key


def _hints(answer: Answer, catalogue: Catalogue, target: Target, installer: Installer) -> list[Change]:
    """Return changes that would make the group, or a newer release of it, fit."""
    group, lead = answer.group, answer.group.lead
    told = upgrades(catalogue, target, answer.best, lambda t: best_of(group, catalogue, t, answer.best), lead.name)
    changes = [Change(text=hint.text, command=_command_of(hint, group, catalogue, installer)) for hint in told]
    if answer.best is not None:
        return changes
    bare = replace(group, companions=())
    alone = best_of(bare, catalogue, target) if group.companions else None
    if alone is not None:
        beside = ", ".join(r.name for r in group.companions)
        hint = Hint(
            text=f"without {beside}: {alone.candidate.package} {alone.candidate.label} fits", found=alone, target=target
        )
        changes.insert(0, Change(text=hint.text, command=_command_of(hint, bare, catalogue, installer)))
        others = (elsewhere(catalogue, r.name, alone.candidate.family, target) for r in group.companions)
        changes[:0] = [Change(text=text) for text in others if text is not None]
    system = target.platform.split("_")[0]
    record = catalogue.packages[lead.name]
    texts = [text for name, text in (record.get("platform_hints") or {}).items() if name == system]
    texts += [text for vendor, text in (record.get("vendor_hints") or {}).items() if target.of(vendor)]
    said: dict[str, str | None] = dict.fromkeys(texts)
    for name in (group.base.name if group.base else lead.name, *(r.name for r in group.companions)):
        said |= catalogue.of_makers(name, system, target.accelerators or ())
    last = [change for change in changes if change.text.startswith("without the accelerator")]
    own = (Change(text=text, command=command if installer == "pip" else None) for text, command in said.items())
    return [*(change for change in changes if change not in last), *own, *last]


def _command_of(hint: Hint, group: Group, catalogue: Catalogue, installer: Installer) -> str | None:
    """Return the command that installs a hint's build with its companions."""
    if hint.found is None or hint.target is None:
        return hint.command
    situation = _situation(group, catalogue, hint.target)
    beside = [companion_of(r, hint.found.candidate, situation) for r in group.companions]
    if not all(isinstance(one, Chosen) for one in beside):
        return None
    companions = tuple(one for one in beside if isinstance(one, Chosen))
    return command_for(catalogue, [(hint.found.candidate, companions)], hint.target, installer)[0]


def _chosen(answer: Answer, situation: Situation) -> list[Chosen]:
    assert answer.best is not None
    best = answer.best.candidate
    lead = Chosen(package=best.package, version=best.version, variant=best.variant, why=why(answer.best, situation))
    if best.base_version is None:
        return [lead, *answer.companions]
    record = situation.catalogue.packages[best.package]
    made_for = f"{best.package} {best.version} is made for it"
    base = Chosen(package=record["base"], version=best.base_version, variant=record["base_variant"], why=made_for)
    return [base, lead, *answer.companions]


def _situation(group: Group, catalogue: Catalogue, target: Target) -> Situation:
    lead = group.lead
    by_companion = any(catalogue.companions[r.name].get("families") == ["cpu"] for r in group.companions)
    wants_cpu = by_companion or (lead.variant == "cpu" and lead.meant)
    return Situation(catalogue, target, wants_cpu, follows=lead.variant is not None and not lead.meant)
