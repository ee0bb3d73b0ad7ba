"""A remedy is typed for a notebook's cell, an image's Dockerfile, conda's environment, or given to whoever is root."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from accel.collect.text import read_texts
from accel.facts.infer import infer
from accel.facts.questions import Facts
from accel.model.diagnosis import Remedy
from accel.plugins.registry import Registry
from accel.remedies.environment import Environment
from accel.remedies.image import WORDS
from accel.remedies.notebook import told_with
from accel.remedies.planner import plan
from accel.remedies.render import rendered
from accel.specs.store import parse
from accel.vendors.contract.check import Check, Problem

_CHECK = Check(code="AC999", name="no-gpu", layer="driver", run=lambda facts, specs: ())
_FIRST_CELL = told_with("%env A=1")
_ON_KAGGLE = "I want to use the TPU on Kaggle"
_IN_CELL = "In [3]: !pip install torch==2.1.0\n"
_CONTAINER = "$ docker run --rm --gpus all app:1 python t.py\nRuntimeError: x\n"
_SHELL_INSIDE = "root@5d3c2b1a0f9e:/workspace# cat /proc/1/cgroup\n0::/docker/5d3c2b1a0f9e\n"
_CONDA = "# packages in environment at /opt/conda:\n# Name Version Build Channel\nnumpy  2.0.1  py310  conda-forge\n"


def environment_of(text: str) -> Environment:
    known = Registry({})
    snapshot = read_texts([("report", text)], known)
    return Environment(facts=Facts(snapshot, infer(snapshot, known.specs, known.rules)[0]), specs=known.specs)


def planned(text: str, *remedies: Remedy) -> tuple[Remedy, ...]:
    here = environment_of(text)
    return plan(Problem(title="No GPU.", remedies=remedies), _CHECK, here.facts, here.specs).remedies


@pytest.mark.parametrize(
    ("text", "written", "typed", "added"),
    [
        (_IN_CELL, "pip install 'numpy<2'", "%pip install 'numpy<2'", told_with("%pip")),
        (_IN_CELL, "pip uninstall -y a && pip install b", "!pip uninstall -y a && pip install b", told_with("!pip")),
        (_IN_CELL, "export NCCL_P2P_DISABLE=1", "%env NCCL_P2P_DISABLE=1", _FIRST_CELL),
        (_IN_CELL, "unset A; nvidia-smi -L", "import os; os.environ.pop('A', None)", _FIRST_CELL),
        (_ON_KAGGLE, "unset A", "import os; os.environ.pop('A', None)", _FIRST_CELL),
        (
            "Das läuft auf einer VM, keine GPU auf Kaggle",
            "unset A",
            "import os; os.environ.pop('A', None)",
            _FIRST_CELL,
        ),
        ("the data set is from Kaggle, I train at home", "unset A", "unset A", ""),
        (_IN_CELL, "export A=1 && python t.py", "export A=1 && python t.py", ""),
        (_IN_CELL, "docker run --gpus all IMAGE", "docker run --gpus all IMAGE", ""),
        (_CONTAINER, "sudo apt install libnuma1", "RUN apt-get update && apt-get install -y libnuma1", WORDS),
        (_CONTAINER, "pip install 'numpy<2'", "RUN pip install 'numpy<2'", WORDS),
        (_CONTAINER, "export NCCL_P2P_DISABLE=1", "export NCCL_P2P_DISABLE=1", ""),
        (_CONDA, "pip install 'numpy<2'", "conda install 'numpy<2'", ""),
        (_CONDA, "pip install scipy", "pip install scipy", ""),
        ("it is slow", "pip install 'numpy<2'", "pip install 'numpy<2'", ""),
        ("% python t.py\nRuntimeError: x\n", "pip install scipy", "pip install scipy", ""),  # zsh
        ("% pip list\n", "pip install scipy", "pip install scipy", ""),
        (_SHELL_INSIDE, "sudo apt install gcc", "apt-get update && apt install gcc", ""),
        (_SHELL_INSIDE, "sudo apt update && sudo apt install gcc", "apt update && apt install gcc", ""),
    ],
)
def test_a_command_is_typed_where_it_is_for(text: str, written: str, typed: str, added: str) -> None:
    remedy = rendered(Remedy(text="Do it.", command=written), environment_of(text))
    assert (remedy.command, remedy.text) == (typed, f"Do it. {added}".strip())


def test_what_is_for_the_host_is_no_line_of_an_image() -> None:
    remedy = Remedy(text="On the host: install the toolkit.", command="sudo apt install nvidia-container-toolkit")
    assert "RUN" not in (rendered(remedy, environment_of(_CONTAINER)).command or "")


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("I do not have sudo rights on this server", False),
        ("jane is not in the sudoers file.", False),
        ("slurmstepd: error: Detected 1 oom_kill event in StepId=4711.batch.", False),
        ("$ sudo dmesg\nslurmstepd: error: Detected 1 oom_kill event in StepId=4711.batch.", True),
        ("root@node1:~# nvidia-smi", True),
        ("$ nvidia-smi", None),
        ("-> Kernel module load error: No such device", None),
        ("module load cuda/12.4", False),
        ("a cluster node with four MI100", False),
    ],
)
def test_who_may_be_root_is_told_by_the_text(text: str, may: bool | None) -> None:
    assert environment_of(text).root is may


def test_what_root_does_is_asked_of_the_administrators_and_comes_last() -> None:
    group = Remedy(text="Join the group.", command="sudo usermod -aG render $USER")
    own = Remedy(text="Take the build of the old driver.", command="pip install torch==2.4.0")
    first, second = planned("$ sbatch train.sh", group, own)
    assert first.command == own.command
    assert (second.command, second.action) == (None, "admin")
    assert second.text.endswith("The administrators of this cluster have to do this:  sudo usermod -aG render USER")


def test_root_is_not_sent_to_the_administrators() -> None:
    group = Remedy(text="Join the group.", command="sudo usermod -aG render $USER")
    assert planned("$ sudo nvidia-smi\n$ sbatch train.sh", group)[0].command == group.command


_ENGINE = Remedy(
    text="Install the toolkit.", command="sudo apt install nvidia-container-toolkit && sudo systemctl restart docker"
)
_MODULE = Remedy(text="Load the module.", command="sudo modprobe nvidia", action="admin")
_TORCH = Remedy(text="Take another build.", command="pip install torch==2.4.0")


@pytest.mark.parametrize(
    ("text", "remedy", "begins"),
    [
        ("OS: Microsoft Windows 10 Pro\nC:\\> docker run --gpus 2 app:1", _ENGINE, "On Windows only Docker Desktop"),
        ("Linux pc 5.15.90.1-microsoft-standard-WSL2 #1 SMP x86_64 GNU/Linux", _MODULE, "In WSL the driver"),
        ("C:\\Users\\me\\AppData\\Local\\Temp\\_MEI105362\\torch\\lib\\c10.dll", _TORCH, "The program ships its own"),
        ("FROM nvcr.io/nvidia/pytorch:23.12-py3", _TORCH, "The image's framework"),
    ],
    ids=["docker-on-windows", "wsl", "packaged-program", "vendor-image"],
)
def test_what_has_no_effect_in_an_environment_is_replaced_there(text: str, remedy: Remedy, begins: str) -> None:
    assert planned("$ nvidia-smi", remedy)[0].text.startswith(remedy.text)
    told = planned(text, remedy)
    assert [one.text.startswith(begins) for one in told] == [True]


def test_a_package_of_ones_own_is_installed_in_a_makers_image() -> None:
    numpy = Remedy(text="Keep NumPy 1.", command="pip install 'numpy<2'")
    assert "numpy" in (planned("FROM nvcr.io/nvidia/pytorch:23.12-py3", numpy)[0].command or "")


def test_a_portable_python_is_called_by_its_own_name() -> None:
    told = planned("D:\\ComfyUI_windows_portable> run_nvidia_gpu.bat\nOS: Microsoft Windows 11 Pro", _TORCH)
    assert told[0].command == "python_embeded\\python.exe -s -m pip install torch==2.4.0"


_FOR_LINUX = Remedy(text="Install the build for ROCm.", command="pip install torch==2.4.0")
_FOR_WINDOWS = Remedy(text="On Windows, take DirectML.", command="pip install torch-directml")


@pytest.mark.parametrize("text", ["using an AMD card on linux", "it runs under Ubuntu", "OS: Linux"])
def test_a_system_that_prose_names_gets_no_step_of_another_one(text: str) -> None:
    assert [one.text for one in planned(text, _FOR_WINDOWS, _FOR_LINUX)] == [_FOR_LINUX.text]


def test_what_is_removed_in_a_container_needs_no_sudo_there() -> None:
    inside = Remedy(
        text="In a container: remove the driver; the host has its own.", command="sudo apt purge -y nvidia-utils-550"
    )
    assert rendered(inside, environment_of("DISTRIB_ID=Ubuntu")).command == "apt purge -y nvidia-utils-550"


@pytest.mark.parametrize(
    ("words", "root"),
    [
        ("No tengo permisos de administrador en el servidor.", False),
        ("Não tenho permissão de administrador.", False),
        ("Ich habe auf dem Knoten keine Root-Rechte.", False),
        ("Ohne Adminrechte komme ich nicht weiter.", False),
        ("Je n'ai pas les droits root sur ce serveur.", False),
        ("Non ho i permessi di amministratore.", False),
        ("прав root у меня нет", False),
        ("服务器上没有 root 权限", False),
        ("管理者権限がありません。", False),
        ("관리자 권한이 없어서 설치를 못 합니다.", False),
        ("Ich habe Root-Rechte und bin im Raum.", None),
        ("我有 root 权限", None),
        ("Tengo permisos de administrador.", None),
        ("У меня есть права root.", None),
    ],
)
def test_a_writer_without_roots_rights_says_so_in_any_language(words: str, root: bool | None) -> None:
    assert environment_of(f"RuntimeError: No CUDA GPUs are available\n{words}\n").root is root


@pytest.mark.parametrize(
    ("words", "offline"),
    [
        ("服务器在内网环境，无法联网。", True),
        ("オフライン環境のサーバーです。", True),
        ("폐쇄망이라 인터넷이 안 됩니다.", True),
        ("Der Rechenknoten hat keinen Internetzugang.", True),
        ("Le serveur est sans accès à internet.", True),
        ("El nodo está sin acceso a internet.", True),
        ("У сервера нет доступа в интернет.", True),
        ("Der Knoten hat Internetzugang.", False),
        ("服务器可以联网。", False),
    ],
)
def test_a_machine_without_the_internet_is_known_in_any_language(words: str, offline: bool) -> None:
    assert environment_of(f"ModuleNotFoundError: No module named 'torch'\n{words}\n").offline is offline


_SURROUNDINGS: Mapping[str, Any] = parse(str(Path(__file__).parent / "surroundings.yaml"))


@pytest.mark.parametrize("row", _SURROUNDINGS["rows"], ids=lambda row: row["text"][:40])
def test_a_command_fits_the_surroundings_that_the_writer_tells(row: Mapping[str, Any]) -> None:
    remedy = rendered(
        Remedy(text="Do it.", command=row.get("given", _SURROUNDINGS["pip"])), environment_of(row["text"])
    )
    assert remedy.command == row["typed"]
    assert re.search(row.get("words", ""), remedy.text)


@pytest.mark.parametrize("row", _SURROUNDINGS["roots"], ids=lambda row: row["text"][:40])
def test_who_may_be_root_is_told_in_any_words(row: Mapping[str, Any]) -> None:
    assert environment_of(row["text"]).root is row["may"]
