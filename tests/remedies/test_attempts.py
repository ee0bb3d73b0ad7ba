"""What the writer tried in vain is not offered again; what helped comes first, and ranks its cause."""

import pytest

from accel.collect.live import judged
from accel.collect.text import read_texts
from accel.model.diagnosis import Finding
from accel.plugins.registry import Registry

REGISTRY = Registry({})
HANG = """GPU 0: NVIDIA GeForce RTX 4090
GPU 1: NVIDIA GeForce RTX 4090
accelerate: NotImplementedError: Using RTX 4000 series doesn't support faster communication broadband via P2P or IB.
"""
DLL = 'OSError: [WinError 126] The specified module could not be found. Error loading "C:\\py\\torch\\lib\\c10.dll"\n'


def finding(text: str, name: str) -> Finding:
    told = judged(read_texts([("report", text)], REGISTRY), REGISTRY).findings
    return next(f for f in told if f.name == name)


def commands(one: Finding) -> list[str]:
    return [remedy.command or "" for remedy in one.remedies]


def test_what_did_not_help_is_left_out_and_said() -> None:
    before = finding(HANG, "gpu-without-p2p")
    after = finding(f"{HANG}with NCCL_P2P_DISABLE=1: fails\n", "gpu-without-p2p")
    assert "export NCCL_P2P_DISABLE=1" in commands(before)
    assert "export NCCL_P2P_DISABLE=1" not in commands(after)
    assert "NCCL_P2P_DISABLE=1" in after.attempts[0]
    assert after.remedies


def test_another_value_is_another_try() -> None:
    assert "export NCCL_P2P_DISABLE=1" in commands(
        finding(f"{HANG}with NCCL_P2P_DISABLE=0: fails\n", "gpu-without-p2p")
    )


def test_what_helped_comes_first_and_is_told() -> None:
    one = finding(f"{HANG}with NCCL_P2P_DISABLE=1 it works\n", "gpu-without-p2p")
    assert commands(one)[0] == "export NCCL_P2P_DISABLE=1"
    assert one.cured
    assert one.attempts == ()


def test_a_step_that_only_reboots_is_not_offered_after_a_reboot_in_vain() -> None:
    xid = "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n"
    assert [r.action for r in finding(xid, "gpu-lost").remedies][:1] == ["reboot"]
    again = finding(f"{xid}after rebooting the machine: no change\n", "gpu-lost")
    assert commands(again)[:1] == ["sudo poweroff"]
    once_more = finding(f"{xid}We power-cycled the node yesterday, and it is the same.\n", "gpu-lost")
    assert [r.action for r in once_more.remedies] == ["service"]
    assert not once_more.remedies[0].text.startswith("If ")


def test_the_last_step_stays_though_it_was_tried() -> None:
    text = "CUDA_VISIBLE_DEVICES=7\nGPU 0: NVIDIA A100\nRuntimeError: No CUDA GPUs are available\n"
    assert finding(f"{text}after rebooting: no change\n", "devices-hidden").remedies


def test_a_command_before_the_failure_is_an_attempt_and_one_behind_it_is_none() -> None:
    typed = "$ export NCCL_P2P_DISABLE=1\n"
    assert "export NCCL_P2P_DISABLE=1" not in commands(finding(f"{typed}{HANG}", "gpu-without-p2p"))
    assert "export NCCL_P2P_DISABLE=1" in commands(finding(f"{HANG}{typed}", "gpu-without-p2p"))


def test_what_is_said_to_be_installed_is_not_installed_again() -> None:
    before = finding(DLL, "windows-dll-unloadable")
    after = finding(f"{DLL}\nDie Visual C++ Redistributables sind bereits installiert.\n", "windows-dll-unloadable")
    assert any("VCRedist" in command for command in commands(before))
    assert not any("VCRedist" in command for command in commands(after))


def test_a_reset_that_the_card_refuses_leaves_the_reboot() -> None:
    text = "NVRM: Xid (PCI:0000:01:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)\n"
    assert [r.action for r in finding(text, "gpu-recovery-needed").remedies] == ["reset", "reboot"]
    after = finding(f"{text}\nnvidia-smi --gpu-reset is unsupported on this card.\n", "gpu-recovery-needed")
    assert [r.action for r in after.remedies] == ["reboot"]


def test_a_variable_for_a_desktop_application_is_set_for_the_session() -> None:
    text = (
        "NotImplementedError: The operator 'aten::__rshift__.Tensor' is not currently implemented for the MPS device.\n"
        "On macOS 14.5 it works in the terminal but not in the app.\n"
    )
    tried = "Setting PYTORCH_ENABLE_MPS_FALLBACK=1 in the activate script does not help.\n"
    for told in (text, text + tried):
        first = finding(told, "mps-operator-missing").remedies[0]
        assert first.command == "launchctl setenv PYTORCH_ENABLE_MPS_FALLBACK 1"


def test_a_fix_that_is_missing_is_offered() -> None:
    for told in ("The Visual C++ Redistributable is not installed.", "Must I have the redistributable installed?"):
        after = finding(f"{DLL}\n{told}\n", "windows-dll-unloadable")
        assert any("VCRedist" in command for command in commands(after))


def test_a_variable_that_is_set_is_still_to_be_unset() -> None:
    text = "CUDA_VISIBLE_DEVICES is set to -1 - this hides all GPUs from CUDA\nGPU 0: NVIDIA A100\n"
    assert any("unset CUDA_VISIBLE_DEVICES" in command for command in commands(finding(text, "devices-hidden")))


GFX = "RuntimeError: HIP error: invalid device function on a gfx1031 card (RX 6700 XT), torch 2.4.0+rocm6.1\n"


def test_a_setting_that_helped_is_offered_though_no_remedy_has_it() -> None:
    assert "export FOO_BAR=1" not in commands(finding(GFX, "rocm-arch-unsupported"))
    assert "export FOO_BAR=1" in commands(finding(f"{GFX}With FOO_BAR=1 it works.\n", "rocm-arch-unsupported"))


def test_a_setting_that_helps_and_fails_is_not_offered() -> None:
    told = f"{GFX}With FOO_BAR=1 it works.\nwith FOO_BAR=1: fails\n"
    assert "export FOO_BAR=1" not in commands(finding(told, "rocm-arch-unsupported"))


def test_a_kernel_that_works_comes_before_a_reset_of_the_device() -> None:
    hang = "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=88231, emitted seq=88233\n"
    told = f"{hang}It hangs with kernel 6.18; with kernel 6.17.4-76 it works. Ubuntu 24.04\n"
    assert "Linux 6.17.4-76" in finding(told, "amdgpu-ring-timeout").remedies[0].text
    assert "Linux" not in finding(hang, "amdgpu-ring-timeout").remedies[0].text


LISTS = {
    "a list": "What I have tried so far:\n- {0}\n- another monitor\n\nNone of it helped.\n",
    "numbers": "Steps tried\n\n1. {0}\n2. `nvidia-smi`\n",
    "a code block": "I also tried:\n\n```\n{0}\n```\n\nno luck.\n",
    "the rest of the line": "Already tried: {0}\n",
    "Chinese": "已经尝试过的方法：\n1. {0}\n2. 换网线\n",
    "German": "Was ich bisher versucht habe:\n* {0}\n",
    "French": "Ce que j'ai déjà essayé :\n- {0}\n",
    "Spanish": "Lo que ya he probado:\n- {0}\n",
    "Russian": "Что я уже пробовал:\n- {0}\n",
}


@pytest.mark.parametrize("told", LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("typed", ["export NCCL_P2P_DISABLE=1", "NCCL_P2P_DISABLE=1"])
def test_what_a_list_of_attempts_holds_is_not_offered_again(told: str, typed: str) -> None:
    after = finding(f"{HANG}\n{told.format(typed)}", "gpu-without-p2p")
    assert "export NCCL_P2P_DISABLE=1" not in commands(after)


@pytest.mark.parametrize(
    "told",
    [
        "What I want to try next:\n- export NCCL_P2P_DISABLE=1\n",
        "What I have tried so far:\n- another monitor\n\nThe maintainers name these:\n- export NCCL_P2P_DISABLE=1\n",
        "What could I try?\n- export NCCL_P2P_DISABLE=1\n",
    ],
)
def test_a_list_of_something_else_is_none_of_attempts(told: str) -> None:
    assert "export NCCL_P2P_DISABLE=1" in commands(finding(f"{HANG}\n{told}", "gpu-without-p2p"))


def test_a_reboot_in_vain_leaves_steps_that_only_end_in_one() -> None:
    old = (
        "NVRM: API mismatch: the client has the version 550.54.14, but this kernel module has the version 535.161.07.\n"
    )
    first = finding(f"{old}I've restarted the server already, no change.\n", "driver-library-mismatch").remedies[0]
    assert first.text.startswith("A reboot was tried")
    again = finding(f"{old}I have unloaded and reloaded the nvidia modules, to no avail.\n", "driver-library-mismatch")
    assert not any("rmmod" in one for one in commands(again))


def test_the_first_remedy_has_no_word_that_binds_it_to_another() -> None:
    for text in (HANG, DLL, f"{HANG}with NCCL_P2P_DISABLE=1: fails\n"):
        for one in judged(read_texts([("report", text)], REGISTRY), REGISTRY).findings:
            assert not one.remedies[:1] or not one.remedies[0].text.startswith(("Or ", "Then ", "Or,"))


_REFUSED = (
    'ollama[9]: level=WARN source=amd_linux.go:378 msg="amdgpu is not supported (supported types:[gfx1030 gfx1100])" '
    "gpu_type=gfx1031 gpu=0 library=/usr/local/lib/ollama\n"
)


def test_a_variable_that_the_unit_has_is_not_set_in_it_again() -> None:
    unset = commands(finding(f"ollama.service - Ollama Service\n{_REFUSED}", "rocm-arch-unsupported"))
    assert "HSA_OVERRIDE_GFX_VERSION=10.3.0" in unset[0]
    for place, again in (("Environment=", False), ("in my .bashrc: export ", True)):
        told = f'{place}"HSA_OVERRIDE_GFX_VERSION=10.3.0"\nollama.service - Ollama Service\n{_REFUSED}'
        offered = [one for one in commands(finding(told, "rocm-arch-unsupported")) if "=10.3.0" in one]
        assert bool(offered) is again, place


def test_another_image_is_another_try_than_the_one_that_prose_tells() -> None:
    text = (
        "We run it with `docker run --gpus all vllm/vllm-openai:v0.9.1 --model x` on an RTX 5090, driver 570.\n"
        "torch 2.6.0+cu124\nRuntimeError: CUDA error: no kernel image is available for execution on the device\n"
    )
    assert commands(finding(text, "gpu-arch-not-in-build"))[0] == (
        "docker run --gpus all vllm/vllm-openai:v0.9.2 --model x"
    )


LOST = "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n"
HANGING_REBOOTS = (
    "rebooting the node hangs, ssh never returns",
    "执行重启命令后一直卡住",
    "再起動しても途中で固まります",
    "Der Neustart bleibt hängen",
    "le redémarrage reste bloqué",
    "el reinicio se queda colgado",
    "перезагрузка зависает",
)


@pytest.mark.parametrize("words", HANGING_REBOOTS)
def test_a_reboot_that_hangs_is_not_the_first_step(words: str) -> None:
    assert commands(finding(f"{LOST}{words}.\n", "gpu-lost"))[0] == "sudo poweroff"


def test_power_is_switched_by_the_controller_that_the_text_names() -> None:
    one = finding(f"{LOST}rebooting the node hangs. Nobody is on site, there is only the BMC.\n", "gpu-lost")
    assert commands(one)[0] == "ipmitool -I lanplus -H BMC_ADDRESS -U USER chassis power cycle"
    assert "sudo poweroff" in commands(finding(f"{LOST}rebooting the node hangs. There is no BMC.\n", "gpu-lost"))


@pytest.mark.parametrize(
    "words",
    [
        "I have the latest Microsoft Visual C++ Redistributable installed.",
        "We have both Visual C++ redistributables already installed",
    ],
)
def test_a_fix_between_the_words_that_it_is_there_is_in_place(words: str) -> None:
    before, after = (finding(f"{DLL}{each}\n", "windows-dll-unloadable") for each in ("", words))
    assert any("VCRedist" in command for command in commands(before))
    assert not any("VCRedist" in command for command in commands(after))


FABRIC = """Ubuntu 22.04, NVIDIA H100 80GB HBM3 x 8, driver 535.216.01
RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 802: system not yet initialized
"""
START = "sudo systemctl enable --now nvidia-fabricmanager && systemctl status nvidia-fabricmanager"
FAILED = """$ systemctl status nvidia-fabricmanager
× nvidia-fabricmanager.service - NVIDIA fabric manager service
     Loaded: loaded (/lib/systemd/system/nvidia-fabricmanager.service; enabled; vendor preset: enabled)
     Active: failed (Result: exit-code) since Mon 2024-11-11 03:12:40 CET; 6h ago
"""


def test_a_service_that_ended_by_itself_is_not_just_started_again() -> None:
    assert START in commands(finding(FABRIC, "fabric-manager-not-running"))
    assert START not in commands(finding(FABRIC + FAILED, "fabric-manager-not-running"))
    stopped = FAILED.replace("failed (Result: exit-code)", "inactive (dead)").replace("×", "○")
    assert START in commands(finding(FABRIC + stopped, "fabric-manager-not-running"))
    waiting = finding(FAILED, "service-failed")
    assert "sudo systemctl restart nvidia-fabricmanager.service" in commands(waiting)


def test_a_service_that_was_restarted_before_the_error_is_not_restarted_again() -> None:
    typed = f"$ sudo systemctl restart nvidia-fabricmanager\n{FABRIC}"
    assert START not in commands(finding(typed, "fabric-manager-not-running"))


FABRIC = (
    "CUDA error: system not yet initialized (802)\n8x H100 SXM, Ubuntu 22.04, driver 550.54.15\n"
    "systemctl status nvidia-fabricmanager: inactive (dead)\n"
)
ADD_ON = (
    "ImportError: flash_attn_2_cuda.cpython-311-x86_64-linux-gnu.so: undefined symbol: _ZN3c104cuda9SetDeviceEi\n"
    "torch 2.5.1+cu124\nflash-attn 2.6.3\n"
)
HIDDEN = "HIP_VISIBLE_DEVICES=7\nRuntimeError: No HIP GPUs are available\n1 x RX 7900 XTX\n"


@pytest.mark.parametrize(
    ("text", "name", "one", "another"),
    [
        (FABRIC, "fabric-manager-not-running", "I restarted the fabric manager twice", "I restarted docker"),
        (ADD_ON, "extension-built-for-other-torch", "I reinstalled flash attention", "I reinstalled xformers"),
        (HIDDEN, "amd-devices-hidden", "I unset HIP_VISIBLE_DEVICES", "I removed CUDA_VISIBLE_DEVICES"),
    ],
)
def test_an_act_on_something_else_is_another_act(text: str, name: str, one: str, another: str) -> None:
    first = finding(text, name).remedies[0].command
    assert finding(f"{another}, no luck.\n{text}", name).remedies[0].command == first
    assert finding(f"{one}, no luck.\n{text}", name).remedies[0].command != first


def test_a_variable_that_was_unset_and_is_still_set_is_looked_for() -> None:
    after = finding(f"I unset HIP_VISIBLE_DEVICES, no luck.\n{HIDDEN}", "amd-devices-hidden").remedies[0]
    assert (after.kind, after.command) == ("look", "printenv HIP_VISIBLE_DEVICES")
