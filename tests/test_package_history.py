"""An installation is of the package's present name, of a release for this hardware, and by one package manager."""

import pytest
from every_case import registry

from accel.collect.text import read_texts
from accel.facts.infer import infer
from accel.facts.questions import Facts
from accel.model.diagnosis import Remedy
from accel.remedies.environment import Environment
from accel.remedies.render import rendered

NEURON = (
    "sudo apt-get update && sudo apt-get install -y --only-upgrade aws-neuronx-dkms "
    "|| sudo yum install -y aws-neuronx-dkms"
)
OLD = "$ sudo apt install aws-neuron-dkms\n"
GCC = "sudo apt install -y gcc-12 && export CC=gcc-12"


@pytest.mark.parametrize(
    ("text", "command", "typed"),
    [
        (
            "Ubuntu 22.04 on a trn1.2xlarge\n",
            NEURON,
            "sudo apt-get update && sudo apt-get install -y --only-upgrade aws-neuronx-dkms",
        ),
        (
            f"Ubuntu 22.04 on an inf1.xlarge\n{OLD}",
            NEURON,
            "sudo apt-get update && sudo apt-get purge -y aws-neuron-dkms && "
            "sudo apt-get install -y 'aws-neuronx-dkms=2.24.*'",
        ),
        ("Amazon Linux 2023, Inf1 instance\n", NEURON, "sudo yum install -y 'aws-neuronx-dkms-2.24.*'"),
        ("An accelerator\n", NEURON, NEURON),
        (
            "Fedora 41\n",
            "sudo dnf upgrade && sudo reboot || sudo apt update && sudo apt upgrade && sudo reboot",
            "sudo dnf upgrade && sudo reboot",
        ),
        ("Fedora 41\n", GCC, "sudo dnf install -y gcc12 && export CC=gcc-12"),
        ("I run Void Linux here.\n", GCC, "export CC=gcc-12"),
        ("CMake Error at /usr/share/cmake/Modules/CMakeTestCUDACompiler.cmake:12\n", GCC, "export CC=gcc-12"),
        ("Ubuntu 20.04.6\n", GCC, "sudo apt install -y gcc-10 && export CC=gcc-10"),
        ("Ubuntu 22.04.3 LTS\n", GCC, GCC),
        ("Ubuntu 22.04\n", "sudo apt install -y dh-dkms dkms", "sudo apt install -y debhelper dkms"),
        ("Debian 13 trixie\n", "sudo apt install -y dh-dkms dkms", "sudo apt install -y dh-dkms dkms"),
        ("Linux Mint 22\n", "sudo apt install libgl1-mesa-glx", "sudo apt install libgl1"),
        (
            "Ubuntu 22.04, kernel: 6.0.9-060009-generic\n",
            'sudo apt install -y dkms && sudo apt install -y "linux-headers-$(uname -r)" && sudo dkms autoinstall',
            "sudo apt install -y dkms && sudo dkms autoinstall",
        ),
        (
            "Ubuntu 22.04, kernel: 6.8.0-51-generic\n",
            'sudo apt install -y "linux-headers-$(uname -r)" && sudo dkms autoinstall',
            'sudo apt install -y "linux-headers-$(uname -r)" && sudo dkms autoinstall',
        ),
        ("CMake Error at /usr/share/cmake-3.28/Modules/CMakeTestCUDACompiler.cmake:12\n", GCC, GCC),
    ],
    ids=[
        "one manager", "an old name, and hardware of the past", "yum", "no distribution", "a chain of another system",
        "a name elsewhere",
        "no name there", "a path that is not Debian's",
        "a compiler that an older release lacks", "one that it has", "a part of another package", "its own package",
        "a package that a newer release lacks", "headers of a mainline kernel", "headers of the archive's",
        "a path of Debian",
    ],
)  # fmt: skip
def test_an_installation_is_typed_as_this_system_has_it(text: str, command: str, typed: str) -> None:
    known = registry()
    snapshot = read_texts([("report", text)], known)
    facts = Facts(snapshot, infer(snapshot, known.specs, known.rules)[0])
    here = Environment(facts=facts, specs=known.specs)
    assert rendered(Remedy(text="Install it.", command=command, action="admin"), here).command == typed
