"""Commands as the shell, the installer and the distribution of the reporter take them."""

import shlex
from functools import cache

import pytest

from accel.collect.text import read_texts
from accel.diagnose.engine import diagnose
from accel.facts.questions import Facts
from accel.model.diagnosis import Remedy
from accel.plugins.registry import Registry
from accel.resolver.system_tools import kernel_option
from accel.text.command_template import template_mistake
from accel.text.shells import for_shell, is_printable, steps_of, written
from accel.vendors.contract.check import Problem, check
from accel.vendors.contract.command import filled

TOOLS = ("pip", "python", "nvidia-smi", "docker", "conda")


@cache
def registry() -> Registry:
    return Registry({})


def typed(text: str, command: str, words: str = "Do it.") -> str | None:
    """Return the command of a remedy as the doctor gives it for a text."""

    @check(code="AC999", name="made-up", layer="framework")
    def made_up(facts: object, specs: object) -> object:
        return (Problem(title="made up", remedies=(Remedy(text=words, command=command),)),)

    known = registry()
    diagnosis = diagnose(read_texts([("report", text)], known), known.specs, [made_up])
    return diagnosis.findings[0].remedies[0].command


@pytest.mark.parametrize(
    ("command", "cmd", "powershell"),
    [
        ("pip install 'numpy<2'", 'pip install "numpy<2"', 'pip install "numpy<2"'),
        (
            "export A=1 B=x.y && python3 run.py",
            'set "A=1" && set "B=x.y" && python run.py',
            "$env:A = '1'; if ($?) { $env:B = 'x.y' }; if ($?) { python run.py }",
        ),
        ("unset AB; nvidia-smi -L", 'set "AB=" && nvidia-smi -L', "$env:AB = $null; if ($?) { nvidia-smi -L }"),
        ("A_B=1 python p.py", 'set "A_B=1" && python p.py', "$env:A_B = '1'; if ($?) { python p.py }"),
        ("env -u AB python p.py", 'set "AB=" && python p.py', "$env:AB = $null; if ($?) { python p.py }"),
        ("sudo nvidia-smi --gpu-reset -i 0", "nvidia-smi --gpu-reset -i 0", "nvidia-smi --gpu-reset -i 0"),
        ('python -c "import jax; print(jax.devices())"',) * 3,
        ("docker run --device /dev/dri IMAGE",) * 3,
        (r"reg add HKLM\SYSTEM\x /v TdrDelay /d 60 /f",) * 3,
        ("export LD_LIBRARY_PATH=/usr/lib", None, None),
        ("nvidia-smi | grep Xid", None, None),
        ("ldconfig -p", None, None),
        ("sudo modprobe nvidia && nvidia-smi", None, None),
        ("pip install $(cat wanted)", None, None),
        ("python /usr/lib/x.py", None, None),
    ],
)
def test_a_command_is_written_anew_for_windows(command: str, cmd: str | None, powershell: str | None) -> None:
    assert for_shell(command, "cmd", TOOLS) == cmd
    assert for_shell(command, "powershell", TOOLS) == powershell


def test_what_cmd_would_expand_is_not_written() -> None:
    assert for_shell("pip install 'a%PATH%b'", "cmd", TOOLS) is None
    assert for_shell("pip install 'a$b'", "powershell", TOOLS) == "pip install 'a$b'"


@pytest.mark.parametrize(
    "command",
    [
        "sudo dkms autoinstall -k $(uname -r) && sudo modprobe nvidia",
        "ls -l /dev/nvidia*; id",
        "python -c 'import torch; print(\"a | b\")' | tail -n 1",
        "A=1 B='x y' program \"$HOME/a b\" || true",
    ],
)
def test_a_command_taken_apart_is_the_same_when_written(command: str) -> None:
    steps = steps_of(command)
    assert steps is not None
    assert written(steps) == command
    for token in (t for step in steps for t in step.words if t.value is not None):
        assert shlex.split(token.raw) == [token.value]


@pytest.mark.parametrize("command", ["a > b", "(a; b)", "echo 'x", "`id`", "a &&", "&& a", ""])
def test_what_is_no_plain_command_is_left_whole(command: str) -> None:
    assert steps_of(command) is None


def test_a_command_shows_all_that_it_does() -> None:
    assert is_printable("pip install 'numpy<2'")
    assert not any(map(is_printable, ("", "pip list\nrm x", "a\x1b[8m", "pip \u202e x", "x" * 2001)))
    assert typed("torch==2.4.0", "pip list\nrm -rf x") is None


@pytest.mark.parametrize(
    ("text", "given", "here"),
    [
        ("$ uv sync", "pip uninstall -y torch && pip install torch", "uv add torch"),
        ("$ uv sync", "pip index versions torch", "pip index versions torch"),
        ("$ python3.10 -m pip install x", "pip install torch", "python3.10 -m pip install torch"),
        ("$ pip install --user x", "pip install torch", "pip install --user torch"),
        ("$ pip install --user x", "pip uninstall -y torch", "pip uninstall -y torch"),
        ("$ /opt/venv/bin/pip install x", "pip check", "/opt/venv/bin/pip check"),
        ("$ poetry add x", "pip install torch", "poetry add torch"),
        ("$ poetry add x", "pip install --no-deps torch", "poetry run pip install --no-deps torch"),
        (
            "$ uv sync",
            "pip uninstall -y torch && pip install torch==2.9.1 --index-url https://download.pytorch.org/whl/cu128",
            "uv add torch==2.9.1 --index pytorch-cu128=https://download.pytorch.org/whl/cu128",
        ),
        ("$ uv sync", "pip uninstall -y x && pip install 'numpy<2'", "uv remove x && uv add 'numpy<2'"),
        ("$ uv sync", "pip install --no-build-isolation flash-attn", "uv pip install --no-build-isolation flash-attn"),
        ("$ uv run a.py\n$ uv pip install x", "pip install torch", "uv pip install torch"),
        (
            "$ pixi install",
            "conda install -c nvidia cuda-nvcc",
            "pixi workspace channel add nvidia && pixi add cuda-nvcc",
        ),
        ("$ pixi install", "pip install torch==2.9.1 --index-url https://a.b/cu128", "pixi add --pypi torch==2.9.1"),
        (
            "$ poetry install",
            "pip install torch==2.5.1 --index-url https://a.b/cu121",
            "poetry source add --priority=explicit pytorch-cu121 https://a.b/cu121"
            " && poetry add --source pytorch-cu121 torch==2.5.1",
        ),
        (
            "The nodes have no internet access.",
            "pip install --force-reinstall torch==2.9.1 --index-url https://a.b/cu128",
            "pip install --no-index --find-links wheels --force-reinstall torch==2.9.1",
        ),
        ("C:\\a>py -3.10 -m pip install x", "pip install 'numpy<2'", 'py -3.10 -m pip install "numpy<2"'),
        ("$ pip install x", "jax-env/bin/pip install jax", "jax-env/bin/pip install jax"),
        ("$ /a;id/pip install x", "pip install torch", "pip install torch"),
        ("PS C:\\a> pip install x", "export A=1", "$env:A = '1'"),
        ("C:\\a>pip install x", "export A=1", 'set "A=1"'),
        ("C:\\a>pip install x", "sudo apt install gcc", None),
        ("OS: Fedora Linux 40", "sudo apt install build-essential", "sudo dnf install gcc-c++ make"),
        ("OS: Fedora Linux 40", "sudo apt install python3.11-dev", "sudo dnf install python3.11-devel"),
        ("OS: Arch Linux", "sudo apt install gcc-13", None),
        ("OS: Fedora Linux 40", "sudo apt purge nvidia-container-toolkit", "sudo dnf remove nvidia-container-toolkit"),
        ("OS: Fedora Linux 40", "sudo apt install -y ninja || sudo dnf install -y ninja", "sudo dnf install -y ninja"),
        (
            "OS: Fedora Linux 40",
            "sudo apt install -y nvidia-container-toolkit || sudo dnf install -y nvidia-container-toolkit",
            "sudo dnf install -y nvidia-container-toolkit",
        ),
        (
            "OS: Ubuntu 22.04.3 LTS",
            "sudo apt-get update && sudo apt-get install -y a-driver || sudo yum install -y a-driver; sudo modprobe a",
            "sudo apt-get update && sudo apt-get install -y a-driver; sudo modprobe a",
        ),
        (
            "OS: Arch Linux",
            "sudo pacman -Syu && sudo reboot || sudo apt update && sudo apt full-upgrade && sudo reboot",
            "sudo pacman -Syu && sudo reboot",
        ),
        (
            "it is slow",
            "sudo apt install -y a || sudo dnf install -y a",
            "sudo apt install -y a || sudo dnf install -y a",
        ),
        (
            "OS: Ubuntu 22.04.3 LTS",
            "sudo apt install -y a || sudo apt install -y b",
            "sudo apt install -y a || sudo apt install -y b",
        ),
        ("OS: Fedora Linux 40", "sudo update-initramfs -u && sudo reboot", "sudo dracut --force && sudo reboot"),
        ("OS: Arch Linux", "sudo update-initramfs -u", "sudo mkinitcpio -P"),
        ("OS: Ubuntu 22.04.3 LTS", "sudo update-grub", "sudo update-grub"),
        ("OS: macOS 14.4.1 (arm64)", "sudo apt install python3.11-dev", None),
        ("OS: macOS 14.4.1 (arm64)", "sudo apt install python3-dev", "brew install python"),
        ("OS: Ubuntu 24.04.3 LTS", "sudo apt install gcc-13", "sudo apt install gcc-13"),
        (
            "OS: NixOS 24.05",
            "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml && sudo reboot",
            "sudo nixos-rebuild switch && sudo reboot",
        ),
        ("OS: NixOS 24.05", "sudo apt install gcc-13", None),
        ("root@3f2a9c1b7d5e:/# pip list", "sudo apt install gcc-13", "apt-get update && apt install gcc-13"),
    ],
)
def test_a_command_is_typed_as_the_reporter_types(text: str, given: str, here: str | None) -> None:
    assert typed(text, given) == here


def test_a_remedy_for_the_host_keeps_sudo() -> None:
    root = "root@3f2a9c1b7d5e:/# pip list"
    assert typed(root, "sudo apt install gcc-13", "On the host: install it.") == "sudo apt install gcc-13"
    assert typed(root, "sudo apt install nvidia-driver-580") == "sudo apt install nvidia-driver-580"


@pytest.mark.parametrize(
    ("command", "mistake"),
    [
        ("acme-smi reset -i {index:number} --force", None),
        ("acme-smi --gpu={index:number}", None),
        ("docker inspect --format '{{.Name}}' {name:image}", None),
        ("acme-smi reset -i {index:words}", "expected a slot of one of"),
        ("sh -c 'acme-smi reset {index:number} now'", "outside of quote marks"),
        ("acme-smi gpu{index:number}", "to be a word"),
        ("acme-smi {index:number}x", "to be a word"),
        ("acme-smi `id`", "expected words"),
        ("acme-smi\nid", "visible characters"),
        ("acme-smi > /etc/passwd", "expected words"),
    ],
)
def test_a_command_of_a_table_is_checked_where_it_is_loaded(command: str, mistake: str | None) -> None:
    told = template_mistake(command)
    assert (told is None) == (mistake is None)
    assert mistake is None or mistake in str(told)


@pytest.mark.parametrize(
    ("value", "command"),
    [("7", "acme-smi reset -i 7"), ("7;id", None), ("$(id)", None), ("", None), (None, None), ("-1", None)],
)
def test_a_value_that_is_none_of_its_kind_leaves_the_command_out(value: str | None, command: str | None) -> None:
    assert filled("acme-smi reset -i {index:number}", {"index": value}.get) == command


@pytest.mark.parametrize(
    ("value", "command"), [("7", "acme-smi -i 7"), ("7;id", "acme-smi -i N"), (None, "acme-smi -i N")]
)
def test_a_slot_may_say_what_a_reader_puts_there_by_hand(value: str | None, command: str) -> None:
    assert filled("acme-smi -i {index:number|N}", {"index": value}.get) == command


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (
            "OS: Ubuntu 22.04.3 LTS",
            "echo 'GRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX iommu=pt\"' | sudo tee -a /etc/default/grub.d/accel.cfg && "
            "sudo update-grub",
        ),
        ("OS: Rocky Linux 9.4", "sudo grubby --update-kernel=ALL --args=iommu=pt"),
        ("OS: Fedora Linux 40", "sudo grubby --update-kernel=ALL --args=iommu=pt"),
        ("OS: Pop!_OS 22.04 LTS", "sudo kernelstub --add-options iommu=pt"),
        (
            "OS: openSUSE Leap 15.6",
            "sudo sed -i 's/^GRUB_CMDLINE_LINUX=\"/&iommu=pt /' /etc/default/grub && "
            "sudo grub2-mkconfig -o /boot/grub2/grub.cfg",
        ),
        ("OS: NixOS 24.05", None),
    ],
)
def test_the_kernel_gets_an_option_as_its_boot_loader_takes_it(text: str, command: str | None) -> None:
    facts = Facts(read_texts([("report", text)], registry()))
    assert kernel_option("iommu", "pt", facts, registry().specs) == command


def test_without_a_distribution_debian_s_way_is_shown() -> None:
    facts = Facts(read_texts([("report", "Ubuntu")], registry()))
    assert "update-grub" in (kernel_option("iommu", "pt", facts, registry().specs) or "")
    assert kernel_option("iommu", "pt; id", facts, registry().specs) is None
