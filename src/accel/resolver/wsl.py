"""Software with builds only for Linux, on Windows: in WSL 2, from installing WSL to the packages in it. Pure."""

from typing import Final

from accel.facts.questions import Facts
from accel.resolver.installer import in_conda
from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import chained, command_line

_VENV: Final = "sudo apt update && sudo apt install -y python3-venv && python3 -m venv ~/gpu"
_IN_VENV: Final = ". ~/gpu/bin/activate"
_LAST_BY_CONDA: Final = (
    "conda create -y -n tf210 -c conda-forge python=3.10 cudatoolkit=11.2 cudnn=8.1 && "
    "conda run -n tf210 pip install 'tensorflow<2.11' 'numpy<2'"
)


def in_wsl(facts: Facts, text: str, command: str | None) -> Remedy:
    """Return how to install something in WSL 2, preceded by installing WSL if nothing shows that it is present.

    text     what to do, without a final period
    command  the pip command to run there; None: whatever the software's own Linux guide says
    """
    inside = chained(command_line(_VENV), command_line(_IN_VENV), command) if command is not None else None
    if facts.on_wsl and inside is not None:
        return Remedy(text=f"{text} in WSL 2, in a separate environment. There, type:", command=inside, action="env")
    then = f"Then type in Ubuntu:  {inside}" if inside is not None else "Then follow its guide for Linux in Ubuntu."
    return Remedy(
        text=f"{text} in WSL 2: in PowerShell as administrator the command installs that with Ubuntu; restart Windows. "
        f"The driver is the one of Windows: install none in WSL. {then}",
        command="wsl --install",
        action="admin",
    )


def tensorflow_of_windows(facts: Facts) -> tuple[Remedy, ...]:
    """Return the two ways to a TensorFlow that uses a GPU on Windows: in WSL, and the last native one."""
    return (
        in_wsl(facts, "Install TensorFlow with its CUDA libraries", "pip install 'tensorflow[and-cuda]'"),
        _last_of_windows(facts),
    )


def _last_of_windows(facts: Facts) -> Remedy:
    """Return how to install the last TensorFlow that used a GPU on native Windows, with its CUDA."""
    text = "Or stay on Windows with TensorFlow 2.10 (Python 3.10 or older), CUDA 11.2 and cuDNN 8.1"
    if in_conda(facts):
        text = f"{text}, which conda installs in a separate environment."
        return Remedy(text=text, command=_LAST_BY_CONDA, action="env")
    archives = "https://developer.nvidia.com/cuda-toolkit-archive, https://developer.nvidia.com/cudnn-archive"
    return Remedy(
        text=f"{text} from NVIDIA's archives ({archives}), and put their bin folders on PATH.",
        command="py -3.10 -m pip install 'tensorflow<2.11' 'numpy<2'",
        action="env",
    )
