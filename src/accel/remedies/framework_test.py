"""The short program that shows whether a framework sees its devices, for the framework that the text is about. Pure."""

from typing import TYPE_CHECKING, Final

from accel.resolver.system_tools import shells_table
from accel.text.shells import Step, Token

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_OTHERS: Final = ("jax", "tensorflow")


def by_its_framework(step: Step, facts: "Facts", specs: "Specs") -> Step:
    """Return a step that tests torch as one that tests JAX or TensorFlow, if the text only mentions one of these."""
    if len(step.words) != 3 or step.words[1].raw != "-c" or _is_named("torch", facts):
        return step
    here = [name for name in _OTHERS if _is_named(name, facts)]
    if len(here) != 1:
        return step
    code = step.words[2].value
    for row in shells_table(specs).get("framework_tests", ()):
        if row["torch"] == code and here[0] in row:
            return Step(step.by, (*step.words[:2], Token(f"'{row[here[0]]}'", row[here[0]])))
    return step


def _is_named(name: str, facts: "Facts") -> bool:
    spoken = (fact.value("subject") for fact in facts.stated("spoken-of"))
    return facts.framework(name) is not None or name in spoken
