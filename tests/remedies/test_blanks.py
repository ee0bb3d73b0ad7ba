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
    ],
    ids=[
        "another verb of the tool", "its own name", "an image", "an option", "a reset's device", "the finding's device",
        "two devices", "two names", "no plain word", "another blank", "another tool",
    ],
)  # fmt: skip
def test_a_blank_is_filled_by_the_one_plain_word(
    text: str, devices: tuple[str, ...], command: str, filled: str
) -> None:
    registry = Registry({})
    facts = Facts(read_texts([("the text", text)], registry))
    assert filled_in(command, devices, environment_of(facts, registry.specs)) == filled
