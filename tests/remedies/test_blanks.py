"""A command's blanks are filled with what the text's own commands name, if it is a plain word and the only one."""

import pytest

from accel.collect.text import read_texts
from accel.facts.questions import Facts
from accel.plugins.registry import Registry
from accel.remedies.blanks import filled_in
from accel.remedies.environment import environment_of


@pytest.mark.parametrize(
    ("text", "devices", "command", "filled"),
    [
        (
            "$ gcloud compute tpus tpu-vm create demo --zone us-east1-d --accelerator-type v4-8\n",
            (),
            "gcloud compute tpus tpu-vm delete NAME --zone=ZONE",
            "gcloud compute tpus tpu-vm delete demo --zone=us-east1-d",
        ),
        ("$ docker run -d --name web app:1\n", (), "docker exec CONTAINER nvidia-smi", "docker exec web nvidia-smi"),
        ("$ podman run --rm fedora nvidia-smi\n", (), "podman run IMAGE nvidia-smi", "podman run fedora nvidia-smi"),
        ("$ npu-smi info -t health -i 6\n", (), "npu-smi info -t ecc -i NPU_ID", "npu-smi info -t ecc -i 6"),
        ("$ npu-smi info -i 6\n", ("ascend:6",), "npu-smi set -t reset -i NPU_ID", "npu-smi set -t reset -i NPU_ID"),
        ("nothing typed\n", ("ascend:3",), "npu-smi info -t ecc -i NPU_ID", "npu-smi info -t ecc -i 3"),
        ("nothing typed\n", ("ascend:3", "ascend:4"), "npu-smi info -i NPU_ID", "npu-smi info -i NPU_ID"),
        (
            "$ docker exec one nvidia-smi\n$ docker exec two nvidia-smi\n",
            (),
            "docker exec CONTAINER nvidia-smi",
            "docker exec CONTAINER nvidia-smi",
        ),
        ("$ docker exec '$(rm -rf x)' ls\n", (), "docker exec CONTAINER ls", "docker exec CONTAINER ls"),
        ("$ docker exec CONTAINER ls\n", (), "docker exec CONTAINER ls", "docker exec CONTAINER ls"),
        ("$ kubectl exec web -- ls\n", (), "docker exec CONTAINER ls", "docker exec CONTAINER ls"),
        ("$ talosctl -n 10.1.0.7 ls /dev\n", (), "talosctl upgrade --nodes NODE", "talosctl upgrade --nodes 10.1.0.7"),
        ("$ talosctl read /proc/modules --nodes w3\n", (), "talosctl -n NODE dmesg", "talosctl -n w3 dmesg"),
        (
            "$ kubectl logs -n gpu nvidia-driver-daemonset-x7k2p\n$ kubectl get pods -n web\n",
            (),
            "kubectl logs -n gpu-operator -l app=a",
            "kubectl logs -n gpu -l app=a",
        ),
        (
            "$ helm install --wait ours -n gpu nvidia/gpu-operator\n",
            (),
            "helm upgrade gpu-operator nvidia/gpu-operator -n gpu-operator --reuse-values",
            "helm upgrade ours nvidia/gpu-operator -n gpu --reuse-values",
        ),
        ("$ talosctl ls /dev\n", (), "talosctl -n NODE reboot", "talosctl -n NODE reboot"),
    ],
    ids=[
        "another verb of the tool", "its own name", "an image", "an option", "a reset's device", "the finding's device",
        "two devices", "two names", "no plain word", "another blank", "another tool",
        "an option's value before the subcommand", "and after it",
        "a namespace", "a release", "no such option",
    ],
)  # fmt: skip
def test_a_blank_is_filled_by_the_one_plain_word(
    text: str, devices: tuple[str, ...], command: str, filled: str
) -> None:
    registry = Registry({})
    facts = Facts(read_texts([("the text", text)], registry))
    assert filled_in(command, devices, environment_of(facts, registry.specs)) == filled


TABLE = """\
| NVIDIA-SMI 535.104.05   Driver Version: 535.104.05   CUDA Version: 12.2 |
|   3  NVIDIA A100-SXM4-80GB    On  | 00000000:4E:00.0 Off |                    0 |
"""
OTHER = "|   4  NVIDIA A100-SXM4-80GB    On  | 00000000:87:00.0 Off |                    0 |\n"


@pytest.mark.parametrize(
    ("text", "evidence", "number"),
    [
        (TABLE, "", "3"),
        ("GPU models and configuration: GPU 0: NVIDIA A100 80GB PCIe\nNvidia driver version: 525.116.04\n", "", "0"),
        (TABLE + OTHER, "", "GPU_NUMBER"),
        (TABLE + OTHER, "CUDA out of memory (GPU 4; 79.15 GiB total)", "4"),
        ("My A100 is slow.\n", "", "GPU_NUMBER"),
        ("It fails.\n", "failed for CUDA device ordinal 1: ECC error", "1"),
        ("It fails.\n", "a GPU 24 GB large, and cuda:0 with cuda:1", "GPU_NUMBER"),
        ("$ export CUDA_VISIBLE_DEVICES=2\n", "CUDA out of memory (GPU 0; 7.93 GiB total)", "GPU_NUMBER"),
        ("$ docker run --rm --gpus all app\n", "CUDA out of memory (GPU 0; 7.93 GiB total)", "GPU_NUMBER"),
    ],
    ids=[
        "of a table", "of a report", "one of two", "two, and the error names one", "prose", "an ordinal", "two numbers",
        "others are hidden", "in a container",
    ],
)  # fmt: skip
def test_the_number_of_a_gpu_is_the_one_that_a_tool_lists_or_the_error_names(
    text: str, evidence: str, number: str
) -> None:
    registry = Registry({})
    facts = Facts(read_texts([("the text", text)], registry))
    command = "sudo nvidia-smi --gpu-reset -i GPU_NUMBER"
    filled = command.replace("GPU_NUMBER", number)
    assert filled_in(command, (), environment_of(facts, registry.specs), (evidence,)) == filled
