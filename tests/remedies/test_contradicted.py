"""What the text tells of its machine decides over what is usual: the first remedy keeps to it, in both directions."""

import pytest

from accel.collect.live import judged
from accel.collect.text import read_texts
from accel.facts.infer import infer
from accel.facts.questions import Facts
from accel.plugins.registry import Registry

_PROVIDER = "Failed to load library libonnxruntime_providers_tensorrt.so with error: {}: cannot open shared object file"
_MISMATCH = "$ nvidia-smi\nFailed to initialize NVML: Driver/library version mismatch\nNVML library version: 560.35\n"
_LIST = "onnxruntime-gpu==1.17.1\ntorch==2.2.0+cu118\n"
_IN_BUNDLE = (
    "The all-in-one package still says no GPU.\n"
    r"PS D:\talk\engine\python311> pip install torch --index-url https://download.pytorch.org/whl/cu124"
    "\nRequirement already satisfied: torch in c:\\users\\me\\appdata\\roaming\\python\\python313\\"
    "site-packages (2.6.0+cu124)\n"
    r"PS D:\talk\engine\python311> .\python.exe"
    "\n>>> import torch\nModuleNotFoundError: No module named 'torch'\n"
)
_FIRMWARE = (
    "i915 0000:03:00.0: [drm] GT0: GuC firmware i915/dg2_guc_70.bin: fetch failed -ENOENT\n"
    "i915 0000:03:00.0: [drm] *ERROR* GT0: GuC initialization failed -ENOENT\n"
)
_SHELL = "'CMAKE_ARGS' is not recognized as an internal or external command\nWindows 11, ComfyUI node, RTX 3060\n"
_CMAKE = 'CMAKE_ARGS="-DGGML_CUDA=ON" pip install llama-cpp-python\n' + _SHELL
_CUDNN = "Could not load library cudnn_ops_infer64_8.dll. Error code 126\nWindows\n"
_CUDNN_SET = (
    "paddlepaddle-gpu==1.8.1.post107\ncuDNN: 7.6.5\nI have already set LD_LIBRARY_PATH.\ndynamic_loader.cc:179] "
    "Failed to find dynamic library: libcudnn.so ( libcudnn.so: cannot open shared object file )\n"
)
_ABI = (
    "$ pip install ./flash_attn-2.5.8+cu122torch{2}cxx11abi{1}-cp310-cp310-linux_x86_64.whl\n"
    "flash_attn_2_cuda.cpython-310-x86_64-linux-gnu.so: undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocation{3}\n"
    "torch=={0}\n"
)


def first(text: str) -> str:
    """Return the words and the command of the first remedy of the first finding."""
    known = Registry({})
    found = judged(read_texts([("report", text)], known), known).findings
    remedies = found[0].remedies if found else ()
    return f"{remedies[0].text} | {remedies[0].command}" if remedies else ""


@pytest.mark.parametrize(
    ("text", "says", "never"),
    [
        (
            _PROVIDER.format("libnvinfer.so.8") + "\n$ pip freeze\ntensorrt-libs==8.6.1\n" + _LIST,
            "tensorrt_libs",
            "pip",
        ),
        (_PROVIDER.format("libnvinfer.so.10") + "\n$ pip freeze\ntensorrt-cu12-libs==10.3.0\n", "tensorrt_libs", "pip"),
        (_PROVIDER.format("libnvinfer.so.10") + "\n$ pip freeze\ntensorrt-libs==8.6.1\n" + _LIST, "", "tensorrt_libs"),
        (_PROVIDER.format("libnvinfer.so.8") + "\n$ pip freeze\n" + _LIST, "onnxruntime-gpu==1.17.1", "tensorrt_libs"),
        (f"I did what the guide says and rebooted.\n{_MISMATCH}", "A reboot was tried", "an update replaced"),
        (f"The guide says: reboot.\n{_MISMATCH}", "an update replaced", "was tried"),
        (
            "bash ./NVIDIA-Linux-x86_64-560.35.03.run --no-kernel-modules\n"
            f"cd /srv/open-gpu-kernel-modules-560.35.05\nmake modules_install\n{_MISMATCH}",
            "NVIDIA-Linux-x86_64-560.35.05.run --no-kernel-modules",
            "| sudo reboot",
        ),
        (
            "bash ./NVIDIA-Linux-x86_64-560.35.03.run --no-kernel-modules\n"
            f"cd /srv/open-gpu-kernel-modules-560.35.03\nmake modules_install\n{_MISMATCH}",
            "eboot",
            "a reboot changes neither",
        ),
        (
            _IN_BUNDLE,
            r"D:\talk\engine\python311\python.exe -m pip install torch --index-url https://download.pytorch.org/whl/cu124",
            "which pip and conda cannot change",
        ),
        (f"pip works in my comfy venv.\n{_CMAKE}", "&& pip install", "python_embeded"),
        (_CMAKE, "python_embeded", "&& pip install"),
        (f"VOICEVOX, unpacked as it came\n{_CUDNN}", "next to the program's own", "nvidia-cudnn-cu"),
        (f"my own script\n{_CUDNN}", "nvidia-cudnn-cu", "next to the program's own"),
        (f"{_CUDNN_SET}LD_LIBRARY_PATH=/usr/loacl/cuda-10.1/lib64\n", "misspelt", "Check where"),
        (f"{_CUDNN_SET}LD_LIBRARY_PATH=/usr/local/cuda-10.1/lib64\n", "", "misspelt"),
        (_ABI.format("2.2.1", "TRUE", "2.2", "ENSt7__cxx1112basic_stringIcE"), "cxx11abiFALSE", "FORCE_BUILD"),
        (_ABI.format("2.8.0", "FALSE", "2.8", "ESs"), "cxx11abiTRUE", "FORCE_BUILD"),
        (_ABI.format("2.2.1", "FALSE", "2.2", "ENSt7__cxx1112basic_stringIcE"), "", "cxx11abiTRUE"),
        (f"{_FIRMWARE}Debian 12", "firmware-misc-nonfree", "dnf"),
        (f"{_FIRMWARE}Debian 13", "firmware-intel-graphics", "dnf"),
        (f"{_FIRMWARE}Ubuntu 24.04", "linux-firmware", "dnf"),
        (f"{_FIRMWARE}Fedora 41", "dnf upgrade", "apt"),
    ],
)
def test_the_first_remedy_keeps_to_what_the_text_tells(text: str, says: str, never: str) -> None:
    told = first(text)
    assert says in told
    assert never not in told


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("cuda.py:8: RuntimeError\n====== 2 failed, 39 passed in 9.4s ======\n", "gpu-memory-full"),
        ("cuda.py:8: RuntimeError\n====== 2 failed in 9.4s ======\n", "gpu-memory-full"),
        ("cuda.py:8: RuntimeError\n2 failed, 3 passed in 9.4s\n", "gpu-memory-full"),
        (
            "ImportError: libascend_hal.so: cannot open shared object file: No such file or directory. Please check "
            "that the runtime package is installed.\n",
            "npu-cann-environment-not-set",
        ),
    ],
)
def test_words_of_another_kind_are_no_finding(text: str, never: str) -> None:
    known = Registry({})
    assert never not in [one.name for one in judged(read_texts([("report", text)], known), known).findings]


def test_the_number_of_an_error_still_counts() -> None:
    known = Registry({})
    found = judged(read_texts([("report", "cudaMalloc failed: error 2\n")], known), known).findings
    assert [one.name for one in found] == ["gpu-memory-full"]


@pytest.mark.parametrize(
    ("text", "system"),
    [("Name : dkms\nArch        : noarch\n", None), ("I run Arch with kernel 6.9\n", "Arch Linux")],
)
def test_the_architecture_of_a_package_is_no_system(text: str, system: str | None) -> None:
    assert read_texts([("report", text)], Registry({})).host.distribution == system


@pytest.mark.parametrize(
    ("text", "version"),
    [("It is listed. Python 3.8.\n", "3.8"), ("It works there. Python 3.8 is too old for it.\n", None)],
)
def test_a_sentence_that_is_only_a_version_tells_it(text: str, version: str | None) -> None:
    known = Registry({})
    snapshot = read_texts([("report", text)], known)
    facts = Facts(snapshot, infer(snapshot, known.specs, known.rules)[0])
    assert facts.environment.python_version == version
