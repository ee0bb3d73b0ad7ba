"""Pythons that start with another's variables, without their base, or import the user's own file for a module."""

from pathlib import Path

import pytest
import yaml
from recorded_environment import SITE, RecordedEnvironment

from accel.collect.environment import looked_at
from accel.machine.recorded import RecordedMachine
from accel.model.observation import Noted

LIBRARY = "/usr/lib/python3.11"
OTHER = "/opt/ros/lib/python3.8/site-packages"


def seen(machine: RecordedMachine, python: str | None = None) -> list[tuple[str, str]]:
    notes = looked_at(machine, python, architecture="x86_64")[1]
    return [(one.fact, one.text) for one in notes if isinstance(one, Noted)]


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({}, []),
        ({"PYTHONPATH": f"/work/src:{OTHER}"}, [f"PYTHONPATH has {OTHER}, and this is Python 3.11.7"]),
        ({"PYTHONPATH": "/opt/gone/lib/python3.8/site-packages"}, []),
        ({"PYTHONPATH": f"/work/src:{SITE}"}, []),
        (
            {"PYTHONHOME": "/opt/ros"},
            ["PYTHONHOME is /opt/ros, which has no lib/python3.11/os.py: Python 3.11.7 cannot start with it"],
        ),
        ({"PYTHONHOME": "/usr"}, []),
    ],
)
def test_variables_of_another_python_are_told(tmp_path: Path, variables: dict[str, str], told: list[str]) -> None:
    environment = RecordedEnvironment(tmp_path, variables=variables)
    environment.file(f"{OTHER}/numpy/__init__.py")
    environment.file(f"{LIBRARY}/os.py")
    assert seen(environment.machine()) == [("environment-of-another-python", text) for text in told]


def test_a_python_that_its_home_keeps_from_starting_is_asked_without_it(tmp_path: Path) -> None:
    answer = '["/x/bin/python", "3.12.1", [], "/x"]\n'
    document = {
        "environment": {"PYTHONHOME": "/opt/old"},
        "commands": [{"argv": ["/x/bin/python", "-I", "-S", "-c", "*"], "stdout": answer}],
    }
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    ((fact, text),) = seen(RecordedMachine(tmp_path), "/x/bin/python")
    assert fact == "environment-of-another-python"
    assert text.startswith("PYTHONHOME is /opt/old")


@pytest.mark.parametrize("given", ["/v", "/v/", "/v/bin/python", "/work"])
def test_a_virtual_environment_without_its_base_is_told(tmp_path: Path, given: str) -> None:
    prefix = "/work/.venv" if given == "/work" else "/v"
    links = {f"{prefix}/bin/python": "python3", f"{prefix}/bin/python3": "/opt/gone/bin/python3.9"}
    document = {"nodes": [f"{prefix}/pyvenv.cfg"], "links": links}
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    text = f"{prefix}/bin/python leads to /opt/gone/bin/python3.9, which is not there"
    assert seen(RecordedMachine(tmp_path), given) == [("environment-moved", text)]


def test_the_active_environment_without_its_base_is_told(tmp_path: Path) -> None:
    document = {
        "interpreter": {"executable": "/usr/bin/python3", "version": "3.11.7", "paths": [], "prefix": "/usr"},
        "environment": {"VIRTUAL_ENV": "/v"},
        "nodes": ["/v/pyvenv.cfg"],
        "links": {"/v/bin/python": "/opt/gone/bin/python3.9"},
    }
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    assert [fact for fact, _ in seen(RecordedMachine(tmp_path))] == ["environment-moved"]


def shadowed(tmp_path: Path, package: str, *files: str) -> list[str]:
    environment = RecordedEnvironment(tmp_path, ("/work/project", LIBRARY, SITE))
    for file in (f"{LIBRARY}/os.py", f"{LIBRARY}/random.py", *(f"/work/project/{file}" for file in files)):
        environment.file(file)
    module = {"pynvml.py": ""} if package == "nvidia-ml-py" else {f"{package}/__init__.py": ""}
    environment.package(package, "2.4.0", files=module)
    return [text for fact, text in seen(environment.machine()) if fact == "package-shadowed"]


@pytest.mark.parametrize("package", ["torch", "requests"])
@pytest.mark.parametrize("file", ["random.py", "random/__init__.py"])
def test_a_file_named_like_a_standard_module_shadows_it(tmp_path: Path, package: str, file: str) -> None:
    assert shadowed(tmp_path, package, file) == [f"{file} in /work/project comes before {LIBRARY}/random"]


@pytest.mark.parametrize("file", ["sys.py", "test/__init__.py", "random/notes.txt", "os.py", "train.py", "random.pyc"])
def test_other_files_of_a_project_shadow_nothing(tmp_path: Path, file: str) -> None:
    assert shadowed(tmp_path, "torch", file) == []


def test_a_folder_named_like_a_vendors_module_shadows_it(tmp_path: Path) -> None:
    told = shadowed(tmp_path, "nvidia-ml-py", "pynvml/__init__.py")
    assert told == [f"pynvml/__init__.py in /work/project comes before {SITE}/pynvml.py"]


def test_a_folder_comes_before_a_file_of_its_name_in_one_place(tmp_path: Path) -> None:
    environment = RecordedEnvironment(tmp_path)
    environment.package("nvidia-ml-py", "12.0", files={"pynvml.py": ""})
    environment.file(f"{SITE}/pynvml/__init__.py")
    ((fact, text),) = seen(environment.machine())
    assert (fact, text) == ("package-shadowed", f"pynvml/__init__.py in {SITE} comes before {SITE}/pynvml.py")
