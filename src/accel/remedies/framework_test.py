"""The short program that shows whether a framework sees its devices, for the framework that the text is about. Pure."""

from typing import TYPE_CHECKING, Final

from accel.resolver.system_tools import shells_table
from accel.text.shells import Step, Token

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_OTHERS: Final = ("jax", "tensorflow")
_ON_TPU: Final = "torch_xla"  # torch is then named, too


def by_its_framework(step: Step, facts: "Facts", specs: "Specs") -> Step:
    """Return a step that tests torch as one that tests JAX or TensorFlow, if the text only mentions one of these; and
    one that tests JAX on a TPU as one of torch_xla, likewise.
    """
    if len(step.words) != 3 or step.words[1].raw != "-c":
        return step
    here = [name for name in _OTHERS if _is_named(name, facts)]
    by_xla = facts.mentions(_ON_TPU) and not facts.mentions("jax")
    tested, wanted = ("jax", [_ON_TPU]) if by_xla else ("torch", [] if _is_named("torch", facts) else here)
    code = step.words[2].value
    for row in shells_table(specs).get("framework_tests", ()):
        if len(wanted) == 1 and row.get(tested) == code and wanted[0] in row:
            return Step(step.by, (*step.words[:2], Token(f"'{row[wanted[0]]}'", row[wanted[0]])))
    return step


def _is_named(name: str, facts: "Facts") -> bool:
    spoken = (fact.value("subject") for fact in facts.stated("spoken-of"))
    return facts.framework(name) is not None or name in spoken
