"""The backend has all members of the protocol."""

import re
from collections.abc import Iterator

from accel.kit.evidence import Evidence
from accel.kit.requirement import Fault, fault, rule, unless, wants

_NAME = re.compile(r"[a-z][a-z0-9_-]*")


@rule("backend-members", "discover", "Its backend has every member of the protocol")
def backend_members(evidence: Evidence) -> Iterator[Fault]:
    wants(evidence.loading and not evidence.loading.error, "it does not load")
    loading = evidence.loading
    assert loading is not None
    unless("accel_backend" in loading.hooks, "it registers no backend")
    for member, words in loading.members:
        yield fault("member-wrong", member=member, words=words)
    if loading.backend and not _NAME.fullmatch(loading.backend):
        yield fault("backend-name-form", loading=loading)
