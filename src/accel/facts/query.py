"""The query language in which checks, rules and tables ask what is known. Pure.

    when: ["iommu-fault", "not no-iommu", ["peer-transfer-wrong", "peer-test-hangs"], "@container"]

A list holds if all of its items do, a list within it if any of its items does, a list within that if all do.

driver-oops                      this fact is stated; "a | b": one of them is
fact.disk-use.free               it is stated with this value; if there are several, each has it
fact.xid.code=79                 a stated fact has this value; "79|119": one of these; "*": any
error.cuda:802, line.Killed      an error of a table is in the text; a line that consists of this word
clear.driver-too-old             a check found no fault and knew enough to say so
nvidia.devices.temperature_celsius   a field of each whole device is known; without a field: devices are listed
nvidia.driver.version            a field of a backend's driver
accelerators                     there is an accelerator; accelerators.compute_capability=9.0: one with this value
framework.torch|jax.cuda_version a field of a framework's build; of several, any one
package.vllm                     the version of an installed distribution; "package.nvidia-nccl-cu*": of any such;
                                 "package.vllm<0.9": one before this version
unlisted.torch_npu               it is not installed: a list of all distributions, or a search through one, lacks it
library.libcudnn, toolkit.cuda   the version of a shared library, by its stem; of a development kit
variable.PJRT_DEVICE             an environment variable is set
environment.variables            a field of the environment that programs run in
host.shm_bytes                   a field of the host
wiring.ports.state               RDMA ports, or PCI functions ("wiring.functions"): there are some, and some have this
                                 field
source.kernel log                this source was read completely: unknown for a text
run.program                      a program ran to its end successfully; run.installation and run.build likewise
use.torch|jax                    a program of one of these frameworks was able to use a device
@wsl                             a property of the machine or text: accel.facts.properties
fact.built.release unlike toolkit.cuda|framework.torch.cuda_version
                                 versions are known on both sides, and none is the same; "older", "newer": all are
not …                            the opposite is not known

An answer is yes, no, or unknown. `holds` asks for a yes; `may_hold` for anything but a no. What a check `needs` is also
such a query: it is clear only if all of them hold.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any, Final

from accel.facts.infer import observations_of
from accel.facts.properties import PROPERTIES
from accel.facts.questions import Facts
from accel.facts.readings import COMPARISON, compared, readings, stated_with
from accel.model.dataclass import dataclass
from accel.model.observation import Complaint, ErrorSeen, Fact, Observation, Raised
from accel.specs.versions import numbers
from accel.text.pattern import pattern

NOTHING_SEEN: Final = "nothing that it looks for was seen"
# Signs that a run succeeded or failed, and the fact that is then needed.
_RUNS: Final = {
    "program": ("program-ended", "program-failed", "the program's output before it ended"),
    "installation": ("installation-ended", "installation-failed", "the installer's output before it gave up"),
    "build": ("build-ended", "build-failed", "the compiler's output before the build stopped"),
}
SEARCHED: Final = "packages-searched"
LAST_WORDS: Final = frozenset(words for _, _, words in _RUNS.values())  # not needed if the end is explained
_SIDES: Final = pattern(r" \w+ |\|")  # of a comparison
_WIRED: Final = {"ports": "network port for RDMA is", "functions": "PCI function of an accelerator is"}


@dataclass(frozen=True, slots=True)
class Answer:
    """Yes; no, with a sentence that says what is missing; or unknown, with the fact that is needed.

    absent   "no nvidia device found in this text"
    unknown  "temperature_celsius of nvidia:3"
    """

    absent: str | None = None
    unknown: str | None = None

    @property
    def holds(self) -> bool | None:
        """Return True, False, or None if unknown."""
        return False if self.absent is not None else None if self.unknown is not None else True


_YES: Final = Answer()
_NO: Final = Answer(absent=NOTHING_SEEN)


def holds(query: Any, facts: Facts) -> bool:
    """Return whether a query, or a list of them, is known to hold."""
    if isinstance(query, str):
        return answer(query, facts).holds is True
    return all(holds(one, facts) if isinstance(one, str) else any(holds(o, facts) for o in one) for one in query)


def may_hold(query: Any, facts: Facts) -> bool:
    """Return whether a query, or a list of them, is not known to be false."""
    if isinstance(query, str):
        return answer(query, facts).holds is not False
    return all(may_hold(one, facts) if isinstance(one, str) else any(may_hold(o, facts) for o in one) for one in query)


def answer(term: str, facts: Facts) -> Answer:
    """Return what is known about one term. Raises AttributeError or KeyError if it names what does not exist."""
    return _question(term)(facts)


@lru_cache(maxsize=8192)  # of the tables' terms; some thousands
def _question(term: str) -> "Callable[[Facts], Answer]":
    """Compile a term to a function that answers it; cached, because every text asks the same ones."""
    if term.startswith("not "):
        opposite = _question(term[4:])
        return lambda facts: _NO if opposite(facts).holds else _YES
    if term.startswith("@"):
        return partial(_property, term[1:], PROPERTIES[term][1])
    if (versions := COMPARISON.fullmatch(term)) is not None:
        return partial(_compared, versions["one"], versions["relation"], versions["other"])
    path, equals, wanted = term.partition("=")
    if equals:
        return partial(_is_value, path, frozenset(wanted.split("|")))
    path, is_before, limit = term.partition("<")
    if is_before:
        return partial(_before, path, limit)
    subject, dot, rest = path.partition(".")
    if not dot and subject != "accelerators":
        names = names_of(path)
        return lambda facts: _YES if facts.states(names) else _NO
    if subject in _SUBJECTS:
        of_subject = _SUBJECTS[subject]
        return lambda facts: of_subject(rest, facts, _where(facts))
    kind, _, field = rest.partition(".")
    of_backend = _driver if kind == "driver" else _devices
    return lambda facts: of_backend(subject, field, facts, _where(facts))


def _where(facts: Facts) -> str:
    return "on this machine" if facts.live else "in this text"


def _property(name: str, holds: Callable[[Facts], bool | None], facts: Facts) -> Answer:
    known = holds(facts)
    return _YES if known else Answer(unknown=name) if known is None else _NO


def _compared(one: str, relation: str, other: str, facts: Facts) -> Answer:
    found, missing = compared(one, relation, other, facts)
    return Answer(unknown=f"a version: {missing}") if missing else _YES if found else _NO


def witnesses(term: str, facts: Facts) -> Sequence[Fact | Observation]:
    """Return the facts and errors that make a term hold, for "driver-oops", "fact.xid.code=79" and "error.cuda:802"."""
    path, _, wanted = term.partition("=")
    subject, dot, rest = path.partition(".")
    if not dot:
        return facts.stated(*names_of(path))
    if subject == "fact":
        return stated_with(rest, facts, wanted.split("|") if wanted else None)
    domain, _, code = rest.partition(":")
    return [
        e for e in observations_of(facts.snapshot) if isinstance(e, ErrorSeen) and (e.domain, e.code) == (domain, code)
    ]


def names_of(alternatives: str) -> list[str]:
    """Return the facts in "a | b".

    >>> names_of("peer-test-hangs | peer-copies-slower")
    ['peer-test-hangs', 'peer-copies-slower']
    """
    return [name.strip() for name in alternatives.split("|")]


def subject_of(query: Any) -> list[str]:
    """Return the facts in the first term of a query that asks whether one is stated; [] if there is none.

    >>> subject_of(["@wsl", "not a", "nvidia.devices", "b | c", "d"])
    ['b', 'c']
    """
    first = next((one for one in _terms(query) if _is_of_facts(one)), None)
    return names_of(first) if first is not None else []


def reads_of(query: Any) -> Iterator[str]:
    """Yield the names of the facts that a query depends on."""
    for one in _terms(query):
        term = one.removeprefix("not ")
        if term.startswith("@"):
            yield from PROPERTIES[term][0]
        elif term.startswith("unlisted."):
            yield SEARCHED
        elif term.startswith("fact.") or COMPARISON.fullmatch(term):
            yield from (path.split(".")[1] for path in _SIDES.split(term) if path.startswith("fact."))
        elif _is_of_facts(term):
            yield from names_of(term)


def _is_of_facts(term: str) -> bool:
    return not term.startswith(("@", "not ")) and "." not in term and term != "accelerators"


def _terms(query: Any) -> Iterator[str]:
    """Yield the terms in nested lists."""
    if isinstance(query, str):
        yield query
    elif isinstance(query, Iterable):
        for one in query:
            yield from _terms(one)


def _is_value(path: str, wanted: frozenset[str], facts: Facts) -> Answer:
    told = [value for value, _ in readings(path, facts)]
    if not told:
        return _untold(path, facts)
    return _YES if "*" in wanted or not wanted.isdisjoint(told) else Answer(absent=f"{path} is {told[0]:.80}")


def _before(path: str, limit: str, facts: Facts) -> Answer:
    told = [value for value, _ in readings(path, facts)]
    if not told:
        return _untold(path, facts)
    is_before = any(numbers(value) < numbers(limit) for value in told)
    return _YES if is_before else Answer(absent=f"{path} is {told[0]:.80}")


def _untold(path: str, facts: Facts) -> Answer:
    """Return the answer about a path without a value: that there is an accelerator says nothing of its fields."""
    there = answer(path, facts)
    return Answer(unknown=path) if there.holds else there


def _accelerators(_: str, facts: Facts, where: str) -> Answer:
    return _YES if facts.accelerators else Answer(absent=f"no accelerator found {where}")


def _host(field: str, facts: Facts, _: str) -> Answer:
    return _YES if getattr(facts.host, field) is not None else Answer(unknown=f"host's {field}")


def _environment(field: str, facts: Facts, _: str) -> Answer:
    known = getattr(facts.environment, field)
    if field == "packages" and known == () and facts.environment.complete:
        return Answer(absent="no package is installed in this environment")
    return _YES if known not in (None, ()) else Answer(unknown=f"environment's {field}")


def _variable(name: str, facts: Facts, _: str) -> Answer:
    if facts.variable(name) is not None:
        return _YES
    return Answer(absent=f"{name} is not set") if facts.variables_known else Answer(unknown=f"the variable {name}")


def _source(name: str, facts: Facts, _: str) -> Answer:
    if any(report.source == name and report.status != "failed" for report in facts.snapshot.reports):
        return _YES
    if any(gap.fact == name for gap in facts.gaps):
        of_host = name == "kernel log" and facts.host.containerized  # who runs in a container asks the host
        return Answer(absent=f"the {name} is its host's") if of_host else Answer(unknown=name)
    if name == "kernel log" and facts.live and facts.host.system == "linux":
        return _YES  # it is always asked for, and what hinders is a gap
    return _NO


def _wiring(rest: str, facts: Facts, where: str) -> Answer:
    kind, _, field = rest.partition(".")
    told = getattr(facts.snapshot.wiring, kind, None)
    if not told:
        return Answer(absent=f"no {_WIRED.get(kind, kind)} known {where}")
    known = not field or any(getattr(one, field) is not None for one in told)
    return _YES if known else Answer(unknown=f"{field} of any of the {kind}")


def _run(kind: str, facts: Facts, _: str) -> Answer:
    """Answer "run": a successful run proves that nothing stopped it; a failed one without a message proves nothing."""
    well, badly, missing = _RUNS[kind]
    ended, failed = facts.states((well,)), facts.states((badly,))
    raised = kind == "program" and any(isinstance(one, Raised) for one in facts.snapshot.observations)
    if failed and not ended and not raised:
        return Answer(unknown=missing)
    return _YES if ended and not failed and not raised else _NO


def _use(names: str, facts: Facts, _: str) -> Answer:
    tried = [f for name in names.split("|") if (f := facts.framework(name)) is not None and f.available is not None]
    if not tried:
        return _NO
    return _YES if any(f.available for f in tried) else Answer(unknown=f"why {tried[0].name} cannot use a device")


def _fact(rest: str, facts: Facts, _: str) -> Answer:
    name, _, value = rest.partition(".")
    found = facts.stated(name)
    if not found:
        return _NO
    unknown = value and any(not fact.value(value) for fact in found)
    return Answer(unknown=f"{name}'s {value}") if unknown else _YES


def _error(rest: str, facts: Facts, _: str) -> Answer:
    return _YES if witnesses(f"error.{rest}", facts) else _NO


def _line(text: str, facts: Facts, _: str) -> Answer:
    told = (one.text for one in observations_of(facts.snapshot) if isinstance(one, Complaint))
    return _YES if any(one.lower() == text.lower() for one in told) else _NO


def _clear(name: str, facts: Facts, _: str) -> Answer:
    return _YES if name in facts.clear else Answer(unknown=f"whether {name} is clear")


def _unlisted(name: str, facts: Facts, _: str) -> Answer:
    wanted = name.lower().replace("_", "-")
    told = (f for f in facts.stated(SEARCHED) if f.value("complete") and f"{wanted}=" not in (f.value("found") or ""))
    words = (word for fact in told for word in (fact.value("words") or "").replace("_", "-").split("|"))
    searched = any(word in wanted for word in words) and not facts.packages(wanted)
    return _YES if searched or facts.lacks_package(wanted) else _NO


def _driver(backend: str, field: str, facts: Facts, where: str) -> Answer:
    driver = facts.driver(backend)
    if driver is None and not facts.of(backend):
        return Answer(absent=f"no {backend} driver or device found {where}")
    value: Any = getattr(driver, field or "version", None)
    return _YES if value is not None else Answer(unknown=f"{backend} driver's {field or 'version'}")


def _devices(backend: str, field: str, facts: Facts, where: str) -> Answer:
    devices = facts.of(backend)
    if not devices:
        return Answer(absent=f"no {backend} device found {where}")
    unknown = [d.id for d in devices if field and getattr(d, field, None) in (None, "unknown")]
    return Answer(unknown=f"{field} of {', '.join(unknown[:8])}") if unknown else _YES


def _framework(rest: str, facts: Facts, where: str) -> Answer:
    names, _, field = rest.partition(".")
    found = [f for name in names.split("|") if (f := facts.framework(name)) is not None]
    if not found:
        return Answer(absent=f"no {' or '.join(names.split('|'))} found {where}")
    known = any(getattr(f, field or "version", None) is not None for f in found)
    return _YES if known else Answer(unknown=f"{found[0].name}'s {field or 'version'}")


def _package(names: str, facts: Facts, where: str) -> Answer:
    found = facts.packages(*names.split("|"))
    if not found:
        return Answer(absent=f"no {' or '.join(names.split('|'))} found {where}")
    return _YES if any(p.version for p in found) else Answer(unknown=f"{found[0].name}'s version")


_SUBJECTS: Final = {
    "accelerators": _accelerators,
    "clear": _clear,
    "environment": _environment,
    "error": _error,
    "fact": _fact,
    "framework": _framework,
    "host": _host,
    "line": _line,
    "package": _package,
    "run": _run,
    "source": _source,
    "unlisted": _unlisted,
    "use": _use,
    "variable": _variable,
    "wiring": _wiring,
}
