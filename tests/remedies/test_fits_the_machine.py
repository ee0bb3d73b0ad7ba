"""A command fits the machine that the text describes: its system in any script, its program, its orchestrator."""

import pytest
from every_case import registry

from accel.collect.text import read_texts
from accel.diagnose.engine import diagnose

CPU_BUILD = ">>> torch.__version__\n'2.4.1+cpu'\n>>> torch.cuda.is_available()\nFalse\n"
NO_DRIVER = (
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. "
    "Make sure that the latest NVIDIA driver is installed and running.\n"
)
BUSY = (
    "RuntimeError: Unable to initialize backend 'tpu': UNKNOWN: TPU initialization failed: open(/dev/vfio/0): "
    "Device or resource busy: Device or resource busy; Couldn't open iommu group /dev/vfio/0\n"
)
SECCOMP = (
    "docker: Error response from daemon: failed to create shim: OCI runtime create failed: container_linux.go:380: "
    "starting container process caused: error adding seccomp filter rule for syscall clone3: permission denied: unknown"
)
NEURON = (
    "2025-Mar-02 07:07:29.0082 11:11 ERROR NRT:nrt_init Unable to determine Neuron Driver version. "
    "Please check aws-neuronx-dkms package is installed.\n"
)
OLD_JAXLIB = "RuntimeError: jaxlib is version 0.4.10, but this version of jax requires version >= 0.4.19.\n"
SYMBOL = (
    "tensorflow.python.framework.errors_impl.NotFoundError: dlopen(.../tensorflow-plugins/libmetal_plugin.dylib, "
    "0x0006): Symbol not found: __ZN3tsl8internal10LogMessageC1EPKcii\n"
    "  Referenced from: .../tensorflow-plugins/libmetal_plugin.dylib\n"
)


def remedies_of(text: str) -> str:
    """Return all that the findings of a text say to do, first the remedies' texts and commands, then how to verify."""
    known = registry()
    snapshot = read_texts([("report", text)], known)
    found = diagnose(snapshot, known.specs, known.checks, known.rules).findings
    told = [f"{one.text}\n{one.command}" for finding in found for one in finding.remedies]
    return "\n".join((*told, *(str(finding.verification) for finding in found)))


@pytest.mark.parametrize(
    ("text", "said", "unsaid"),
    [
        (f"윈도 11 노트북, RTX 3060 입니다. nvidia-smi 는 잘 나옵니다.\n\n{CPU_BUILD}", "Windows", "Linux"),
        (f"Ноутбук с RTX 4070, стоит винда 11, драйвер 560.94.\n\n{CPU_BUILD}", "528.33 or newer", "Linux"),
        (f"ウィンドウズ11 に RTX 4060 を入れました。nvidia-smi は正常です。\n\n{CPU_BUILD}", "Windows", "Linux"),
        (f"윈도우11 의 WSL2 우분투 22.04 에서 RTX 4060 을 씁니다.\n\n{CPU_BUILD}", "Linux", "Windows on"),
        (f"서버는 우분투 22.04, RTX A5000 입니다. 커널 업데이트 후부터:\n\n{NO_DRIVER}", "apt install", "dnf"),
        (f"Сервер на убунту 22.04, RTX A5000. После обновления ядра:\n\n{NO_DRIVER}", "apt install", "dnf"),
        ("Arc B580.\n\nAssertionError: Torch not compiled with XPU enabled\n", "Linux or Windows", "uname"),
        (f"My Radeon RX 7900 XTX:\n\n{CPU_BUILD}", "for Linux on", "or Windows"),
        (
            "webui --use-ipex stops, Arc A750:\n\nAssertionError: Torch not compiled with XPU enabled\n\n"
            "Backend: Diffusers\nCompute: Intel IPEX\n",
            "venv\\Scripts\\python.exe -m pip install",
            "-c 'import",
        ),
        (f"v5e VM, docker with runsc (gVisor). The second program:\n\n{BUSY}", "docker restart", "kubectl"),
        (f"GKE Sandbox (gVisor), TPU v5e node pool, the pod's server:\n\n{BUSY}", "kubectl delete pod", "docker"),
        (f"Jetson Nano, JetPack 4.6.1, after apt upgrade:\n\n{SECCOMP}\n", "nvidia-docker2=2.8.0-1", "only-upgrade"),
        (f"Ubuntu 20.04, Tesla T4.\n\ndocker run --gpus all img\n{SECCOMP}\n", "only-upgrade", "18.04"),
        (f"Ubuntu 22.04 on an inf2.xlarge.\n\n{NEURON}", "sources.list.d/neuron.list", "yum install"),
        (f"Amazon Linux 2023, trn1.2xlarge.\n\n{NEURON}", "yum.repos.d/neuron.repo", "apt-get"),
        (
            f"The notebook with a TPU in its runtime, TPU runtime selected:\n\n{OLD_JAXLIB}",
            "jax[tpu]",
            "without an acc",
        ),
        (f"My laptop without a GPU, Ubuntu 22.04:\n\n{OLD_JAXLIB}", "pip install jaxlib==0.4.19", "tpu"),
        (
            f"macOS 15.1, M2, python 3.11, tensorflow 2.17.1, tensorflow-metal 1.1.0. On import:\n\n{SYMBOL}",
            "tensorflow-metal and TensorFlow that go together",
            "tensorflow-metal==1.1.0",
        ),
    ],
)
def test_a_command_fits_the_machine(text: str, said: str, unsaid: str) -> None:
    told = remedies_of(text)
    assert said in told
    assert unsaid not in told


@pytest.mark.parametrize(
    "lead",
    [
        "Hoy funciona. Leo que quienes pasaron al driver 555 empezaron a ver esto:",
        "Heute läuft alles. Leute, die auf 6.2 gegangen sind, sahen das hier:",
        "Aujourd'hui tout fonctionne. Ceux qui sont passés à torch 2.5 ont commencé à voir :",
        "Hoje está funcionando. Li aqui no fórum que quem passou para o 2.18 começou a ver isto:",
        "It works today. People who moved to 2.18 started to see this:",
        "Сейчас всё работает. Те, кто обновился до 2.5, увидели:",
        "现在一切正常。在群里看到有人升级到 2.5 之后出现：",
    ],
)
def test_what_others_met_after_an_upgrade_is_only_mentioned(lead: str) -> None:
    error = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
    assert remedies_of(f"RTX 3090, torch 2.4.0.\n\n{lead}\n\n{error}\n\nI have not upgraded yet.\n") == ""


@pytest.mark.parametrize(
    "lead",
    [
        "I moved to 2.5 and started to see this:",
        "Our users who upgraded to 2.5 do not see it. I get:",
        "Ontem estava funcionando e hoje, depois de atualizar, vejo isto:",
        "Ayer pasé al driver 555 y empecé a ver esto:",
    ],
)
def test_what_the_writer_met_after_an_upgrade_is_present(lead: str) -> None:
    error = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
    assert remedies_of(f"RTX 3090, torch 2.4.0.\n\n{lead}\n\n{error}\n") != ""
