from collections.abc import Iterator

from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import command_line, path_word


@check(
    code="AC326",
    name="environment-moved",
    layer="framework",
    severity="warning",
    reads=("environment-moved",),
    needs=(),
)
def environment_moved(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A program in the environment's bin folder (torchrun, pip), or its python, points to a Python that does not exist.

    Why it matters   The environment was moved, renamed or copied: "bad interpreter: No such file or directory", while
                     python itself starts.
    What to do       Start programs as modules (python -m torch.distributed.run), or recreate the environment in its
                     current place.
    Looks at         the first line of pip, torchrun, accelerate, vllm and the like; the target of python in the named
                     or active environment (VIRTUAL_ENV)
    Silent when      the line contains no full path to a Python, or one that exists
    Source           CPython: venv ("environments are inherently non-portable"); pip: the scripts that it writes
    """
    for fact in facts.stated("environment-moved"):
        if fact.value("base"):
            yield _without_base(fact)
            continue
        program = (fact.value("path") or "").rpartition("/")[2]
        yield Problem(
            title=f"{program} starts a Python that is gone: the environment was moved or copied",
            evidence=quoted([fact]),
            remedies=(
                Remedy(
                    text=f"Recreate the environment at {fact.value('prefix')}; until then, start programs as "
                    "modules: python -m pip, python -m torch.distributed.run.",
                    action="env",
                ),
            ),
        )


def _without_base(fact: Fact) -> Problem:
    prefix = fact.value("prefix") or ""
    return Problem(
        title=f"The Python that {prefix} was created from is gone: {fact.value('python')}",
        evidence=quoted([fact]),
        severity="error",
        remedies=(
            Remedy(
                text="Recreate the environment with an installed Python, and install what it needs there; or "
                "reinstall that Python.",
                command=command_line("python3 -m venv --clear", path_word(prefix)),
                action="env",
            ),
        ),
    )
