from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import command_line, module_word, python_word

# Import names of frameworks; for other names a text's words prove nothing.
_FRAMEWORKS: Final = frozenset(
    ("torch", "tensorflow", "jax", "triton", "vllm", "transformers", "diffusers", "numpy", "xformers", "torchaudio")
)


@check(
    code="AC039",
    name="package-shadowed",
    layer="application",
    reads=("package-shadowed", "source-tree-imported", "source-tree-told"),
    needs=("run.program",),
)
def package_shadowed(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A folder or file named like a framework (torch/, torch.py) is where Python looks first.

    Why it matters   "import torch" imports the folder, which contains nothing of torch; reinstalling changes nothing.
    What to do       Rename the file or folder, or start the program from another directory.
    Looks at         files of this name on sys.path or in the working directory before a framework, NVIDIA's pynvml or a
                     module of the standard library (random.py); missing names of a framework "(unknown location)", or
                     of one that imports itself; a missing compiled part of a package whose files are not in
                     site-packages
    Silent when      the installed release lacks the name; torchvision imports itself: its compiled part failed
    Source           CPython: namespace packages; partially initialised modules
    """
    told = [
        fact
        for fact in facts.stated("package-shadowed")
        if fact.grade == "measured" or (fact.value("package") or "").lower() in _FRAMEWORKS
    ]
    trees = facts.stated("source-tree-imported", "source-tree-told")
    if trees and not told:
        yield _tree(trees)
        return
    if not told:
        return
    package = told[0].value("package") or "torch"
    yield Problem(
        title=f"Python imports something other than {package}: a file or folder of this name shadows it",
        evidence=quoted(told),
        remedies=(
            Remedy(
                text=f"Check from another folder where Python finds it, then rename {package}.py or the folder "
                f"{package}/ next to the program; an interrupted installation leaves such a folder too.",
                command=command_line(
                    "cd / && python -c", python_word("import {0}; print({0}.__file__)", module_word(package))
                ),
                action="app",
            ),
        ),
    )


def _tree(told: tuple[Fact, ...]) -> Problem:
    package, module = told[0].value("package"), told[0].value("module")
    if package is None:  # its own message, which does not name it
        return Problem(
            title="Python imports a package from the folder of its sources, which hides the installed package",
            evidence=quoted(told),
            remedies=(
                Remedy(text="Leave the folder of the sources, and start Python from another one.", command="cd /"),
            ),
        )
    return Problem(
        title=f"Python imports {package} from its source tree, which has no compiled {module or 'part'}",
        evidence=quoted(told),
        remedies=(
            Remedy(
                text=f"Start the program in another folder: the folder {package}/ in the current one hides the "
                "installed package.",
                command=command_line(
                    "cd / && python -c", python_word("import {0}; print({0}.__file__)", module_word(package))
                ),
                action="app",
            ),
            Remedy(
                text="If you want to use the source tree instead of a wheel: build it, so that its compiled part "
                "exists.",
                command="python -m pip install --no-build-isolation -e .",
                action="env",
            ),
        ),
    )
