"""A working probe is fast; one whose tool hangs gives up in time."""

from collections.abc import Iterator

from accel.kit.evidence import AS_RECORDED, Evidence
from accel.kit.requirement import Fault, backend_of, fault, rule, wants
from accel.kit.situations import TOOL_HANGS

_PROBE_SECONDS = 1.0
_HANGING_SECONDS = 30.0


@rule("time-limits", "discover", "Its calls are quick, and it gives up on a tool that hangs")
def time_limits(evidence: Evidence) -> Iterator[Fault]:
    backend_of(evidence)
    probed = list(evidence.answers(lambda a: a.method == "probe" and a.call != "probe in a fork"))
    for answer in probed:
        if answer.situation == AS_RECORDED and answer.seconds > _PROBE_SECONDS:
            yield fault("probe-slow", answer=answer)
    for answer in evidence.answers():
        if answer.situation == TOOL_HANGS and answer.waited > _HANGING_SECONDS:
            yield fault("waits-for-hanging-tool", answer=answer)
    wants(probed, "no probe of it returned")
