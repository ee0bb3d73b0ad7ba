"""How the CUDA toolkit of one version, with its nvcc, comes to a machine, and how a build finds it. Pure.

the text has /usr/local/cuda-12.1          CUDA_HOME names it
a conda environment                        conda's cuda-toolkit of that version, from NVIDIA's channel
another Linux                              cuda-toolkit-12-1 of NVIDIA's repository, beside the toolkit that is there
Windows                                    NVIDIA's installer
"""

from typing import TYPE_CHECKING, Final

from accel.facts.containers import in_container
from accel.resolver.installer import in_conda
from accel.specs.versions import numbers
from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import (
    assignment_word,
    chained,
    command_line,
    path_word,
    system_package_word,
    version_word,
)

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs
    from accel.vendors.contract.command import Word

_FIRST_IN_CONDA: Final = (11, 3)  # the first with a label of its own in NVIDIA's channel
_ON_PATH: Final = "export PATH=$CUDA_HOME/bin:$PATH"


def toolkit_of(facts: "Facts", specs: "Specs", cuda: str) -> Remedy:
    """Return how to build with the toolkit of a CUDA version, "12.1": installed first, unless the text shows it."""
    if facts.host.system == "windows":
        return Remedy(
            text=f"Install the CUDA Toolkit {cuda} beside the other, from NVIDIA's archive "
            "https://developer.nvidia.com/cuda-toolkit-archive, and let CUDA_HOME and PATH name it.",
            action="admin",
        )
    home = command_line("export", _home(cuda))
    if _is_shown(facts, cuda):
        return Remedy(text=f"Build with the toolkit of CUDA {cuda}, which is here.", command=chained(home, _ON_PATH))
    if in_conda(facts) and numbers(cuda) >= _FIRST_IN_CONDA:
        text = f"Install the toolkit of CUDA {cuda}, with nvcc, in the environment, and build with that."
        install = command_line("conda install -c", _channel(specs, cuda), "cuda-toolkit")
        return Remedy(text=text, command=chained(install, "export CUDA_HOME=$CONDA_PREFIX", _ON_PATH))
    install = command_line("sudo apt install", system_package_word(f"cuda-toolkit-{cuda.replace('.', '-')}"))
    if in_container(facts):
        return Remedy(
            text=f"Install the toolkit of CUDA {cuda} in the image, or build on nvidia/cuda's devel image of it, "
            f"and set ENV CUDA_HOME=/usr/local/cuda-{cuda} in its Dockerfile.",
            command=install,
        )
    return Remedy(
        text=f"Install the toolkit of CUDA {cuda} beside the other, from NVIDIA's repository "
        "(https://developer.nvidia.com/cuda-downloads adds it), and build with that.",
        command=chained(install, home, _ON_PATH),
    )


def _home(cuda: str) -> "Word | None":
    return assignment_word("CUDA_HOME", f"/usr/local/cuda-{cuda}") if version_word(cuda) else None


def _is_shown(facts: "Facts", cuda: str) -> bool:
    """Whether the text has the folder of that toolkit, of whatever does not say that it is missing."""
    folder = f"/usr/local/cuda-{cuda}"
    if any((kit.path or "").startswith(folder) for kit in facts.environment.toolkits):
        return True
    return any(folder in one.text and "No such file" not in one.text for one in facts.snapshot.observations)


def _channel(specs: "Specs", cuda: str) -> "Word | None":
    """Return NVIDIA's channel of the newest patch release of a version: each has a whole toolkit of one release."""
    rows = (specs.table("nvidia/cuda") or {}).get("toolkits", ())
    patches = [row["version"] for row in rows if numbers(row["version"])[:2] == numbers(cuda)[:2]]
    return path_word(f"nvidia/label/cuda-{max(patches, key=numbers, default=f'{cuda}.0')}")
