"""It has no side effects: no file written, no socket, no process, no library outside the Machine, no framework."""

from collections.abc import Iterable, Iterator

from accel.kit.evidence import Effect, Evidence
from accel.kit.requirement import Fault, Rule, wants


def _none_of(kind: str, name: str, title: str, remedy: str) -> Rule:
    def run(evidence: Evidence) -> Iterator[Fault]:
        wants(evidence.loading, "it does not load")
        for place, effects in _watched(evidence):
            for effect in effects:
                if effect.kind == kind:
                    yield Fault(sentence=f"{place} {effect.what}", remedy=remedy, where=effect.where)

    return Rule(name=name, level="discover", title=title, run=run)


def _watched(evidence: Evidence) -> Iterator[tuple[str, Iterable[Effect]]]:
    assert evidence.loading is not None
    yield "its import", evidence.loading.effects
    for answer in evidence.answers():
        yield f"{answer.method}()", answer.effects
    for text in evidence.texts:
        yield "a reader", text.effects


RULES = (
    _none_of("write", "writes-nothing", "It writes no file",
             "Keep nothing on disk: accel only looks. What must be kept between samples is kept in the backend object"),
    _none_of("socket", "opens-no-socket", "It opens no socket",
             "Read what is on the machine: files, nodes, or the vendor's tool through machine.run()"),
    _none_of("process", "starts-no-process", "It starts no process but through the Machine",
             "Use machine.run(argv, timeout_seconds): it has a deadline, kills what hangs, and can be recorded"),
    _none_of("library", "loads-no-library", "It loads no library but through the Machine",
             "Use machine.library(name): it gives None where there is none, and a recorded machine can answer"),
    _none_of("framework", "imports-no-framework", "It imports no framework",
             "It takes seconds and may claim the device: ask it at depth \"deep\" only, in a child of machine.run()"),
    _none_of("environment", "keeps-environment", "It leaves the environment and the working folder as they are",
             "Pass what you need as an argument: os.environ is everybody's, and children inherit it"),
    _none_of("read", "reads-through-machine", "It reads the machine's files only through the Machine",
             "Use machine.read(path) and machine.list(path): only then can a recorded machine answer"),
    _none_of("print", "prints-nothing", "It prints nothing: stdout holds only the answer",
             "Put it into a Gap or an observation of the Report, or drop it"),
    _none_of("thread", "leaves-no-thread", "It leaves no thread running: a fork would lose it with its locks held",
             "Join what you start before the call returns, or start none"),
    _none_of("signal", "keeps-signals", "It leaves signals to the program that it runs in",
             "Install no signal handlers; a deadline is machine.run()'s matter"),
)  # fmt: skip
