"""The metadata states which plugin API it supports, so that a conflict is reported before its code runs."""

from collections.abc import Iterator

from accel.kit.evidence import Evidence
from accel.kit.requirement import Fault, fault, rule, unless


@rule("api-range", "discover", "It says which plugin API it serves, and this accel serves that")
def api_range(evidence: Evidence) -> Iterator[Fault]:
    subject = evidence.subject
    unless(subject.packaged, "no distribution registers it: it is named in ACCEL_PLUGINS")
    unless(not subject.bundled, "it is part of accel itself")
    if subject.clash:
        yield fault("api-clash", subject=subject)
    elif not subject.api_said:
        yield fault("api-not-said", subject=subject)
