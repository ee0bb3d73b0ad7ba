"""Where no command cures, the finding says who acts, with the words to send; and each says how one sees it is over."""

from accel.collect.live import judged
from accel.collect.text import read_texts
from accel.model.diagnosis import Finding
from accel.plugins.registry import Registry

REGISTRY = Registry({})


def finding(text: str, name: str) -> Finding:
    told = judged(read_texts([("report", text)], REGISTRY), REGISTRY).findings
    return next(f for f in told if f.name == name)


def test_a_board_for_service_comes_with_the_words_to_send() -> None:
    text = """GPU 00000000:3B:00.0
    Product Name                          : NVIDIA A100-SXM4-80GB
    Serial Number                         : 1325020011234
    Remapped Rows
        Correctable Error                 : 0
        Uncorrectable Error               : 8
        Pending                           : No
        Remapping Failure Occurred        : Yes
"""
    told = finding(text, "gpu-row-remap-failed").remedies[0].request
    assert told is not None
    assert told.splitlines()[0] == "To: the service of the board's maker or seller"
    assert "Board: NVIDIA A100-SXM4-80GB, PCI 0000:3b:00.0, serial 1325020011234" in told
    assert "Asked: Please examine the board" in told
    assert "Attached: nvidia-bug-report.log.gz" in told


def test_a_step_of_the_reader_s_own_has_no_letter() -> None:
    text = "/lib64/libc.so.6: version `GLIBC_2.27' not found (required by /env/lib/libcurand.so.10)\n"
    told = [r.request for r in finding(text, "glibc-too-old").remedies if r.action == "env"]
    assert set(told) == {None}


def test_in_a_cluster_the_words_go_to_its_administrators() -> None:
    text = """slurmstepd: error: Detected 1 oom_kill event in StepId=7.0
INFO: task nvidia-smi:5403 blocked for more than 120 seconds.
 os_acquire_spinlock+0xe/0x20 [nvidia]
"""
    told = finding(text, "process-stuck-in-driver").remedies[0].request
    assert told is not None
    assert told.startswith("To: the administrators of this cluster\n")


def test_a_step_that_a_command_does_wants_no_letter() -> None:
    told = finding("CUDA error 802: system not yet initialized\n", "fabric-manager-not-running")
    assert told.remedies[0].command is not None
    assert told.remedies[0].request is None


def test_a_finding_says_how_one_sees_that_it_is_over() -> None:
    told = finding("CUDA error 802: system not yet initialized\n", "fabric-manager-not-running").verification
    assert told is not None
    assert told.command == "nvidia-smi -q | grep -A 3 -i fabric"
