"""What a framework opens by name while it runs, which no file declares: where the loader would find it."""

from pathlib import Path

import pytest
from recorded_environment import SITE, RecordedEnvironment
from small_elf import small_elf

from accel.collect.environment import looked_at
from accel.model.observation import Noted

CUDNN = f"{SITE}/nvidia/cudnn/lib"
PARTS = ("graph", "ops", "cnn", "adv", "heuristic", "engines_precompiled", "engines_runtime_compiled")
OTHER = "/opt/other/lib"


def program(environment: RecordedEnvironment, *, lacks: str = "", rpath: bool = False) -> None:
    """Install a torch that needs cuDNN, whose first library opens the parts beside it."""
    where = {"rpath": "$ORIGIN"} if rpath else {"runpath": "$ORIGIN"}
    needs = small_elf("libcudnn.so.9", runpath="$ORIGIN/../../nvidia/cudnn/lib")
    environment.package("torch", "2.6.0", files={"torch/__init__.py": "", "torch/lib/libtorch_python.so": needs})
    names = ["libcudnn.so.9", *(f"libcudnn_{part}.so.9" for part in PARTS if part != lacks)]
    files = {f"nvidia/cudnn/lib/{name}": small_elf(soname=name, **where) for name in names}
    environment.package("nvidia-cudnn-cu12", "9.1.0.70", files=files)


def seen(environment: RecordedEnvironment) -> list[tuple[str, str]]:
    """Return (fact, the library) of what is noted."""
    noted = looked_at(environment.machine(), architecture="x86_64")[1]
    return [(one.fact, dict(one.values)["name"]) for one in noted if isinstance(one, Noted)]


def test_a_whole_library_opens_its_parts(tmp_path: Path) -> None:
    environment = RecordedEnvironment(tmp_path)
    program(environment)
    assert seen(environment) == []


@pytest.mark.parametrize("part", ["ops", "engines_precompiled"])
def test_a_part_that_is_nowhere_is_told_with_its_opener(tmp_path: Path, part: str) -> None:
    environment = RecordedEnvironment(tmp_path)
    program(environment, lacks=part)
    assert seen(environment) == [("opened-library-missing", f"libcudnn_{part}.so.9")]


@pytest.mark.parametrize(
    ("rpath", "content", "told"),
    [
        (False, b"of another release", True),  # RUNPATH comes after LD_LIBRARY_PATH
        (True, b"of another release", False),  # RPATH before it
        (False, small_elf(soname="libcudnn_ops.so.9", runpath="$ORIGIN"), False),  # a copy of the same
        (False, small_elf(soname="libcudnn_ops.so.9", machine=183), False),  # the loader passes over it
    ],
)
def test_a_part_by_ld_library_path_is_told_if_it_is_another(
    tmp_path: Path, rpath: bool, content: bytes, told: bool
) -> None:
    environment = RecordedEnvironment(tmp_path, variables={"LD_LIBRARY_PATH": OTHER})
    program(environment, rpath=rpath)
    environment.file(f"{OTHER}/libcudnn_ops.so.9", content)
    assert seen(environment) == ([("library-parts-mixed", "libcudnn_ops.so.9")] if told else [])


def test_both_paths_are_told(tmp_path: Path) -> None:
    environment = RecordedEnvironment(tmp_path, variables={"LD_LIBRARY_PATH": OTHER})
    program(environment)
    environment.file(f"{OTHER}/libcudnn_ops.so.9", b"of another release")
    (one,) = looked_at(environment.machine(), architecture="x86_64")[1]
    opener, own = f"{CUDNN}/libcudnn.so.9", f"{CUDNN}/libcudnn_ops.so.9"
    assert one.text == f"{opener} opens {OTHER}/libcudnn_ops.so.9, and not {own}"


def jax(environment: RecordedEnvironment, *names: str, module: str = "", built_for_wheels: bool = True) -> None:
    """Install a plugin of JAX that opens CUDA's libraries, and wheels with those of these names."""
    rpath = "$ORIGIN/../../nvidia/cuda_runtime/lib" if built_for_wheels else None
    files = {
        "jax_plugins/xla_cuda12/__init__.py": module,
        "jax_plugins/xla_cuda12/xla_cuda_plugin.so": small_elf(rpath=rpath),
    }
    environment.package("jax-cuda12-pjrt", "0.6.0", files=files)
    for name in names:
        folder = name[3:].partition(".")[0]
        environment.package(f"nvidia-{folder}", "12.0", files={f"nvidia/{folder}/lib/{name}": small_elf(soname=name)})


def test_what_jax_opens_is_missed_where_the_rest_of_it_is_there(tmp_path: Path) -> None:
    environment = RecordedEnvironment(tmp_path)
    jax(environment, "libcudart.so.12", "libcublas.so.12", "libcublasLt.so.12", "libcudnn.so.8")
    told = [name for fact, name in seen(environment) if fact == "opened-library-missing"]
    assert told == ["libcufft.so.11", "libcusolver.so.11", "libcusparse.so.12", "libcupti.so.12", "libcudnn.so.9"]


@pytest.mark.parametrize(("built_for_wheels", "bare"), [(True, {"yes"}), (False, set())])
def test_without_any_it_is_said_of_builds_that_look_for_wheels(
    tmp_path: Path, built_for_wheels: bool, bare: set[str]
) -> None:
    environment = RecordedEnvironment(tmp_path)
    jax(environment, built_for_wheels=built_for_wheels)
    noted = looked_at(environment.machine(), architecture="x86_64")[1]
    assert {dict(one.values).get("bare") for one in noted if isinstance(one, Noted)} == bare


def test_what_a_framework_loads_from_wheels_itself_comes_before_ld_library_path(tmp_path: Path) -> None:
    def told(name: str, module: str) -> list[tuple[str, str]]:
        environment = RecordedEnvironment(tmp_path / name, variables={"LD_LIBRARY_PATH": OTHER})
        needs = small_elf("libnvJitLink.so.12", runpath="$ORIGIN/../../nvjitlink/lib")
        root = small_elf("libcusparse.so.12", rpath="$ORIGIN/../../nvidia/cusparse/lib")
        files = {
            "torch/__init__.py": module,
            "torch/lib/libtorch_global_deps.so": small_elf(),
            "torch/lib/libtorch_python.so": root,
        }
        environment.package("torch", "2.15.0", files=files)
        environment.package("nvidia-cusparse", "12", files={"nvidia/cusparse/lib/libcusparse.so.12": needs})
        own = {"nvidia/nvjitlink/lib/libnvJitLink.so.12": small_elf(soname="libnvJitLink.so.12")}
        environment.package("nvidia-nvjitlink", "12", files=own)
        environment.file(f"{OTHER}/libnvJitLink.so.12", b"of another release")
        return seen(environment)

    assert told("without", "") == [("library-from-elsewhere", "libnvJitLink.so.12")]
    assert told("with", "    _preload_cuda_deps(required=False)\n") == []


def test_a_file_opened_by_its_path_is_followed(tmp_path: Path) -> None:
    environment = RecordedEnvironment(tmp_path)
    shared = "onnxruntime/capi/libonnxruntime_providers_shared.so"
    cuda = "onnxruntime/capi/libonnxruntime_providers_cuda.so"
    files = {"onnxruntime/__init__.py": "", shared: small_elf(), cuda: small_elf("libcublas.so.13", "libcuda.so.1")}
    environment.package("onnxruntime-gpu", "1.31.1", files=files)
    assert seen(environment) == [("opened-library-missing", "libcublas.so.13")]
