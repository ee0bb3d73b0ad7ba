from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import assignment_word, chained, command_line, options_word, package_word, path_word

_TAKEN: Final = "assignment-taken-for-command"


@check(
    code="AC590",
    name="assignment-taken-for-command",
    layer="application",
    severity="error",
    reads=(_TAKEN,),
    needs=("run.program",),
)
def assignment_taken_for_command(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A shell on Windows took a line that begins with NAME=VALUE, or with export, for a command.

    Why it matters   The whole line failed: the variable is not set, and the command after it did not run. A package
                     that is installed without the variable is built without what it asks for.
    What to do       Set the variable on a line of its own, the way of this shell; then run the command in the same
                     window.
    Looks at         a command that is not found, and is named like a variable or is called export
    Silent when      the command has another name
    Source           Microsoft: cmd set; PowerShell about_Environment_Variables
    """
    told = facts.stated(_TAKEN)
    if not told:
        return
    fact = told[0]
    word = fact.value("word") or ""
    what = f"{word}=…" if fact.value("name") == word else word
    yield Problem(
        title=f"The shell took {what} for a command: that is how Linux shells set a variable",
        evidence=quoted(told),
        remedies=(_typed_here(fact, facts),),
    )


def _typed_here(fact: Fact, facts: Facts) -> Remedy:
    """Return the assignment, and the installation that is to see it."""
    assigned = assignment_word(fact.value("name") or "", _value(fact.value("value")))
    package = package_word(fact.value("package"))
    text = "Set the variable by itself, in the way of this shell, and run the command in the same window."
    if assigned is None:
        return Remedy(text=f"{text} In cmd:  set NAME=VALUE  without quotes; in PowerShell:  $env:NAME = 'VALUE'")
    export = command_line("export", assigned)
    if package is None:
        return Remedy(text=text, command=export, action="env")
    return Remedy(
        text=f"{text} pip must not take the build that it has cached or installed without the variable.",
        command=chained(export, command_line("pip install --force-reinstall --no-cache-dir --no-deps", package)),
        action="env",
    )


def _value(value: str | None) -> "str | None":
    """Return a value that may be a list of options, "-DGGML_CUDA=on -DLLAMA_CURL=off", as a word."""
    options = options_word(value)
    if options is not None:
        return options
    return path_word(value) if value and "\\" in value else value
