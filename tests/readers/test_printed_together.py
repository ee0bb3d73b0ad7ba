"""Several values that Python prints in one line."""

import pytest

from accel.collect.text import read_texts
from accel.facts.questions import Facts
from accel.plugins.registry import Registry


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (">>> print(torch.__version__, torch.cuda.is_available())\n2.3.0 False", ("2.3.0", False)),
        (
            "$ python -c \"import torch; print('torch', torch.__version__, torch.version.cuda, "
            'torch.cuda.is_available())"\ntorch 2.3.0+cu121 12.1 True',
            ("2.3.0", True),
        ),
        (">>> print(torch.__version__, torch.cuda.is_available())\nSegmentation fault (core dumped)", None),
    ],
)
def test_each_answer_is_that_of_its_question(text: str, told: tuple[str, bool] | None) -> None:
    environment = Facts(read_texts([("text", text)], Registry({}))).environment
    torch = next((one for one in environment.frameworks if one.name == "torch"), None)
    assert (None if torch is None else (torch.version, torch.available)) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("### TensorFlow version\n\nTF 2.18\n\n### OS\n\nLinux", ("tensorflow", "2.18", None)),
        ("**PyTorch version**\n2.1.0", ("torch", "2.1.0", None)),
        (
            "{'sys.platform': 'linux', 'Python': '3.8.10 (default) [GCC 7.3.0]', 'CUDA available': True, "
            "'PyTorch': '1.8.1', "
            "'PyTorch compiling details': 'PyTorch built with:\\n  - GCC 7.3\\n  - CUDA Runtime 10.2'}",
            ("torch", "1.8.1", "10.2"),
        ),
    ],
)
def test_an_answer_below_its_heading_and_a_printed_dictionary_are_read(
    text: str, told: tuple[str, str, str | None]
) -> None:
    environment = Facts(read_texts([("text", text)], Registry({}))).environment
    assert [(one.name, one.version, one.cuda_version) for one in environment.frameworks] == [told]
