from collections.abc import Iterator

from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import command_line, variable_word


@check(
    code="AC325",
    name="environment-of-another-python",
    layer="framework",
    reads=("environment-of-another-python",),
    needs=("environment.packages",),
    asks=(),
)
def environment_of_another_python(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """The packages of an environment are in the folder of another Python than the one that it starts.

    Why it matters   After an upgrade of the system's Python the environment starts the new one, which finds none of the
                     installed packages: "No module named torch".
    What to do       Recreate the environment with the wanted Python, or reinstall the old Python.
    Looks at         the folders lib/pythonX.Y of the environment, of PYTHONPATH and of PYTHONHOME, against the version
                     that its Python reports
    Silent when      the Python that starts there has its own framework
    Source           CPython: venv, site
    """
    for fact in facts.stated("environment-of-another-python"):
        if fact.value("variable"):
            yield _of_variable(fact)
            continue
        other = fact.value("other") or "another"
        yield Problem(
            title=f"{fact.value('framework')} was installed here for Python {other}, but the environment starts "
            f"Python {fact.value('python')}",
            evidence=quoted([fact]),
            remedies=(
                Remedy(
                    text="Recreate the environment with the Python that you want, and install what it needs "
                    f"there; a system upgrade removed Python {other} from this one.",
                    action="env",
                ),
            ),
        )


def _of_variable(fact: Fact) -> Problem:
    variable, python = fact.value("variable") or "", fact.value("python")
    if variable == "PYTHONHOME":
        title = f"PYTHONHOME belongs to a Python other than {python}, which cannot start with it"
    else:
        title = f"PYTHONPATH puts packages for Python {fact.value('other')} before those of Python {python}"
    return Problem(
        title=title,
        evidence=quoted([fact]),
        severity="error" if variable == "PYTHONHOME" else "warning",
        remedies=(
            Remedy(
                text="Remove it from the shell's settings or the job's script, and start the program again.",
                command=command_line("unset", variable_word(variable)),
                action="env",
            ),
        ),
    )
