"""The backend has all members of the protocol."""

import re
from collections.abc import Iterator

from accel.kit.evidence import Evidence
from accel.kit.requirement import Fault, rule, unless, wants

_NAME = re.compile(r"[a-z][a-z0-9_-]*")


@rule("backend-members", "discover", "Its backend has every member of the protocol")
def backend_members(evidence: Evidence) -> Iterator[Fault]:
    wants(evidence.loading and not evidence.loading.error, "it does not load")
    loading = evidence.loading
    assert loading is not None
    unless("accel_backend" in loading.hooks, "it registers no backend")
    for member, words in loading.members:
        yield Fault(
            sentence=f"its backend's {member} {words}",
            remedy="Write each member of accel.vendors.contract.backend.Backend; return None, () or {} for the rest",
        )
    if loading.backend and not _NAME.fullmatch(loading.backend):
        yield Fault(
            sentence=f"its backend is named {loading.backend!r}, which cannot begin a device's id",
            remedy="Use lower-case letters, digits and dashes: the id is then acme:0",
        )


RULES = (backend_members,)
