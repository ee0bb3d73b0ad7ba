"""Lines of words that complain: whether they name software of accelerators, so that they must not be passed over."""

import pytest

from accel.apps.api import doctor, read_text


@pytest.mark.parametrize(
    "text",
    [
        "容器里的 torch_musa 是 1.2.0,镜像标签写的是 1.2.1,import torch_musa 就报错",
        "We moved to a new image. import torch_mlu now ends with an error on every node.",
        "Seit dem Update: import jax schlägt fehl, error in der ersten Zeile des Skripts.",
    ],
)
def test_an_import_that_fails_is_never_clear(text: str) -> None:
    assert doctor(read_text(text)).verdict == "undecided"
    assert doctor(read_text(text)).unexplained


@pytest.mark.parametrize(
    "text",
    [
        "import my_project ends with an error since I renamed the folder, everything else runs.",
        "The table_of_contents plugin fails for pages without a title.",
    ],
)
def test_an_import_of_the_writers_own_code_is_passed_over(text: str) -> None:
    assert not doctor(read_text(text)).unexplained


def test_a_call_that_never_returns_is_not_denied() -> None:
    text = "Two RTX 5880 Ada without NVLink: ncclAllReduce never returns, and the processes use 100 % of a core."
    assert doctor(read_text(text)).verdict == "undecided"
