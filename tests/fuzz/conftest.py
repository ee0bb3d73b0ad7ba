"""Lets the fuzz tests import the kit beside them, which benchmarks/fuzz.py also runs."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
_MOST_BYTES = 4 << 30  # of address space: an input that wants more is to fail here, and not to end the machine


@pytest.fixture(autouse=True)
def bounded() -> Iterator[None]:
    """Let an input that asks for endless memory raise MemoryError, where the system can be told so."""
    if sys.platform == "win32":
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = _MOST_BYTES if hard == resource.RLIM_INFINITY else min(hard, _MOST_BYTES)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
