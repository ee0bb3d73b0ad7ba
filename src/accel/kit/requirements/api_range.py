"""The metadata states which plugin API it supports, so that a conflict is reported before its code runs."""

from collections.abc import Iterator

from accel.kit.evidence import Evidence
from accel.kit.requirement import Fault, rule, unless


@rule("api-range", "discover", "It says which plugin API it serves, and this accel serves that")
def api_range(evidence: Evidence) -> Iterator[Fault]:
    subject = evidence.subject
    unless(subject.packaged, "no distribution registers it: it is named in ACCEL_PLUGINS")
    unless(not subject.bundled, "it is part of accel itself")
    if subject.clash:
        yield Fault(
            sentence=subject.clash,
            remedy="Serve this accel's API too: widen the range under accel.plugin_api, and try again",
        )
    elif not subject.api_said:
        yield Fault(
            sentence="its metadata does not say which plugin API it serves",
            remedy=f'Add to pyproject.toml:  [project.entry-points."accel.plugin_api"]  {subject.name} = "v1"',
        )


RULES = (api_range,)
