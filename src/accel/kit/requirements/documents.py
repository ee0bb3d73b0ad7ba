"""A user can read what the plugin does and where its facts come from."""

from collections.abc import Iterator

from accel.kit.evidence import Evidence
from accel.kit.requirement import Fault, fault, loaded, rule, unless


@rule("readme", "discover", "Its distribution has a README")
def readme(evidence: Evidence) -> Iterator[Fault]:
    unless(evidence.subject.packaged, "no distribution registers it: it is named in ACCEL_PLUGINS")
    if not evidence.subject.readme:
        yield fault("no-readme", evidence=evidence)


@rule("sources", "discover", "Its spec records name their sources, and its modules say what they read")
def sources(evidence: Evidence) -> Iterator[Fault]:
    loading = loaded(evidence)
    for problem in loading.specs_problems:
        yield fault("spec-mistake", problem=problem, loading=loading)
    if loading.backend and not loading.documented:
        yield fault("backend-undocumented")
    for reader in loading.readers:
        if not reader.documented:
            yield fault("reader-undocumented", reader=reader)
