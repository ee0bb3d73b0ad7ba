"""What explains a step in which a framework failed: another finding about what the step printed, named or used. Pure.

lines    it rests on a line that the step printed
file     it is about a library that these lines name
signal   it is a fault that ends in the signal that ended the process
package  it says that the files of the package to be imported are not those of its release
"""

from collections.abc import Iterable, Iterator
from typing import Final

from accel.diagnose.outcome import Outcome
from accel.model.observation import share_a_line
from accel.text.pattern import pattern
from accel.vendors.contract.check import Problem

_DAMAGE: Final = (
    "package-files-damaged",
    "package-files-of-another-release",
    "package-installed-twice",
    "package-shadowed",
)
_SIGNALS: Final = {"cpu-without-avx": "SIGILL"}
_FILE: Final = pattern(r"\b[\w+-]{2,80}\.(?:so(?:\.\d{1,6}){0,4}|dll|pyd|dylib)(?![\w.])")
_MODULE: Final = pattern(r"\bimport (?P<name>\w{1,80})|^(?P<own>\w{1,80})", exact_case=True)


def causes_of_symptom(symptom: Problem, outcomes: Iterable[Outcome]) -> Iterator[str]:
    """Yield the names of the checks whose findings explain a failed step."""
    words = " ".join(evidence.value for evidence in symptom.evidence)
    files = {hit[0].lower() for hit in _FILE.finditer(words)}
    modules = {hit["name"] or hit["own"] for hit in _MODULE.finditer(symptom.title)}
    for outcome in outcomes:
        if outcome.faulty and any(
            _shares_a_line(problem, symptom)
            or _names(problem, files)
            or _SIGNALS.get(outcome.check.name, "no signal") in symptom.title.split()
            or (outcome.check.name in _DAMAGE and not modules.isdisjoint(problem.title.split()))
            for problem in outcome.problems
        ):
            yield outcome.check.name


def _shares_a_line(one: Problem, other: Problem) -> bool:
    return any(share_a_line(mine, its) for mine in one.evidence for its in other.evidence)


def _names(one: Problem, files: set[str]) -> bool:
    told = (one.title, *(evidence.value for evidence in one.evidence))
    return any(hit[0].lower() in files for text in told for hit in _FILE.finditer(text))
