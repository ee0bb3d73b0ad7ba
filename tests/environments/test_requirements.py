"""What the metadata of an environment tells: requirements that are not met, and which of two installations is true."""

from pathlib import Path

import pytest
from recorded_environment import SITE, RecordedEnvironment

from accel.apps.privacy.redact import redacted
from accel.collect.environment import looked_at
from accel.model.observation import Conflict, Noted, Observation
from accel.model.snapshot import Snapshot


@pytest.fixture
def environment(tmp_path: Path) -> RecordedEnvironment:
    return RecordedEnvironment(tmp_path)


def seen(environment: RecordedEnvironment) -> tuple[Observation, ...]:
    return looked_at(environment.machine(), architecture="x86_64")[1]


def texts(environment: RecordedEnvironment) -> list[str]:
    return [one.text for one in seen(environment)]


def test_a_missing_library_wheel_is_told_with_all_who_need_it(environment: RecordedEnvironment) -> None:
    environment.package("torch", "2.4.0", "nvidia-cublas-cu12==12.1.3.1 ; platform_system == 'Linux'")
    environment.package("nvidia-cudnn-cu12", "9.1.0.70", "nvidia-cublas-cu12")
    assert texts(environment) == [
        "nvidia-cudnn-cu12 9.1.0.70 requires nvidia-cublas-cu12, which is not installed",
        "torch 2.4.0 requires nvidia-cublas-cu12==12.1.3.1, which is not installed",
    ]
    assert {dict(one.values)["fits"] for one in seen(environment) if isinstance(one, Noted)} == {"==12.1.3.1"}


@pytest.mark.parametrize(
    ("requirement", "told"),
    [
        ("tokenizers<0.20,>=0.19", "newer"),
        ("tokenizers (>=0.22)", "older"),
        ("tokenizers!=0.21.0", "other"),
        ("Tokenizers==0.21.*", None),
        ("tokenizers", None),
        ("tokenizers<0.20 ; python_version < '3.10'", None),
        ("tokenizers<0.20 ; platform_machine == 'aarch64'", None),
        ("tokenizers<0.20 ; extra == 'dev'", None),
        ("this is no requirement", None),
    ],
)
def test_a_version_is_held_against_what_is_declared(
    environment: RecordedEnvironment, requirement: str, told: str | None
) -> None:
    environment.package("transformers", "4.44.0", requirement)
    environment.package("tokenizers", "0.21.0")
    relations = [dict(one.values)["relation"] for one in seen(environment) if isinstance(one, Noted)]
    assert relations == ([told] if told else [])


def test_what_bears_on_no_accelerator_is_not_judged(environment: RecordedEnvironment) -> None:
    environment.package("flask", "1.0", "werkzeug>=2", "torch<2")
    environment.package("torch", "2.4.0")
    assert texts(environment) == ["flask 1.0 requires torch<2, but torch 2.4.0 is installed"]


def test_a_pair_with_its_own_check_is_a_conflict(environment: RecordedEnvironment) -> None:
    environment.package("torchvision", "0.19.1", "torch==2.4.1")
    environment.package("torch", "2.4.0")
    (conflict,) = seen(environment)
    assert isinstance(conflict, Conflict)
    assert (conflict.component, conflict.by, conflict.relation) == ("torch", "torchvision", "older")


def test_an_extra_counts_where_its_own_part_is_installed(environment: RecordedEnvironment) -> None:
    environment.package(
        "jax", "0.4.34", "jax-cuda12-plugin<=0.4.34,>=0.4.34 ; extra == 'cuda12'", "libtpu==0.1 ; extra == 'tpu'"
    )
    assert texts(environment) == []
    environment.package("jax-cuda12-plugin", "0.4.30")
    assert texts(environment) == [
        "jax 0.4.34 requires jax-cuda12-plugin<=0.4.34,>=0.4.34, but jax-cuda12-plugin 0.4.30 is installed"
    ]


def test_an_extra_that_another_package_explains_asks_for_nothing(environment: RecordedEnvironment) -> None:
    environment.package("torch", "2.4.0", "nvidia-cudnn-cu12==9.1.0.70")
    environment.package("tensorflow", "2.17.0", "nvidia-cudnn-cu12==8.9.7.29 ; extra == 'and-cuda'")
    environment.package("nvidia-cudnn-cu12", "9.1.0.70")
    assert texts(environment) == []


def test_an_extra_of_which_most_is_here_lacks_the_rest(environment: RecordedEnvironment) -> None:
    names = ("nvidia-cublas-cu12", "nvidia-cudnn-cu12", "nvidia-nccl-cu12")
    environment.package("jax-cuda12-plugin", "0.4.34", *(f"{name}>=1 ; extra == 'with-cuda'" for name in names))
    environment.package(names[0], "12.1")
    assert texts(environment) == []
    environment.package(names[1], "9.1")
    assert texts(environment) == ["jax-cuda12-plugin 0.4.34 requires nvidia-nccl-cu12>=1, which is not installed"]


def test_who_cannot_be_served_together_gets_no_version(environment: RecordedEnvironment) -> None:
    environment.package("transformers", "4.44.0", "numpy<2")
    environment.package("onnx", "1.18.0", "numpy>=2.1")
    environment.package("numpy", "1.26.4")
    (one,) = seen(environment)
    assert isinstance(one, Noted)
    assert "fits" not in dict(one.values)


def test_the_version_file_decides_between_two_folders_of_metadata(environment: RecordedEnvironment) -> None:
    environment.package("torch", "2.4.0+cu121", files={"torch/version.py": "__version__ = '2.4.0+cu121'\n"})
    environment.file(f"{SITE}/torch-2.5.1.dist-info/METADATA", "Name: torch\nVersion: 2.5.1\n\n")
    facts, noted = looked_at(environment.machine())
    assert [(p.name, p.version, p.variant) for p in facts.packages or ()] == [("torch", "2.4.0", "cu121")]
    assert [dict(one.values)["stale"] for one in noted if isinstance(one, Noted)] == ["2.5.1"]


def test_without_a_version_file_the_one_with_a_record_is_the_true_one(environment: RecordedEnvironment) -> None:
    environment.package("triton", "3.0.0", files={})
    environment.file(f"{SITE}/triton-3.1.0.dist-info/METADATA", "Name: triton\nVersion: 3.1.0\n\n")
    facts, _ = looked_at(environment.machine())
    assert [p.version for p in facts.packages or ()] == ["3.0.0"]


def test_a_copy_outside_the_environment_that_comes_first_is_told(tmp_path: Path) -> None:
    user = "/home/ines/.local/lib/python3.11/site-packages"
    environment = RecordedEnvironment(tmp_path, (user, SITE))
    environment.package("torch", "2.0.1", site=user)
    environment.package("torch", "2.4.0")
    environment.package("numpy", "1.26.4", site=user)
    environment.package("numpy", "1.26.4")
    facts, noted = looked_at(environment.machine())
    assert [(p.name, p.version) for p in facts.packages or ()] == [("numpy", "1.26.4"), ("torch", "2.0.1")]
    assert [dict(one.values)["hidden"] for one in noted if isinstance(one, Noted)] == ["2.4.0"]


def test_the_environments_own_copy_may_hide_the_systems(tmp_path: Path) -> None:
    system = "/usr/lib/python3/dist-packages"
    environment = RecordedEnvironment(tmp_path, (SITE, system))
    environment.package("numpy", "1.26.4")
    environment.package("numpy", "1.21.5", site=system)
    assert texts(environment) == []


def test_an_egg_tells_its_requirements_and_a_development_install_its_version(environment: RecordedEnvironment) -> None:
    environment.file(f"{SITE}/deepspeed-0.9.egg-info/PKG-INFO", "Name: deepspeed\nVersion: 0.9\n\n")
    environment.file(f"{SITE}/deepspeed-0.9.egg-info/requires.txt", "torch>=2.5\n\n[dev]\npytest\n")
    environment.file(f"{SITE}/torch.egg-info/PKG-INFO", "Name: torch\nVersion: 2.4.0a0+gitabc\n\n")
    assert texts(environment) == ["deepspeed 0.9 requires torch>=2.5, but torch 2.4.0a0+gitabc is installed"]


def test_metadata_that_cannot_be_read_tells_of_no_requirement(environment: RecordedEnvironment) -> None:
    environment.file(f"{SITE}/torch-2.4.0.dist-info/INSTALLER", "pip\n")
    facts, noted = looked_at(environment.machine())
    assert facts.requirements_read is None
    assert {one.fact for one in noted if isinstance(one, Noted)} == {"package-metadata-damaged"}


def test_versions_that_look_like_addresses_stay_in_a_redacted_snapshot(environment: RecordedEnvironment) -> None:
    environment.package("torch", "2.4.0", "nvidia-curand-cu12==10.3.2.106", "nvidia-cublas-cu12==12.1.3.1")
    environment.package("nvidia-curand-cu12", "10.3.5.119")
    facts, noted = looked_at(environment.machine())
    kept = redacted(Snapshot(environments=(facts,), observations=noted))
    values = [dict(one.values) for one in kept.observations if isinstance(one, Noted)]
    assert [one.get("has") for one in values] == ["10.3.5.119", None]
    assert [one["wants"] for one in values] == ["==10.3.2.106", "==12.1.3.1"]
    assert [one.text for one in kept.observations] == [one.text for one in noted]


def test_an_extra_that_is_asked_for_by_name_counts(environment: RecordedEnvironment) -> None:
    environment.package("torch", "2.11.0", "cuda-toolkit[cublas,cu_dart]==13.0.2")
    environment.package(
        "cuda-toolkit",
        "13.0.2",
        "nvidia-cublas==13.1.* ; extra == 'cublas'",
        "nvidia-cuda-runtime==13.0.* ; extra == 'cu-dart'",
        "nvidia-cufft==12.0.* ; extra == 'cufft'",
    )
    assert texts(environment) == [
        "cuda-toolkit 13.0.2 requires nvidia-cublas==13.1.*, which is not installed",
        "cuda-toolkit 13.0.2 requires nvidia-cuda-runtime==13.0.*, which is not installed",
    ]


def test_what_another_package_needs_tells_of_no_extra(environment: RecordedEnvironment) -> None:
    environment.package("cuda-toolkit", "13.2.2", "nvidia-cuda-cccl==13.2.* ; extra == 'cccl'")
    environment.package("nvidia-cuda-cccl", "13.3.5")
    assert texts(environment) == [
        "cuda-toolkit 13.2.2 requires nvidia-cuda-cccl==13.2.*, but nvidia-cuda-cccl 13.3.5 is installed"
    ]
    environment.package("nvidia-nvshmem-cu13", "3.7.2", "nvidia-cuda-cccl")
    assert texts(environment) == []


def test_extras_that_are_named_are_all_that_are_meant(environment: RecordedEnvironment) -> None:
    environment.package(
        "cuda-toolkit", "13.2.2", "nvidia-nvtx==13.2.* ; extra == 'nvtx'", "nvidia-cufft==13.2.* ; extra == 'cufft'"
    )
    environment.package("nvidia-nvtx", "13.3")
    environment.package("nvidia-cufft", "13.3")
    environment.package("torch", "2.15.0", "cuda-toolkit[nvtx]==13.2.2")
    assert texts(environment) == ["cuda-toolkit 13.2.2 requires nvidia-nvtx==13.2.*, but nvidia-nvtx 13.3 is installed"]


@pytest.mark.parametrize(("pythons", "told"), [(">=3.9", []), ("<3.9", ["python-unlike-required"]), ("what?", [])])
def test_a_package_of_another_python_is_told(environment: RecordedEnvironment, pythons: str, told: list[str]) -> None:
    environment.package("vllm", "0.6.0", python=pythons)
    assert [one.fact for one in seen(environment) if isinstance(one, Noted)] == told
