"""A command in the form for a notebook cell. Pure.

pip install X                     %pip install X
export A=1                        %env A=1
unset A                           import os; os.environ.pop('A', None)
pip uninstall -y X && pip install Y     !pip uninstall -y X && pip install Y
pip install X && export LD_LIBRARY_PATH=FOLDER:$LD_LIBRARY_PATH
                                  !pip install X && echo FOLDER … > /etc/ld.so.conf.d/cuda.conf && ldconfig, as root
docker run app                    (none: what does not concern the notebook is typed in a shell)
"""

from collections.abc import Sequence
from typing import Final

from accel.remedies.image import on_loaders_list
from accel.text.pattern import pattern
from accel.text.shells import Step, without_variables, written

_MAGIC: Final = ("pip", "conda", "mamba", "uv")
_OF_SHELL: Final = (*_MAGIC, "python", "apt", "apt-get")
_ELSEWHERE: Final = ("export", "unset", "source", "cd", "ulimit", "sudo", "docker", "kubectl", "rm")  # or not kept
_CHANGES: Final = frozenset(("install", "uninstall", "add", "remove", "update", "upgrade"))
_PLAIN: Final = pattern(r"[A-Za-z_]\w{0,80}=[\w./:,+@-]{0,300}", exact_case=True)
_NAME: Final = pattern(r"[A-Za-z_]\w{0,80}", exact_case=True)
_RESTART: Final = "Then restart the notebook's kernel, and run its cells again."
_FIRST: Final = (
    "Make this the notebook's first cell, before anything is imported; then restart its kernel and run the cells again."
)
OF_SHELL: Final = (
    "An export in a cell does not reach the kernel: type it in the shell that starts Jupyter, and start that again."
)


def told_with(cell: str, restart: str | None = None) -> str:
    """Return how a cell takes effect: a kernel forgets variables when it restarts. restart: the provider's words."""
    return _FIRST if cell.startswith(("%env", "import os")) else restart or _RESTART


def in_a_cell(steps: Sequence[Step], by_root: bool = False) -> str | None:
    """Return the steps as one line of a cell; None if they do not concern the notebook, or a cell cannot do them.

    by_root  the kernel's user is root, as in a provider's notebooks: the loader's list takes the place of its variable
    """
    listed = [one for step in steps for one in on_loaders_list(step)] if by_root else list(steps)
    if len(listed) > len(steps):
        return f"!{written(listed)}"
    first = [token.raw for token in without_variables(steps[0])]
    if first[:1] == ["export"] and len(steps) == 1:
        return f"%env {first[1]}" if len(first) == 2 and _PLAIN.fullmatch(first[1]) else None
    if first[:1] == ["unset"] and first[1:] and all(_NAME.fullmatch(name) for name in first[1:]):
        return "import os; " + "; ".join(f"os.environ.pop('{name}', None)" for name in first[1:])
    if (
        not first
        or first[0] not in _OF_SHELL
        or not _changes(steps[0])
        or any(step.words[0].raw in _ELSEWHERE for step in steps)
    ):
        return None
    plain = len(steps) == 1 and first[0] in _MAGIC and len(first) == len(steps[0].words)
    return f"%{written(steps)}" if plain else f"!{written(steps)}"


def verified(command: str, fix: str | None, hosted: bool) -> str:
    """Return a verification as a cell, if the fix is one, or a provider's notebook has nothing else."""
    return f"!{command}" if (fix or "!" * hosted).startswith(("%", "!")) else command


def _changes(step: Step) -> bool:
    return bool(_CHANGES & {token.raw for token in without_variables(step)[1:5]})
