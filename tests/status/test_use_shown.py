"""Output that shows the device in use, against a writer's doubt that it is."""

import pytest
from every_case import registry

from accel.collect.text import read_texts
from accel.diagnose.engine import diagnose

_ON_GPU = "llama3.1:8b   46e0c10c039e    6.7 GB    100% GPU     4 minutes from now"
_ON_CPU = "llama3.1:8b   46e0c10c039e    6.7 GB    100% CPU     4 minutes from now"


def is_clear(text: str) -> bool:
    known = registry()
    diagnosis = diagnose(read_texts([("report", text)], known), known.specs, known.checks, known.rules)
    return not (diagnosis.findings or diagnosis.ambiguous_causes or diagnosis.unexplained)


@pytest.mark.parametrize(
    "text",
    [
        f"Ollama for Windows does not recognize my RX 7600?\nI think it does not use it:\n\n$ ollama ps\n{_ON_GPU}\n",
        f"Does Ollama really use my RX 7700 XT? I think it runs on the CPU.\n\n$ ollama ps\n{_ON_GPU}\n",
        "llama.cpp does not recognize my RTX 3060??\n\n"
        "ggml_cuda_init: found 1 CUDA devices:\nload_tensors: offloaded 33/33 layers to GPU\n",
    ],
)
def test_output_that_shows_the_device_in_use_outweighs_a_doubt(text: str) -> None:
    assert is_clear(text)


@pytest.mark.parametrize(
    "text",
    [
        f"Ollama does not recognize my RX 6600\n\n$ ollama ps\n{_ON_CPU}\n",
        f"Ollama does not use my RTX 3060 since the update. Before:\n{_ON_GPU}\nNow:\n{_ON_CPU}\n",
        f"Ollama works on my RX 6800, but ComfyUI does not detect my GPU, it runs on the CPU.\n\n{_ON_GPU}\n",
        "My RTX 3060 is not used by llama.cpp\n\nload_tensors: offloaded 0/33 layers to GPU\n",
        f"Ollama does not use my GPU\n\n{_ON_GPU}\nCUDA error: out of memory\n",
    ],
)
def test_a_doubt_stays_if_output_confirms_it_or_another_program_is_meant(text: str) -> None:
    assert not is_clear(text)
