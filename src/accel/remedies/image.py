"""An installation as a line of an image's Dockerfile: what is installed in a running container is gone with it. Pure.

sudo apt install -y gcc        RUN apt-get update && apt-get install -y gcc
pip install 'numpy<2'          RUN pip install 'numpy<2'
"""

from collections.abc import Sequence
from typing import Final

from accel.model.dataclass import replace
from accel.resolver.system_tools import plain_words
from accel.text.shells import Step, without_variables, written

WORDS: Final = (
    "Put this line into the image's Dockerfile, or take an image that holds it: a container loses what is installed "
    "in it."
)
_INSTALLERS: Final = ("pip", "pip3", "uv", "python", "python3", "conda", "apt", "apt-get", "dnf", "yum", "apk", "rm")
_VERBS: Final = frozenset(("install", "uninstall", "add", "remove", "purge", "update"))


def as_image_line(steps: Sequence[Step]) -> str | None:
    """Return the line; None for steps that do not all install or remove packages."""
    bare = [_without_sudo(step) for step in steps]
    if not all(_installs(step) for step in bare):
        return None
    return f"RUN {written([_refreshed(step) if at == 0 else _refreshed(step, False) for at, step in enumerate(bare)])}"


def _without_sudo(step: Step) -> Step:
    return replace(step, words=step.words[1:]) if step.words[0].raw == "sudo" and len(step.words) > 1 else step


def _installs(step: Step) -> bool:
    raw = [token.raw for token in without_variables(step)]
    return raw[:1] != [] and raw[0] in _INSTALLERS and bool(_VERBS & set(raw[1:5]))


def _refreshed(step: Step, first: bool = True) -> Step:
    """Return a step of apt as an image's build needs it: with a list of packages, and asking nothing."""
    raw = [token.raw for token in step.words]
    if raw[0] not in ("apt", "apt-get") or raw[1] != "install":
        return step
    start = ("apt-get", "update", "&&", "apt-get", "install", "-y") if first else ("apt-get", "install", "-y")
    return replace(step, words=(*plain_words(*start), *(t for t in step.words[2:] if t.raw != "-y")))
