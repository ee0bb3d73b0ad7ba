"""What surrounds the writer of a text, as far as it decides how a remedy is typed. Pure.

In[3]: !pip install torch          a notebook: %pip install, %env NAME=VALUE, then a new kernel
sbatch train.sh                    a job on a cluster, whose user is seldom root
I have no sudo rights              a user who is not root
$ docker run … / Dockerfile        an image, which keeps what its Dockerfile installs, and its container does not
"""

from typing import TYPE_CHECKING, Final

from accel.facts.containers import in_container
from accel.model.observation import Command, Raised
from accel.resolver.container_start import starter_of
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

IN_JOB: Final = ("batch-job", "slurm-gave-no-gpu")
NO_ROOT: Final = "no-root-said"
IN_NOTEBOOK: Final = "notebook-said"
_CELL: Final = pattern(r"^\s{0,20}(?:(?:In|Cell In) ?\[\d{0,5}\]:?\s{0,4})?[!%](?!%)\s?(?=[A-Za-z])", exact_case=True)
_OF_KERNEL: Final = pattern(r"ipykernel_|<ipython-input-|/ipykernel/", exact_case=True)
_AS_ROOT: Final = pattern(r"\broot@|(?:^|[\s$;&|(])sudo\s|^\s{0,8}#\s", exact_case=True)
_BUILT: Final = ("docker", "podman", "nerdctl", "compose", "kubernetes")


def in_notebook(facts: "Facts") -> bool:
    """Whether the program runs in a notebook's kernel: cells were typed with ! or %, or its frames are a kernel's."""
    if facts.live:
        return False
    for one in facts.snapshot.observations:
        if isinstance(one, Command) and not one.advice and _CELL.search(one.text):
            return True
        if isinstance(one, Raised) and any(_OF_KERNEL.search(frame.file) for frame in one.frames):
            return True
    return bool(facts.stated(IN_NOTEBOOK))


def may_be_root(facts: "Facts") -> bool | None:
    """Whether the reader may do what root may; None: not known."""
    if facts.live:
        return None
    if facts.stated(NO_ROOT):
        return False
    typed = (one for one in facts.snapshot.observations if isinstance(one, Command) and not one.advice)
    if any(_AS_ROOT.search(one.text) for one in typed):
        return True
    return False if facts.states(IN_JOB) else None


def in_image(facts: "Facts", specs: "Specs") -> bool:
    """Whether what failed runs in a container that the text starts out of an image, so that an image can be changed."""
    return not facts.live and in_container(facts) and starter_of(facts, specs) in _BUILT
