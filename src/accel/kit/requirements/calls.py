"""No call raises, hangs or crashes, in any situation: a missing fact is a Gap."""

from collections.abc import Callable, Iterator

from accel.kit.evidence import AS_RECORDED, EMPTY_SNAPSHOT, LIVE, NOTHING_HERE, SIMULATING, Evidence
from accel.kit.requirement import Fault, Rule, fault, unless, wants
from accel.kit.situations import CUTS, DENIED, FOREIGN, LIBRARY_ABSENT, LOST, TOOL_FAILS, TOOL_HANGS, TOOL_MISSING, ZERO

_NOT_OF_BACKEND = ("import", "the", "its", "reader", "loading")


def _situation(name: str, title: str, situations: tuple[str, ...], *, recorded: bool = True) -> Rule:
    def run(evidence: Evidence) -> Iterator[Fault]:
        wants(evidence.loading, "it does not load")
        assert evidence.loading is not None
        unless("accel_backend" in evidence.loading.hooks, "it registers no backend")
        yield from _endings(evidence, situations)
        yield from _raised(evidence, situations)
        wants(evidence.loading.backend, "it gave no backend that can be called")
        tried = [t for t in evidence.kit_runs if t.situation in situations]
        wants(tried or not recorded, "it has no recorded machine on which this could be tried: see docs/conformance.md")
        wants(any(t.answer("probe") for t in tried), "its probe hangs or crashes elsewhere, and was left out here")

    return Rule(name=name, level="discover", title=title, run=run)


def _endings(evidence: Evidence, situations: tuple[str, ...]) -> Iterator[Fault]:
    for ending in evidence.endings:
        if ending.situation in situations and not ending.call.startswith(_NOT_OF_BACKEND):
            yield fault(f"ended-in-{ending.how}", where=ending.where, ending=ending)


def _raised(evidence: Evidence, situations: tuple[str, ...]) -> Iterator[Fault]:
    chosen: Callable[..., bool] = lambda a: a.situation in situations and a.raised  # noqa: E731
    for answer in evidence.answers(chosen):
        yield fault("raised", where=answer.where, answer=answer)


RULES = (
    _situation("answers", "Every call answers on its recorded machines, and again in a fork", (AS_RECORDED,)),
    _situation(
        "nothing-here", "A machine without its hardware gets an answer, no exception",
        (NOTHING_HERE, LIVE, SIMULATING, EMPTY_SNAPSHOT), recorded=False,
    ),
    _situation("library-absent", "It answers where the vendor's library is absent", (LIBRARY_ABSENT,)),
    _situation("permission-denied", "It answers where every file and node is closed to it", (DENIED,)),
    _situation("device-lost", "It answers where the device has fallen off its bus", (LOST,)),
    _situation("zero-devices", "It answers where no device is left", (ZERO,)),
    _situation("tool-missing", "It answers where the vendor's tool is missing or fails", (TOOL_MISSING, TOOL_FAILS)),
    _situation("tool-hangs", "It answers where the vendor's tool hangs", (TOOL_HANGS,)),
    _situation("output-cut", "It answers where output is cut short or is of something else", (*CUTS, FOREIGN)),
)  # fmt: skip
