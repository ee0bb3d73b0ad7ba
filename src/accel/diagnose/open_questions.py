"""Lists what a diagnosis leaves open: what is unknown, why it matters, and the command that settles it. Pure.

In order of importance, by topic:
failure  parts of accel itself that failed: a plugin, a reader, a check, a deadline
input    files that were not read
cause    errors with several possible causes
error    errors that nothing explains
text     what a text lacks
machine  what was not checked or could not be read, grouped by the reason
"""

from collections.abc import Iterable, Iterator
from typing import Final

from accel.model.device import Gap
from accel.model.device_range import device_range
from accel.model.diagnosis import AmbiguousCauses, Candidate, Diagnosis, OpenQuestion, Topic, Unexplained
from accel.text.pattern import pattern

_BY_FAILURE: Final = ("plugin", "probe", "time", "specs")  # sources of gaps: a plugin, a call or a deadline was lost
_STEPS: Final = ("detect", "probe")  # of a backend, which raised
_BROKE: Final = pattern(r"\bbroke: ", exact_case=True)
_NO_NEWS: Final = "not supported"  # by this model of device, whose other facts are known
_WHOLE_TEXT: Final = "the whole text"
_KERNEL_LOG: Final = "kernel log"
_ENVIRONMENT: Final = "python environment"
_HOSTS_LOG: Final = "the kernel log is its host's"
_REFUSED: Final = pattern(r"not permitted|permission denied")
_UNIT: Final = pattern(r"_(?:celsius|bytes|watts|percent|seconds|hertz)\b", exact_case=True)
_FIELD: Final = pattern(r"[a-z]+(?:_[a-z0-9]+)+", exact_case=True)
_PLAIN: Final = {
    "environment's packages": "installed packages",
    "environment's variables": "environment variables",
    "kernel-settings's synchronized": "whether the clock is synchronized",
}


def open_questions(diagnosis: Diagnosis, *, live: bool) -> tuple[OpenQuestion, ...]:
    """Return what is open. What a text lacks is only listed if the verdict on it is open.

    live  whether the diagnosis is of this machine, not of a text
    """
    lacks = live or (diagnosis.verdict == "undecided" and not diagnosis.requested_output)
    return (
        *(_of_gap("failure", gap, gap.device or gap.backend) for gap in failures(diagnosis.gaps)),
        *(_of_gap("input", gap, None) for gap in diagnosis.gaps if not live and _is_of_input(gap)),
        *_causes(diagnosis),
        *_errors(diagnosis),
        *_unclear(diagnosis),
        *_text(diagnosis),
        *(_not_checked(diagnosis, live) if lacks else ()),
    )


def failures(gaps: Iterable[Gap]) -> tuple[Gap, ...]:
    """Return the gaps left by a plugin, reader, check or deadline that failed: what it would have found is unknown."""
    return tuple(gap for gap in dict.fromkeys(gaps) if _is_failure(gap))


def _is_failure(gap: Gap) -> bool:
    where = gap.source in _BY_FAILURE or gap.fact in _STEPS or gap.fact.startswith("plugin ")
    return where or _BROKE.search(gap.reason) is not None


def _is_of_input(gap: Gap) -> bool:
    return not _is_failure(gap) and (gap.fact == _WHOLE_TEXT or gap.fact == gap.source)


def _of_gap(topic: Topic, gap: Gap, where: str | None) -> OpenQuestion:
    return OpenQuestion(topic=topic, unknown=where or gap.fact, why=_words(gap.reason))


def _words(reason: str) -> str:
    return " ".join(reason.split(", from ")[0].split())


def _unclear(diagnosis: Diagnosis) -> Iterator[OpenQuestion]:
    """Yield each fault for which the text does not clearly say whether it is present now."""
    for one in diagnosis.mentioned:
        if one.status == "unclear":
            yield OpenQuestion(
                topic="error",
                unknown="Whether this still happens",
                why=one.why,
                lines=((one.line, one.title),),
                causes=(one.title,),
                settles=("what the failing command prints today",),
                outcomes=("If it still fails in the same way: cause 1.", "If it succeeds: nothing is left to do."),
            )


def _causes(diagnosis: Diagnosis) -> Iterator[OpenQuestion]:
    """Yield each line with several possible causes; if one of them was found, the others."""
    found = {name for one in diagnosis.findings if one.severity != "info" for name in (one.name, one.family)}
    for one in diagnosis.ambiguous_causes:
        others = [cause for cause in one.candidates if cause.name is None or cause.name not in found]
        if not others:
            continue
        number = f"{len(others)} other causes are" if len(others) > 1 else "another cause is"
        every = len(others) == len(one.candidates)
        unknown = f"{len(others)} causes are possible" if every and len(others) > 1 else f"{number} possible"
        unknown = "one known cause is left" if every and len(others) == 1 else unknown
        looks = tuple(dict.fromkeys(cause.look for cause in others if cause.look))
        yield OpenQuestion(
            topic="cause",
            unknown=unknown.capitalize(),
            why=one.problem,
            lines=_lines_of(one, diagnosis.unexplained),
            causes=tuple(cause.title for cause in others),
            supports=tuple("; ".join(cause.supports) for cause in others),
            settles=(one.command,) if one.command and every else looks,
            outcomes=tuple(_outcome(number, cause) for number, cause in enumerate(others, 1) if cause.decides),
        )


def _lines_of(one: AmbiguousCauses, unexplained: Iterable[Unexplained]) -> tuple[tuple[int | None, str], ...]:
    """Return the line of an error with causes; for an unexplained error all such lines: they are one problem."""
    every = tuple((other.line, other.text) for other in unexplained)
    return every if (one.line, one.text) in every else ((one.line, one.text),)


def _outcome(number: int, cause: Candidate) -> str:
    """Return "If torch.version.cuda is None: cause 1. Install torch's build for CUDA: pip install …".

    A command that assumes a cause is only shown once the cause is known or supported by the text.
    """
    then = cause.remedy
    if then is None:
        return f"If {cause.decides}: cause {number}."
    first, _, assumptions = then.text.partition(". ")
    command = f": {then.command}" if then.command is not None and (cause.supports or not assumptions) else "."
    return f"If {cause.decides}: cause {number}. {first.rstrip('.')}{command}"


def _errors(diagnosis: Diagnosis) -> Iterator[OpenQuestion]:
    """Yield the errors that no finding explains, grouped by what would settle them."""
    asked = {(one.line, one.text) for one in diagnosis.ambiguous_causes}
    if any((one.line, one.text) in asked for one in diagnosis.unexplained):
        return
    alike: dict[tuple[str | None, tuple[str, ...]], list[Unexplained]] = {}
    for one in diagnosis.unexplained:
        alike.setdefault((one.known, one.give), []).append(one)
    for (known, give), same in alike.items():
        unknown = (
            "accel cannot explain this error" if len(same) == 1 else f"accel cannot explain these {len(same)} errors"
        )
        lines = tuple((one.line, one.text) for one in same)
        yield OpenQuestion(topic="error", unknown=unknown, why=known, lines=lines, settles=give)


def _text(diagnosis: Diagnosis) -> Iterator[OpenQuestion]:
    for one in diagnosis.requested_output:
        yield OpenQuestion(
            topic="text",
            unknown=one.text[:1].upper() + one.text[1:].rstrip("."),
            settles=(one.command,) if one.command else (),
            checks=len(one.decides),
        )


def _not_checked(diagnosis: Diagnosis, live: bool) -> Iterator[OpenQuestion]:
    """Yield what checks needed but did not get, and what could not be read of the accelerators, grouped by reason."""
    gaps = [gap for gap in diagnosis.gaps if not (_is_failure(gap) or gap.reason.startswith(_NO_NEWS))]
    yield from _kernel_log(gaps, diagnosis)
    wants: dict[str | None, list[str]] = {}
    for want in (want for one in diagnosis.undecided for want in one.wants if want != _KERNEL_LOG):
        reason = next((_words(gap.reason) for gap in gaps if _is_about(gap, want)), None)
        wants.setdefault(reason, []).append(want)
    unread: dict[str, list[Gap]] = {}
    for gap in gaps:
        if gap.device or gap.backend or gap.fact == _ENVIRONMENT or not (live or _is_of_input(gap)):
            unread.setdefault(_words(gap.reason), []).append(gap)
    for why, same in unread.items():
        yield OpenQuestion(topic="machine", unknown=_unread(same, why), why=why, checks=len(wants.pop(why, ())))
    for cause, missed in wants.items():
        said = _some([plain_words(want) for want in missed])
        unknown = said if live else f"{said} (not in this text)"
        yield OpenQuestion(topic="machine", unknown=unknown, why=cause, checks=len(missed))


def _unread(same: list[Gap], why: str) -> str:
    """Return what could not be read, with the facts if the reason does not name them."""
    source = same[0].backend or (None if same[0].fact == _ENVIRONMENT else same[0].source)
    where = device_range(gap.device for gap in same if gap.device) or source or ""
    facts = "" if any(gap.fact in why for gap in same) else _some([plain_words(gap.fact) for gap in same])
    return ": ".join(part for part in (where, facts) if part)


def _kernel_log(gaps: Iterable[Gap], diagnosis: Diagnosis) -> Iterator[OpenQuestion]:
    gap = next((gap for gap in gaps if gap.fact == _KERNEL_LOG), None)
    wanting = sum(_KERNEL_LOG in one.wants for one in diagnosis.undecided)
    checks = wanting or sum(one.reason == _HOSTS_LOG for one in diagnosis.not_applicable)
    if gap is None or not checks:
        return
    refused = _REFUSED.search(gap.reason) is not None
    _, two_blanks, on_host = gap.reason.rpartition("  ")  # words before a command
    where = "as this user" if refused else "here" if wanting else "in this container, only on its host"
    settles = "sudo accel doctor" if refused and wanting else on_host if two_blanks else None
    yield OpenQuestion(
        topic="machine",
        unknown=f"Kernel log not readable {where}",
        settles=(settles,) if settles else (),
        checks=checks,
    )


def _is_about(gap: Gap, want: str) -> bool:
    """Return whether a gap is the reason why a fact, such as "temperature_celsius of nvidia:3", is unknown."""
    field, _, devices = want.partition(" of ")
    if gap.fact == _ENVIRONMENT:
        return want.startswith("environment's ")
    if gap.device is None:
        return gap.fact in (want, field)
    return gap.fact == field and gap.device in devices.split(", ")


def plain_words(want: str) -> str:
    """Return a missing fact in plain words.

    >>> plain_words("temperature_celsius of nvidia:0, nvidia:1, nvidia:2")
    'temperature of nvidia:0–2'
    >>> plain_words("mtu_bytes of any of the ports"), plain_words("kernel-settings's numa_balancing")
    ('mtu of the network ports', 'kernel setting numa_balancing')
    """
    if want in _PLAIN:
        return _PLAIN[want]
    setting = want.partition("kernel-settings's ")[2]
    if setting:
        return f"kernel setting {setting}"
    field, of, rest = want.partition(" of ")
    if of and ":" in rest:
        rest = device_range(rest.split(", "))
    rest = rest.replace("any of the ports", "the network ports").replace("any of the functions", "the PCI functions")
    if _FIELD.fullmatch(field):
        field = _UNIT.sub("", field).replace("_", " ")
    return f"{field}{of}{rest}"


def _some(every: list[str]) -> str:
    words = list(dict.fromkeys(every))
    return ", ".join(words[:3]) + (f" and {len(words) - 3} more" if len(words) > 3 else "")
