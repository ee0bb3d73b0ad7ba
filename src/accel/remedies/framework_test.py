"""The short program that shows whether a framework sees its devices, for the framework that the text is about. Pure."""

from typing import Final

from accel.facts.questions import Facts
from accel.resolver.system_tools import shells_table
from accel.specs import Specs
from accel.text.shells import Step, Token

_ADD_ONS: Final = {"torch-xla": "torch_xla"}  # not a subject of its own: named by its module


def by_its_framework(step: Step, facts: Facts, specs: Specs) -> Step:
    """Return a step that tests one framework as one that tests another, if the text only mentions that one."""
    if len(step.words) != 3 or step.words[1].raw != "-c":
        return step
    code = step.words[2].value
    for row in shells_table(specs).get("framework_tests", ()):
        tested = next(iter(row))
        if row[tested] != code or _is_named(tested, facts):
            continue
        here = [name for name in row if _is_named(name, facts)]
        if len(here) == 1:
            return Step(step.by, (*step.words[:2], Token(f"'{row[here[0]]}'", row[here[0]])))
    return step


def _is_named(name: str, facts: Facts) -> bool:
    if facts.framework(name) is not None:
        return True
    if name in _ADD_ONS:
        return facts.mentions(_ADD_ONS[name], name)
    shares = any(_is_named(one, facts) for one in _ADD_ONS)  # PJRT and XLA are words of JAX's, too
    return name in (fact.value("subject") for fact in facts.stated("spoken-of")) and (
        not shares or facts.mentions(name)
    )
