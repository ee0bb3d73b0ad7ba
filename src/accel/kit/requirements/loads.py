"""The plugin can be imported, its hooks exist, and they return what they should."""

from collections.abc import Iterator

from accel.kit.evidence import Evidence
from accel.kit.requirement import Fault, rule, unless

_SLOW_SECONDS = 0.5  # CPU time
_IDLE_SECONDS = 1.0  # waiting time, for any reason: on a busy machine it waits as well
_DATA = "Mend the file (docs/data-only-plugin.md), and look again:  accel specs validate FOLDER"


@rule("loads", "discover", "It loads, and every hook of it is known and gives what it should")
def loads(evidence: Evidence) -> Iterator[Fault]:
    subject = evidence.subject
    unless(subject.clash is None, "it is made for another plugin API, so none of its code was run")
    for ending in evidence.endings:
        if ending.call.startswith(("import ", "the hook ")):
            yield Fault(
                sentence=f"{ending.call} {ending.detail}",
                remedy="Do nothing at import and in a hook but make the object; ask the hardware in probe()",
                where=ending.where,
            )
    loading = evidence.loading
    if loading is None:
        return
    if loading.error:
        yield Fault(
            sentence=f"{subject.module} cannot be loaded: {loading.error}",
            remedy=_DATA if subject.data else f'See it whole:  python -c "import {subject.module}"',
            where=loading.where,
        )
        return
    if not loading.hooks:
        yield Fault(
            sentence=f"{subject.module} has no hook of accel's, so it registers nothing",
            remedy="Mark its functions with  from accel.vendors.contract.hookspecs import hookimpl",
        )
    for hook, sentence in loading.wrong:
        yield Fault(
            sentence=f"{hook} {sentence}",
            remedy=_DATA
            if subject.data
            else f"Mend {hook}(): its docstring in accel.vendors.contract.hookspecs says what it gives",
        )
    if loading.processor_seconds > _SLOW_SECONDS or loading.seconds - loading.processor_seconds > _IDLE_SECONDS:
        yield Fault(
            sentence=f"its import and hooks take {loading.seconds:.1f} s; every command of accel waits for them",
            remedy="Import inside the hooks and methods what only they need; see  python -X importtime",
        )


RULES = (loads,)
