"""What the writer tried in vain is not offered again; what helped comes first, and ranks its cause."""

from accel.collect.live import judged
from accel.collect.text import read_texts
from accel.model.diagnosis import Finding
from accel.plugins.registry import Registry

REGISTRY = Registry({})
HANG = """GPU 0: NVIDIA GeForce RTX 4090
GPU 1: NVIDIA GeForce RTX 4090
accelerate: NotImplementedError: Using RTX 4000 series doesn't support faster communication broadband via P2P or IB.
"""


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
    assert "NCCL_P2P_DISABLE=1" in after.tried[0]
    assert after.remedies


def test_another_value_is_another_try() -> None:
    assert "export NCCL_P2P_DISABLE=1" in commands(
        finding(f"{HANG}with NCCL_P2P_DISABLE=0: fails\n", "gpu-without-p2p")
    )


def test_what_helped_comes_first_and_is_told() -> None:
    one = finding(f"{HANG}with NCCL_P2P_DISABLE=1 it works\n", "gpu-without-p2p")
    assert commands(one)[0] == "export NCCL_P2P_DISABLE=1"
    assert one.cured
    assert one.tried == ()


def test_a_step_that_only_reboots_is_not_offered_after_a_reboot_in_vain() -> None:
    xid = "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n"
    assert [r.action for r in finding(xid, "gpu-lost").remedies][:1] == ["reboot"]
    again = finding(f"{xid}after rebooting the machine: no change\n", "gpu-lost")
    assert [r.action for r in again.remedies] == ["service"]


def test_the_last_step_stays_though_it_was_tried() -> None:
    text = "CUDA_VISIBLE_DEVICES=7\nGPU 0: NVIDIA A100\nRuntimeError: No CUDA GPUs are available\n"
    assert finding(f"{text}after rebooting: no change\n", "devices-hidden").remedies


def test_a_command_before_the_failure_is_an_attempt_and_one_behind_it_is_none() -> None:
    typed = "$ export NCCL_P2P_DISABLE=1\n"
    assert "export NCCL_P2P_DISABLE=1" not in commands(finding(f"{typed}{HANG}", "gpu-without-p2p"))
    assert "export NCCL_P2P_DISABLE=1" in commands(finding(f"{HANG}{typed}", "gpu-without-p2p"))
