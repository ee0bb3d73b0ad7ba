"""Which Python is meant, and which environments are found: folders, programs, conda's builds."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from recorded_environment import SITE, RecordedEnvironment

from accel.apps.cli import main
from accel.collect.environment import environment_facts, looked_at
from accel.collect.environment.interpreter import interpreter_of
from accel.collect.environment.layout import read_from_files
from accel.collect.environment.nearby import environments_nearby
from accel.machine.live import LiveMachine
from accel.machine.recorded import RecordedMachine

ACCEL = str(Path(sys.executable).parent / "accel")
ANSWER = '["/x/bin/python", "3.12.1", ["/x/lib/python3.12/site-packages"], "/x"]\n'


def recorded(folder: Path, *nodes: str, **stated: object) -> RecordedMachine:
    document = {"nodes": list(nodes), **stated}
    (folder / "machine.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    return RecordedMachine(folder)


@pytest.mark.parametrize(
    ("given", "file"),
    [
        ("/x", "/x/bin/python"),
        ("/x/", "/x/bin/python"),
        ("~/work", "/home/ines/work/bin/python3"),
        ("/project", "/project/.venv/bin/python"),
        ("/x/bin/python", "/x/bin/python"),
        ("python3.12", "python3.12"),
    ],
)
def test_a_python_is_given_by_its_folder_or_its_name(tmp_path: Path, given: str, file: str) -> None:
    commands = [{"argv": [file, "-I", "-S", "-c", "*"], "stdout": ANSWER}]
    machine = recorded(tmp_path, file if "/" in file else "/y", commands=commands, environment={"HOME": "/home/ines"})
    assert environment_facts(machine, given).python_version == "3.12.1"


@pytest.mark.parametrize("given", ["/nowhere", "nothing-of-this-name", "/etc"])
def test_a_python_that_is_none_ends_in_2(given: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--python", given, "--timeout", "5"]) == 2
    assert "Give an interpreter, or the folder of an environment" in capsys.readouterr().err


def test_a_text_is_judged_with_the_environment_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.txt"
    report.write_text("torch==2.0.1+cpu\nGPU 0: NVIDIA GeForce RTX 3090 (UUID: GPU-1)\n", encoding="utf-8")
    main(["doctor", "--from", str(report), "--python", sys.executable])
    said = " ".join(capsys.readouterr().out.split())
    assert "NVIDIA GeForce RTX 3090" in said
    assert f"Python {sys.version.split()[0]} at" in said
    assert "2.0.1" not in said


def test_all_environments_go_with_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--all-environments", "--python", sys.executable]) == 2
    assert "--all-environments looks at this machine" in capsys.readouterr().err


def test_environments_with_a_framework_are_found(tmp_path: Path) -> None:
    home, site = "/home/ines", "lib/python3.12/site-packages"
    machine = recorded(
        tmp_path,
        *("/project/.venv/pyvenv.cfg", "/project/.venv/bin/python", f"/project/.venv/{site}/torch-2.4.0.dist-info"),
        *("/project/docs-env/pyvenv.cfg", "/project/docs-env/bin/python", f"/project/docs-env/{site}/a-1.dist-info"),
        *(f"{home}/miniforge3/envs/jax/bin/python", f"{home}/miniforge3/envs/jax/{site}/jaxlib-0.4.34.dist-info"),
        *("/data/env/bin/python3", f"/data/env/{site}/tensorflow-2.17.0.dist-info"),
        *("/usr/bin/python3", "/usr/lib/python3/dist-packages/torch-1.13.dist-info"),
        environment={"HOME": home, "PWD": "/project", "PATH": "/usr/bin", "VIRTUAL_ENV": "/project/.venv"},
        files={f"{home}/.conda/environments.txt": "/data/env\n/gone\n"},
    )
    assert environments_nearby(machine) == (
        "/project/.venv/bin/python",
        "/data/env/bin/python3",
        f"{home}/miniforge3/envs/jax/bin/python",
        "/usr/bin/python3",
    )


def test_condas_files_tell_the_build_of_what_conda_installed(tmp_path: Path) -> None:
    environment = RecordedEnvironment(tmp_path)
    environment.package("jaxlib", "0.4.31")
    environment.package("torch", "2.4.0+cu121")
    environment.file(f"{SITE}/jaxlib-0.4.31.dist-info/INSTALLER", "conda\n")
    environment.file(f"{SITE}/torch-2.4.0+cu121.dist-info/INSTALLER", "pip\n")
    environment.file("/work/env/conda-meta/jaxlib-0.4.31-cuda120py311h55e4a9b_200.json")
    environment.file("/work/env/conda-meta/pytorch-2.4.0-cpu_generic_py311_0.json")
    facts, _ = looked_at(environment.machine())
    assert [(p.name, p.channel, p.variant) for p in facts.packages or ()] == [
        ("jaxlib", "conda", "cuda120py311h55e4a9b_200"),
        ("torch", "pip", "cu121"),
    ]
    assert {f.name: f.built_for for f in facts.frameworks} == {"jaxlib": "cuda", "torch": "cuda"}


def test_what_pip_installed_over_condas_is_told(tmp_path: Path) -> None:
    environment = RecordedEnvironment(tmp_path)
    environment.package("torch", "2.4.0+cu121")
    environment.file(f"{SITE}/torch-2.4.0+cu121.dist-info/INSTALLER", "pip\n")
    environment.file("/work/env/conda-meta/pytorch-2.1.0-py3.11_cuda12.1_cudnn8.9.2_0.json")
    _, (noted,) = looked_at(environment.machine())
    assert noted.text.endswith("was installed over conda's pytorch 2.1.0")


PIPX = {
    "executable": "/home/ann/.local/share/pipx/venvs/accel-sdk/bin/python",
    "version": "3.13.1",
    "paths": ["/home/ann/.local/share/pipx/venvs/accel-sdk/lib/python3.13/site-packages"],
    "prefix": "/home/ann/.local/share/pipx/venvs/accel-sdk",
}
VENV = {
    "/proj/.venv/pyvenv.cfg": "home = /usr/bin\nversion = 3.11.7\n",
    "/proj/.venv/bin/python": "",
    "/proj/.venv/lib/python3.11/site-packages/torch-2.4.0.dist-info/METADATA": "Name: torch\nVersion: 2.4.0\n",
}
CONDA = {
    "/conda/envs/ml/conda-meta/python-3.10.14-h955ad1f_1.json": "{}",
    "/conda/envs/ml/bin/python": "",
    "/conda/envs/ml/lib/python3.10/site-packages/jax-0.4.34.dist-info/METADATA": "Name: jax\nVersion: 0.4.34\n",
}


@pytest.mark.parametrize(
    ("files", "variables", "python", "package"),
    [
        (VENV, {"VIRTUAL_ENV": "/proj/.venv"}, "/proj/.venv/bin/python", "torch"),
        (VENV, {"PATH": "/usr/local/bin:/proj/.venv/bin:/usr/bin"}, "/proj/.venv/bin/python", "torch"),
        (CONDA, {"CONDA_PREFIX": "/conda/envs/ml/"}, "/conda/envs/ml/bin/python", "jax"),
        (
            VENV | CONDA,
            {"CONDA_PREFIX": "/conda/envs/ml", "VIRTUAL_ENV": "/proj/.venv"},
            "/proj/.venv/bin/python",
            "torch",
        ),
    ],
)
def test_accel_in_an_environment_of_its_own_looks_at_the_active_one_and_runs_nothing(
    tmp_path: Path, files: dict[str, str], variables: dict[str, str], python: str, package: str
) -> None:
    machine = recorded(tmp_path, interpreter=PIPX, files=files, environment=variables)  # no command is recorded
    found = environment_facts(machine)
    assert (found.python_executable, [one.name for one in found.packages or ()]) == (python, [package])
    assert found.complete


@pytest.mark.parametrize(
    ("files", "variables", "command"),
    [
        ({"/usr/bin/python3": ""}, {"PATH": "/usr/bin"}, "accel doctor --python /usr/bin/python3"),
        (
            VENV | {"/proj/.venv/pyvenv.cfg": "home = /usr/bin\n"},
            {"VIRTUAL_ENV": "/proj/.venv"},
            "/proj/.venv/bin/python",
        ),
        ({}, {"PATH": "/usr/bin", "VIRTUAL_ENV": "/gone"}, "accel doctor --python FOLDER"),
        ({}, {"PATH": "/home/ann/.local/share/pipx/venvs/accel-sdk/bin"}, "accel doctor --python FOLDER"),
    ],
)
def test_an_environment_that_files_do_not_tell_is_named_with_the_command_that_looks_at_it(
    tmp_path: Path, files: dict[str, str], variables: dict[str, str], command: str
) -> None:
    machine = recorded(tmp_path, interpreter=PIPX, files=files, environment=variables)
    found = environment_facts(machine)
    (gap,) = found.gaps
    assert (found.python_version, found.packages, found.complete) == (None, None, False)
    assert gap.reason.endswith(command)


def test_a_receipt_of_a_tool_tells_accels_own_environment_wherever_it_is(tmp_path: Path) -> None:
    beside = PIPX | {"prefix": "/tools/accel", "executable": "/tools/accel/bin/python", "paths": []}
    files = VENV | {"/tools/accel/uv-receipt.toml": ""}
    machine = recorded(tmp_path, interpreter=beside, files=files, environment={"VIRTUAL_ENV": "/proj/.venv"})
    assert environment_facts(machine).python_executable == "/proj/.venv/bin/python"


def test_the_active_environment_of_windows_is_read_too(tmp_path: Path) -> None:
    files = {
        "/C:/proj/.venv/pyvenv.cfg": "version = 3.11.7\n",
        "/C:/proj/.venv/Scripts/python.exe": "",
        "/C:/proj/.venv/Lib/site-packages/torch-2.4.0.dist-info/METADATA": "Name: torch\nVersion: 2.4.0\n",
    }
    own = PIPX | {"prefix": "C:\\Users\\ann\\pipx\\venvs\\accel-sdk", "paths": []}
    variables = {"VIRTUAL_ENV": "C:\\proj\\.venv", "PATH": "C:\\Windows;C:\\proj\\.venv\\Scripts"}
    machine = recorded(tmp_path, system="windows", interpreter=own, files=files, environment=variables)
    found = environment_facts(machine)
    assert (found.python_executable, found.python_version) == ("C:/proj/.venv/Scripts/python.exe", "3.11.7")
    assert [one.name for one in found.packages or ()] == ["torch"]


def test_accel_beside_the_programs_looks_at_its_own_environment(tmp_path: Path) -> None:
    beside = PIPX | {"prefix": "/work/.venv", "executable": "/work/.venv/bin/python", "paths": []}
    machine = recorded(tmp_path, interpreter=beside, files=VENV, environment={"VIRTUAL_ENV": "/proj/.venv"})
    assert environment_facts(machine).python_executable == "/work/.venv/bin/python"


MARKS = "import pathlib, sys; pathlib.Path({path!r}).write_text('ran')\n"


@pytest.fixture
def hostile(tmp_path: Path) -> tuple[Path, Path]:
    """A checkout with an environment whose every file that Python would run says so; and the file that would say it."""
    mark = tmp_path / "ran"
    environment = tmp_path / "checkout" / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    site = environment / "lib" / "python{}.{}".format(*sys.version_info) / "site-packages"
    code = MARKS.format(path=str(mark))
    (site / "torch-2.4.0.dist-info").mkdir()
    (site / "torch-2.4.0.dist-info" / "METADATA").write_text("Name: torch\nVersion: 2.4.0\n")
    (site / "odd.pth").write_text(code)
    for name in ("sitecustomize.py", "usercustomize.py"):
        (site / name).write_text(code)
    for name in ("json.py", "nvidia-smi", "sitecustomize.py", "pynvml.py", "accel_odd.py"):
        (environment.parent / name).write_text(code)
    tool = environment.parent / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\necho ran > {mark}\n")
    tool.chmod(0o755)
    return environment, mark


@pytest.mark.skipif(sys.platform == "win32", reason="folders of a POSIX Python")
@pytest.mark.parametrize(
    "words", [("--all-environments",), ("--python", ".venv"), ("--python", ".venv/bin/python"), ()]
)
def test_looking_at_a_checkout_runs_nothing_of_it(hostile: tuple[Path, Path], words: tuple[str, ...]) -> None:
    environment, mark = hostile
    variables = {**os.environ, "PWD": str(environment.parent), "PATH": f".::{os.environ['PATH']}"}
    for name in ("VIRTUAL_ENV", "PYTHONPATH"):
        variables.pop(name, None)
    command = [sys.executable, "-P", "-m", "accel"] if sys.version_info >= (3, 11) else [ACCEL]
    done = subprocess.run(
        [*command, "doctor", "--json", *words],
        cwd=environment.parent,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1, 3), done.stderr
    assert not mark.exists()
    assert '"findings"' in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="folders of a POSIX Python")
def test_an_environment_that_nobody_named_is_not_started(hostile: tuple[Path, Path]) -> None:
    environment, mark = hostile
    python = environment / "bin" / "python"
    python.unlink()
    python.write_text(f"#!/bin/sh\necho ran > {mark}\n")
    python.chmod(0o755)
    main(["doctor", "--python", str(python), "--timeout", "5"])
    assert mark.read_text() == "ran\n"  # named
    mark.unlink()
    machine = LiveMachine({"PWD": str(environment.parent)})
    assert environments_nearby(machine) == (str(python),)
    facts, _ = looked_at(machine, str(python), named=False)
    assert [(one.name, one.version) for one in facts.packages or ()] == [("torch", "2.4.0")]
    assert not mark.exists()


PATHS = "import os\n/src/a\n../b\n/gone\n# c\n"
LIBRARY = "/usr/lib/python3.11/os.py"


@pytest.mark.parametrize(
    ("prefix", "files", "links", "version", "sites"),
    [
        ("/proj/.venv", VENV, {}, "3.11.7", ["/proj/.venv/lib/python3.11/site-packages"]),
        (
            "/proj/.venv",
            VENV
            | {"/proj/.venv/pyvenv.cfg": "home = /usr/bin\nversion = 3.11.7\ninclude-system-site-packages = true\n"},
            {},
            "3.11.7",
            [
                "/home/ann/.local/lib/python3.11/site-packages",
                "/proj/.venv/lib/python3.11/site-packages",
                "/usr/lib/python3.11/site-packages",
            ],
        ),
        (
            "/conda/envs/ml",
            CONDA,
            {},
            "3.10.14",
            ["/home/ann/.local/lib/python3.10/site-packages", "/conda/envs/ml/lib/python3.10/site-packages"],
        ),
        (
            "/usr",
            {
                LIBRARY: "",
                "/usr/bin/python3.11": "",
                "/usr/lib/python3/dist-packages/torch-1.13.dist-info/METADATA": "",
            },
            {"/usr/bin/python3": "python3.11"},
            "3.11",
            [
                "/home/ann/.local/lib/python3.11/site-packages",
                "/usr/local/lib/python3.11/dist-packages",
                "/usr/lib/python3/dist-packages",
                "/usr/lib/python3.11/site-packages",
            ],
        ),
        (
            "/home/ann/.pyenv/versions/3.12.4",
            {
                "/home/ann/.pyenv/versions/3.12.4/bin/python": "",
                "/home/ann/.pyenv/versions/3.12.4/lib/python3.12/site-packages/jax-0.4.30.dist-info/METADATA": "",
                "/home/ann/.pyenv/versions/3.12.4/lib/python3.12/site-packages/a.pth": PATHS,
                "/home/ann/.pyenv/versions/3.12.4/lib/python3.12/b/c.py": "",
                "/src/a/d.py": "",
            },
            {},
            "3.12.4",
            [
                "/home/ann/.local/lib/python3.12/site-packages",
                "/home/ann/.pyenv/versions/3.12.4/lib/python3.12/site-packages",
                "/src/a",
                "/home/ann/.pyenv/versions/3.12.4/lib/python3.12/b",
            ],
        ),
    ],
)
def test_where_a_python_looks_for_packages_is_read_from_its_folder(
    tmp_path: Path, prefix: str, files: dict[str, str], links: dict[str, str], version: str, sites: list[str]
) -> None:
    machine = recorded(tmp_path, files=files, links=links, environment={"HOME": "/home/ann"})
    told = read_from_files(machine, prefix)
    assert told is not None
    assert (told[0], list(told[1][1:])) == (version, sites)


@pytest.mark.skipif(sys.platform == "win32", reason="folders of a POSIX Python")
@pytest.mark.parametrize("system_too", [False, True])
def test_the_paths_that_files_tell_are_those_that_python_has(tmp_path: Path, system_too: bool) -> None:
    words = ["--system-site-packages"] if system_too else []
    environment = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", *words, str(environment)], check=True)
    (tmp_path / "beside").mkdir()
    site = environment / "lib" / "python{}.{}".format(*sys.version_info) / "site-packages"
    (site / "more.pth").write_text(f"{tmp_path / 'beside'}\n{tmp_path / 'gone'}\n")
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    python = str(environment / "bin" / "python")
    show = "import json, sys; print(json.dumps(sys.path[1:]))"
    real = json.loads(subprocess.run([python, "-c", show], env=variables, capture_output=True, check=True).stdout)
    interpreter, _ = interpreter_of(LiveMachine(variables), python)
    assert interpreter is not None
    assert interpreter.prefix == str(environment)
    assert [path for path in interpreter.paths if os.path.isdir(path)] == [path for path in real if os.path.isdir(path)]
