"""Faults that the sentence beside them denies, samples, expectations of a test and repaired machines; and present
ones in the same words.
"""

import pytest
from every_case import registry

from accel.apps.cli.doctor import exit_code as code_of
from accel.collect.text import read_texts
from accel.diagnose.engine import diagnose

LOST = "NVRM: Xid (PCI:0000:5e:00): 79, GPU has fallen off the bus."
BLOCKED = "Failed to initialize NVML: GPU access blocked by the operating system"
MISMATCH = "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.163"
CORAL = "ValueError: Failed to load delegate from libedgetpu.so.1.0"
HCCL = "ImportError: libhccl.so: cannot open shared object file: No such file or directory"
FULL = (
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 216.00 MiB (GPU 0; 7.92 GiB total capacity; "
    "69.17 MiB already allocated; 24.56 MiB free; 86.00 MiB reserved in total by PyTorch)"
)
LINKS = """$ nvidia-smi nvlink -s
GPU 3: Tesla V100-SXM2-32GB (UUID: GPU-1f2e3d4c)
         Link 0: 25.781 GB/s
         Link 1: 25.781 GB/s
         Link 2: <inactive>
         Link 3: 25.781 GB/s"""
DRAINED = """NODELIST  STATE    REASON
gpu12     drained  gres/gpu count reported lower than configured (3 < 4)"""


def exit_code(text: str) -> int:
    known = registry()
    snapshot = read_texts([("report", text)], known)
    return code_of(diagnose(snapshot, known.specs, known.checks, known.rules), snapshot, "warning")


@pytest.mark.parametrize(
    "text",
    [
        f"WSL 질문입니다. 자주 언급되는\n\n{BLOCKED}\n\n이 에러는 저한테는 안 나옵니다. num_workers 는 몇이 좋을까요?",
        f"People often post\n\n{LOST}\n\nI don't get this error. My question is how to read the ECC counters.",
        f"Im Forum steht oft\n\n{LOST}\n\nDiese Meldung habe ich nicht. Wie lese ich die ECC-Zähler aus?",
        f"On our A100 node there is no GPU error like this:\n\n{LOST}\n\nHow do I export the counters to Prometheus?",
        f"网上常见\n\n{LOST}\n\n这个报错我这里没有。想问下怎么看 ECC 计数？",
        f"Los foros hablan mucho de\n\n{LOST}\n\nEse error a mí no me sale. ¿Cómo se exportan los contadores ECC?",
        f"На форумах пишут про\n\n{LOST}\n\nУ меня такой ошибки нет. Как выгрузить счётчики ECC?",
        "Monitoring of an A100 node. There is no GPU error like this: Xid 79. How do I read the counters with DCGM?",
    ],
)
def test_the_sentence_beside_an_output_denies_it(text: str) -> None:
    assert exit_code(text) == 0


@pytest.mark.parametrize(
    "text",
    [
        f"WSL 질문입니다.\n\n{BLOCKED}\n\n이 에러는 저한테는 도커 안에서만 나옵니다. 어떻게 해야 하나요?",
        f"The log has\n\n{LOST}\n\nI don't get this error when the card is cold. What can I do?",
        f"Im Protokoll steht\n\n{LOST}\n\nDiese Meldung habe ich nicht verstanden. Was kann ich tun?",
        f"There is no GPU in nvidia-smi any more, and the log says:\n\n{LOST}",
        f"日志里有\n\n{LOST}\n\n这个报错我这里没有办法解决，求助。",
        f"dmesg:\n\n{LOST}\n\nI have never seen this message before. What does it mean?",
        f"dmesg:\n\n{LOST}\n\nThis error never occurs on my laptop, only on the server. Help please.",
    ],
)
def test_such_a_sentence_about_a_present_fault_denies_nothing(text: str) -> None:
    assert exit_code(text) == 1


def test_a_run_that_somebody_asked_for_is_the_writers_own() -> None:
    asked = (
        "vllm does not start in the Ascend image.\n\nSomebody asked me to try it in python:\n\n>>> import torch_npu\n"
    )
    assert exit_code(f"{asked}{HCCL}") == 1
    asked = "A colleague told us to run the import alone, and this is what comes:\n\n>>> import torch_npu\n"
    assert exit_code(f"{asked}{HCCL}") == 1
    others = "My machine works.\n\nSomebody asked in the chat what this means:\n\n"
    assert exit_code(f"{others}{HCCL}\n\nI told him to source set_env.sh, but is that still right for CANN 8?") != 1


def test_what_a_script_would_read_is_a_sample() -> None:
    asked = "Feature request for the script: a line per inactive link, "
    assert exit_code(f"{asked}e.g. when it parses\n\n{LINKS}\n\nHappy to send a PR.") == 0
    assert exit_code(f"{asked}for example if it finds:\n\n{LINKS}\n\nHappy to send a PR.") == 0
    assert exit_code(f"The job stops now and then, for example when it reads a batch:\n\n{LOST}\n\nAny ideas?") == 1
    assert exit_code(f"NCCL is slow on our server, and nvlink -s prints:\n\n{LINKS}\n\nWhat is wrong?") == 1


def test_the_text_of_a_constant_is_source() -> None:
    test = 'def test_reason():\n    assert parse(SAMPLE)["gpu12"].missing == 1\n'
    tested = f'# unit tests\n\nSAMPLE = """\n{DRAINED}\n"""\n\n{test}'
    assert exit_code(f"{tested}\n# $ pytest -q\n# 1 passed in 0.04s") == 0
    assert exit_code(f'The script prints\n\nlog = """\n\n{LOST}\n\nWhat is wrong with the card?') == 1
    assert exit_code(f"$ sinfo -R\n{DRAINED}\n\nWhat should I do?") == 1


def test_what_a_test_looks_for_when_it_goes_wrong_is_not_there() -> None:
    wanted = "Teste do Coral na máquina nova: passou.\n\nO que eu esperava ver se desse errado era isto:\n\n"
    assert exit_code(f"{wanted}{CORAL}\n\nNo novo:\n\ndetector INFO : TPU found\n\nInferência em 9 ms.") == 0
    wanted = "The new box passed the test. What I would have expected to see if it failed:\n\n"
    assert exit_code(f"{wanted}{CORAL}\n\nIt prints instead:\n\ndetector INFO : TPU found") == 0
    seen = "Teste do Coral na máquina nova. O que vejo é isto:\n\n"
    assert exit_code(f"{seen}{CORAL}\n\nO que posso fazer?") == 1


def test_a_tool_that_answers_after_a_restart_is_well() -> None:
    saw = f"El viernes los alumnos veían\n\n{MISMATCH}\n\n"
    answer = "$ nvidia-smi --query-gpu=driver_version --format=csv,noheader\n550.163.01\n"
    assert exit_code(f"{saw}Esta mañana reinicié la máquina:\n\n{answer}\nPodéis volver a lanzar trabajos.") == 0
    saw = f"After the nightly upgrade we saw\n\n{MISMATCH}\n\n"
    assert exit_code(f"{saw}I rebooted the machine this morning:\n\n{answer}\nJobs can be sent again.") == 0
    assert exit_code(f"{saw}I rebooted the machine, and it is the same:\n\n$ nvidia-smi\n{MISMATCH}") == 1
    assert exit_code(f"{saw}What should I do?") == 1
    inside = "In the container I get\n\nFailed to initialize NVML: Unknown Error\n\nI restarted docker, no help."
    listed = "$ nvidia-smi -L\nGPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-aa)"
    assert exit_code(f"{inside} On the host it answers:\n\n{listed}") == 1


def test_who_says_that_it_persists_reports_a_present_fault() -> None:
    got = f"train을 실행하면 오류가 발생합니다.\n\n{FULL}\n\n아무것도 돌리지 않아도 메모리가 사용 중입니다."
    assert exit_code(f"{got} 원인을 모르겠습니다.\n노드는 컨테이너 안에서 실행하고 있습니다. 감사합니다.") == 1
    got = f"Training was set up as in your PDF, it runs in a container.\n\n{FULL}\n\nNothing else runs here."
    assert exit_code(f"{got} I do not know the reason.\nThe node is number eleven. Thank you.") == 1


@pytest.mark.parametrize(
    "text",
    [
        "CUDA 12.4 的 cudnn 在哪里下载？\n官网上找不到 cudnn-linux-x86_64-9.1.tar.xz 的下载链接，有镜像站吗？",
        "Where can I download torch_mlu-1.20.0-cp310-cp310-linux_x86_64.whl? I cannot find it on the vendor's site.",
        "¿Dónde se descarga torch_npu-2.1.0-cp310-cp310-linux_aarch64.whl? No encuentro el enlace en la página.",
    ],
)
def test_a_page_or_a_file_that_is_looked_for_on_the_web_is_no_fault(text: str) -> None:
    assert exit_code(text) == 0


def test_a_program_that_finds_no_device_is_no_denial() -> None:
    probe = '$ python -c "import habana_frameworks.torch.hpu as h; print(h.is_available())"\n'
    assert exit_code(f"{probe}habana_frameworks finds no HPU\nFalse") != 0


def test_a_page_that_is_not_found_hides_no_fault() -> None:
    driver = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
    assert exit_code("My program cannot find the card although I followed the guide on your site.") != 0
    assert exit_code("运行时报错 CUDA error，官网上找不到解决办法，求助。") != 0
    assert exit_code(f"{driver}\n\nI can't find a download link for the right driver. Which one for Ubuntu 24.04?") == 1
