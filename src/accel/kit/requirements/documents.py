"""A user can read what the plugin does and where its facts come from."""

from collections.abc import Iterator

from accel.kit.evidence import Evidence
from accel.kit.requirement import Fault, rule, unless, wants


@rule("readme", "discover", "Its distribution has a README")
def readme(evidence: Evidence) -> Iterator[Fault]:
    unless(evidence.subject.packaged, "no distribution registers it: it is named in ACCEL_PLUGINS")
    if not evidence.subject.readme:
        yield Fault(
            sentence=f"{evidence.subject.distribution} has no README in its metadata",
            remedy='Write README.md (what hardware, what is read, which tool and version), and  readme = "README.md"  '
            "under [project] in pyproject.toml",
        )


@rule("sources", "discover", "Its spec records name their sources, and its modules say what they read")
def sources(evidence: Evidence) -> Iterator[Fault]:
    wants(evidence.loading and not evidence.loading.error, "it does not load")
    loading = evidence.loading
    assert loading is not None
    for problem in loading.specs_problems:
        yield Fault(
            sentence=f"in its spec folder: {problem}",
            remedy=f"Mend the record (docs/add-a-spec.md), and look again:  accel specs validate {loading.specs}",
        )
    if loading.backend and not loading.documented:
        yield Fault(
            sentence="its backend's module and class have no docstring",
            remedy="Say in one what is read, from where, in which versions it was seen",
        )
    for reader in loading.readers:
        if not reader.documented:
            yield Fault(
                sentence=f"the reader {reader.name!r} has no docstring, nor has its module",
                remedy="Show in it the text that it reads, and the versions seen",
            )


RULES = (readme, sources)
