"""Versions in the midst of sentences: what is in use, and not what is wanted, advised or another's."""

import pytest

from accel.facts.readers.typed_versions import READER


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("It fails with torch 2.5.1.", "2.5.1"),
        (
            "My RTX 5090 says it is not compatible with the current PyTorch installation, this is with torch 2.5.1",
            "2.5.1",
        ),
        ("It stopped working after I updated to PyTorch 2.8 with CUDA 12.8: no kernel image is available.", "2.8"),
        ("torch.xpu finds nothing, torch 2.5.1+cu124 is installed.", "2.5.1+cu124"),
        ("This happens on torch 2.4.1 on Ubuntu.", "2.4.1"),
        ("tensorflow 2.16.1 unter Windows 11, RTX 4060", "2.16.1"),
        ("Hi, mmcv-full 1.7.1 compiled from source, Tesla V100", "1.7.1"),
        ("I built mmcv 2.1.0 from source inside a docker build.", "2.1.0"),
        ("jax[cuda12] 0.4.38 from pip in a venv", "0.4.38"),
        ("The model was saved with torch 1.13", None),
        ("It works with torch 2.3", None),
        ("Please use it with torch 2.5.", None),
        ("The wheel is built with torch 2.1.0", None),
        ("It needs torch 2.5 or newer", None),
    ],
)
def test_a_version_is_that_of_what_is_in_use(text: str, version: str | None) -> None:
    told = [p for reading in READER.read(text) if reading.environment for p in reading.environment.packages or ()]
    assert [f"{p.version}" + (f"+{p.variant}" if p.variant else "") for p in told] == ([version] if version else [])
