"""Whether the files of an environment are what is recorded, and what the loader would do with its libraries."""

from pathlib import Path

import pytest
from recorded_environment import PREFIX, SITE, RecordedEnvironment
from small_elf import small_elf

from accel.collect.environment import looked_at
from accel.model.observation import Missing, Noted, Observation
from accel.text.elf import SharedObject, shared_object

RUNPATH = "$ORIGIN/../../nvidia/cublas/lib:$ORIGIN"
CUBLAS = small_elf(soname="libcublas.so.12")
TORCH = {
    "torch/__init__.py": "",
    "torch/version.py": "__version__ = '2.4.0'\n",
    "torch/_C.cpython-311-x86_64-linux-gnu.so": small_elf("libtorch_python.so"),
    "torch/lib/libtorch_global_deps.so": small_elf("libcublas.so.12", "libc.so.6", runpath=RUNPATH),
    "torch/lib/libtorch_python.so": small_elf("libtorch_cpu.so", runpath=RUNPATH),
    "torch/lib/libtorch_cpu.so": small_elf("libcublas.so.12", runpath=RUNPATH),
}


@pytest.fixture
def environment(tmp_path: Path) -> RecordedEnvironment:
    return RecordedEnvironment(tmp_path)


def seen(environment: RecordedEnvironment) -> list[tuple[str, str]]:
    """Return (fact, text without the folder) of what is noted; of an observation of a kind, the kind."""
    noted = looked_at(environment.machine(), architecture="x86_64")[1]
    return [(_name(one), one.text.replace(f"{SITE}/", "")) for one in noted]


def _name(one: Observation) -> str:
    return one.fact if isinstance(one, Noted) else str(getattr(one, "kind", ""))


def whole(environment: RecordedEnvironment) -> None:
    environment.package("torch", "2.4.0", files=TORCH)
    environment.package("nvidia-cublas-cu12", "12.1", files={"nvidia/cublas/lib/libcublas.so.12": CUBLAS})


def test_a_whole_environment_is_silent(environment: RecordedEnvironment) -> None:
    whole(environment)
    assert seen(environment) == []


def test_a_recorded_library_that_is_gone_is_told_once(environment: RecordedEnvironment) -> None:
    name = "nvidia/cublas/lib/libcublas.so.12"
    environment.package("torch", "2.4.0", files=TORCH)
    environment.package("nvidia-cublas-cu12", "12.1", files={name: CUBLAS}, missing=[name])
    assert seen(environment)[0] == ("package-file-missing", f"{name} is recorded and not there")
    assert "missing" not in [name for name, _ in seen(environment)]


def test_what_conda_installed_is_split_otherwise_than_recorded(environment: RecordedEnvironment) -> None:
    environment.package("onnx", "1.16", files={"onnx/__init__.py": "", "onnx/x.so": CUBLAS}, missing=["onnx/x.so"])
    environment.file(f"{SITE}/onnx-1.16.dist-info/INSTALLER", "conda\n")
    assert seen(environment) == []


def test_a_cut_library_is_told_and_a_stripped_one_is_not(environment: RecordedEnvironment) -> None:
    whole(environment)
    record = f"{SITE}/torch-2.4.0.dist-info/RECORD"
    path = "torch/lib/libtorch_cpu.so"
    environment.file(record, f"torch/__init__.py,,0\n{path},,90000\n")
    assert seen(environment) == []
    environment.file(f"{SITE}/{path}", TORCH[path][:150])
    assert seen(environment)[0] == ("package-file-cut", f"{path} has 150 bytes of 90000: it was cut short")


@pytest.mark.parametrize(
    ("module", "told"),
    [
        ("_C.cpython-311-x86_64-linux-gnu.so", None),
        ("_C.abi3.so", None),
        ("_C.so", None),
        ("_C.cpython-310-x86_64-linux-gnu.so", "Python 3.10, and this is Python 3.11.7"),
        ("_C.cpython-311-aarch64-linux-gnu.so", "aarch64, and this machine is x86_64"),
        ("_C.cp310-win_amd64.pyd", "Python 3.10, and this is Python 3.11.7"),
    ],
)
def test_modules_tell_their_python_and_machine(environment: RecordedEnvironment, module: str, told: str | None) -> None:
    environment.package("xformers", "0.0.27", files={f"xformers/{module}": CUBLAS})
    text = f"xformers/{module} was built for {told}"
    assert seen(environment) == ([("package-file-foreign", text)] if told else [])


def test_a_library_of_two_wheels_is_that_of_the_one_whose_size_it_has(environment: RecordedEnvironment) -> None:
    name = "nvidia/cudnn/lib/libcudnn.so.9"
    environment.package("nvidia-cudnn-cu11", "9.0", files={name: CUBLAS})
    environment.package("nvidia-cudnn-cu12", "9.1", files={name: CUBLAS + bytes(8)})
    ((fact, text),) = seen(environment)
    assert fact == "library-owned-twice"
    assert text.endswith("the file is that of nvidia-cudnn-cu12")


def test_an_installation_that_did_not_end_leaves_a_folder(environment: RecordedEnvironment) -> None:
    environment.file(f"{SITE}/~orch/__init__.py")
    environment.file(f"{SITE}/~lask/__init__.py")
    assert seen(environment) == [("installation-left-over", "~orch was left by an interrupted installation of torch")]


def test_a_file_before_the_package_shadows_it(tmp_path: Path) -> None:
    environment = RecordedEnvironment(tmp_path, ("/work/project", SITE))
    whole(environment)
    environment.file("/work/project/torch.py")
    assert seen(environment) == [("package-shadowed", "torch.py in /work/project comes before torch")]


def test_a_folder_without_a_module_shadows_nothing(tmp_path: Path) -> None:
    environment = RecordedEnvironment(tmp_path, ("/work/project", SITE))
    whole(environment)
    environment.file("/work/project/torch/notes.txt")
    assert seen(environment) == []


def test_a_pth_file_that_imports_what_is_gone_is_told(environment: RecordedEnvironment) -> None:
    environment.file(f"{SITE}/distutils-precedence.pth", "import os; os.environ.get('X')\n")
    environment.file(f"{SITE}/__editable__.a-1.pth", f"{PREFIX}/src\n")
    environment.file(f"{PREFIX}/src/a.py")
    environment.file(f"{SITE}/other.pth", "/gone\n")
    assert seen(environment) == []
    environment.file(f"{SITE}/__editable___b_finder.pth", "import __editable___b_finder; b()\n")
    environment.file(f"{SITE}/__editable__.c-1.pth", "/gone/src\n")
    assert [fact for fact, _ in seen(environment)] == ["site-path-broken"] * 2


def test_a_library_that_no_folder_has_is_missing(environment: RecordedEnvironment) -> None:
    environment.package("torch", "2.4.0", files=TORCH)
    (missing, noted) = looked_at(environment.machine(), architecture="x86_64")[1]
    assert isinstance(missing, Missing)
    assert (missing.name, missing.component, missing.by_component) == ("libcublas.so.12", "cublas", "torch")
    assert _name(noted) == "framework-library-missing"


def test_torch_finds_a_wheel_of_another_folder_of_sys_path(tmp_path: Path) -> None:
    other = "/work/lib/python3.11/site-packages"
    environment = RecordedEnvironment(tmp_path, (SITE, other))
    environment.package("torch", "2.4.0", files=TORCH)
    files = {"nvidia/cublas/lib/libcublas.so.12": CUBLAS}
    environment.package("nvidia-cublas-cu12", "12.1", files=files, site=other)
    assert seen(environment) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (CUBLAS + b"another release", True),
        (CUBLAS, False),  # a copy of the same
        (small_elf(soname="libcublas.so.12", machine=183), False),  # the loader passes over it
    ],
)
def test_a_library_by_ld_library_path_is_told_if_it_is_another(tmp_path: Path, content: bytes, told: bool) -> None:
    environment = RecordedEnvironment(tmp_path, variables={"LD_LIBRARY_PATH": "/opt/cuda/lib64"})
    whole(environment)
    environment.file("/opt/cuda/lib64/libcublas.so.12", content)
    own = "torch/lib/../../nvidia/cublas/lib/libcublas.so.12".replace("torch/lib/../../", "")
    text = f"torch loads /opt/cuda/lib64/libcublas.so.12 because of LD_LIBRARY_PATH, instead of its own {own}"
    assert seen(environment) == ([("library-from-elsewhere", text)] if told else [])


def test_rpath_comes_before_ld_library_path(tmp_path: Path) -> None:
    environment = RecordedEnvironment(tmp_path, variables={"LD_LIBRARY_PATH": "/opt/cuda/lib64"})
    root = small_elf("libcublas.so.12", rpath="$ORIGIN/../../nvidia/cublas/lib")
    environment.package("torch", "2.4.0", files={"torch/lib/libtorch_global_deps.so": root})
    environment.package("nvidia-cublas-cu12", "12.1", files={"nvidia/cublas/lib/libcublas.so.12": CUBLAS})
    environment.file("/opt/cuda/lib64/libcublas.so.12", CUBLAS + b"another release")
    assert seen(environment) == []


def read_of(data: bytes) -> "SharedObject | None":
    return shared_object(lambda offset, count: data[offset : offset + count])


def test_an_object_tells_what_it_needs() -> None:
    data = small_elf("libc.so.6", "libm.so.6", runpath="$ORIGIN:/opt/lib", soname="libx.so.1")
    it = read_of(data)
    assert it is not None
    assert (it.machine, it.soname, it.needed) == ("x86_64", "libx.so.1", ("libc.so.6", "libm.so.6"))
    assert (it.runpath, it.rpath, it.least_bytes) == (("$ORIGIN", "/opt/lib"), (), len(data))


def test_what_is_no_object_or_is_damaged_never_raises() -> None:
    data = small_elf("libc.so.6", runpath="$ORIGIN")
    assert read_of(b"") is None
    assert read_of(b"MZ" + bytes(200)) is None
    assert read_of(data[:4] + b"\x01" + data[5:]) is None  # 32 bits
    for end in range(len(data)):
        read_of(data[:end])
    for at in range(len(data)):
        for byte in (0, 127, 255):
            read_of(data[:at] + bytes([byte]) + data[at + 1 :])


def test_a_module_of_many_wheels_is_missed_by_none(environment: RecordedEnvironment) -> None:
    files = {"nvidia/__init__.py": "", "nvidia/nvtx/lib/libnvToolsExt.so.1": CUBLAS}
    environment.package("nvidia-nvtx-cu12", "12.1", files=files, missing=["nvidia/__init__.py"])
    assert seen(environment) == []


def test_metadata_without_its_module_is_told(environment: RecordedEnvironment) -> None:
    environment.package("triton", "3.0.0", missing=["triton/__init__.py"])
    assert seen(environment) == [("package-file-missing", "triton/__init__.py is recorded and not there")]
