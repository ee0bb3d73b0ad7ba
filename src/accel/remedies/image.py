"""An installation as a line of a Dockerfile: what is installed in a running container is lost with it. Pure.

sudo apt install -y gcc        RUN apt-get update && apt-get install -y gcc
pip install 'numpy<2'          RUN pip install 'numpy<2'
pip install X && export LD_LIBRARY_PATH=FOLDER:$LD_LIBRARY_PATH
                               RUN pip install X && echo FOLDER | tr : '\\n' > /etc/ld.so.conf.d/cuda.conf && ldconfig
pip install X && export A=1    RUN pip install X
                               ENV A=1
"""

from collections.abc import Sequence
from typing import Final

from accel.model.dataclass import replace
from accel.resolver.system_tools import plain_words
from accel.text.pattern import pattern
from accel.text.shells import Step, without_variables, written

WORDS: Final = (
    "Put this line into the image's Dockerfile, or use an image that includes it: a container loses what is "
    "installed in it."
)
_INSTALLERS: Final = ("pip", "pip3", "uv", "python", "python3", "conda", "apt", "apt-get", "dnf", "yum", "apk", "rm")
_LIST: Final = "/etc/ld.so.conf.d/cuda.conf"
_PATH: Final = pattern(r"export LD_LIBRARY_PATH=(?P<folder>.{1,300}):\$LD_LIBRARY_PATH", exact_case=True)
_VERBS: Final = frozenset(("install", "uninstall", "add", "remove", "purge", "update"))


def as_image_line(steps: Sequence[Step]) -> str | None:
    """Return the line, and one below it for the variables set last; None unless all other steps install or remove
    packages, or download one.
    """
    bare = [on_list for step in steps for on_list in on_loaders_list(_without_sudo(step))]
    if len(bare) > 1 and _sets(bare[-1]):
        line = as_image_line(bare[:-1])
        values = " ".join(token.raw for token in bare[-1].words[1:])
        return f"{line}\nENV {values}" if line is not None else None
    kept = [step for step in bare if not _downloads(step)]
    if not kept or not _installs(kept[0]) or not all(_installs(step) or _is_of_list(step) for step in kept):
        return None
    return f"RUN {written([_refreshed(step) if at == 0 else _refreshed(step, False) for at, step in enumerate(bare)])}"


def on_loaders_list(step: Step) -> Sequence[Step]:
    """Return a step that extends LD_LIBRARY_PATH as one that an image keeps: in the loader's own configuration."""
    found = _PATH.fullmatch(" ".join(token.raw for token in step.words))
    if found is None:
        return (step,)
    listed = ("echo", found["folder"], "|", "tr", ":", "'\\n'", ">", _LIST)
    return (replace(step, words=plain_words(*listed)), Step("&&", plain_words("ldconfig")))


def _is_of_list(step: Step) -> bool:
    raw = [token.raw for token in step.words]
    return raw == ["ldconfig"] or raw[-1:] == [_LIST]


def _without_sudo(step: Step) -> Step:
    return replace(step, words=step.words[1:]) if step.words[0].raw == "sudo" and len(step.words) > 1 else step


def _sets(step: Step) -> bool:
    """Return whether a step only sets variables, to values that need no shell."""
    words = [token.raw for token in step.words]
    return words[:1] == ["export"] and len(words) > 1 and all("=" in one and "$" not in one for one in words[1:])


def _installs(step: Step) -> bool:
    raw = [token.raw for token in without_variables(step)]
    return raw[:1] != [] and raw[0] in _INSTALLERS and bool(_VERBS & set(raw[1:5]))


def _downloads(step: Step) -> bool:
    return [token.raw for token in step.words][:1] in (["wget"], ["curl"])


def _refreshed(step: Step, first: bool = True) -> Step:
    """Return a step of apt for an image build: updating the package lists first, and non-interactive."""
    raw = [token.raw for token in step.words]
    if raw[0] not in ("apt", "apt-get") or raw[1] != "install":
        return step
    start = ("apt-get", "update", "&&", "apt-get", "install", "-y") if first else ("apt-get", "install", "-y")
    return replace(step, words=(*plain_words(*start), *(t for t in step.words[2:] if t.raw != "-y")))
