"""The plugin can be imported, its hooks exist and return what they should, and its backend has all members."""

import re
from collections.abc import Iterator

from accel.kit.evidence import Evidence
from accel.kit.requirement import Fault, fault, loaded, rule, unless

_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_SLOW_SECONDS = 0.5  # CPU time
_IDLE_SECONDS = 1.0  # waiting time, for any reason: on a busy machine it waits as well


@rule("loads", "discover", "It loads, and every hook of it is known and gives what it should")
def loads(evidence: Evidence) -> Iterator[Fault]:
    subject = evidence.subject
    unless(subject.clash is None, "it is made for another plugin API, so none of its code was run")
    for ending in evidence.endings:
        if ending.call.startswith(("import ", "the hook ")):
            yield fault("loading-does-not-return", where=ending.where, ending=ending)
    loading = evidence.loading
    if loading is None:
        return
    if loading.error:
        yield fault(
            "data-cannot-be-loaded" if subject.data else "cannot-be-loaded",
            where=loading.where,
            subject=subject,
            loading=loading,
        )
        return
    if not loading.hooks:
        yield fault("no-hooks", subject=subject)
    for hook, sentence in loading.wrong:
        yield fault("data-hook-wrong" if subject.data else "hook-wrong", hook=hook, sentence=sentence)
    if loading.processor_seconds > _SLOW_SECONDS or loading.seconds - loading.processor_seconds > _IDLE_SECONDS:
        yield fault("loads-slowly", loading=loading)


@rule("backend-members", "discover", "Its backend has every member of the protocol")
def backend_members(evidence: Evidence) -> Iterator[Fault]:
    loading = loaded(evidence)
    unless("accel_backend" in loading.hooks, "it registers no backend")
    for member, words in loading.members:
        yield fault("member-wrong", member=member, words=words)
    if loading.backend and not _NAME.fullmatch(loading.backend):
        yield fault("backend-name-form", loading=loading)
