"""How to install a specific version of the CUDA toolkit, with nvcc, and make a build find it. Pure.

the text has /usr/local/cuda-12.1          CUDA_HOME names it
module load cuda/12.2 was typed            module load cuda/12.1
a conda environment, or no root            conda's cuda-toolkit of that version, from NVIDIA's channel
another Linux                              cuda-toolkit-12-1 from NVIDIA's repository, next to the existing toolkit
torch's CUDA version is unknown            the command asks torch itself
Windows                                    NVIDIA's installer, through winget if it has the release
"""

from typing import TYPE_CHECKING, Final

from accel.facts.containers import in_container
from accel.resolver.installer import in_conda
from accel.specs.versions import numbers
from accel.text.pattern import pattern
from accel.vendors.contract.check import Facts, Remedy, Specs
from accel.vendors.contract.command import (
    assignment_word,
    chained,
    command_line,
    path_word,
    system_package_word,
    version_word,
)
from accel.vendors.toolkit.table_steps import fix

if TYPE_CHECKING:
    from accel.vendors.contract.command import Word

_FIRST_IN_CONDA: Final = (11, 3)  # the first with its own label in NVIDIA's channel
_WIDEST_OF_11: Final = "11.8"
_NO_ROOT: Final = "no-root-said"
_MODULE: Final = pattern(
    r"(?:module|ml) load (?:\S{1,60} ){0,8}(?P<name>(?:[\w-]{1,30}/)?(?:nvidia-)?cuda(?:-toolkit|toolkit)?)/\d"
)
_FOLDER: Final = pattern(r"/usr/local/cuda-(\d{2}\.\d{1,2})(?![.\d])", exact_case=True)
_HOME_BY_NVCC: Final = 'export CUDA_HOME="$(dirname "$(dirname "$(command -v nvcc)")")"'
_ON_PATH: Final = "export PATH=$CUDA_HOME/bin:$PATH"
# Of Ubuntu and Debian, whose release the shell reads itself; WSL's Ubuntu has a repository without a driver.
_ADDED: Final = (
    "wget https://developer.download.nvidia.com/compute/cuda/repos/$(. /etc/os-release; echo $ID${VERSION_ID/./})"
    "/x86_64/cuda-keyring_1.1-1_all.deb && sudo dpkg -i cuda-keyring_1.1-1_all.deb && sudo apt-get update"
)
_ADDED_IN_WSL: Final = (
    "wget https://developer.download.nvidia.com/compute/cuda/repos/wsl-ubuntu/x86_64/cuda-keyring_1.1-1_all.deb "
    "&& sudo dpkg -i cuda-keyring_1.1-1_all.deb && sudo apt-get update"
)
_OF_TORCH: Final = (
    "conda install -y -c nvidia/label/cuda-$(python -c 'import torch; print(torch.version.cuda)').0 cuda-toolkit"
)
_OF_TORCH_BY_APT: Final = (
    'sudo apt-get install -y cuda-toolkit-$(python -c \'import torch; print(torch.version.cuda.replace(".", "-"))\')'
)


def toolkit_of_torch(facts: Facts, specs: Specs, cuda: str | None) -> Remedy:
    """Return how to install a toolkit of torch's CUDA when there is none. cuda: None if the text does not show it."""
    if cuda is not None or (facts.host.system == "windows" and not facts.host.wsl):
        return _of_windows(specs, cuda) if cuda is None else toolkit_of(facts, specs, cuda)
    text = (
        "Install the toolkit for the CUDA that torch was built with, which the command reads from torch, and "
        "build again"
    )
    if in_conda(facts) or facts.first(_NO_ROOT) is not None:
        text += "." if in_conda(facts) else ": conda needs no rights of root."
        return Remedy(text=text, command=chained(_OF_TORCH, "export CUDA_HOME=$CONDA_PREFIX", _ON_PATH))
    where = "in the image, " if in_container(facts) else ""
    return Remedy(
        text=f"{text}: {where}from NVIDIA's repository, which has toolkits without a driver.",
        command=chained(_added(facts), _OF_TORCH_BY_APT, "export CUDA_HOME=/usr/local/cuda", _ON_PATH),
        action="env" if where else "admin",
    )


def _added(facts: Facts) -> str:
    """Return the command that adds NVIDIA's repository on Ubuntu and Debian; nothing elsewhere."""
    name = (facts.host.distribution or "ubuntu").lower()
    if not name.startswith(("ubuntu", "debian")) or facts.host.machine not in (None, "x86_64"):
        return ""
    return _ADDED_IN_WSL if facts.host.wsl else _ADDED


def toolkit_of(facts: Facts, specs: Specs, cuda: str, *, or_newer: bool = False) -> Remedy:
    """Return how to build with a CUDA version's toolkit, "12.1", installing it unless the text shows it.

    or_newer  a newer one works as well
    """
    cuda = ".".join(cuda.split(".")[:2])
    if facts.host.system == "windows" and not facts.host.wsl:
        return _of_windows(specs, cuda)
    if or_newer and (newer := _shown_from(facts, cuda)) is not None:
        cuda = newer
    if _is_shown(facts, cuda):
        text = f"Build with the toolkit of CUDA {cuda}, which is here."
        return Remedy(text=text, command=chained(command_line("export", _home(cuda)), _ON_PATH))
    if (module := _module(facts, cuda)) is not None:
        return Remedy(
            text=f"Build with the cluster's module of CUDA {cuda}, in the place of the one that is loaded (module "
            "avail lists its modules by name).",
            command=chained(command_line("module load", module), _HOME_BY_NVCC),
            action="env",
        )
    conda = in_conda(facts) or facts.first(_NO_ROOT) is not None
    if conda and or_newer and numbers(cuda) < _FIRST_IN_CONDA:
        cuda = _WIDEST_OF_11
    if conda and numbers(cuda) >= _FIRST_IN_CONDA:
        text = f"Install the toolkit of CUDA {cuda}, with nvcc, in the environment, and build with that."
        if not in_conda(facts):
            text = f"Install the toolkit of CUDA {cuda} by conda, which needs no rights of root, and build with it."
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
        text=f"Install the CUDA {cuda} toolkit from NVIDIA's repository, and build with it: several toolkits can "
        "be installed side by side (https://developer.nvidia.com/cuda-downloads has them for each system).",
        command=chained(_added(facts), install, command_line("export", _home(cuda)), _ON_PATH),
    )


def _of_windows(specs: Specs, cuda: str | None) -> Remedy:
    if cuda is None:
        return fix(specs, "nvidia", "toolkit-of-torch-version")
    rows = (specs.table("nvidia/toolkit_installs") or {}).get("winget", ())
    release = next((row["release"] for row in rows if row["cuda"] == cuda), None)
    variable = f"CUDA_PATH_V{cuda.replace('.', '_')}"
    where = f"in a new command prompt, with CUDA_HOME set to %{variable}% and its folder bin first on PATH"
    if release is None:
        return Remedy(
            text=f"Install the CUDA Toolkit {cuda} alongside the other one, from NVIDIA's archive "
            f"https://developer.nvidia.com/cuda-toolkit-archive. Then build {where}.",
            action="admin",
        )
    return Remedy(
        text=f"Install the CUDA Toolkit {cuda} alongside the other one. Then build {where}.",
        command=command_line("winget install --id Nvidia.CUDA --version", version_word(release)),
        action="admin",
    )


def _module(facts: Facts, cuda: str) -> "Word | None":
    """Return the module for a CUDA version, named like the one that the text loads: "cuda/12.2", "CUDA/12.1.1"."""
    for fact in facts.stated("environment-class"):
        if fact.value("class") == "environment-modules" and (found := _MODULE.search(fact.text)):
            return path_word(f"{found['name']}/{cuda}")
    return None


def _home(cuda: str) -> "Word | None":
    return assignment_word("CUDA_HOME", f"/usr/local/cuda-{cuda}") if version_word(cuda) else None


def _is_shown(facts: Facts, cuda: str) -> bool:
    """Return whether the text has the folder of that toolkit, other than in a message that it is missing."""
    folder = f"/usr/local/cuda-{cuda}"
    if any((kit.path or "").startswith(folder) for kit in facts.environment.toolkits):
        return True
    if any(fact.value("path") == folder for fact in facts.stated("toolkit-shown")):
        return True
    return any(folder in one.text and "No such file" not in one.text for one in facts.snapshot.observations)


def _shown_from(facts: Facts, cuda: str) -> str | None:
    """Return the oldest toolkit of this version or newer whose folder is in the text."""
    found = {hit[1] for one in facts.snapshot.observations for hit in _FOLDER.finditer(one.text)}
    return min((one for one in found if numbers(one) >= numbers(cuda)), key=numbers, default=None)


def _channel(specs: Specs, cuda: str) -> "Word | None":
    """Return NVIDIA's conda channel for a version's newest patch release: each has one release's complete toolkit."""
    rows = (specs.table("nvidia/cuda") or {}).get("toolkits", ())
    patches = [row["version"] for row in rows if numbers(row["version"])[:2] == numbers(cuda)[:2]]
    return path_word(f"nvidia/label/cuda-{max(patches, key=numbers, default=f'{cuda}.0')}")
